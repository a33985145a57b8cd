"""Variants compared with the one in use: many at once, and what may be claimed of them together."""
