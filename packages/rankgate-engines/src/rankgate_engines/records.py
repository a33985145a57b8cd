"""What a document has in the indexes that rankgate builds: fields, facets to ask by, and vectors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rankgate.model import estimated_tokens, fingerprint
from rankgate.systems.adapter.templates import check_filters, utf8

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankgate.model import Document, Query

NUMBERS = ("start", "end", "start_char", "end_char", "tokens")
"""The fields that are numbers: where a document lies, and what it costs where nobody can tell by that."""
PLACED = ("id", "path", *NUMBERS)
"""The fields that a hit has."""

_LONGEST_TERM = 8000
_MOST_NAMES = 20
_VECTORS = "one vector of numbers for each text"


def record_of(document: Document) -> dict[str, Any]:
    """Return the fields that every built index has; half a surrogate pair, which has no bytes, becomes ``?``.

    >>> from rankgate.model import Document
    >>> record_of(Document("a.md", "words", path="a.md"))["start"] is None
    True
    """
    lines, characters = document.lines, document.characters
    unplaced = document.path is not None and lines is None
    return {
        "id": utf8(document.id),
        "title": utf8(document.title),
        "text": utf8(document.text),
        "path": None if document.path is None else utf8(document.path),
        "start": None if lines is None else lines.start,
        "end": None if lines is None else lines.end,
        "start_char": None if characters is None else characters.start,
        "end_char": None if characters is None else characters.end,
        "tokens": estimated_tokens(document.text) if unplaced else None,
        "facets": {utf8(name): utf8(value) for name, value in document.facets.items()},
    }


def facet_term(name: str, value: str) -> str:
    """Make one term of a facet; one that is longer than a term may be is told by its fingerprint.

    >>> facet_term("lang", "py")
    '["lang", "py"]'
    """
    pair = [utf8(name), utf8(value)]
    term = json.dumps(pair)
    return term if len(term) <= _LONGEST_TERM else fingerprint(pair)


def check_facets(query: Query, names: Iterable[str]) -> None:
    """Refuse a filter by a facet that no document of an index has, rather than find nothing in silence.

    Args:
        query: What is asked.
        names: The facets that there are.

    Raises:
        SystemFailedError: with those that there are.
    """
    known = frozenset(names)
    if all(utf8(name) in known for name in query.filters):
        return
    listed = sorted(known)
    more = f" and {len(listed) - _MOST_NAMES} more" if len(listed) > _MOST_NAMES else ""
    there = f"the facets {', '.join(listed[:_MOST_NAMES])}{more}" if listed else "no facets"
    # A facet may be called *, which stands for all of them there.
    check_filters(query, known - {"*"}, f"the index has {there}")
