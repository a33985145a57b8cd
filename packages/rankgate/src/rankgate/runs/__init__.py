"""What a system answered: the tables of a run, where they are kept, and the formats they come in."""
