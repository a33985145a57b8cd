"""Text as UTF-8 can hold it."""

from __future__ import annotations


def utf8(text: str) -> str:
    r"""Put ``?`` for half of a surrogate pair, which has no bytes; what is indexed and asked is told alike.

    >>> utf8("a\ud800b"), utf8("größe")
    ('a?b', 'größe')
    """
    return text.encode(errors="replace").decode()
