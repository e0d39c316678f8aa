"""People's own chat histories, a module for each format."""
