"""Runs as they are kept: the three tables, the manifest, the folder, and the hits read back."""
