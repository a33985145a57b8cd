"""Search engines of this machine as systems of rankgate: Tantivy, LanceDB, bm25s and ripgrep."""
