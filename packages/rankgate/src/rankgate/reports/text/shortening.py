"""Long names, cut so that a reader can still tell them apart."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_WORD = 20
"""How far a cut looks for the end of a word."""


def last_part(location: str, most: int) -> str:
    """Cut a location at its front, where a folder begins: its file and lines tell it from others.

    >>> last_part("docs/a/very/deep/folder/keys.md:10-20", 24)
    '…/folder/keys.md:10-20'
    """
    if len(location) <= most:
        return location
    kept = location[1 - most :]
    start = kept.find("/")
    return "…" + (kept[start:] if 0 <= start < most // 2 else kept)


def told_apart_texts(texts: Sequence[tuple[str, str]], most: int) -> list[str]:
    """Cut texts in their middle; those that would read the same stay whole, or else get their names.

    Args:
        texts: Each text with its name.
        most: How long one may be.

    >>> told_apart_texts([("how does billing handle a refund after the period ended", "a")], 40)
    ['how does billing handle … period ended']
    >>> told_apart_texts([("rotate", "first"), ("rotate", "second")], 40)
    ['rotate (first)', 'rotate (second)']
    """
    cut = [_middle(text, most) for text, _ in texts]
    seen = Counter(cut)
    shown = [text if seen[short] > 1 else short for short, (text, _) in zip(cut, texts, strict=True)]
    again = Counter(shown)
    return [
        f"{text} ({name})" if again[text] > 1 else text for text, (_, name) in zip(shown, texts, strict=True)
    ]


def _middle(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    head, tail = text[: most * 3 // 5], text[-(most * 2 // 5 - 3) :]
    # At words, where there are any: letters that belong together stay so.
    if " " in head[-_WORD:]:
        head = head.rpartition(" ")[0]
    if " " in tail[:_WORD]:
        tail = tail.partition(" ")[2]
    return f"{head} … {tail}"
