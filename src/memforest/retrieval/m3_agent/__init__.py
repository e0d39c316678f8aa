"""Searching the memory of a video: M3-Agent's search and its controls, StreamMeCo's, and what they share."""
