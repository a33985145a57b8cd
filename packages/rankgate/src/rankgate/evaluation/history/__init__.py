"""What became of a suite and a system over time: records of evaluations, and the ranks of every query."""
