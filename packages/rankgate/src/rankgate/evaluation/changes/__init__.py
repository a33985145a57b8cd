"""What a change of the documents does: to the targets of a suite, and to what a search finds."""
