"""The words of a query, for engines whose query language would read more into it."""

from __future__ import annotations

import unicodedata


def words_of(text: str) -> tuple[str, ...]:
    """Give each word once, in order: runs of letters, digits, marks and underscores, but no marks alone.

    >>> words_of('rotate_key("API"), rotate_key __ größe')
    ('rotate_key', 'API', 'größe')
    """
    spaced = "".join(char if _is_part(char) else " " for char in text)
    return tuple(dict.fromkeys(word for word in spaced.split() if any(map(str.isalnum, word))))


def _is_part(char: str) -> bool:
    return char.isalnum() or char == "_" or unicodedata.category(char)[0] == "M"
