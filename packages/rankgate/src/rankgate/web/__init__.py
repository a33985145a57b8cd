"""Evaluations in the browser: a small server for this machine alone."""
