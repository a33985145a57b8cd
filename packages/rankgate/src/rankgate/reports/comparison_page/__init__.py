"""The page of a comparison: two or more systems on one suite, by `rankgate compare`."""
