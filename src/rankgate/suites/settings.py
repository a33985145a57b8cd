"""What a suite says about itself: everything but its cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankgate.errors import InputError
from rankgate.model.suite import MapRule, MatchBy, Matching
from rankgate.suites.corpus_source import RECORDS, read_corpus
from rankgate.suites.fields import Fields
from rankgate.suites.gate_lines import read_gates
from rankgate.suites.invariants import read_invariants
from rankgate.suites.map_rules import compiled
from rankgate.suites.scenarios import read_scenarios
from rankgate.suites.targets import Defaults

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.suites.format import Reading
    from rankgate.suites.values import Value

SUITE_KEYS = (
    "$schema",
    "version",
    "name",
    "corpus",
    "metrics",
    "gates",
    "match",
    "scale",
    "k",
    "map",
    "allow_estimated",
    "on_inconclusive",
    "cases",
    "scenarios",
    "invariants",
)
MATCH_KEYS = ("by", "min_lines", "min_fraction", "iou", "miscounted")
SCALE_KEYS = ("max",)
MAP_KEYS = ("from", "to")

_METRICS = ("ndcg@10",)
_MOVED = {
    "gate": "gates",
    "matching": "match",
    "max_grade": "scale",
    "metric": "metrics",
    "queries": "cases",
    "tests": "cases",
}


def suite_fields(value: Value) -> Fields:
    """Look at the keys of a suite."""
    return Fields(value, SUITE_KEYS, moved=_MOVED)


def read_settings(fields: Fields, name: str, reading: Reading | None) -> tuple[dict[str, Any], Defaults]:
    """Read what a suite says about itself: the fields of a `Suite` but its cases, and what holds for those.

    A corpus that the reader is told stands in for the one that the file names.

    Args:
        fields: The keys of the suite.
        name: What it is called if it does not say.
        reading: What the reader is told.
    """
    _check_version(fields)
    max_grade = _max_grade(fields)
    value = fields.get("corpus")
    named = None if value is None else read_corpus(value)
    corpus = (None if reading is None else reading.corpus) or named
    # A corpus that is written wrongly is still meant, so that places are not taken for ids.
    defaults = Defaults(
        has_corpus=value is not None or corpus is not None,
        records=corpus.kind if corpus is not None and corpus.kind in RECORDS else None,
        max_grade=max_grade,
    )
    settings = {
        "name": fields.text("name", "a name") or name,
        "metrics": _metrics(fields.get("metrics")),
        "gates": read_gates(fields.get("gates")),
        "matching": _matching(fields.get("match")),
        "max_grade": max_grade,
        "corpus": corpus,
        "k": fields.count("k"),
        "map_rules": _map_rules(fields.get("map")),
        "allow_estimated": fields.flag("allow_estimated", default=False),
        "on_inconclusive": _on_inconclusive(fields.get("on_inconclusive")),
        "scenarios": read_scenarios(fields.get("scenarios"), defaults),
        "invariants": read_invariants(fields.get("invariants"), defaults),
    }
    return settings, defaults


def _check_version(fields: Fields) -> None:
    value = fields.get("version")
    if value is not None and value.raw != "1":
        value.wrong(
            "1", "a later version of the format needs a later rankgate", found=f"version {value.shown()}"
        )


def _max_grade(fields: Fields) -> float | None:
    value = fields.get("scale")
    if value is not None and value.kind == "mapping":
        inner = Fields(value, SCALE_KEYS)
        if "max" not in inner:
            value.wrong("max, the top of the scale", found="a scale without max")
        value = inner.get("max")
    number = None if value is None else value.number("a number, the top of the scale")
    if value is not None and number is not None and number <= 0:
        value.wrong("a number above 0")
        return None
    return number


def _on_inconclusive(value: Value | None) -> str:
    text = None if value is None else value.text("fail or warn")
    if value is not None and text is not None and text not in ("fail", "warn"):
        value.wrong("fail or warn")
    return text or "fail"


def _metrics(value: Value | None) -> tuple[str, ...]:
    if value is None:
        return _METRICS
    found: list[str] = []
    for item in value.one_or_more():
        if item.kind == "mapping":
            sums = [(key.raw, inner.text("a metric expression")) for key, inner in item.pairs()]
            found.extend(f"{name} = {text}" for name, text in sums if text is not None)
        elif (text := item.text("a metric, such as ndcg@10")) is not None:
            found.append(text)
    return tuple(found)


def _matching(value: Value | None) -> Matching:
    if value is None:
        return Matching()
    if value.kind != "mapping":
        by = _match_by(value)
        return Matching() if by is None else Matching(by)
    fields = Fields(value, MATCH_KEYS)
    by_value = fields.get("by")
    by = None if by_value is None else _match_by(by_value)
    min_lines = fields.count("min_lines")
    return Matching(
        by=by or MatchBy.LINES,
        min_lines=1 if min_lines is None else min_lines,
        min_fraction=_fraction(fields, "min_fraction"),
        iou=_fraction(fields, "iou"),
        miscounted=_fraction(fields, "miscounted", default=1.0),
    )


def _match_by(value: Value) -> MatchBy | None:
    text = value.text("lines or path")
    if text is None:
        return None
    if text in set(MatchBy):
        return MatchBy(text)
    value.wrong("lines or path")
    return None


def _fraction(fields: Fields, key: str, *, default: float = 0.0) -> float:
    value = fields.get(key)
    number = None if value is None else value.number("a number from 0 to 1")
    if value is None or number is None:
        return default
    if not 0 <= number <= 1:
        value.wrong("a number from 0 to 1")
        return default
    return number


def _map_rules(value: Value | None) -> tuple[MapRule, ...]:
    if value is None:
        return ()
    if value.kind != "list":
        value.wrong("a list of rules", "such as - {from: 'https://docs[.]example[.]org/(.*)', to: '\\1.md'}")
    return tuple(rule for item in value.items() for rule in _map_rule(item))


def _map_rule(value: Value) -> Iterator[MapRule]:
    if value.kind != "mapping":
        value.wrong("a mapping of from and to")
        return
    fields = Fields(value, MAP_KEYS, moved={"pattern": "from", "template": "to"})
    for key in MAP_KEYS:
        if key not in fields:
            value.wrong("both from and to", found=f"a rule without {key}")
    pattern, template = fields.text("from", "a regular expression"), fields.text("to", "a place")
    if pattern is None or template is None:
        return
    rule = MapRule(pattern, template)
    try:
        compiled(rule)
    except InputError as error:
        for problem in error.problems:
            value.wrong(problem.expected, problem.fix, found=problem.found)
    else:
        yield rule
