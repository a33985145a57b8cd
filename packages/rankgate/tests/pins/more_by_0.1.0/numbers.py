def search(query: str, k: int) -> list[str]:
    """Find the document of the number."""
    return [f"d{query.removeprefix('number ')}"][:k]
