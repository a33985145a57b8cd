"""Engines as systems: one file each under its name, what it needs beside it, and what several share."""
