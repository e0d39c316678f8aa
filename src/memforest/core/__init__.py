"""Types, protocols, errors and exact arithmetic; imports nothing else of this project."""
