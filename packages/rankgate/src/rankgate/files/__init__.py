"""Reading and writing files: compression, words, JSON lines, Parquet; whole or not at all."""
