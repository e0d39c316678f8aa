"""Unit -> memories."""
