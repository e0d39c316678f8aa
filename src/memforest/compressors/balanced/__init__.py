"""Balanced merging: similar nodes, short ones first, in rounds of many independent pairs."""
