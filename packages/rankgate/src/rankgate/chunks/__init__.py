"""From documents to the pieces that are indexed, by chunkers of our own and of other libraries."""
