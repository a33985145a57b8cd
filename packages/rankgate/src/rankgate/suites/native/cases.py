"""Cases as people write them."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

from rankgate.errors import Code
from rankgate.files.tree.values import Fields, fields_of
from rankgate.model.probes import XFail
from rankgate.model.suite import Case, GoneTarget, Sampled, Target, Top, by_location
from rankgate.model.wording import quoted
from rankgate.suites.native.targets import NAMES, read_targets, read_tops

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankgate.files.tree.values import Value
    from rankgate.suites.native.targets import Defaults


CASE_KEYS = (
    "name",
    "query",
    "at",
    "id",
    "quote",
    "path",
    "any_of",
    "grade",
    "top",
    "never",
    "expect",
    "answer",
    "exhaustive",
    "category",
    "tags",
    "filters",
    "weight",
    "sampled",
    "group",
    "xfail",
    "source",
    "reviewed",
    "notes",
)
XFAIL_KEYS = ("reason", "until")
SAMPLED_KEYS = ("seen", "inclusion")
EXPECT_KEYS = ("max_score",)

_MOVED = {
    "case": "name",
    "expected": "at, id, quote or expect: empty",
    "q": "query",
    "relevant": "at",
    "targets": "at",
    "text": "query",
}
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z")
_SLUG_LENGTH = 60
_JOINERS = "\u200c\u200d"


def read_cases(items: Iterable[Value], defaults: Defaults) -> tuple[Case, ...]:
    """Read the cases; those without a name get a slug of their query.

    Where two queries have one slug, one of them needs a name: a number would change hands when their order
    does. The same query a second time is numbered, as which is which makes no difference.
    """
    names = TakenNames()
    read: list[tuple[str | None, dict[str, Any], Value]] = []
    for item in items:
        fields = fields_of(item, CASE_KEYS, "a case: a mapping with a query", moved=_MOVED)
        if fields is not None:
            name, about = names.own(fields, "a name for the case"), _case(fields, defaults)
            if name is not None:
                names.asks(name, about["query"], item.line)
            read.append((name, about, item))
    return tuple([Case(name or names.made(about["query"], item), **about) for name, about, item in read])


def slug(query: str) -> str:
    """Make a name of a query: its letters with their marks and its digits, small, with dashes between.

    >>> slug("Rotate an API key!"), slug("कुंजी कैसे बदलें?")
    ('rotate-an-api-key', 'कुंजी-कैसे-बदलें')
    """
    plain = unicodedata.normalize("NFKC", query).casefold()
    made: list[str] = []
    for char in plain:
        # The vowel signs of Hindi, Thai or Arabic are marks: without them, names are other words.
        marks = unicodedata.category(char) in ("Mn", "Mc") and made and made[-1] != "-"
        if char.isalnum() or marks:
            made.append(char)
        elif char not in _JOINERS and made and made[-1] != "-":
            made.append("-")
    return "".join(made)[:_SLUG_LENGTH].strip("-") or "case"


class TakenNames:
    """The names that are taken, by the lines that they are written in; 0 for those that are made.

    A name that is made gives way to those that are written, further down too, so it is asked for when all of
    those are known.
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = dict.fromkeys(taken, 0)
        self._queries: dict[str, tuple[str, int]] = {}
        self._numbers: Counter[str] = Counter()

    def own(self, fields: Fields, expected: str) -> str | None:
        """Take the name that is written; one that something else has is a problem."""
        value = fields.get("name")
        name = None if value is None else value.text(expected)
        if value is None or name is None:
            return None
        if name in self._taken:
            found = f"{name!r} a second time, first in line {self._taken[name]}"
            value.wrong("a name of its own", found=found, code=Code.REPEATED)
        self._taken.setdefault(name, value.line)
        return name

    def asks(self, name: str, query: str, line: int) -> tuple[str, int]:
        """Return the query that has a name and its line: this one, unless another was first."""
        return self._queries.setdefault(name, (query, line))

    def made(self, query: str, case: Value) -> str:
        """Make a name of a query; one that another query has is a problem."""
        name = slug(query)
        other, line = self.asks(name, query, case.line)
        if other != query and query:
            found = f"{quoted(query, 60)}, whose name would be {name!r}, that of {quoted(other, 60)}"
            fix = "give one of them a name, such as name: c-plus-plus"
            told = f"{found} in line {line}"
            case.wrong("queries with names of their own", fix, found=told, code=Code.REPEATED)
        return self.free(name)

    def free(self, name: str) -> str:
        """Return a name with a number where it is taken, and take it."""
        free = name
        while free in self._taken:
            # The count goes on where it stopped, so that many are quick.
            self._numbers[name] += 1
            free = f"{name}-{self._numbers[name] + 1}"
        self._taken[free] = 0
        return free


def _case(fields: Fields, defaults: Defaults) -> dict[str, Any]:
    """Read what a case says, but for its name."""
    if "query" not in fields:
        fields.mapping.wrong("a query", found="a case without a query")
    defaults = _own_defaults(fields, defaults)
    named, (checked, targets_within) = read_targets(fields, defaults), read_tops(fields, defaults)
    targets = tuple(each for each in named if isinstance(each, Target))
    tops = tuple(each for each in checked if isinstance(each, Top))
    gone = by_location(each for each in (*named, *checked) if isinstance(each, GoneTarget))
    relevant = {target.location for target in targets if target.grade > 0}
    expected = relevant | {top.location for top in tops if not top.never}
    for never in tops:
        if never.never and never.location in expected:
            fields.mapping.wrong(
                "one of the two", found=f"{never.location} under never, and as an expected result"
            )
    top = fields.get("top")
    if targets_within is not None and top is not None and not (relevant or gone):
        top.wrong("a target in the case, or at, id or quote beside within", found="within without a target")
    empty, max_score = fields.read("expect", lambda value: _expect(value, fields), (False, None))
    return {
        "query": fields.lines("query", "the text of a query") or "",
        "targets": targets,
        "weight": fields.read("weight", lambda value: value.number("a number above 0", _is_positive), 1.0),
        "sampled": fields.read("sampled", _sampled, None),
        "group": fields.text("group", "the name of a group"),
        "category": fields.text("category", "the name of a category"),
        "tags": fields.read("tags", _tags, frozenset()),
        "filters": read_filters(fields),
        "top": tops,
        "targets_within": targets_within,
        "exhaustive": fields.flag("exhaustive", default=False),
        "gone": gone,
        "expect_empty": empty,
        "max_score": max_score,
        "xfail": fields.read("xfail", read_xfail, None),
        "answer": fields.lines("answer", "the answer that is expected"),
        "notes": fields.lines("notes", "text") or "",
        "where": fields.mapping.where,
    }


def _own_defaults(fields: Fields, defaults: Defaults) -> Defaults:
    if not ("grade" in fields or "source" in fields or "reviewed" in fields):
        return defaults
    grade = fields.read("grade", lambda value: value.number("a number as the grade"), None)
    if grade is not None and defaults.max_grade is not None and grade > defaults.max_grade:
        expected = f"at most {defaults.max_grade:g}, the top of the scale"
        fields.mapping.wrong(expected, found=f"grade {grade:g}")
    return replace(
        defaults,
        grade=defaults.grade if grade is None else grade,
        source=fields.text("source", "who says so") or defaults.source,
        reviewed=fields.flag("reviewed", default=defaults.reviewed),
    )


def _is_positive(number: float) -> bool:
    return number > 0


def _tags(value: Value) -> frozenset[str]:
    if value.kind == "mapping":
        return frozenset(
            f"{key.raw}={text}" for key, item in value.pairs() for text in item.texts("the value of a tag")
        )
    return frozenset(value.texts("a tag"))


def read_filters(fields: Fields) -> dict[str, str | tuple[str, ...]]:
    """Read the facets to ask with."""
    found: dict[str, str | tuple[str, ...]] = {}
    if (value := fields.get("filters")) is None:
        return found
    if value.kind != "mapping":
        value.wrong("a mapping of facets to values", "such as {language: go}")
    for key, item in value.pairs():
        words = item.texts("the value of a facet")
        found[key.raw] = words if item.kind == "list" else words[0] if words else ""
    return found


def _expect(value: Value, fields: Fields) -> tuple[bool, float | None]:
    """Read `expect`: whether the query must return no results, and the highest score of a result."""
    excluded: tuple[str, ...] = (*NAMES, "any_of", "top")
    max_score = None
    if value.kind == "mapping":
        inner = Fields(value, EXPECT_KEYS)
        inner.need("max_score", "max_score, the highest score of a result", "expect")
        max_score = inner.read("max_score", lambda one: one.number("a number, the highest score"), None)
        written = "expect: max_score"
        excluded = (*excluded, "answer")
    elif value.raw == "empty":
        written = "expect: empty"
        excluded = (*excluded, "never")
    else:
        value.wrong("empty, or {max_score: 2.0}", "an expected result is written as at, id or quote")
        return False, None
    if others := [key for key in excluded if key in fields]:
        value.wrong("one of the two", found=f"{written} beside {', '.join(others)}")
        return False, None
    return value.kind != "mapping", max_score


def read_xfail(value: Value) -> XFail | None:
    """Read a known miss: its reason, or a mapping of the reason and the last day."""
    expected = "the reason as text, or a mapping of reason and until"
    if value.kind != "mapping":
        reason = None if value.kind == "flag" else value.text(expected)
        if value.kind == "flag":
            value.wrong(expected, "such as xfail: no synonyms yet")
        return None if reason is None else XFail(reason)
    fields = Fields(value, XFAIL_KEYS)
    fields.need("reason", "a reason", "an xfail")
    reason = fields.text("reason", "why it fails")
    day = fields.read("until", _date, None)
    return None if reason is None else XFail(reason, day)


def _sampled(value: Value) -> Sampled | None:
    fix = "such as {seen: 1204, inclusion: 0.31}"
    fields = fields_of(value, SAMPLED_KEYS, "a mapping of seen and inclusion", fix)
    if fields is None:
        return None
    for key in SAMPLED_KEYS:
        fields.need(
            key, "how often it was asked as seen, and how likely it was drawn as inclusion", "sampled"
        )
    seen = fields.read("seen", lambda one: one.count(), None)
    inclusion = fields.read(
        "inclusion", lambda one: one.number("a number above 0 and up to 1", is_probability), None
    )
    return None if seen is None or inclusion is None else Sampled(seen, inclusion)


def is_probability(number: float) -> bool:
    """Check whether a number is the probability of something that can happen."""
    return 0 < number <= 1


def _date(value: Value) -> date | None:
    try:
        if _DATE.match(value.raw):
            return date.fromisoformat(value.raw)
    except ValueError:
        pass
    value.wrong("a date, YYYY-MM-DD")
    return None
