"""Numbers and texts as a message shows them."""

from __future__ import annotations


def many(number: int, one: str, several: str | None = None) -> str:
    """Count things.

    >>> many(1, "query", "queries"), many(2, "check")
    ('1 query', '2 checks')
    """
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def quoted(text: str, most: int = 80) -> str:
    """Quote a text, shortened before so that the quotes close.

    >>> quoted("a" * 9, 4), quoted("abc")
    ("'aaa…'", "'abc'")
    """
    return repr(text if len(text) <= most else text[: most - 1] + "…")
