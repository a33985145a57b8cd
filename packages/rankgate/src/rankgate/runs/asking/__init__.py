"""Asking a system: one question, many at once, how hard, and what becomes of the answers."""
