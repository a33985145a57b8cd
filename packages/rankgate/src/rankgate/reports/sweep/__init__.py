"""What a sweep says: which variant is better, by how much, and what each axis does."""
