"""``rankgate doctor``: what keeps a project from being tested."""
