"""Search by vectors, alone or with words: embedding models, a table of LanceDB, fusion."""
