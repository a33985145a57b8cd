"""What a verdict must be, computed from a state alone. Nothing here imports rankgate."""
