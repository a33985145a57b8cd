"""Reading files: YAML and TOML with positions, and their validation by pydantic models."""
