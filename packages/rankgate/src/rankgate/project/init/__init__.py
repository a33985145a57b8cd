"""What a project starts with: its documents, its search, sections to write cases for, and a CI workflow."""
