"""What all reports write with: safe text, marks, Markdown, terminal tables, typed JSON."""
