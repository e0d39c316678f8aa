"""Nothing of 1.x is needed here."""
