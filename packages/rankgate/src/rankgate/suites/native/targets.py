"""Targets as people write them: `at`, `id`, `quote`, `any_of`, `top` and `never`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rankgate.errors import LocationError
from rankgate.files.tree.values import Fields, Value, fields_of
from rankgate.model.locations import Location
from rankgate.model.suite import GoneTarget, Target, Top

if TYPE_CHECKING:
    from collections.abc import Iterator


NAMES = ("at", "id", "quote")
"""The ways to name a target, in the order in which those of a case are read."""
_QUOTE_KEYS = ("path", "start_char")
TARGET_KEYS = (*NAMES, *_QUOTE_KEYS, "grade", "group", "source", "reviewed", "gone")
_MORE_KEYS = ("grade", "group", "source", "reviewed", "gone")
_MOVED = {"relevance": "grade", "score": "grade"}
TOP_KEYS = (*NAMES, *_QUOTE_KEYS, "within", "gone")
"""The keys of `top` and `never`."""

_TOP = "a mapping of within, or of at, id or quote and within"
_FORMS = "a {0}, a list of {0}s, or a mapping of {0}s to grades"
_WORDS = {"at": "location", "id": "id", "quote": "passage"}
_PARTS = {"lines", "start", "end", "heading", "section", "symbol", "grade"}
_PARTED, _ONE_TEXT = "a location in parts", "path, lines, heading or symbol in one text"


@dataclass(frozen=True, slots=True)
class Defaults:
    """What holds for every target that does not say otherwise."""

    has_corpus: bool
    """Whether locations are parsed; without a corpus every target is an id."""
    records: str | None = None
    """The kind of a corpus whose documents are records with ids, which have no locations."""
    max_grade: float | None = None
    """The top of the scale, where one is declared."""
    grade: float = 1.0
    """How relevant a target is."""
    source: str = "person"
    """Who says so."""
    reviewed: bool = True
    """Whether someone has looked at it."""
    path: str | None = None
    """The file of the quotes that name none."""


def read_targets(fields: Fields, defaults: Defaults) -> tuple[Target | GoneTarget, ...]:
    """Read the `at`, `id`, `quote` and `any_of` of a case."""
    found: list[Target | GoneTarget] = []
    if (path := fields.get("path")) is not None:
        if "quote" not in fields:
            path.wrong("a quote beside it", "a whole file is written as at:", found="path without a quote")
        defaults = replace(defaults, path=_path(path))
    for key in NAMES:
        if (value := fields.get(key)) is not None:
            found.extend(_several(value, key, defaults, None))
    if (groups := fields.get("any_of")) is not None:
        named = {each.group for each in found if isinstance(each, Target) and each.group is not None}
        found.extend(_any_of(groups, defaults, named))
    return tuple(found)


def read_tops(fields: Fields, defaults: Defaults) -> tuple[tuple[Top | GoneTarget, ...], int | None]:
    """Read the `top` and `never` of a case, and the number of results for its own targets."""
    found: list[Top | GoneTarget] = []
    targets_within = None
    for item in fields.read("top", Value.one_or_more, []):
        top = fields_of(item, TOP_KEYS, _TOP, "such as {at: keys.md, within: 3}", moved={"k": "within"})
        if top is None:
            continue
        if any(key != "within" for key, _ in top.items()):
            found.extend(_top(top, defaults))
        elif "within" not in top:
            item.wrong(_TOP)
        elif targets_within is not None:
            item.wrong("one number of results for the targets of a case", found="a second within")
        else:
            targets_within = top.read("within", Value.count, None)
    for item in fields.read("never", Value.one_or_more, []):
        found.extend(_never(item, defaults))
    return tuple(found), targets_within


def location_under(value: Value, key: str, defaults: Defaults) -> Location | None:
    """Read one location, one id, which is never parsed, or the words of a passage."""
    if key == "quote":
        words = value.text("the words of a passage")
        return None if words is None else Location.of_quote(words, defaults.path)
    text = value.text("a location" if key == "at" else "an id")
    if text is None:
        return None
    if key == "at" and defaults.records is not None:
        found = f"{value.shown()} as a location in a corpus of {defaults.records} records"
        value.wrong("the id of a record", "write id: for at:", found=found)
        return None
    if key == "id" or not defaults.has_corpus:
        return Location(text)
    return parse_location(value, text, "an opaque id is written as id:")


def parse_location(value: Value, text: str, fix: str = "") -> Location | None:
    """Parse the location that a value says; what is none is a problem, with its own fix or this."""
    try:
        return Location.at(text)
    except LocationError as error:
        problem = error.problems[0]
        value.wrong(
            problem.expected, problem.fix or fix, found=f"{value.shown()}, {problem.found}", code=problem.code
        )
        return None


def read_location(value: Value, defaults: Defaults) -> Location | None:
    """Read one location, or one id where there are no locations; a mapping of at or id says which it is."""
    if value.kind == "mapping":
        return _named(Fields(value, ("at", "id"), moved={"path": "at"}), defaults, ("at", "id"))
    return location_under(value, "at" if defaults.records is None else "id", defaults)


def _several(value: Value, key: str, defaults: Defaults, group: str | None) -> Iterator[Target | GoneTarget]:
    kind = value.kind
    if kind == "nothing" or (kind in {"list", "mapping"} and not value.content):
        value.wrong(_FORMS.format(_WORDS[key]))
    elif kind == "list":
        for item in value.content:
            if key == "at" and (written := _in_parts(item)):
                item.wrong_alike(_ONE_TEXT, f"write at: {written}", found=_PARTED)
            elif item.kind == "mapping":
                yield from _full(item, defaults, group)
            else:
                yield from _one(item, key, defaults, group)
    elif kind == "mapping" and key == "at" and (written := _in_parts(value)):
        value.wrong_alike(_ONE_TEXT, f"write at: {written}", found=_PARTED)
    elif kind == "mapping":
        for name, grade in value.content:
            location = location_under(name, key, defaults)
            if grade.kind == "mapping":
                yield from _said_more(Fields(grade, _MORE_KEYS, moved=_MOVED), location, defaults, group)
                continue
            number = _grade(grade, defaults)
            if location is not None:
                yield Target(location, number, group, source=defaults.source, reviewed=defaults.reviewed)
    else:
        yield from _one(value, key, defaults, group)


def _in_parts(value: Value) -> str:
    """Return how a location in parts, such as path and lines, is written; empty for anything else."""
    parts = {name.raw: inner for name, inner in value.pairs()}
    path = parts.pop("path", None) or parts.pop("file", None)
    if path is None or path.kind != "text" or not set(parts) <= _PARTS:
        return ""
    raw = {name: "-".join(one.raw for one in inner.items()) or inner.raw for name, inner in parts.items()}
    lines = raw.get("lines") or "-".join(raw[end] for end in ("start", "end") if end in raw)
    heading, symbol = raw.get("heading") or raw.get("section"), raw.get("symbol")
    behind = f":{lines}" if lines else f"#{heading}" if heading else f"::{symbol}" if symbol else ""
    return f"{path.raw}{behind}"


def _one(value: Value, key: str, defaults: Defaults, group: str | None) -> Iterator[Target]:
    location = location_under(value, key, defaults)
    if location is not None:
        yield Target(location, defaults.grade, group, source=defaults.source, reviewed=defaults.reviewed)


def _full(value: Value, defaults: Defaults, group: str | None) -> Iterator[Target | GoneTarget]:
    """Read one target that says more than its location."""
    fields = Fields(value, TARGET_KEYS, moved=_MOVED)
    yield from _said_more(fields, _named(fields, defaults), defaults, group)


def _said_more(
    fields: Fields, location: Location | None, defaults: Defaults, group: str | None
) -> Iterator[Target | GoneTarget]:
    """Read what is said of a target beside its location."""
    number = fields.read("grade", lambda grade: _grade(grade, defaults), defaults.grade)
    source = fields.text("source", "who says so")
    reviewed = fields.flag("reviewed", default=defaults.reviewed)
    own = fields.text("group", "the name of a group of alternatives")
    if own is not None and group is not None:
        fields.mapping.wrong("one of the two", found="a group inside any_of, whose lists are groups")
    gone = _gone(fields)
    if location is not None:
        alike = group or own if gone is None else None
        target = Target(location, number, alike, source or defaults.source, reviewed)
        yield target if gone is None else GoneTarget(target, gone)


def _any_of(value: Value, defaults: Defaults, named: set[str]) -> Iterator[Target | GoneTarget]:
    fix = "one group of two is any_of: [[a.md, b.md]]"
    groups = value.listed("a list of groups, each a list of alternatives", fix, least=1)
    for number, item in enumerate(groups, 1):
        group = f"any-{number}"
        if group in named:
            item.wrong(f"groups of other names than {group}", found=f"a second group {group}")
        if item.kind not in {"list", "mapping"}:
            item.wrong("a list of alternatives", fix)
        elif not set(NAMES).isdisjoint(key.raw for key, _ in item.pairs()):
            for key, inner in Fields(item, NAMES).items():
                yield from _several(inner, key, defaults, group)
        else:
            # What is not named is a location where there are locations, and an id among records.
            yield from _several(item, "at" if defaults.records is None else "id", defaults, group)


def _top(fields: Fields, defaults: Defaults) -> Iterator[Top | GoneTarget]:
    location = _named(fields, defaults)
    top = None if location is None else Top(location, fields.read("within", Value.count, 1))
    gone = _gone(fields)
    if top is not None:
        yield top if gone is None else GoneTarget(top, gone)


def _never(value: Value, defaults: Defaults) -> Iterator[Top | GoneTarget]:
    """Read a location that must not be there. Bare text is a location, or an id in a corpus of records."""
    within = gone = None
    if value.kind == "mapping":
        fields = Fields(value, TOP_KEYS, moved={"k": "within"})
        location, gone = _named(fields, defaults), _gone(fields)
        within = fields.read("within", Value.count, None)
    else:
        location = location_under(value, "at" if defaults.records is None else "id", defaults)
    if location is not None:
        never = Top(location, within, never=True)
        yield never if gone is None else GoneTarget(never, gone)


def _named(fields: Fields, defaults: Defaults, names: tuple[str, ...] = NAMES) -> Location | None:
    """Read the one name of a target; a quote may have a path and a character beside it."""
    named = [(key, value) for key in names if (value := fields.get(key)) is not None]
    if len(named) != 1:
        several = " and ".join(key for key, _ in named)
        found = f"both {several}" if len(named) == 2 else several or f"neither {' nor '.join(names)}"
        fix = "a whole file is written as at:" if not named and "path" in fields else ""
        two = 2 in (len(named), len(names))
        fields.mapping.wrong("one of the two" if two else "one of them", fix, found=found)
        return None
    key, value = named[0]
    if key != "quote":
        for other in _QUOTE_KEYS:
            if (beside := fields.get(other)) is not None:
                beside.wrong(f"{other} beside quote alone", found=f"{other} beside {key}")
        return location_under(value, key, defaults)
    location = location_under(value, key, replace(defaults, path=fields.read("path", _path, defaults.path)))
    start = fields.read("start_char", lambda found: found.count("a whole number, 0 or more", least=0), None)
    return location if location is None or start is None else replace(location, start_char=start)


def _gone(fields: Fields) -> str | None:
    """Read why a target is gone; a yes alone would tell nobody."""
    reason = fields.text("gone", "why it is gone, in words")
    if reason is not None and reason.strip().lower() in ("true", "false", "yes", "no"):
        found = fields.get("gone")
        if found is not None:
            found.wrong("why it is gone, in words", "such as gone: page removed in 2.0")
    return reason


def _path(value: Value) -> str | None:
    """Read the file of a quote, which is written as `at` writes one."""
    text = value.text("the path of a file")
    location = None if text is None else parse_location(value, text)
    if location is not None and location != Location(path=location.path):
        value.wrong("the path of a file alone", found=value.shown())
        return None
    return None if location is None else location.path


def _grade(value: Value, defaults: Defaults) -> float:
    number = value.number("a number as the grade")
    if number is not None and defaults.max_grade is not None and number > defaults.max_grade:
        value.wrong(f"at most {defaults.max_grade:g}, the top of the scale", found=f"grade {number:g}")
    return defaults.grade if number is None else number
