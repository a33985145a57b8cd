"""Drift: where every location of a suite is in another state of its corpus."""
