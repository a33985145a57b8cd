"""YAML and JSON as trees of values: each knows where it stands, so that errors can say so."""
