"""What a suite says about itself: its corpus, gates, metrics, map rules; everything but its cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankgate.errors import InputError, did_you_mean
from rankgate.files.patterns import check_template, compiled_pattern
from rankgate.files.tree.values import Fields, Value, fields_of
from rankgate.model.suite import (
    GATING_SOURCES,
    NO_RELEVANT,
    PAGES,
    PROPOSED,
    SOURCE_KINDS,
    UNLISTED,
    CorpusSource,
    GateText,
    MapRule,
    MatchBy,
    Matching,
)
from rankgate.plugins import listed
from rankgate.suites.native.probes import read_invariants, read_scenarios
from rankgate.suites.native.targets import Defaults

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from rankgate.suites.formats import ReadOptions


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
    "unlisted",
    "no_relevant",
    "gating_sources",
    "guidelines",
    "show",
    "cases",
    "scenarios",
    "invariants",
)
_SOURCES = f"one or more of {', '.join(SOURCE_KINDS)}"
_PROPOSED = "'proposed', which gates never count"
MATCH_KEYS = ("by", "min_lines", "min_fraction", "iou")
SCALE_KEYS = ("max",)
MAP_KEYS = ("from", "to")

DEPTH = 10
"""How deep a suite is looked into that names no metrics, unless it asks for fewer hits."""
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


def read_settings(fields: Fields, name: str, reading: ReadOptions | None) -> tuple[dict[str, Any], Defaults]:
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
    # A corpus that is written wrongly is still meant, so that locations are not taken for ids.
    defaults = Defaults(
        has_corpus=value is not None or corpus is not None,
        records=corpus.kind if corpus is not None and corpus.kind in RECORDS else None,
        max_grade=max_grade,
    )
    settings = {
        "name": fields.text("name", "a name") or name,
        "metrics": fields.read("metrics", _metrics, ()),
        "gates": fields.read("gates", read_gates, ()),
        "matching": fields.read("match", _matching, Matching()),
        "max_grade": max_grade,
        "corpus": corpus,
        "k": fields.read("k", Value.count, None),
        "map_rules": fields.read("map", _map_rules, ()),
        "unlisted": fields.read("unlisted", lambda found: found.choice(*UNLISTED), UNLISTED[0]),
        "no_relevant": fields.read("no_relevant", lambda found: found.choice(*NO_RELEVANT), NO_RELEVANT[0]),
        "gating_sources": fields.read("gating_sources", _gating_sources, GATING_SOURCES),
        "guidelines": fields.text("guidelines", "a file that says how to judge"),
        "show": fields.read("show", lambda found: found.texts("a field of a result, such as title"), ()),
        "scenarios": fields.read("scenarios", lambda found: read_scenarios(found, defaults), ()),
        "invariants": fields.read("invariants", lambda found: read_invariants(found, defaults), ()),
    }
    k = settings["k"]
    if "metrics" not in fields:
        settings["metrics"] = default_metrics(k if isinstance(k, int) else None)
    return settings, defaults


def default_metrics(k: int | None) -> tuple[str, ...]:
    """Return the metrics of a suite that names none and asks for so many hits.

    >>> default_metrics(None), default_metrics(3)
    (('ndcg@10',), ('ndcg@3',))
    """
    return (f"ndcg@{DEPTH if k is None else min(k, DEPTH)}",)


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
        inner.need("max", "max, the top of the scale", "a scale")
        value = inner.get("max")
    number = None if value is None else value.number("a number, the top of the scale")
    if value is not None and number is not None and number <= 0:
        value.wrong("a number above 0")
        return None
    return number


def _gating_sources(value: Value) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for item in value.listed(_SOURCES, least=1) if value.kind == "list" else [value]:
        if item.raw == PROPOSED:
            item.wrong(_SOURCES, "review the proposals and give them another source", found=_PROPOSED)
        elif (source := item.choice(*SOURCE_KINDS)) is not None:
            found[source] = None
    return tuple(found)


def _metrics(value: Value) -> tuple[str, ...]:
    return tuple(text for item in value.one_or_more() for text in metric_texts(item))


def metric_texts(item: Value) -> list[str]:
    """Return the metrics that one entry of `metrics` names: one, or sums by their titles."""
    if item.kind != "mapping":
        text = item.text("a metric, such as ndcg@10")
        return [] if text is None else [text]
    sums = [(key.raw, inner.text("a metric expression")) for key, inner in item.pairs()]
    return [f"{name} = {text}" for name, text in sums if text is not None]


def _matching(value: Value) -> Matching:
    if value.kind != "mapping":
        return Matching(_match_by(value))
    fields = Fields(value, MATCH_KEYS)
    return Matching(
        by=fields.read("by", _match_by, MatchBy.LINES),
        min_lines=fields.read("min_lines", Value.count, 1),
        min_fraction=fields.read("min_fraction", _fraction, 0.0),
        iou=fields.read("iou", _fraction, 0.0),
    )


def _match_by(value: Value) -> MatchBy:
    return MatchBy(value.choice("lines", "path") or MatchBy.LINES)


def _fraction(value: Value) -> float | None:
    return value.number("a number from 0 to 1", lambda number: 0 <= number <= 1)


def _map_rules(value: Value) -> tuple[MapRule, ...]:
    if value.kind != "list":
        return tuple(_map_rule(value))
    fix = "such as - {from: 'https://docs[.]example[.]org/(.*)', to: '\\1.md'}"
    return tuple(rule for item in value.listed("a list of rules", fix) for rule in _map_rule(item))


def _map_rule(value: Value) -> Iterator[MapRule]:
    if value.kind == "text" and value.content == "pages":
        yield PAGES
        return
    moved = {"pattern": "from", "template": "to"}
    fields = fields_of(value, MAP_KEYS, "pages, or a mapping of from and to", moved=moved)
    if fields is None:
        return
    for key in MAP_KEYS:
        fields.need(key, "both from and to", "a rule")
    pattern, template = fields.text("from", "a regular expression"), fields.text("to", "a location")
    if pattern is None or template is None:
        return
    rule = MapRule(pattern, template)
    try:
        compiled(rule)
    except InputError as error:
        for problem in error.problems:
            value.wrong(problem.expected, problem.fix, found=problem.found, code=problem.code)
    else:
        yield rule


def compiled(rule: MapRule, where: str = "map") -> re.Pattern[str]:
    """Compile a rule's pattern, and check that its template names only groups that the pattern has.

    Raises:
        InputError: for a pattern that is no regular expression, or a template that does not fit it.
    """
    pattern = compiled_pattern(rule.pattern, f"{where}.from")
    check_template(pattern, rule.template, f"{where}.to")
    return pattern


GROUP = "rankgate.corpora"
"""The entry points that open corpora; their names are the kinds there are."""

RECORDS = frozenset({"beir", "jsonl"})
"""The kinds whose documents are records with ids; what others hold is known when they are opened."""

_PLACE = "a folder or a file, relative to this file"


def read_corpus(value: Value) -> CorpusSource | None:
    """Read where the corpus of a suite comes from; what its kind needs is checked when it is opened.

    One key of a mapping is the kind, with where it is as its value; the others are the kind's own options.
    """
    if value.kind != "mapping":
        place = value.text("a folder, or a mapping such as {git: ., commit: 1a2b3c4}")
        return None if place is None else CorpusSource(place)
    kinds = listed(GROUP)
    named = [(key, item) for key, item in value.pairs() if key.raw in kinds]
    if len(named) != 1:
        _refuse(value, [key.raw for key, _ in named])
        return None
    (kind, item) = named[0]
    place = item.text(_PLACE)
    options = {key.raw: _option(inner) for key, inner in value.pairs() if key is not kind}
    return None if place is None else CorpusSource(place, kind.raw, options)


def _refuse(value: Value, named: list[str]) -> None:
    expected = f"one key of {', '.join(listed(GROUP))}"
    if named:
        value.wrong(expected, found=f"both {' and '.join(named)}")
        return
    keys = [key.raw for key, _ in value.pairs()]
    near = [found for key in keys if (found := did_you_mean(key[:80], listed(GROUP)))]
    found = f"a corpus with {', '.join(map(repr, keys[:5]))}" if keys else "an empty mapping"
    value.wrong(expected, near[0] if near else "", found=found)


def _option(value: Value) -> str | tuple[str, ...]:
    if value.kind == "list":
        return value.texts("text")
    return value.text("text, or a list of texts") or ""


def read_gates(value: Value) -> tuple[GateText, ...]:
    """Read one gate or a list of them; what a line says is read by `gates`."""
    texts = ((item.text("a gate, such as ndcg@10 >= 0.65"), item.where) for item in value.one_or_more())
    return tuple(GateText(text, where) for text, where in texts if text is not None)
