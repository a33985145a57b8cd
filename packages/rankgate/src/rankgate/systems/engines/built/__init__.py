"""What all engines share that build an index: its folder, its records, its vectors."""
