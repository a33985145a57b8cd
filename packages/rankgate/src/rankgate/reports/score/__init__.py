"""What is said of the scores of one or more runs: `rankgate score`."""
