"""What keeps a project from being tested: a list of checks, each with what mends it."""
