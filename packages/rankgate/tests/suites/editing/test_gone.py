"""Targets are marked gone where they stand, whatever form they have; comments stay."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rankgate.model.locations import Location
from rankgate.suites.asked_suite import asked_suite
from rankgate.suites.editing.edits import MarkGone
from rankgate.suites.editing.revision import revised_suite
from rankgate.suites.native.dump import Dump
from rankgate.suites.native.yaml_suite import parse_suite

HEAD = "name: s\ncorpus: docs\ncases:\n  - name: a\n    query: q\n"
GONE = Location.at("a.md#X")


@pytest.mark.parametrize(
    ("written", "after"),
    [
        ("    at: a.md#X   # why\n", "    at: [{at: a.md#X, gone: left}]   # why\n"),
        ("    at: [b.md, a.md#X]  # two\n", "    at: [b.md, {at: a.md#X, gone: left}]  # two\n"),
        (
            "    at:\n      - b.md\n      - a.md#X  # c\n",
            "    at:\n      - b.md\n      - {at: a.md#X, gone: left}  # c\n",
        ),
        (
            "    at: {a.md#X: 2, b.md: 1}\n",
            "    at: [{at: a.md#X, grade: 2, gone: left}, {at: b.md, grade: 1}]\n",
        ),
        (
            "    at:\n      a.md#X: 2   # best\n      b.md: 1\n",
            "    at:\n      - {at: a.md#X, grade: 2, gone: left}   # best\n      - {at: b.md, grade: 1}\n",
        ),
        ("    at: [{at: a.md#X, grade: 2}]\n", "    at: [{at: a.md#X, grade: 2, gone: left}]\n"),
        (
            "    at:\n      - at: a.md#X\n        grade: 2  # g\n",
            "    at:\n      - at: a.md#X\n        grade: 2  # g\n        gone: left\n",
        ),
        (
            "    at: b.md\n    top: {at: a.md#X, within: 3}\n    never: c.md\n",
            "    at: b.md\n    top: {at: a.md#X, within: 3, gone: left}\n    never: c.md\n",
        ),
        ("    at: b.md\n    never: a.md#X\n", "    at: b.md\n    never: {at: a.md#X, gone: left}\n"),
        (
            "    any_of:\n      - [a.md#X, b.md]\n",
            "    any_of:\n      - [{at: a.md#X, gone: left}, b.md]\n",
        ),
    ],
)
def test_a_target_is_marked_in_the_form_it_has(written: str, after: str) -> None:
    suite = parse_suite(HEAD + written, Path("s.yaml"))
    done = revised_suite(HEAD + written, suite, [MarkGone("a", GONE, "left")])
    assert not done.left
    assert done.text == HEAD + after
    case = done.suite.cases[0]
    assert [each.location for each in case.gone] == [GONE]
    assert GONE not in case.locations
    # Written anew, it says the same.
    dump = Dump(done.suite)
    again = parse_suite(json.dumps({**dump.settings(), "cases": list(dump.cases())}), Path("s.yaml"))
    assert again.cases[0] == case


def test_a_case_is_asked_as_long_as_it_has_a_relevant_target() -> None:
    both = HEAD + "    at: [b.md, {at: a.md#X, gone: left}]\n"
    alone = HEAD.replace("name: a", "name: b") + "    at: [{at: a.md#X, gone: left}]\n"
    suite = parse_suite(both + alone.partition("cases:\n")[2], Path("s.yaml"))
    asked = asked_suite(suite)
    assert [case.id for case in suite.cases] == ["a", "b"]
    assert [case.id for case in asked.cases] == ["a"]
    assert asked.notes == ("2 targets are marked gone; 1 case has no other and is not asked: b",)


def test_a_reason_is_needed() -> None:
    from rankgate.errors import FormatError

    with pytest.raises(FormatError, match="why it is gone"):
        parse_suite(HEAD + "    at: [{at: a.md#X, gone: true}]\n", Path("s.yaml"))
