"""Records -> numbers."""
