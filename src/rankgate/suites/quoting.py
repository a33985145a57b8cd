"""Text of a file as a message shows it: short, and quoted whole."""

from __future__ import annotations


def quoted(text: str, most: int = 80) -> str:
    """Quote a text, shortened before so that the quotes close.

    >>> quoted("a" * 9, 4), quoted("abc")
    ("'aaa…'", "'abc'")
    """
    return repr(text if len(text) <= most else text[: most - 1] + "…")
