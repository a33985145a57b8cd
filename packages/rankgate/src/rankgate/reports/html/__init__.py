"""The HTML report of a test."""
