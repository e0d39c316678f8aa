"""Modules of the library that the adapter looks into."""
