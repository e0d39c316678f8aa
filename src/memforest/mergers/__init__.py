"""Pairs of nodes -> merged segments."""
