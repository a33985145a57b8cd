"""When a query is the title of a node: the same words, whatever their order and their fillers."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rankgate_reference.documents.nodes import RECORD
from rankgate_reference.lexical.words import stems_of_title

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankgate_reference.documents.nodes import TreeNode
    from rankgate_reference.lexical.words import Term

_MOST_NAMES = 3


def titles_of(node: TreeNode) -> list[str]:
    """Return what names the node: its title, alone and behind those above it; for a record, also its id."""
    keys: list[str] = []
    solid: frozenset[str] = frozenset()
    every: frozenset[str] = frozenset()
    for name in node.trail[: -_MOST_NAMES - 1 : -1]:
        stems, filler = _said(name)
        every |= stems
        if not filler:
            solid |= stems
        # A title of fillers alone counts only beside others of the kind.
        keys.insert(0, " ".join(sorted(solid or every)))
    if node.kind == RECORD:
        keys.append(" ".join(sorted(_said(node.id)[0])))
    return list(filter(None, dict.fromkeys(keys)))


def title_key(terms: Iterable[Term]) -> str:
    """Return one text for what is asked for, whatever its order and its fillers; titles are kept so.

    >>> from rankgate_reference.lexical.words import query_terms
    >>> title_key(query_terms("Restoring a backup")) == title_key(query_terms("backups restored"))
    True
    """
    return " ".join(sorted({term.stem for term in terms if not term.whole and not term.filler}))


_said = lru_cache(10_000)(stems_of_title)
