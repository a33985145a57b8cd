"""A corpus that can be searched and walked: its nodes and indexes, kept up to date in a cache."""
