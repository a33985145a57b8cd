"""What became of the targets of a suite, and how it is mended."""
