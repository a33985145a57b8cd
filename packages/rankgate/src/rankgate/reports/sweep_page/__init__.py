"""The page of a sweep: every variant beside the one in use, and every query in all of them."""
