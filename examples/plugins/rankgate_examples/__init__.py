"""Plugins of rankgate as examples: a system, a metric, a corpus and a suite format."""
