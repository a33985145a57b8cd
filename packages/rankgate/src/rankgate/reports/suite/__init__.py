"""What is said of a suite itself: what lint found, and what became of its targets in another corpus."""
