"""A search over the axes of a sweep: what is tried next, asked part by part, and what may be said of it."""
