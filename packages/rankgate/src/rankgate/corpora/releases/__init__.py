"""Releases of Python packages, found as pip finds them and fetched by hash."""
