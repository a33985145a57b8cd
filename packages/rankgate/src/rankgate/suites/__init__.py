"""What should be found, as people write it: the formats of suites, each in a file."""
