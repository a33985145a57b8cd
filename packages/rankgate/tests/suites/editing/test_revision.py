"""Targets, xfails and cases are added and taken out where they stand, and not another byte changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rankgate.errors import FormatError
from rankgate.locations import Location
from rankgate.model import Target
from rankgate.suites.edit import (
    AddTargets,
    DropCase,
    DropTarget,
    DropXFail,
    Move,
    changed_suite,
    revised_suite,
    write_revision,
)
from rankgate.suites.native import parse_suite, read_native

if TYPE_CHECKING:
    from rankgate.suites.edit import Edit, Revised

SUITE = """\
# mine: what the search must find
corpus: docs/     # here
gates: [ndcg@10 >= 0.65]   # a bar
cases:
  - query: one    # nobody has judged it
    notes: "a tab:\\t and a real one:\t"
  # between

  - query: two
    at: {b.md#Old: 3, 'a.md:1-2': 1,   # and here
         "c.md": 2}
    top: [{at: a.md:1-2, within: 3}]
    xfail: {reason: "x: y", until: 2030-01-01}  # goes with its line
    # stays
  -   xfail:
        reason: >
           long
           text
        until: 2030-01-01
      query: three
      any_of:
      -   - a.md:1-2
          -   {at: "a.md:1-2", grade: 2}
      - id: [a.md:1-2]
      - at: b.md#Old
    # behind
  - {query: four, answer: yes sir}   # flow
  - query: |
      five
      lines

    # about the list
    at:
    - a.md
    # about b
    - b.md   # goes
    - c.md
  - query: six
    at: >-
      a.md
  - query: seven
    at: d.md
    source: proposed by app
  # the end
k:   3
"""


def proposed(place: str, source: str = "app") -> Target:
    return Target(Location.at(place), source=f"proposed by {source}")


EDITS: list[Edit] = [
    AddTargets("one", (proposed("x.md:1-2"), proposed("y.md#A, b"))),
    Move(Location.at("b.md#Old"), Location.at("b.md#New")),
    DropTarget("two", 1),
    DropXFail("two"),
    DropXFail("three"),
    DropTarget("three", 0),
    DropTarget("three", 3),
    AddTargets("four", (proposed("x.md"),)),
    AddTargets("seven", (proposed("e.md"),)),
]


def revised(text: str, *edits: Edit, path: str = "s.yaml") -> Revised:
    return revised_suite(
        text, parse_suite(text.replace("\r\n", "\n").removeprefix("\ufeff"), Path(path)), edits
    )


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_every_byte_outside_of_the_edits_stays(line_end: str, golden) -> None:  # type: ignore[no-untyped-def]
    done = revised(SUITE.replace("\n", line_end), *EDITS)
    assert done.left == ()
    assert done.text.count("\n") == done.text.count(line_end)
    golden("revised_suite.yaml", done.text.replace("\r\n", "\n"))


def test_a_byte_order_mark_and_mixed_line_ends_stay() -> None:
    mixed = "\ufeff" + SUITE.replace("\n", "\r\n").replace("k:   3\r\n", "k:   3\n")
    done = revised(mixed, *EDITS)
    assert done.text.startswith("\ufeff# mine")
    assert done.text.endswith("# the end\r\nk:   3\n")
    assert done.text.replace("\r\n", "\n") == "\ufeff" + revised(SUITE, *EDITS).text


def test_an_edit_and_its_opposite_give_the_file_back() -> None:
    there = revised(SUITE, AddTargets("one", (proposed("x.md"),))).text
    back = revised(there, DropTarget("one", 0)).text
    assert back == SUITE.replace("judged it\n", "judged it\n    source: proposed by app\n")


FRAME = "corpus: d\ncases:\n  - query: q\n    {}\n  - query: r # last\n"


@pytest.mark.parametrize(
    ("before", "number", "after"),
    [
        ("at: [a.md, b.md, c.md]", 0, "at: [b.md, c.md]"),
        ("at: [a.md, b.md, c.md]", 1, "at: [a.md, c.md]"),
        ("at: [a.md,b.md,c.md]", 2, "at: [a.md,b.md]"),
        ("at: [a.md, b.md,]", 1, "at: [a.md,]"),
        ("at: [a.md,  # of a, and b\n      b.md]", 1, "at: [a.md  # of a, and b\n      ]"),
        ("at: [a.md,  # of a, and b\n      b.md]", 0, "at: [# of a, and b\n      b.md]"),
        ("at: [a.md  # one, two\n      , b.md]", 1, "at: [a.md  # one, two\n      ]"),
        ("at: {a.md: 2, 'b.md': 1}", 0, "at: {'b.md': 1}"),
        ("at: {a.md: 2, 'b.md': 1}", 1, "at: {a.md: 2}"),
        ("at:\n    - a.md # c\n    # d\n    - b.md", 0, "at:\n    # d\n    - b.md"),
        ("at:\n      -   a.md\n      -\n        b.md # e", 1, "at:\n      -   a.md"),
        ("at:\n      a.md: 1\n      b.md: 2 # two", 1, "at:\n      a.md: 1"),
        ("at: a.md # gone\n    id: x", 0, "id: x"),
        ("id: x\n    at: [a.md]", 0, "id: x"),
        ("any_of: [[a.md, b.md], [c.md]]", 2, "any_of: [[a.md, b.md]]"),
        ("any_of: [[a.md, b.md], [c.md]]", 1, "any_of: [[a.md], [c.md]]"),
        ("any_of:\n    - {at: a.md, id: b}\n    - id: c", 0, "any_of:\n    - {id: b}\n    - id: c"),
        ("any_of:\n    - - a.md\n      - b.md", 0, "any_of:\n    - - b.md"),
    ],
)
def test_a_target_is_taken_out_of_every_layout(before: str, number: int, after: str) -> None:
    frame = "name: n\n" + FRAME
    done = revised(frame.format(before), DropTarget("q", number))
    assert done.left == ()
    assert done.text == frame.format(after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("- xfail: {reason: r, until: 2030-01-01}\n  query: q\n", "- query: q\n"),
        ("- xfail: {reason: r, until: 2030-01-01} # c\n  # d\n  query: q\n", "- \n  # d\n  query: q\n"),
        ("-   query: q\n    xfail:\n      reason: r\n      until: 2030-01-01\n", "-   query: q\n"),
        ("- {xfail: {reason: r, until: 2030-01-01}, query: q}\n", "- {query: q}\n"),
        ("- {query: q, xfail: {reason: r, until: 2030-01-01}}\n", "- {query: q}\n"),
        ("-\n  query: q\n  xfail: {reason: r, until: 2030-01-01}", "-\n  query: q\n"),
    ],
)
def test_an_xfail_is_taken_out_of_every_layout(before: str, after: str) -> None:
    head = "cases:\n"
    assert revised(head + before, DropXFail("q")).text == head + after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("- query: q", "- query: q\n  id: new\n  source: proposed by app\n"),
        (
            "- query: q # c\n  notes: n\n",
            "- query: q # c\n  id: new\n  source: proposed by app\n  notes: n\n",
        ),
        ('- {"query": "q"}\n', '- {"query": "q", "id": "new", "source": "proposed by app"}\n'),
        ("- {query: q}\n", "- {query: q, id: new, source: proposed by app}\n"),
        (
            "- query: q\n  source: import\n",
            "- query: q\n  id: [{id: new, grade: 1, source: proposed by app}]\n  source: import\n",
        ),
        (
            "- query: q\n  id: old\n  source: proposed by app\n",
            "- query: q\n  id: [old, new]\n  source: proposed by app\n",
        ),
        (
            "- query: q\n  id:\n    -   'old'\n  source: proposed by app\n",
            "- query: q\n  id:\n    -   'old'\n    - new\n  source: proposed by app\n",
        ),
        (
            "- query: q\n  id: [old]\n",
            "- query: q\n  id: [old, {id: new, grade: 1, source: proposed by app}]\n",
        ),
    ],
)
def test_targets_are_added_to_every_layout(before: str, after: str) -> None:
    target = Target(Location.of_id("new"), source="proposed by app")
    done = revised("cases:\n" + before, AddTargets("q", (target,)))
    assert (done.left, done.text) == ((), "cases:\n" + after)


def test_json_stays_json() -> None:
    text = json.dumps(
        {"corpus": "d", "cases": [{"query": "q"}, {"query": "r", "at": ["a.md", "b.md"]}, {"query": "s"}]},
        indent=1,
    )
    done = revised(
        text, AddTargets("q", (proposed("é.md"),)), DropTarget("r", 0), DropCase("s"), path="s.json"
    )
    assert json.loads(done.text)["cases"] == [
        {"query": "q", "at": "é.md", "source": "proposed by app"},
        {"query": "r", "at": ["b.md"]},
    ]


def test_a_case_whose_name_another_would_take_is_left() -> None:
    text = "cases:\n- {query: q, id: a}\n- {query: q, id: a}\n- {query: q, id: b}\n"
    done = revised(text, DropCase("q-2"))
    assert (len(done.left), done.text) == (1, text)
    assert revised(text, DropCase("q-3")).text == text.replace("- {query: q, id: b}\n", "")


def test_a_case_that_goes_takes_its_other_edits_with_it() -> None:
    done = revised(SUITE, DropXFail("two"), DropCase("two"), DropTarget("two", 0))
    assert done.left == ()
    assert [case.id for case in done.suite.cases][:2] == ["one", "three"]
    assert "  # between\n\n    # stays\n" in done.text


def test_a_file_that_was_changed_meanwhile_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(SUITE)
    suite = read_native(path)
    done = revised_suite(SUITE, suite, [DropXFail("two")])
    path.write_text(SUITE + "# one more comment\n")
    with pytest.raises(FormatError, match="changed since it was read"):
        write_revision(suite, SUITE, done)
    assert path.read_text() == SUITE + "# one more comment\n"
    path.write_text(SUITE)
    write_revision(suite, SUITE, done)
    assert read_native(path) == changed_suite(suite, [DropXFail("two")])
    assert [file.name for file in tmp_path.iterdir()] == ["s.yaml"]
