"""Scenarios and invariants as people write them.

A scenario has steps in order, and what each must show; an invariant has a relation with its queries, and what
else the relation needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from rankgate.files.tree.values import Value, fields_of
from rankgate.model.locations import Location
from rankgate.model.probes import Action, Invariant, Relation, Scenario, Step
from rankgate.model.search import Query
from rankgate.suites.native.cases import TakenNames, read_filters, read_xfail, slug
from rankgate.suites.native.targets import parse_location, read_location

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rankgate.files.tree.values import Fields
    from rankgate.suites.native.targets import Defaults


SCENARIO_KEYS = ("name", "steps")
ACTION_KEYS = {
    Action.SEARCH: ("search", "k", "filters", "finds"),
    Action.TREE: ("tree", "has", "under"),
    Action.READ: ("read", "contains", "excludes"),
    Action.SUBTREE: ("subtree", "contains", "excludes", "complete"),
}
"""What may be said of a step, by what it does."""
STEP_KEYS = tuple(dict.fromkeys(key for keys in ACTION_KEYS.values() for key in keys))
EXPECTATIONS = ("finds", "has", "under", "contains", "excludes", "complete")
"""The keys by which a step can fall short."""
FIRST_HITS = 10
"""The default number of results that a search step or an invariant looks at."""
RARE_TERM_HITS = 3
"""The same for `rare-term`."""

_QUERY = "the text of a query"
_ACTIONS = "search, tree, read or subtree"
_STEP_WORDS = (
    f"one of {_ACTIONS}",
    "make them steps of their own",
    f"one of {_ACTIONS}",
    "a step that does nothing",
)
_Kind = TypeVar("_Kind", Action, Relation)
_STEP_MOVED = {
    "at": "read",
    "complete_subtree": "complete",
    "document": "tree",
    "expect": "finds",
    "hits": "finds",
    "query": "search",
    "text": "contains",
    "titles": "has",
    "within": "k",
}


def read_scenarios(value: Value, defaults: Defaults) -> tuple[Scenario, ...]:
    """Read the scenarios of a suite."""
    items = value.listed("a list of scenarios", "the least is - name: and steps:")
    names = TakenNames()
    return tuple(scenario for item in items for scenario in _scenario(item, defaults, names))


def _scenario(value: Value, defaults: Defaults, names: TakenNames) -> Iterator[Scenario]:
    moved = {"scenario": "name", "step": "steps"}
    fields = fields_of(value, SCENARIO_KEYS, "a scenario: a mapping with a name and steps", moved=moved)
    if fields is None:
        return
    if "name" not in fields:
        value.wrong("a name", found="a scenario without a name")
    name = names.own(fields, "a name for the scenario")
    fields.need("steps", f"steps, each with {_ACTIONS}", "a scenario")
    fix = "such as - search: rotate a key, with finds: below it"
    steps = fields.read("steps", lambda found: found.listed("a list of steps", fix, least=1), [])
    read = [_step(item, defaults) for item in steps]
    if not read:
        return
    if not any(expects for _, expects in read):
        expected = f"one of {', '.join(EXPECTATIONS)} in a step"
        value.wrong(expected, "it would succeed whatever is found", found="a scenario that expects nothing")
    yield Scenario(name or "", tuple(step for step, _ in read if step is not None), value.where)


def _step(value: Value, defaults: Defaults) -> tuple[Step | None, bool]:
    """Read one step, and whether it expects anything; one that cannot be read is taken to."""
    fields = fields_of(value, STEP_KEYS, f"a step: a mapping with {_ACTIONS}", moved=_STEP_MOVED)
    action = None if fields is None else _only_one(fields, Action, STEP_KEYS, _STEP_WORDS)
    if fields is None or action is None:
        return None, True
    _check_keys(fields, ACTION_KEYS[action])
    at = None if action is Action.SEARCH else _location(fields, action, defaults)
    k = fields.read("k", Value.count, FIRST_HITS)
    contains = _texts(fields, "contains", "text that must be there")
    excludes = _texts(fields, "excludes", "text that must not be there")
    if both := sorted(set(contains) & set(excludes)):
        value.wrong("one of the two", found=f"{both[0][:80]!r} in both contains and excludes")
    complete = _complete(fields, defaults)
    step = Step(
        action,
        query="" if at is not None else fields.lines("search", _QUERY) or "",
        filters=read_filters(fields),
        k=k,
        at=at,
        finds=fields.read("finds", lambda found: _finds(found, defaults), ()),
        has=_texts(fields, "has", "the title of a node"),
        under=fields.read("under", _under, ()),
        contains=contains,
        excludes=excludes,
        complete=complete,
        where=value.where,
    )
    said = [key for key in EXPECTATIONS if key in fields and key != "complete"]
    return step, bool(said) or complete or _is_wrong(fields.get("complete"))


def _only_one(
    fields: Fields, kinds: Iterable[_Kind], known: Sequence[str], words: tuple[str, str, str, str]
) -> _Kind | None:
    """Return the one kind whose key is written; the words are for several and for none of them."""
    several, fix, nothing, found = words
    named = [kind for kind in kinds if kind.value in fields]
    if len(named) == 1:
        return named[0]
    if named:
        said = " and ".join(kind.value for kind in named)
        fields.mapping.wrong(several, fix, found=f"both {said}")
    elif all(key.raw in known for key, _ in fields.mapping.pairs()):
        # An unknown key was told already, and is perhaps the one that is missing.
        fields.mapping.wrong(nothing, found=found)
    return None


def _check_keys(fields: Fields, known: Sequence[str]) -> None:
    """Find keys that do not go with the first, which names what it is."""
    for key, value in fields.items():
        if key not in known:
            value.wrong(f"none but {', '.join(known[1:])}", found=f"{key} beside {known[0]}")


def _location(fields: Fields, action: Action, defaults: Defaults) -> Location | None:
    """Read where a step goes. Nodes are known by their titles, so it is a location without a corpus, too."""
    value = fields.get(action.value)
    text = None if value is None else value.text("a file" if action is Action.TREE else "a location")
    if value is None or text is None:
        return None
    if defaults.records is not None:
        found = f"{value.shown()} as a location in a corpus of {defaults.records} records"
        value.wrong("a corpus of files", "records have no tree; search steps need none", found=found)
        return None
    location = parse_location(value, text)
    whole = location and Location(path=location.path)
    if action is Action.TREE and location != whole:
        value.wrong("a file", f"write tree: {whole}", found=f"{value.shown()}, a part of a file")
        return None
    return location


def _finds(value: Value, defaults: Defaults) -> tuple[Location, ...]:
    if not value.content:
        value.wrong("a location, or a list of locations")
        return ()
    found = [read_location(item, defaults) for item in value.one_or_more()]
    return tuple(location for location in found if location is not None)


def _texts(fields: Fields, key: str, expected: str) -> tuple[str, ...]:
    """Take one text or more; one may be written as a block, whose last line break is not meant."""
    found = fields.read(key, lambda value: value.texts(expected, f"{expected}, or a list of such"), ())
    return tuple(text.rstrip("\n") for text in found)


def _under(value: Value) -> tuple[tuple[str, str], ...]:
    if value.kind != "mapping" or not value.content:
        value.wrong("a mapping of titles to the title above each", "such as {Steps: Rotation}")
    found: list[tuple[str, str]] = []
    for key, item in value.pairs():
        child = key.text("the title of a node")
        above = item.texts("the title above it", "the title above it, or a list of such")
        found.extend((child, parent) for parent in above if child is not None)
    return tuple(found)


def _complete(fields: Fields, defaults: Defaults) -> bool:
    value = fields.get("complete")
    complete = fields.flag("complete", default=False)
    if value is not None and complete and not defaults.has_corpus:
        found = "complete: true in a suite without a corpus"
        value.wrong("a corpus that says what is below", "name it as corpus:, or write contains", found=found)
    return complete


def _is_wrong(value: Value | None) -> bool:
    return value is not None and value.kind != "flag"


RELATION_KEYS = {
    Relation.SAME_RESULTS: ("by", "order"),
    Relation.DIFFERENT_RESULTS: ("by", "order"),
    Relation.RANKS_ABOVE: ("above", "below"),
    Relation.FILTER_ONLY: ("only",),
    Relation.SINGLE_TERM_NO_BONUS: ("beside",),
    Relation.RARE_TERM: ("beside",),
    Relation.MONOTONE: (),
    Relation.STABLE: ("times",),
    Relation.EMPTY: (),
}
"""The keys of each relation, beside those of all invariants."""
_SHARED = ("name", "k", "filters", "xfail", "notes")
INVARIANT_KEYS = tuple(
    dict.fromkeys(
        (
            *_SHARED,
            *(relation.value for relation in Relation),
            *(key for keys in RELATION_KEYS.values() for key in keys),
        )
    )
)
TIMES = 3
"""How often a query is asked to see whether it is stable, where nothing is said."""
MOST_TIMES = 1000
"""How often one may be asked at most."""

_NEEDED = {
    Relation.RANKS_ABOVE: ("above", "below"),
    Relation.FILTER_ONLY: ("filters", "only"),
    Relation.SINGLE_TERM_NO_BONUS: ("beside",),
    Relation.RARE_TERM: ("beside",),
    Relation.MONOTONE: ("k",),
}
_BESIDE = {
    Relation.SINGLE_TERM_NO_BONUS: "one word that does not occur in the corpus",
    Relation.RARE_TERM: "one word that hardly occurs in the corpus",
}
_INVARIANT_WORDS = (
    "one relation",
    "make them invariants of their own",
    f"one of {', '.join(relation.value for relation in Relation)}",
    "an invariant without a relation",
)
_INVARIANT_MOVED = {
    "filter": "filters",
    "different": "different-results",
    "same": "same-results",
    "under": "below",
    "with": "beside",
    **{relation.value.replace("-", "_"): relation.value for relation in Relation},
}


def read_invariants(value: Value, defaults: Defaults) -> tuple[Invariant, ...]:
    """Read the invariants of a suite; those without a name get a slug of what they say."""
    names = TakenNames()
    read: list[tuple[str | None, dict[str, Any]]] = []
    expected, fix = "an invariant: a mapping with its relation", "such as stable: deploy"
    for item in value.listed("a list of invariants", "such as - stable: deploy"):
        fields = fields_of(item, INVARIANT_KEYS, expected, fix, moved=_INVARIANT_MOVED)
        if fields is None:
            continue
        name = names.own(fields, "a name for the invariant")
        relation = _only_one(fields, Relation, INVARIANT_KEYS, _INVARIANT_WORDS)
        if relation is not None:
            read.append((name, _invariant(fields, relation, defaults)))
    return tuple(
        Invariant(name or names.free(usual_name(about["relation"], about["queries"])), **about)
        for name, about in read
    )


def usual_name(relation: Relation, queries: Sequence[Query]) -> str:
    """Make a name of a relation and its queries.

    >>> usual_name(Relation.SAME_RESULTS, [Query("log in"), Query("login")])
    'same-results-log-in-login'
    """
    asked = [query.text for query in queries]
    if relation in (Relation.SINGLE_TERM_NO_BONUS, Relation.RARE_TERM):
        asked = asked[-1:]
    return slug(" ".join([relation.value, *dict.fromkeys(asked)]))


def _invariant(fields: Fields, relation: Relation, defaults: Defaults) -> dict[str, Any]:
    """Read what an invariant says, but for its name."""
    mapping = fields.mapping
    needed = _NEEDED.get(relation, ())
    for key in needed:
        fields.need(key, " and ".join(needed), relation.value)
    _check_keys(fields, (relation.value, *_SHARED, *RELATION_KEYS[relation]))
    above, below = (fields.read(key, lambda value: _finds(value, defaults), ()) for key in ("above", "below"))
    if both := [location for location in above if location in below]:
        mapping.wrong("two locations", found=f"'{both[0]}' both above and below")
    return {
        "relation": relation,
        "queries": _queries(fields, relation),
        "above": above,
        "below": below,
        "only": fields.read("only", _only, ()),
        "by": fields.read("by", lambda value: value.choice("place", "document"), "place"),
        "order": fields.flag("order", default=True),
        "xfail": fields.read("xfail", read_xfail, None),
        "notes": fields.lines("notes", "text") or "",
        "where": mapping.where,
    }


def _queries(fields: Fields, relation: Relation) -> tuple[Query, ...]:
    asked = fields.read(relation.value, lambda value: _asked(value, relation), [])
    filters = read_filters(fields)
    if relation is Relation.FILTER_ONLY and not filters:
        written = fields.get("filters")
        if written is not None and written.kind == "mapping":
            written.wrong("a facet and its value", "such as {type: runbook}")
    if relation is Relation.MONOTONE:
        return tuple(Query(text, k, filters) for text in asked for k in fields.read("k", _growing, ()))
    k = fields.read("k", Value.count, default_k(relation))
    if relation is Relation.STABLE:
        asked = asked * fields.read("times", _times, TIMES)
    if relation in (Relation.SINGLE_TERM_NO_BONUS, Relation.RARE_TERM):
        expected = _BESIDE[relation]
        asked = [text for first in asked for text in (first, f"{first} {_beside(fields, first, expected)}")]
    return tuple(Query(text, k, filters) for text in asked)


def default_k(relation: Relation) -> int:
    """Return the number of results that a relation looks at by default."""
    return RARE_TERM_HITS if relation is Relation.RARE_TERM else FIRST_HITS


def _asked(value: Value, relation: Relation) -> list[str]:
    match relation:
        case Relation.SAME_RESULTS | Relation.DIFFERENT_RESULTS:
            if not value.listed("a list of two queries or more", least=2):
                return []
            found = [text.rstrip("\n") for text in value.texts(_QUERY)]
            if len(set(found)) < len(found):
                fix = "use stable to repeat one query" if relation is Relation.SAME_RESULTS else ""
                value.wrong("queries that differ", fix, found="the same query twice")
            return found
        case Relation.EMPTY:
            return [text.rstrip("\n") for text in value.texts(_QUERY, "a query, or a list of queries")]
        case Relation.SINGLE_TERM_NO_BONUS:
            word = _word(value, "one word")
            return [] if word is None else [word]
        case _:
            text = value.text(_QUERY)
            return [] if text is None else [text.rstrip("\n")]


def _growing(value: Value) -> tuple[int, ...]:
    expected = "two numbers of hits or more, each larger than the one before"
    counts = [item.count() for item in value.listed(expected, "such as [3, 10, 20]", least=2)]
    found = [count for count in counts if count is not None]
    if len(found) == len(counts) and found != sorted(set(found)):
        value.wrong(expected, found=f"{str(found)[:80]}")
    return tuple(found)


def _times(value: Value) -> int | None:
    return value.count(f"a whole number from 2 to {MOST_TIMES}", least=2, most=MOST_TIMES)


def _beside(fields: Fields, text: str, expected: str) -> str:
    value = fields.get("beside")
    found = None if value is None else _word(value, expected)
    if value is not None and found is not None and found.casefold() in text.casefold().split():
        value.wrong("another word", expected, found=f"{found[:80]!r} again")
    return found or ""


def _word(value: Value, expected: str) -> str | None:
    words = (value.text(expected) or "").split()
    if len(words) > 1:
        value.wrong(expected)
    return words[0] if len(words) == 1 else None


def _only(value: Value) -> tuple[str, ...]:
    return value.texts("a glob of paths", "a glob of paths, or a list of such", "such as runbooks/**")
