"""Other people's published per-question files: read, joined with their benchmark, re-scored, and kept."""
