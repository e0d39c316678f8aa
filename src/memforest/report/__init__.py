"""Statistics and tables, from stored runs only."""
