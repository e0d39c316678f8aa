"""How merged nodes get their vectors."""
