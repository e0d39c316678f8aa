"""Run and artifact folders, their schema, and provenance."""
