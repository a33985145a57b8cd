"""Cases as people write them."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from rankgate.model.suite import Case, XFail
from rankgate.suites.fields import Fields, texts
from rankgate.suites.targets import read_targets, read_tops

if TYPE_CHECKING:
    from rankgate.suites.positions import Value
    from rankgate.suites.targets import Defaults

CASE_KEYS = (
    "name",
    "query",
    "at",
    "id",
    "any_of",
    "grade",
    "top",
    "expect",
    "exhaustive",
    "category",
    "tags",
    "filters",
    "weight",
    "group",
    "xfail",
    "source",
    "reviewed",
    "notes",
)
XFAIL_KEYS = ("reason", "until")

_MOVED = {
    "case": "name",
    "expected": "at, id or expect: empty",
    "q": "query",
    "relevant": "at",
    "targets": "at",
    "text": "query",
}
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z")
_SLUG_LENGTH = 60


def read_cases(value: Value, defaults: Defaults) -> tuple[Case, ...]:
    """Read the cases; those without a name get a slug of their query, with a number where it is taken."""
    if value.kind != "list" or not value.node.value:
        value.wrong("a list of cases", "the least is - query: and at:")
        return ()
    named: dict[str, Value] = {}
    read: list[tuple[str | None, Case]] = []
    for item in value.items():
        if item.kind != "mapping":
            item.wrong("a case: a mapping with a query")
            continue
        fields = Fields(item, CASE_KEYS, moved=_MOVED)
        name = _name(fields, named)
        read.append((name, _case(fields, name or "", defaults)))
    taken = set(named)
    return tuple(case if name else replace(case, id=_free(slug(case.query), taken)) for name, case in read)


def slug(query: str) -> str:
    """Make a name of a query: its letters and digits, small, with dashes between.

    >>> slug("Rotate an API key!")
    'rotate-an-api-key'
    """
    plain = unicodedata.normalize("NFKC", query).casefold()
    words = re.sub(r"[\W_]+", "-", plain).strip("-")
    return words[:_SLUG_LENGTH].rstrip("-") or "case"


def _name(fields: Fields, named: dict[str, Value]) -> str | None:
    value = fields.get("name")
    name = None if value is None else value.text("a name for the case")
    if value is None or name is None:
        return None
    if name in named:
        first = named[name].node.start_mark.line + 1
        value.wrong("a name of its own", found=f"{name!r} a second time, first in line {first}")
    named.setdefault(name, value)
    return name


def _free(name: str, taken: set[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    taken.add(free)
    return free


def _case(fields: Fields, name: str, defaults: Defaults) -> Case:
    if "query" not in fields:
        fields.mapping.wrong("a query", found="a case without a query")
    defaults = _own_defaults(fields, defaults)
    targets, tops = read_targets(fields, defaults), read_tops(fields, defaults)
    return Case(
        id=name,
        query=(fields.text("query", "the text of a query") or "").rstrip("\n"),
        targets=targets,
        weight=_weight(fields),
        group=fields.text("group", "the name of a group"),
        category=fields.text("category", "the name of a category"),
        tags=_tags(fields),
        filters=_filters(fields),
        top=tops,
        exhaustive=fields.flag("exhaustive", default=False),
        expect_empty=_expects_empty(fields) and not (targets or tops),
        xfail=_xfail(fields),
        notes=(fields.text("notes", "text") or "").rstrip("\n"),
        where=fields.mapping.where,
    )


def _own_defaults(fields: Fields, defaults: Defaults) -> Defaults:
    grade = fields.number("grade", "a number as the grade")
    if grade is not None and defaults.max_grade is not None and grade > defaults.max_grade:
        expected = f"at most {defaults.max_grade:g}, the top of the scale"
        fields.mapping.wrong(expected, found=f"grade {grade:g}")
    return replace(
        defaults,
        grade=defaults.grade if grade is None else grade,
        source=fields.text("source", "who says so") or defaults.source,
        reviewed=fields.flag("reviewed", default=defaults.reviewed),
    )


def _weight(fields: Fields) -> float:
    value = fields.get("weight")
    number = None if value is None else value.number("a number above 0")
    if value is not None and number is not None and number <= 0:
        value.wrong("a number above 0")
        return 1.0
    return 1.0 if number is None else number


def _tags(fields: Fields) -> frozenset[str]:
    value = fields.get("tags")
    if value is None:
        return frozenset()
    if value.kind == "mapping":
        return frozenset(
            f"{key.raw}={text}" for key, item in value.pairs() for text in texts(item, "the value of a tag")
        )
    return frozenset(texts(value, "a tag"))


def _filters(fields: Fields) -> dict[str, str | tuple[str, ...]]:
    value = fields.get("filters")
    if value is None:
        return {}
    if value.kind != "mapping":
        value.wrong("a mapping of facets to values", "such as {language: go}")
    found: dict[str, str | tuple[str, ...]] = {}
    for key, item in value.pairs():
        words = texts(item, "the value of a facet")
        found[key.raw] = tuple(words) if item.kind == "list" else words[0] if words else ""
    return found


def _expects_empty(fields: Fields) -> bool:
    value = fields.get("expect")
    if value is None:
        return False
    if value.raw != "empty":
        value.wrong("empty", "what should be found is written as at or id")
        return False
    if others := [key for key in ("at", "id", "any_of", "top") if key in fields]:
        value.wrong("one of the two", found=f"expect: empty beside {', '.join(others)}")
    return True


def _xfail(fields: Fields) -> XFail | None:
    value = fields.get("xfail")
    if value is None:
        return None
    if value.kind != "mapping":
        value.wrong("a mapping of reason and until", "such as {reason: no synonyms yet, until: 2030-01-31}")
        return None
    inner = Fields(value, XFAIL_KEYS)
    for key in XFAIL_KEYS:
        if key not in inner:
            value.wrong("a reason, and the last day it holds as until", found=f"an xfail without {key}")
    reason = inner.text("reason", "why the miss is accepted")
    until = inner.get("until")
    day = None if until is None else _date(until)
    return None if reason is None or day is None else XFail(reason, day)


def _date(value: Value) -> date | None:
    try:
        if _DATE.match(value.raw):
            return date.fromisoformat(value.raw)
    except ValueError:
        pass
    value.wrong("a date, YYYY-MM-DD")
    return None
