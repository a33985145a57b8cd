"""What is certain about a query that fell short: facts, each with its evidence."""
