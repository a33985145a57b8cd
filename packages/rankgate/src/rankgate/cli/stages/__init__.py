"""The stages of a test as commands of their own: run, score, report."""
