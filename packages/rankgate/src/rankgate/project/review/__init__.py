"""Changes of what is expected: proposed with a reason, shown as a difference, made by a person."""
