"""Graphs of videos as M3-Agent makes them: files of them, and what is wrong with them."""
