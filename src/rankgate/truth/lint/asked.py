"""How a query is asked: what else than its words tells two cases apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable

    from rankgate.model.suite import Case


def filtered_by(case: Case) -> Hashable:
    """Give the facets that a case is asked with."""
    return tuple(
        (key, (value,) if isinstance(value, str) else tuple(value))
        for key, value in sorted(case.filters.items())
    )


def asked_like(case: Case) -> Hashable:
    """Give the slice and the filters of a case: its category, its tags with a value, and its facets."""
    tags = frozenset(tag for tag in case.tags if "=" in tag)
    return case.category, tags, filtered_by(case)


def slices(case: Case) -> set[tuple[str, str]]:
    """Give the slices of a case as gates name them: key and value.

    >>> from rankgate.model.suite import Case
    >>> sorted(slices(Case("a", "b", category="exact", tags=frozenset({"language=go"}))))
    [('category', 'exact'), ('language', 'go'), ('tag', 'language=go')]
    """
    found = {("tag", tag) for tag in case.tags}
    for tag in case.tags:
        key, equals, value = tag.partition("=")
        if equals:
            found.add((key.strip(), value.strip()))
    found |= {("category", case.category)} if case.category is not None else set()
    found |= {("group", case.group)} if case.group is not None else set()
    return found


def marked(case: Case, mark: str) -> bool:
    """Tell whether a case is marked by its category, a tag, or the value of a tag.

    >>> from rankgate.model.suite import Case
    >>> marked(Case("a", "b", tags=frozenset({"difficulty=hard"})), "hard")
    True
    """
    return case.category == mark or any(
        tag == mark or tag.partition("=")[2].strip() == mark for tag in case.tags
    )
