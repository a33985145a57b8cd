"""What is relevant to what: judgments, and the formats they are kept in."""
