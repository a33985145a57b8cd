"""Suites changed in their files: only the bytes that must change do."""
