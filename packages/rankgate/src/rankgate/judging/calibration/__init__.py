"""A model judge measured against people, and what its labels are worth in a mean."""
