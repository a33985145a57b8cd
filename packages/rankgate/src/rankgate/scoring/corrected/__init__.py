"""Means by a model's labels, corrected by those of people."""
