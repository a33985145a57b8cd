"""SQLite: tables of FTS5."""
