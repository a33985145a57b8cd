"""Locations in a corpus: found as a suite writes them, as a hit declares them, or by their text."""
