"""A Python function or class as a system."""
