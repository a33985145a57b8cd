"""Embedding models, one a file: the entry points of ``rankgate.embedders``."""
