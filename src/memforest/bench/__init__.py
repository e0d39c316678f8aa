"""How fast the methods are, measured beside a baseline in the same process."""
