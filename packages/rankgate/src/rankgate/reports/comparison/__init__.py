"""What is said of two runs side by side: `rankgate compare`, and every evaluation that has a baseline."""
