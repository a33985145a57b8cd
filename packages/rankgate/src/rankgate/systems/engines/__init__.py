"""Engines as systems: each a file or a folder of its name, and what several share."""
