"""Walking through the documents of a system, and the transcript of what was seen."""
