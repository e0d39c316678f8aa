"""Memory -> index -> hits."""
