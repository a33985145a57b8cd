"""Cases as people write them."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

from rankgate.files.tree.values import Fields, texts
from rankgate.model.suite import Case, XFail
from rankgate.suites.native.targets import read_targets, read_tops

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankgate.files.tree.values import Value
    from rankgate.suites.native.targets import Defaults


CASE_KEYS = (
    "name",
    "query",
    "at",
    "id",
    "any_of",
    "grade",
    "top",
    "expect",
    "answer",
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


def read_cases(items: Iterable[Value], defaults: Defaults) -> tuple[Case, ...]:
    """Read the cases; those without a name get a slug of their query, with a number where it is taken."""
    named: dict[str, int] = {}
    read: list[tuple[str | None, dict[str, Any]]] = []
    for item in items:
        if item.kind != "mapping":
            item.wrong("a case: a mapping with a query")
            continue
        fields = Fields(item, CASE_KEYS, moved=_MOVED)
        read.append((own_name(fields, named, "a name for the case"), _case(fields, defaults)))
    # A slug gives way to the names that were written, those further down too.
    taken = set(named)
    return tuple(Case(name or free_name(slug(about["query"]), taken), **about) for name, about in read)


def slug(query: str) -> str:
    """Make a name of a query: its letters and digits, small, with dashes between.

    >>> slug("Rotate an API key!")
    'rotate-an-api-key'
    """
    plain = unicodedata.normalize("NFKC", query).casefold()
    words = re.sub(r"[\W_]+", "-", plain).strip("-")
    return words[:_SLUG_LENGTH].rstrip("-") or "case"


def own_name(fields: Fields, named: dict[str, int], expected: str) -> str | None:
    """Take a name that nothing else has; those that were taken are kept with their lines."""
    value = fields.get("name")
    name = None if value is None else value.text(expected)
    if value is None or name is None:
        return None
    if name in named:
        value.wrong("a name of its own", found=f"{name!r} a second time, first in line {named[name]}")
    named.setdefault(name, value.line)
    return name


def free_name(name: str, taken: set[str]) -> str:
    """Return a name a number where it is taken, and take it."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    taken.add(free)
    return free


def _case(fields: Fields, defaults: Defaults) -> dict[str, Any]:
    """Read what a case says, but for its name."""
    if "query" not in fields:
        fields.mapping.wrong("a query", found="a case without a query")
    defaults = _own_defaults(fields, defaults)
    targets, tops = read_targets(fields, defaults), read_tops(fields, defaults)
    return {
        "query": _lines(fields, "query", "the text of a query") or "",
        "targets": targets,
        "weight": _weight(fields),
        "group": fields.text("group", "the name of a group"),
        "category": fields.text("category", "the name of a category"),
        "tags": _tags(fields),
        "filters": read_filters(fields),
        "top": tops,
        "exhaustive": fields.flag("exhaustive", default=False),
        "expect_empty": _expects_empty(fields) and not (targets or tops),
        "xfail": _xfail(fields),
        "answer": _lines(fields, "answer", "the answer that is expected"),
        "notes": _lines(fields, "notes", "text") or "",
        "where": fields.mapping.where,
    }


def _lines(fields: Fields, key: str, expected: str) -> str | None:
    """Take text that may be written as a block, whose last line break is not meant."""
    text = fields.text(key, expected)
    return None if text is None else text.rstrip("\n")


def _own_defaults(fields: Fields, defaults: Defaults) -> Defaults:
    if not ("grade" in fields or "source" in fields or "reviewed" in fields):
        return defaults
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


def read_filters(fields: Fields) -> dict[str, str | tuple[str, ...]]:
    """Read the facets to ask with."""
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
