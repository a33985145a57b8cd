"""What hits cost to read, where the system does not say."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankgate.model.search import Ranking

ESTIMATE = "bytes/4"
"""What the manifest calls the estimate."""


def estimated_tokens(text: str) -> int:
    """Estimate the tokens of a text: its UTF-8 bytes / 4, rounded up.

    >>> estimated_tokens("größer")
    2
    """
    return -(-len(text.encode(errors="replace")) // 4)


def with_tokens(ranking: Ranking) -> tuple[Ranking, bool]:
    """Estimate the tokens of every hit that has text and no count; tell whether there was one."""
    unknown = [hit.tokens is None and hit.text is not None for hit in ranking.hits]
    if not any(unknown):
        return ranking, False
    hits = tuple(
        replace(hit, tokens=estimated_tokens(hit.text or "")) if guess else hit
        for hit, guess in zip(ranking.hits, unknown, strict=True)
    )
    return replace(ranking, hits=hits), True
