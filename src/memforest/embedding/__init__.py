"""Embedders and the vector cache."""
