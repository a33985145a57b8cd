"""Places are changed where they stand, and not another byte of the file is."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.errors import FormatError, InputError
from rankgate.locations import Location
from rankgate.model import CorpusSource
from rankgate.suites.edit import edited_suite, suite_text
from rankgate.suites.native import parse_suite, read_native

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate.suites.edit import Revised

SUITE = """\
# mine
corpus: docs/     # here
gates: [ndcg@10 >= 0.65]   # a.md:1-2 is not a place here
cases:
  - query: a.md:1-2    # nor here
    at: a.md:1-2       # but here
    notes: a.md:1-2
  # between
  - query: two
    at: {b.md#Old: 3, 'a.md:1-2': 1,   # and here
         "c.md": 2}
    top: [{at: a.md:1-2, within: 3}]
  -   query: three
      any_of:
      -   - a.md:1-2
          -   {at: "a.md:1-2", grade: 2}
      - id: [a.md:1-2]
      - at: b.md#Old
    # behind
k:   3
"""
AFTER = """\
# mine
corpus: docs/     # here
gates: [ndcg@10 >= 0.65]   # a.md:1-2 is not a place here
cases:
  - query: a.md:1-2    # nor here
    at: x/y.md:7-9       # but here
    notes: a.md:1-2
  # between
  - query: two
    at: {'b.md#New, and [more]': 3, 'x/y.md:7-9': 1,   # and here
         "c.md": 2}
    top: [{at: x/y.md:7-9, within: 3}]
  -   query: three
      any_of:
      -   - x/y.md:7-9
          -   {at: "x/y.md:7-9", grade: 2}
      - id: [a.md:1-2]
      - at: b.md#New, and [more]
    # behind
k:   3
"""
MOVES = {"a.md:1-2": "x/y.md:7-9", "b.md#Old": "b.md#New, and [more]"}


def edited(text: str, moves: Mapping[str, str], corpus: CorpusSource | None = None) -> Revised:
    suite = parse_suite(text.removeprefix("\ufeff").replace("\r\n", "\n"), Path("s.yaml"))
    return edited_suite(
        text, suite, {Location.at(old): Location.at(new) for old, new in moves.items()}, corpus
    )


def test_only_places_change_and_each_in_its_own_quotes() -> None:
    done = edited(SUITE, MOVES)
    assert done.text == AFTER
    assert (done.locations, done.left) == (7, ())


def test_line_ends_and_a_byte_order_mark_stay_even_where_they_are_mixed() -> None:
    mixed = "\ufeff" + SUITE.replace("\n", "\r\n").replace("k:   3\r\n", "k:   3\n")
    expected = "\ufeff" + AFTER.replace("\n", "\r\n").replace("k:   3\r\n", "k:   3\n")
    assert edited(mixed, MOVES).text == expected


def test_places_may_change_round() -> None:
    text = "corpus: d\ncases: [{query: q, at: {a.md:1-2: 3, a.md:5-6: 1}}]\n"
    done = edited(text, {"a.md:1-2": "a.md:5-6", "a.md:5-6": "a.md:1-2"})
    assert done.text == "corpus: d\ncases: [{query: q, at: {a.md:5-6: 3, a.md:1-2: 1}}]\n"


def test_json_stays_json() -> None:
    text = json.dumps({"corpus": "d", "cases": [{"query": "q", "at": {"a.md:1-2": 1, "é.md": 2}}]}, indent=1)
    done = edited(text, {"a.md:1-2": 'ö"\\.md#a'.replace("\\", ""), "é.md": "b.md:1-1"})
    assert json.loads(done.text)["cases"][0]["at"] == {'ö".md#a': 1, "b.md:1-1": 2}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("at: |-\n      a.md:1-2\n\n    # c", "at: |-\n      n.md:3-4\n\n    # c"),
        ("at: >-  # why\n      a.md:1-2", "at: >-  # why\n      n.md:3-4"),
        ("at:\n      a.md:1-2", "at:\n      n.md:3-4"),
        ("? at\n    : a.md:1-2", "? at\n    : n.md:3-4"),
        ("at:\n      ? a.md:1-2\n      : 3", "at:\n      ? n.md:3-4\n      : 3"),
        ("at: [a.md:1-2,a.md:1-2]", "at: [n.md:3-4,n.md:3-4]"),
        ('at: {"a.md:1-2":1}', 'at: {"n.md:3-4":1}'),
        ('at: "a.md\\x3a1-2"', 'at: "n.md:3-4"'),
        ("at: [\n      a.md:1-2  # c\n      , b.md]", "at: [\n      n.md:3-4  # c\n      , b.md]"),
        ("at: ./a.md:1-2", "at: n.md:3-4"),
        ("'at': a.md:1-2", "'at': n.md:3-4"),
    ],
)
def test_every_layout_is_changed_in_place(before: str, after: str) -> None:
    frame = "corpus: d\ncases:\n  - query: q\n    {}\n  - query: r # last\n"
    assert edited(frame.format(before), {"a.md:1-2": "n.md:3-4"}).text == frame.format(after)


@pytest.mark.parametrize(
    ("new", "plain", "flow"),
    [
        ("n.md#a b", "n.md#a b", "n.md#a b"),
        ("n.md#a, b", "n.md#a, b", "'n.md#a, b'"),
        ("n.md#it's: x", "'n.md#it''s: x'", "'n.md#it''s: x'"),
        ("n.md#x #y", "'n.md#x #y'", "'n.md#x #y'"),
        ("- n.md", "'- n.md'", "'- n.md'"),
        ("*n.md", "'*n.md'", "'*n.md'"),
        ("n.md#x:", "'n.md#x:'", "'n.md#x:'"),
        ("17", "'17'", "'17'"),
        ("null", "'null'", "'null'"),
        ("n.md#a]", "n.md#a]", "'n.md#a]'"),
        ("n\u2028.md", '"n\\u2028.md"', '"n\\u2028.md"'),
    ],
)
def test_quotes_come_where_a_place_needs_them(new: str, plain: str, flow: str) -> None:
    text = "corpus: d\ncases:\n- query: q\n  at: {}\n- query: r\n  at: [{}]\n- {{query: s, at: {{{}: 2}}}}\n"
    done = edited(text.format("a.md", "a.md", "a.md"), {"a.md": new})
    assert done.text == text.format(plain, flow, flow)


def test_a_key_that_would_stand_twice_stays_and_so_does_what_it_blocks() -> None:
    text = "corpus: d\ncases: [{query: q, at: {a.md: 3, b.md: 1, c.md: 2}}]\n"
    done = edited(text, {"a.md": "b.md", "c.md": "a.md"})
    assert done.text == text
    assert {str(each.location) for each in done.left} == {"a.md", "c.md"}


def test_a_block_of_several_lines_stays_and_is_told() -> None:
    text = "corpus: d\ncases:\n- query: q\n  at: >-\n    a.md#One\n    Two\n- query: r\n"
    done = edited(text, {"a.md#One Two": "b.md"})
    assert (done.text, len(done.left)) == (text, 1)


@pytest.mark.parametrize(
    ("before", "new", "after"),
    [
        ("corpus: docs/ # c", CorpusSource("v2/"), "corpus: v2/ # c"),
        ("corpus: 'docs/'", CorpusSource("v2: x"), "corpus: 'v2: x'"),
        (
            "corpus: {folder: docs/}",
            CorpusSource("v2", "folder"),
            "corpus: {folder: v2}",
        ),
        (
            "corpus:\n  folder: docs/  # c\n  commit: 12ab # d",
            CorpusSource("docs/", "folder", {"commit": "0123"}),
            "corpus:\n  folder: docs/  # c\n  commit: '0123' # d",
        ),
        (
            "corpus:\n  folder: docs/  # c\n  sha256: 12ab # d\n  under: x",
            CorpusSource("v2", "folder", {"under": "x"}),
            "corpus:\n  folder: v2  # c\n  under: x",
        ),
        (
            "corpus: {folder: docs/, sha256: 12ab, under: x}",
            CorpusSource("v2", "folder", {"under": "x"}),
            "corpus: {folder: v2, under: x}",
        ),
        (
            "corpus: {folder: docs/, under: x}",
            CorpusSource("v2", "folder", {"under": "x", "sha256": "12"}),
            'corpus: {folder: v2, sha256: "12", under: x}',
        ),
        (
            "corpus:\n  folder: docs/  # c\n  under: x",
            CorpusSource("docs/", "folder", {"under": "x", "sha256": "12"}),
            'corpus:\n  folder: docs/\n  sha256: "12"  # c\n  under: x',
        ),
    ],
)
def test_the_pin_is_changed_where_it_stands(before: str, new: CorpusSource, after: str) -> None:
    rest = "\ncases: [{query: q, at: a.md}]\n"
    assert edited(before + rest, {}, new).text == after + rest


def test_a_pin_that_cannot_be_changed_in_place_is_refused() -> None:
    with pytest.raises(InputError, match="write the corpus by hand"):
        edited(
            "corpus: docs/\ncases: [{query: q, at: a.md}]\n", {}, CorpusSource(".", "git", {"commit": "1a2b"})
        )


def test_a_file_that_changed_since_it_was_read_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(SUITE)
    suite = read_native(path)
    path.write_text(SUITE.replace("k:   3", "k: 4"))
    with pytest.raises(FormatError, match="another suite than the one that was read"):
        edited_suite(suite_text(suite), suite, {Location.at("a.md:1-2"): Location.at("b.md")})


@pytest.mark.parametrize("name", ["s.jsonl", "s.yaml.gz", "s.csv"])
def test_other_formats_are_refused_with_what_to_do(tmp_path: Path, name: str) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(SUITE)
    with pytest.raises(FormatError, match="rankgate suite convert"):
        suite_text(replace(read_native(path), path=str(tmp_path / name)))


TITLES = st.text(st.sampled_from("ab :#'\"-,[]{}&*!|>%@`é\\~?"), min_size=1, max_size=6)
LAYOUTS = (
    "  at: {}  # c\n",
    "  at: [{}, z.md] # c\n",
    "  at:\n  - {}\n  # c\n  - z.md\n",
    "  at: {{{}: 2}}\n",
    "  at:\n    {}: 2 # c\n    z.md: 1\n",
    "  at:\n   -  at: {}\n      grade: 2\n",
    "  any_of: [[{}, z.md]]\n",
    "  top: {{at: {}}}\n",
)


@given(
    st.lists(
        st.tuples(st.sampled_from(LAYOUTS), st.sampled_from(["{}", "'{}'", '"{}"'])), min_size=1, max_size=5
    ),
    TITLES,
    st.booleans(),
)
def test_whatever_the_layout_and_the_new_place_only_the_place_changes(
    layouts: list[tuple[str, str]], title: str, crlf: bool
) -> None:
    try:
        new = Location(path="n.md", heading=(title.strip(),))
    except InputError:
        return
    cases = [f"- query: q{at} # {at}\n" + layout for at, (layout, _) in enumerate(layouts)]
    text = "corpus: d\ncases:\n" + "".join(
        case.format(quote.format("a.md:1-2")) for case, (_, quote) in zip(cases, layouts, strict=True)
    )
    text = text.replace("\n", "\r\n") if crlf else text
    done = edited(text, {"a.md:1-2": str(new)})
    assert (done.left, done.locations) == ((), len(layouts))
    suite = parse_suite(done.text.replace("\r\n", "\n"), Path("s.yaml"))
    found = [target.location for case in suite.cases for target in case.targets]
    found += [top.location for case in suite.cases for top in case.top]
    assert sum(location == new for location in found) == len(layouts)
    for old, line in zip(text.splitlines(), done.text.splitlines(), strict=True):
        at = (
            min(old.find(mark) for mark in ("a.md", "'a.md", '"a.md') if mark in old)
            if "a.md" in old
            else None
        )
        if at is None:
            assert line == old
        else:
            assert line.startswith(old[:at])
            assert line.endswith(old[at:].strip("'\"").partition("1-2")[2].lstrip("'\""))


def test_no_place_moves_onto_another_of_its_case_unless_that_one_moves_away() -> None:
    head = "corpus: d\ncases:\n- query: q\n"
    onto = edited(f"{head}  at: [b.md, a.md]\n", {"a.md": "b.md"})
    assert [(each.where, str(each.location), each.why) for each in onto.left] == [
        ("s.yaml:4:14", "a.md", "b.md is already in the same case")
    ]
    assert (onto.locations, onto.text) == (0, f"{head}  at: [b.md, a.md]\n")
    top = edited(f"{head}  at: a.md\n  top: {{at: b.md}}\n", {"a.md": "b.md"})
    assert [str(each.location) for each in top.left] == ["a.md"]
    swapped = edited(f"{head}  at: [b.md, a.md]\n", {"a.md": "b.md", "b.md": "a.md"})
    assert (swapped.left, swapped.text) == ((), f"{head}  at: [a.md, b.md]\n")
    # What stays is in the way of the next one.
    chain = edited(f"{head}  at: [a.md, b.md, c.md]\n", {"a.md": "b.md", "b.md": "c.md"})
    assert {str(each.location) for each in chain.left} == {"a.md", "b.md"}
    other = edited(f"{head}  at: b.md\n- query: r\n  at: a.md\n", {"a.md": "b.md"})
    assert (other.left, other.locations) == ((), 1)
