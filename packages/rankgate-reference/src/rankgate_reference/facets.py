"""What filters let through nothing, and what may have been meant."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from rankgate_reference.answers import line_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import rankgate as rg
    from rankgate_reference.library.library import Library

_LISTED = 10
_MOST = 5


def warnings(library: Library, query: rg.Query) -> tuple[str, ...]:
    """Return which of a query's filters no node can pass: a facet or a value that none has.

    The values of ``kind`` differ within a file, and are not known here.
    """
    if not query.filters:
        return ()
    found = [line_of(one, 400) for one in (*library.warnings(query), *_unknown_values(library, query))]
    more = [f"and {len(found) - _MOST:,} more"] if len(found) > _MOST else []
    return (*found[:_MOST], *more)


def _unknown_values(library: Library, query: rg.Query) -> Iterator[str]:
    for key in query.filters:
        if key == "kind":
            continue
        there = {value for node in library.documents_without_text for value in node.facets.get(key, ())}
        for value in dict.fromkeys(query.values(key)):
            if there and value not in there:
                near = get_close_matches(value[:200], sorted(there), _LISTED, 0.6) or sorted(there)[:_LISTED]
                more = ", …" if len(there) > len(near) else ""
                listed = line_of(", ".join(near), 300)
                yield f"no node has {line_of(key, 40)} {line_of(value, 80)!r}; there are: {listed}{more}"
