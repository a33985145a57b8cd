"""What is searched: a folder or records, cut into a tree of sections and symbols."""
