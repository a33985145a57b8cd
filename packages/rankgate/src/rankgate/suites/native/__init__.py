"""rankgate's own suites: in YAML, in JSON lines, in Parquet; what they say, and how they are written."""
