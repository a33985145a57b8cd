"""PostgreSQL: full text and pgvector."""
