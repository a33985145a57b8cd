"""One suite and one system kept open for a test runner: items, assertions, and why one failed."""
