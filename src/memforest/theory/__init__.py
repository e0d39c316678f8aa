"""What the papers claim of merging in general, measured on memories that were merged."""
