"""Graphs of videos as M3-Agent makes them: files, what is wrong with them, and generated ones."""
