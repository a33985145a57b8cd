"""From documents to the pieces that are indexed: whole files, windows of lines, sections and symbols."""
