"""Web servers of zoekt: code by trigrams."""
