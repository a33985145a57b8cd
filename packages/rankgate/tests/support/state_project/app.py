"""A search by fixed words without an index, with known results."""

SECTIONS = {
    "keys.md#Rotation": "rotate rotation key keys new old every days",
    "keys.md#Revocation": "revoke revocation leaked key end once",
    "webhooks.md#Retries": "retry retries failed delivery deliveries webhook again",
    "webhooks.md#Signatures": "signature signatures check verify webhook body",
    "limits.md#Rates": "rate rates limit limits requests minute 429",
    "limits.md#Sizes": "size sizes body megabyte large",
}


def good(query: str, k: int) -> list[str]:
    """Find sections that share a word with the query, most words first."""
    words = set(query.lower().split())
    shared = {name: len(words & set(text.split())) for name, text in SECTIONS.items()}
    return [name for name in sorted(SECTIONS, key=lambda name: -shared[name]) if shared[name]][:k]


def poor(query: str, k: int) -> list[str]:
    """Find the same sections for every query."""
    return list(SECTIONS)[:k]


def broken(query: str, k: int) -> list[str]:
    """Fail on every query but one."""
    if "rotate" in query:
        return good(query, k)
    raise ConnectionError("no route to the index")
