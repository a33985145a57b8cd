"""What is to be judged: candidates of several systems and of plain search, merged into passages."""
