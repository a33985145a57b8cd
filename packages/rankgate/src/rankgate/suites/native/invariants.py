"""Invariants as people write them: a relation with its queries, and what else the relation needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from rankgate.files.tree.values import Fields, texts
from rankgate.model.probes import Invariant, Relation
from rankgate.model.search import Query
from rankgate.suites.native.cases import free_name, own_name, read_filters, slug
from rankgate.suites.native.scenarios import FIRST_HITS
from rankgate.suites.native.targets import read_place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.files.tree.values import Value
    from rankgate.model.locations import Location
    from rankgate.suites.native.targets import Defaults


RELATION_KEYS = {
    Relation.SAME_RESULTS: ("by", "order"),
    Relation.RANKS_ABOVE: ("above", "below"),
    Relation.FILTER_ONLY: ("only",),
    Relation.SINGLE_TERM_NO_BONUS: ("beside",),
    Relation.MONOTONE: (),
    Relation.STABLE: ("times",),
    Relation.EMPTY: (),
}
"""What may be said of a relation alone."""
INVARIANT_KEYS = (
    "name",
    *(relation.value for relation in Relation),
    "k",
    "filters",
    *(key for keys in RELATION_KEYS.values() for key in keys),
)
TIMES = 3
"""How often a query is asked to see whether it is stable, where nothing is said."""
MOST_TIMES = 1000
"""How often one may be asked at most."""

_NEEDED = {
    Relation.RANKS_ABOVE: ("above", "below"),
    Relation.FILTER_ONLY: ("filters", "only"),
    Relation.SINGLE_TERM_NO_BONUS: ("beside",),
    Relation.MONOTONE: ("k",),
}
_SHARED = ("name", "k", "filters")
_RELATIONS = ", ".join(relation.value for relation in Relation)
_QUERY = "the text of a query"
_MOVED = {
    "filter": "filters",
    "same": "same-results",
    "under": "below",
    "with": "beside",
    **{relation.value.replace("-", "_"): relation.value for relation in Relation},
}


def read_invariants(value: Value | None, defaults: Defaults) -> tuple[Invariant, ...]:
    """Read the invariants of a suite; those without a name get a slug of what they say."""
    if value is None:
        return ()
    if value.kind != "list":
        value.wrong("a list of invariants", "such as - stable: deploy")
    named: dict[str, int] = {}
    read: list[tuple[str | None, dict[str, Any]]] = []
    for item in value.items():
        if item.kind != "mapping":
            item.wrong("an invariant: a mapping with its relation", "such as stable: deploy")
            continue
        fields = Fields(item, INVARIANT_KEYS, moved=_MOVED)
        name = own_name(fields, named, "a name for the invariant")
        relation = _relation(fields)
        if relation is not None:
            read.append((name, _invariant(fields, relation, defaults)))
    taken = set(named)
    return tuple(
        Invariant(name or free_name(usual_name(about["relation"], about["queries"]), taken), **about)
        for name, about in read
    )


def usual_name(relation: Relation, queries: Sequence[Query]) -> str:
    """Make a name of a relation and its queries.

    >>> usual_name(Relation.SAME_RESULTS, [Query("log in"), Query("login")])
    'same-results-log-in-login'
    """
    asked = [query.text for query in queries]
    if relation is Relation.SINGLE_TERM_NO_BONUS:
        asked = asked[-1:]
    return slug(" ".join([relation.value, *dict.fromkeys(asked)]))


def _relation(fields: Fields) -> Relation | None:
    named = [relation for relation in Relation if relation.value in fields]
    if len(named) == 1:
        return named[0]
    if named:
        said = " and ".join(relation.value for relation in named)
        fields.mapping.wrong("one relation", "make them invariants of their own", found=f"both {said}")
    elif all(key.raw in INVARIANT_KEYS for key, _ in fields.mapping.pairs()):
        # An unknown key was told already, and is perhaps the one that is missing.
        fields.mapping.wrong(f"one of {_RELATIONS}", found="an invariant without a relation")
    return None


def _invariant(fields: Fields, relation: Relation, defaults: Defaults) -> dict[str, Any]:
    """Read what an invariant says, but for its name."""
    mapping = fields.mapping
    needed = _NEEDED.get(relation, ())
    for key in needed:
        if key not in fields:
            mapping.wrong(" and ".join(needed), found=f"{relation.value} without {key}")
    known = (relation.value, *_SHARED, *RELATION_KEYS[relation])
    for key, inner in fields.items():
        if key not in known:
            inner.wrong(f"none but {', '.join(known[1:])}", found=f"{key} beside {relation.value}")
    above, below = _place(fields, "above", defaults), _place(fields, "below", defaults)
    if above is not None and above == below:
        mapping.wrong("two places", found=f"'{above}' both above and below")
    return {
        "relation": relation,
        "queries": _queries(fields, relation),
        "above": above,
        "below": below,
        "only": _only(fields),
        "by": _by(fields),
        "order": fields.flag("order", default=True),
        "where": mapping.where,
    }


def _queries(fields: Fields, relation: Relation) -> tuple[Query, ...]:
    value = fields.get(relation.value)
    asked = [] if value is None else _asked(value, relation)
    filters = read_filters(fields)
    if relation is Relation.FILTER_ONLY and not filters:
        written = fields.get("filters")
        if written is not None and written.kind == "mapping":
            written.wrong("a facet and its value", "such as {type: runbook}")
    if relation is Relation.MONOTONE:
        return tuple(Query(text, k, filters) for text in asked for k in _growing(fields))
    k = fields.count("k") or FIRST_HITS
    if relation is Relation.STABLE:
        asked = asked * _times(fields)
    if relation is Relation.SINGLE_TERM_NO_BONUS:
        asked = [text for word in asked for text in (word, f"{word} {_beside(fields, word)}")]
    return tuple(Query(text, k, filters) for text in asked)


def _asked(value: Value, relation: Relation) -> list[str]:
    match relation:
        case Relation.SAME_RESULTS:
            if value.kind != "list" or len(value.items()) < 2:
                value.wrong("a list of two queries or more")
                return []
            found = [text.rstrip("\n") for text in texts(value, _QUERY)]
            if len(set(found)) < len(found):
                fix = "that one query has one answer is said by stable"
                value.wrong("queries that differ", fix, found="the same query twice")
            return found
        case Relation.EMPTY:
            if value.kind == "list" and not value.content:
                value.wrong("a query, or a list of queries")
            return [text.rstrip("\n") for text in texts(value, _QUERY)]
        case Relation.SINGLE_TERM_NO_BONUS:
            word = _word(value, "one word")
            return [] if word is None else [word]
        case _:
            text = value.text(_QUERY)
            return [] if text is None else [text.rstrip("\n")]


def _growing(fields: Fields) -> tuple[int, ...]:
    value = fields.get("k")
    if value is None:
        return ()
    expected = "two numbers of hits or more, each larger than the one before"
    if value.kind != "list" or len(value.items()) < 2:
        value.wrong(expected, "such as [3, 10, 20]")
        return ()
    counts = [item.count() for item in value.items()]
    found = [count for count in counts if count is not None]
    if len(found) == len(counts) and found != sorted(set(found)):
        value.wrong(expected, found=f"{str(found)[:80]}")
    return tuple(found)


def _times(fields: Fields) -> int:
    value = fields.get("times")
    if value is None:
        return TIMES
    expected = f"a whole number from 2 to {MOST_TIMES}"
    found = value.count(expected, least=2)
    if found is not None and found > MOST_TIMES:
        value.wrong(expected)
        return TIMES
    return TIMES if found is None else found


def _beside(fields: Fields, word: str) -> str:
    value = fields.get("beside")
    found = None if value is None else _word(value, "one word that stands nowhere in the corpus")
    if value is not None and found is not None and found.casefold() == word.casefold():
        value.wrong("another word", "one that stands nowhere in the corpus", found=f"{found[:80]!r} again")
    return found or ""


def _word(value: Value, expected: str) -> str | None:
    words = (value.text(expected) or "").split()
    if len(words) > 1:
        value.wrong(expected)
    return words[0] if len(words) == 1 else None


def _place(fields: Fields, key: str, defaults: Defaults) -> Location | None:
    value = fields.get(key)
    return None if value is None else read_place(value, defaults)


def _only(fields: Fields) -> tuple[str, ...]:
    value = fields.get("only")
    if value is None:
        return ()
    if value.kind == "list" and not value.content:
        value.wrong("a glob of paths, or a list of such", "such as runbooks/**")
    return tuple(texts(value, "a glob of paths"))


def _by(fields: Fields) -> Literal["place", "document"]:
    value = fields.get("by")
    text = None if value is None else value.text("place or document")
    if value is not None and text is not None and text not in {"place", "document"}:
        value.wrong("place or document")
    return "document" if text == "document" else "place"
