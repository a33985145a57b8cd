"""The systems under test: how each kind is asked, and how its answers become rankings."""
