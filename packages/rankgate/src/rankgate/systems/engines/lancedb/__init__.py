"""Tables of LanceDB: full text, vectors, hybrid."""
