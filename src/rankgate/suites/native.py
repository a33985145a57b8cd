"""rankgate's own suites, in YAML. The format is in docs/suites.md, and for editors in suite.schema.json."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.errors import FormatError, InputError, Problem
from rankgate.files.problems import Problems
from rankgate.files.text import read_text
from rankgate.model.suite import CorpusSource, MapRule, MatchBy, Matching, Suite
from rankgate.suites.cases import read_cases
from rankgate.suites.fields import Fields
from rankgate.suites.format import Format
from rankgate.suites.gate_lines import read_gates
from rankgate.suites.map_rules import compiled
from rankgate.suites.positions import read_yaml
from rankgate.suites.targets import Defaults

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rankgate.suites.format import Reading
    from rankgate.suites.positions import Value

LIMIT = 20_000_000
"""How many bytes a suite may have."""

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
    "cases",
    "scenarios",
    "invariants",
)
FORMAT = Format(
    "native",
    "rankgate's own suites, in YAML or JSON",
    lambda path, reading: parse_suite(_text(path), path, reading),
    lambda path, start: path.suffix.lower() == ".json" and b'"cases"' in start and b'"query": {' not in start,
)
MATCH_KEYS = ("by", "min_lines", "min_fraction", "iou")
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


def read_native(path: str | Path) -> Suite:
    """Read a suite.

    Raises:
        InputError: for a file that cannot be read.
        FormatError: with all that is wrong with the file, each where it stands.
    """
    return parse_suite(_text(Path(path)), Path(path))


def parse_suite(text: str, path: Path, reading: Reading | None = None) -> Suite:
    """Read a suite from the text of its file.

    A corpus that the reader is told stands in for the one that the file names.

    Raises:
        FormatError: with all that is wrong with the text.
    """
    problems = Problems(str(path))
    root = read_yaml(text, str(path), problems)
    if root.kind != "mapping":
        root.wrong("a mapping with cases", "the least is cases:, and below it - query: and at:")
        problems.refuse()
    fields = Fields(root, SUITE_KEYS, moved=_MOVED)
    _check_version(fields)
    max_grade = _max_grade(fields)
    corpus = fields.text("corpus", "a folder, relative to this file")
    cases = fields.get("cases")
    if cases is None:
        root.wrong("cases", found="a suite without cases")
    told = None if reading is None else reading.corpus
    # A corpus that is written wrongly is still meant, so that places are not taken for ids.
    defaults = Defaults(has_corpus="corpus" in fields or told is not None, max_grade=max_grade)
    about = {
        "name": fields.text("name", "a name") or path.stem,
        "metrics": _metrics(fields.get("metrics")),
        "gates": read_gates(fields.get("gates")),
        "matching": _matching(fields.get("match")),
        "max_grade": max_grade,
        "corpus": told or (None if corpus is None else CorpusSource(corpus)),
        "k": fields.count("k"),
        "map_rules": _map_rules(fields.get("map")),
        "scenarios": _mappings(fields.get("scenarios")),
        "invariants": _mappings(fields.get("invariants")),
        "cases": () if cases is None else read_cases(cases, defaults),
        "path": str(path),
    }
    problems.check()
    return Suite(**about)  # type: ignore[arg-type]  # each value has the type of its field


def _text(path: Path) -> str:
    if path.is_file() and path.stat().st_size > LIMIT:
        fix = "split the suite, or write it as JSONL or Parquet: rankgate suite convert"
        raise FormatError(Problem(str(path), f"{path.stat().st_size} bytes", f"at most {LIMIT}", fix))
    return read_text(path, limit=LIMIT).decode()


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


def _metrics(value: Value | None) -> tuple[str, ...]:
    if value is None:
        return _METRICS
    found: list[str] = []
    for item in value.items() if value.kind == "list" else [value]:
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
    )


def _match_by(value: Value) -> MatchBy | None:
    text = value.text("lines or path")
    if text is None:
        return None
    if text in set(MatchBy):
        return MatchBy(text)
    value.wrong("lines or path")
    return None


def _fraction(fields: Fields, key: str) -> float:
    value = fields.get(key)
    number = None if value is None else value.number("a number from 0 to 1")
    if value is None or number is None:
        return 0.0
    if not 0 <= number <= 1:
        value.wrong("a number from 0 to 1")
        return 0.0
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


def _mappings(value: Value | None) -> tuple[Mapping[str, object], ...]:
    if value is None:
        return ()
    if value.kind != "list":
        value.wrong("a list of mappings")
    for item in value.items():
        if item.kind != "mapping":
            item.wrong("a mapping")
    return tuple(item.plain() for item in value.items() if item.kind == "mapping")
