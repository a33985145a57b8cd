"""Scenarios as people write them: steps in order, and what each must show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.errors import LocationError
from rankgate.files.tree.values import Fields, texts
from rankgate.model.locations import Location
from rankgate.model.probes import Action, Scenario, Step
from rankgate.suites.native.cases import own_name, read_filters
from rankgate.suites.native.targets import read_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.files.tree.values import Value
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
"""How many hits of a search count where nothing is said."""

_ACTIONS = "search, tree, read or subtree"
_MOVED = {
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


def read_scenarios(value: Value | None, defaults: Defaults) -> tuple[Scenario, ...]:
    """Read the scenarios of a suite."""
    if value is None:
        return ()
    if value.kind != "list":
        value.wrong("a list of scenarios", "the least is - name: and steps:")
    named: dict[str, int] = {}
    return tuple(scenario for item in value.items() for scenario in _scenario(item, defaults, named))


def _scenario(value: Value, defaults: Defaults, named: dict[str, int]) -> Iterator[Scenario]:
    if value.kind != "mapping":
        value.wrong("a scenario: a mapping with a name and steps")
        return
    fields = Fields(value, SCENARIO_KEYS, moved={"scenario": "name", "step": "steps"})
    if "name" not in fields:
        value.wrong("a name", found="a scenario without a name")
    name = own_name(fields, named, "a name for the scenario")
    steps = fields.get("steps")
    if steps is None:
        value.wrong(f"steps, each with {_ACTIONS}", found="a scenario without steps")
        return
    if steps.kind != "list" or not steps.content:
        steps.wrong("a list of steps", "such as - search: rotate a key, with finds: below it")
        return
    read = [_step(item, defaults) for item in steps.items()]
    if not any(expects for _, expects in read):
        expected = f"one of {', '.join(EXPECTATIONS)} in a step"
        value.wrong(expected, "it would succeed whatever is found", found="a scenario that expects nothing")
    yield Scenario(name or "", tuple(step for step, _ in read if step is not None), value.where)


def _step(value: Value, defaults: Defaults) -> tuple[Step | None, bool]:
    """Read one step, and whether it expects anything; one that cannot be read is taken to."""
    if value.kind != "mapping":
        value.wrong(f"a step: a mapping with {_ACTIONS}")
        return None, True
    fields = Fields(value, STEP_KEYS, moved=_MOVED)
    action = _action(fields)
    if action is None:
        return None, True
    known = ACTION_KEYS[action]
    for key, inner in fields.items():
        if key not in known:
            inner.wrong(f"none but {', '.join(known[1:])}", found=f"{key} beside {action.value}")
    at = None if action is Action.SEARCH else _place(fields, action, defaults)
    k = fields.count("k")
    contains = _texts(fields, "contains", "text that must be there")
    excludes = _texts(fields, "excludes", "text that must not be there")
    if both := sorted(set(contains) & set(excludes)):
        value.wrong("one of the two", found=f"{both[0][:80]!r} in both contains and excludes")
    complete = _complete(fields, defaults)
    step = Step(
        action,
        query="" if at is not None else (fields.text("search", "the text of a query") or "").rstrip("\n"),
        filters=read_filters(fields),
        k=FIRST_HITS if k is None else k,
        at=at,
        finds=_finds(fields, defaults),
        has=_texts(fields, "has", "the title of a node"),
        under=_under(fields),
        contains=contains,
        excludes=excludes,
        complete=complete,
        where=value.where,
    )
    said = [key for key in EXPECTATIONS if key in fields and key != "complete"]
    return step, bool(said) or complete or _is_wrong(fields.get("complete"))


def _action(fields: Fields) -> Action | None:
    named = [action for action in Action if action.value in fields]
    if len(named) == 1:
        return named[0]
    if named:
        said = " and ".join(action.value for action in named)
        fields.mapping.wrong(f"one of {_ACTIONS}", "make them steps of their own", found=f"both {said}")
    elif all(key.raw in STEP_KEYS for key, _ in fields.mapping.pairs()):
        # An unknown key was told already, and is perhaps the one that is missing.
        fields.mapping.wrong(f"one of {_ACTIONS}", found="a step that does nothing")
    return None


def _place(fields: Fields, action: Action, defaults: Defaults) -> Location | None:
    """Read where a step goes. Nodes are known by their titles, so it is a place without a corpus, too."""
    value = fields.get(action.value)
    text = None if value is None else value.text("a file" if action is Action.TREE else "a place")
    if value is None or text is None:
        return None
    if defaults.records is not None:
        found = f"{value.shown()} as a place in a corpus of {defaults.records} records"
        value.wrong("a corpus of files", "records have no tree; search steps need none", found=found)
        return None
    try:
        location = Location.at(text)
    except LocationError as error:
        problem = error.problems[0]
        value.wrong(problem.expected, problem.fix, found=f"{value.shown()}, {problem.found}")
        return None
    whole = Location(path=location.path)
    if action is Action.TREE and location != whole:
        value.wrong("a file", f"write tree: {whole}", found=f"{value.shown()}, a part of a file")
        return None
    return location


def _finds(fields: Fields, defaults: Defaults) -> tuple[Location, ...]:
    value = fields.get("finds")
    if value is None:
        return ()
    if not value.content:
        value.wrong("a place, or a list of places")
        return ()
    found = [read_place(item, defaults) for item in value.one_or_more()]
    return tuple(location for location in found if location is not None)


def _texts(fields: Fields, key: str, expected: str) -> tuple[str, ...]:
    """Take one text or more; one may be written as a block, whose last line break is not meant."""
    value = fields.get(key)
    if value is None:
        return ()
    if value.kind == "list" and not value.content:
        value.wrong(f"{expected}, or a list of such")
    return tuple(text.rstrip("\n") for text in texts(value, expected))


def _under(fields: Fields) -> tuple[tuple[str, str], ...]:
    value = fields.get("under")
    if value is None:
        return ()
    if value.kind != "mapping" or not value.content:
        value.wrong("a mapping of titles to the title above each", "such as {Steps: Rotation}")
    found: list[tuple[str, str]] = []
    for key, item in value.pairs():
        child = key.text("the title of a node")
        if item.kind == "list" and not item.content:
            item.wrong("the title above it, or a list of such")
        above = texts(item, "the title above it")
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
