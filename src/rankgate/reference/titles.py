"""When a query is the title of a node: the same words, whatever their order and their fillers."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rankgate.reference.nodes import RECORD
from rankgate.reference.words import query_terms

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankgate.reference.nodes import TreeNode
    from rankgate.reference.words import Term

_MOST_NAMES = 3


def titles_of(node: TreeNode) -> list[str]:
    """Give what names the node: its title, alone and behind those above it; for a record, also its id."""
    trail = node.trail[-_MOST_NAMES:]
    names = [" ".join(trail[at:]) for at in range(len(trail))]
    if node.kind == RECORD:
        names.append(node.id)
    return list(filter(None, dict.fromkeys(map(_title_of, names))))


def title_key(terms: Iterable[Term]) -> str:
    """Give one text for what is asked for, whatever its order and its fillers; titles are kept so.

    >>> title_key(query_terms("Restoring a backup")) == title_key(query_terms("backups restored"))
    True
    """
    return " ".join(sorted({term.stem for term in terms if not term.whole and not term.filler}))


@lru_cache(10_000)
def _title_of(text: str) -> str:
    return title_key(query_terms(text))
