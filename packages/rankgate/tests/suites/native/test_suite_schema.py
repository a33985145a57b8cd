"""The schema for editors, the loader and the examples agree."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from rankgate.errors import FormatError
from rankgate.io.yaml import parse_yaml, typed
from rankgate.suites.native import parse_suite
from rankgate.suites.schema import CaseKeys, SuiteKeys, suite_schema
from support.repository import ROOT

SCHEMA: dict[str, Any] = suite_schema()
GUIDE = ROOT / "docs" / "suites.md"
EXAMPLES = re.findall(r"```yaml\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)


def fits(text: str) -> bool:
    import jsonschema

    found = typed(parse_yaml(text, "s.yaml").data)
    return bool(jsonschema.Draft202012Validator(SCHEMA).is_valid(found))


def test_the_schema_is_one() -> None:
    import jsonschema

    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("text", EXAMPLES)
def test_every_example_of_the_guide_is_a_suite(text: str) -> None:
    parse_suite(text, Path("s.yaml"))
    assert fits(text)


SHIPPED = [
    path
    for folder in ("suites", "examples")
    for path in sorted((ROOT / folder).glob("*/*.yaml"))
    if re.search(r"^cases:", path.read_text(encoding="utf-8"), re.MULTILINE)
]


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_schema_accepts_every_shipped_suite(path: Path) -> None:
    assert fits(path.read_text(encoding="utf-8"))


def test_schema_rejects_the_mistakes_that_it_can_see() -> None:
    import jsonschema

    page = (ROOT / "packages/rankgate/tests/acceptance/invalid-suite.md").read_text(encoding="utf-8")
    text = re.findall(r"```yaml title=\"search.yaml\"\n(.*?)```", page, re.DOTALL)[1]
    errors = jsonschema.Draft202012Validator(
        SCHEMA, format_checker=jsonschema.FormatChecker(["date"])
    ).iter_errors(typed(parse_yaml(text, "s.yaml").data))
    # The others are in texts (a gate, two locations), or are two equal names.
    assert sorted((error.json_path, error.validator) for error in errors) == [
        ("$", "additionalProperties"),
        ("$.cases[0].at", "oneOf"),
        ("$.cases[1].weight", "minimum"),
        ("$.cases[2].xfail", "oneOf"),
        ("$.cases[3]", "additionalProperties"),
        ("$.cases[3].query", "type"),
        ("$.scale", "anyOf"),
    ]


def test_every_key_of_the_schema_has_a_description() -> None:
    parts = [SCHEMA, *SCHEMA["$defs"].values()]
    assert [
        (part.get("title"), key)
        for part in parts
        for key, each in part.get("properties", {}).items()
        if "description" not in each
    ] == []


def test_the_guide_has_a_heading_for_every_key() -> None:
    headings = re.findall(r"^### (.*)$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    told = {key for heading in headings for key in heading.split(", ")}
    assert told == (SuiteKeys.known | CaseKeys.known) - {"cases"}


@pytest.mark.parametrize(
    "text",
    [
        "name: x",
        "cases: []",
        "cases: [{id: 1}]",
        "cases: [{query: q, idd: 1}]",
        "cases: [{query: q, expect: empty, id: 1}]",
        "cases: [{query: q, expect: full}]",
        "cases: [{query: q, at: []}]",
        "cases: [{query: q, at: null}]",
        "{cases: [{query: q}], k: null}",
        "cases: [{query: q, at: {a: b}}]",
        "cases: [{query: q, any_of: [a, b]}]",
        "cases: [{query: q, weight: 0}]",
        "cases: [{query: q, id: a, top: {}}]",
        "cases: [{query: q, id: a, top: {within: 0}}]",
        "cases: [{query: q, never: {id: a, within: 0}}]",
        "cases: [{query: q, expect: {max_score: low}}]",
        "cases: [{query: q, id: a, expect: {max_score: 1}}]",
        "cases: [{query: q, answer: a, expect: {max_score: 1}}]",
        "cases: [{query: q, never: a, expect: empty}]",
        "cases: [{query: q, xfail: {until: 2030-01-31}}]",
        "{cases: [{query: q}], gates: [{metric: rr, min: 1}]}",
        "{cases: [{query: q}], match: words}",
        "{cases: [{query: q}], k: 0}",
        "{cases: [{query: q}], version: 2}",
        "{cases: [{query: q}], unlisted: perhaps}",
        "{cases: [{query: q}], no_relevant: 0}",
        "{cases: [{query: q}], gating_sources: []}",
        "{cases: [{query: q}], gating_sources: [proposed]}",
        "{cases: [{query: q}], match: {iou: 2}}",
        "{cases: [{query: q}], corpus: {}}",
        "{cases: [{query: q}], corpus: {git: {a: b}}}",
        "cases: [{query: q, answer: [x]}]",
        "{cases: [{query: q}], map: [{from: x}]}",
        "{cases: [{query: q}], scenarios: [{steps: [{search: q, finds: x}]}]}",
        "{cases: [{query: q}], scenarios: [{name: n}]}",
        "{cases: [{query: q}], scenarios: [{name: n, steps: []}]}",
        "{cases: [{query: q}], scenarios: [{name: n, steps: [{search: q}]}]}",
        "{cases: [{query: q}], scenarios: [{name: n, steps: [{finds: x}]}]}",
        "{cases: [{query: q}], scenarios: [{name: n, steps: [{search: q, tree: a.md, finds: x}]}]}",
        "{cases: [{query: q}], scenarios: [{name: n, steps: [{search: q, has: x}]}]}",
        "{cases: [{query: q}], scenarios: [{name: n, steps: [{search: q, finds: []}]}]}",
        "{cases: [{query: q}], scenarios: [{name: n, steps: [{search: q, finds: {at: x, id: y}}]}]}",
        "{cases: [{query: q}], scenarios: [{name: n, steps: [{search: q, finds: x, k: 0}]}]}",
        "{cases: [{query: q}], scenarios: [{name: n, steps: [{tree: a.md, under: {}}]}]}",
        "{cases: [{query: q}], scenarios: [{name: n, steps: [{tree: a.md, under: a}]}]}",
        "{cases: [{query: q}], scenarios: [{name: n, steps: [{tree: a.md, has: []}]}]}",
        "{cases: [{query: q}], scenarios: [{name: n, steps: [{read: a.md, complete: true}]}]}",
        "{cases: [{query: q}], scenarios: [{name: n, steps: [{subtree: a.md, complete: false}]}]}",
        "{cases: [{query: q}], scenarios: [{name: n, steps: [{subtree: a.md, complete: 1}]}]}",
        "{cases: [{query: q}], invariants: [{name: n}]}",
        "{cases: [{query: q}], invariants: [{same-results: [a]}]}",
        "{cases: [{query: q}], invariants: [{same-results: a}]}",
        "{cases: [{query: q}], invariants: [{same-results: [a, a]}]}",
        "{cases: [{query: q}], invariants: [{same-results: [a, b], by: title}]}",
        "{cases: [{query: q}], invariants: [{same-results: [a, b], order: 1}]}",
        "{cases: [{query: q}], invariants: [{stable: a, empty: b}]}",
        "{cases: [{query: q}], invariants: [{stable: a, times: 1}]}",
        "{cases: [{query: q}], invariants: [{stable: a, times: 1001}]}",
        "{cases: [{query: q}], invariants: [{stable: a, k: [1, 2]}]}",
        "{cases: [{query: q}], invariants: [{stable: a, beside: b}]}",
        "{cases: [{query: q}], invariants: [{ranks-above: a, above: x}]}",
        "{cases: [{query: q}], invariants: [{ranks-above: a, below: x}]}",
        "{cases: [{query: q}], invariants: [{filter-only: a, only: x}]}",
        "{cases: [{query: q}], invariants: [{filter-only: a, filters: {t: x}}]}",
        "{cases: [{query: q}], invariants: [{filter-only: a, filters: {}, only: x}]}",
        "{cases: [{query: q}], invariants: [{filter-only: a, filters: {t: x}, only: []}]}",
        "{cases: [{query: q}], invariants: [{single-term-no-bonus: a}]}",
        "{cases: [{query: q}], invariants: [{monotone: a}]}",
        "{cases: [{query: q}], invariants: [{monotone: a, k: 3}]}",
        "{cases: [{query: q}], invariants: [{monotone: a, k: [3]}]}",
        "{cases: [{query: q}], invariants: [{monotone: a, k: [3, 3]}]}",
        "{cases: [{query: q}], invariants: [{monotone: a, k: [0, 3]}]}",
        "{cases: [{query: q}], invariants: [{empty: []}]}",
        "{cases: [{query: q}], invariants: [{empty: a, sure: true}]}",
    ],
)
def test_the_loader_and_the_schema_refuse_the_same(text: str) -> None:
    assert not fits(text)
    with pytest.raises(FormatError):
        parse_suite(text, Path("s.yaml"))


@pytest.mark.parametrize(
    "text",
    [
        "cases: [{query: q, id: [a, b], top: {within: 3}}]",
        "cases: [{query: q, id: a, top: [{within: 3}, {id: b}]}]",
        "cases: [{query: q, id: a, never: [b, {id: c, within: 25}]}]",
        "cases: [{query: q, expect: {max_score: 2.0}, never: a}]",
        "cases: [{query: q, id: a, xfail: no synonyms}]",
        "cases: [{query: q, id: a, xfail: {reason: no synonyms}}]",
        "{cases: [{query: q, id: a}], unlisted: unjudged, no_relevant: zero, gating_sources: estimated}",
        "{cases: [{query: q, id: a}], invariants: [{different-results: [a, b], by: document}]}",
        "{cases: [{query: q, id: a}], invariants: [{rare-term: a b, beside: c, xfail: later, notes: x}]}",
        "{cases: [{query: q, id: a}], invariants: [{ranks-above: a, above: [b, c], below: [d, {id: e}]}]}",
    ],
)
def test_loader_and_schema_accept_valid_keys(text: str) -> None:
    parse_suite(text, Path("s.yaml"))
    assert fits(text)
