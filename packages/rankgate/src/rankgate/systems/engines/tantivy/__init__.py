"""Indexes of Tantivy."""
