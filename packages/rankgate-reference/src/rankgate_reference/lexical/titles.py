"""When a query is the title of a node: the same words, whatever their order and their fillers."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rankgate_reference.documents.nodes import RECORD
from rankgate_reference.lexical.words import FILLERS, query_terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rankgate_reference.documents.nodes import TreeNode
    from rankgate_reference.lexical.words import Term

_MOST_NAMES = 3


def titles_of(node: TreeNode) -> list[str]:
    """Return what names the node: its title, alone and behind those above it; for a record, also its id."""
    said = [_said(name) for name in node.trail[-_MOST_NAMES:]]
    keys = [_key(said[at:]) for at in range(len(said))]
    if node.kind == RECORD:
        keys.append(_key([_said(node.id)]))
    return list(filter(None, dict.fromkeys(keys)))


def title_key(terms: Iterable[Term]) -> str:
    """Return one text for what is asked for, whatever its order and its fillers; titles are kept so.

    >>> title_key(query_terms("Restoring a backup")) == title_key(query_terms("backups restored"))
    True
    """
    return " ".join(sorted({term.stem for term in terms if not term.whole and not term.filler}))


def _key(said: Sequence[tuple[frozenset[str], bool]]) -> str:
    """Return the key of titles one behind the other; one of fillers alone counts only by itself."""
    solid = [stems for stems, filler in said if not filler] or [stems for stems, _ in said]
    return " ".join(sorted(frozenset().union(*solid)))


@lru_cache(10_000)
def _said(title: str) -> tuple[frozenset[str], bool]:
    """Return the stems of a title, and whether they only hold a sentence together."""
    terms = query_terms(title)
    filler = all(term.typed in FILLERS for term in terms)
    return frozenset(term.stem for term in terms if not term.whole and not term.filler), filler
