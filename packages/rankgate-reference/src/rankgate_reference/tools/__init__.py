"""The tools that an agent gets, each in a file of its own: what it says of itself, takes and answers."""
