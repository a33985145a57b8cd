"""Search by words: terms, queries of Tantivy, weights, and why a node was found."""
