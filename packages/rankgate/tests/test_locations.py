"""Locations: what is written is read back, and what is no place is refused in words."""

from __future__ import annotations

import unicodedata
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rankgate.errors import LocationError
from rankgate.locations import Lines, Location, normal_path

marks = st.sampled_from(
    ["#", ":", "::", "%", "%23", "%3A", "%3a", "%25", "%2F", "/", ".", "%2E", "é", "e\u0301", " ", "-", "1"]
)
names = st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=4) | marks, min_size=1).map(
    "".join
)


def as_segment(text: str) -> str:
    return unicodedata.normalize("NFC", text.replace("/", "").replace("\\", "").replace("\0", ""))


segments = names.map(as_segment).filter(lambda text: text not in ("", ".", ".."))
paths = st.lists(segments, min_size=1, max_size=3).map("/".join)
ranges = st.tuples(st.integers(1, 2 * 10**9), st.integers(0, 10**6)).map(
    lambda pair: Lines(pair[0], sum(pair))
)
titles = names.map(str.strip).filter(bool)
own = st.booleans()
places = (
    st.builds(Location, path=paths)
    | st.builds(Location, path=paths, lines=ranges)
    | st.builds(Location, path=paths, heading=st.lists(titles, min_size=1, max_size=3).map(tuple), own=own)
    | st.builds(Location, path=paths, symbol=names, own=own)
)


@given(places)
@example(Location(path="a:1-2"))
@example(Location(path="a#b", heading=("c/d", "100% sure", "%2F")))
@example(Location(path="a%3A", symbol="operator::new#1"))
@example(Location(path="a", heading=("b", "."), own=True))
@example(Location(path="a", heading=("%2E",)))
@example(Location(path="a", symbol="b/."))
@example(Location(path="a", symbol="b/%2e", own=True))
@example(Location(path="a", symbol="b/%252E"))
def test_a_place_is_read_as_it_was_written(place: Location) -> None:
    assert Location.at(str(place)) == place


@given(names | places.map(str))
def test_an_id_that_looks_like_a_place_is_never_parsed(text: str) -> None:
    location = Location.of_id(text)
    assert (location.id, location.path, location.lines, location.heading, location.symbol) == (
        text, None, None, (), None,
    )  # fmt: skip
    assert str(location) == text


def test_an_id_and_a_place_of_one_spelling_are_different() -> None:
    assert Location.of_id("a.md") != Location.at("a.md")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("auth/keys.md", Location(path="auth/keys.md")),
        ("auth/keys.md:40-62", Location(path="auth/keys.md", lines=Lines(40, 62))),
        ("auth/keys.md:40", Location(path="auth/keys.md", lines=Lines(40, 40))),
        ("auth/keys.md#Rotation/Steps", Location(path="auth/keys.md", heading=("Rotation", "Steps"))),
        ("auth/keys.md# Rotation / Steps ", Location(path="auth/keys.md", heading=("Rotation", "Steps"))),
        ("auth/keys.py::Store.rotate", Location(path="auth/keys.py", symbol="Store.rotate")),
        ("auth/keys.py::Store/.", Location(path="auth/keys.py", symbol="Store", own=True)),
        ("auth/keys.md#Rotation/.", Location(path="auth/keys.md", heading=("Rotation",), own=True)),
        ("C%23.md", Location(path="C#.md")),
        ("a.md#and%2For", Location(path="a.md", heading=("and/or",))),
        ("a.md#100% sure", Location(path="a.md", heading=("100% sure",))),
        ("a.md#What :: means", Location(path="a.md", heading=("What :: means",))),
        (".\\docs//a.md:3", Location(path="docs/a.md", lines=Lines(3, 3))),
    ],
)
def test_each_way_to_write_a_place_is_read(text: str, place: Location) -> None:
    assert Location.at(text) == place


@pytest.mark.parametrize(
    ("text", "found", "expected"),
    [
        ("a.md::", "nothing after '::'", "a heading after # or a symbol after ::"),
        ("a.md#One//Two", "an empty title", "titles separated by /"),
        ("a.md:ten", "a stray ':'", "path, path:10-50, path#Heading or path::symbol"),
        ("a:b.md#One", "a stray ':'", "path, path:10-50, path#Heading or path::symbol"),
        ("a.md:1:2", "a stray ':'", "path, path:10-50, path#Heading or path::symbol"),
        ("", "a path outside the corpus", "a relative path without .."),
        ("/etc/passwd", "a path outside the corpus", "a relative path without .."),
        ("../a.md:1", "a path outside the corpus", "a relative path without .."),
    ],
)
def test_what_is_no_place_is_refused_with_where_found_and_expected(
    text: str, found: str, expected: str
) -> None:
    with pytest.raises(LocationError) as caught:
        Location.at(text)
    (problem,) = caught.value.problems
    assert (problem.found, problem.expected) == (found, expected)
    assert problem.where in (repr(text), repr(text.removesuffix(":1")))


@pytest.mark.parametrize("text", ["a.md:0", "a.md:0-3", "a.md:9-3"])
def test_lines_that_cannot_be_are_refused(text: str) -> None:
    with pytest.raises(LocationError, match="1 <= start <= end"):
        Location.at(text)


@given(names)
def test_any_text_is_a_place_or_a_place_error(text: str) -> None:
    with suppress(LocationError):
        place = Location.at(text)
        assert Location.at(str(place)) == place


def test_a_line_number_of_five_thousand_digits_is_a_place_error() -> None:
    with pytest.raises(LocationError):
        Location.at("a.md:" + "9" * 5000)


@pytest.mark.parametrize("title", [" indented", "trailing ", " "])
def test_a_title_with_space_around_it_is_read_back_or_refused(title: str) -> None:
    try:
        place = Location(path="a.md", heading=(title,))
    except LocationError:
        return
    assert Location.at(str(place)) == place


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"id": "a", "path": "a"},
        {"id": ""},
        {"id": "a", "lines": Lines(1, 2)},
        {"id": "a", "symbol": "f"},
        {"path": "a", "lines": Lines(1, 2), "symbol": "f"},
        {"path": "a", "heading": ("x",), "symbol": "f"},
        {"path": "a", "heading": ("x", "")},
        {"path": "a", "symbol": ""},
        {"path": "a", "own": True},
        {"id": "a", "own": True},
        {"path": "./a"},
        {"path": "a\\b"},
        {"path": "e\u0301"},
    ],
)
def test_a_location_that_cannot_be_is_refused(parts: dict[str, object]) -> None:
    with pytest.raises(LocationError) as caught:
        Location(**parts)  # type: ignore[arg-type]
    assert caught.value.problems[0].where == "location"


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("a/b", "a/b"),
        ("./a/./b", "a/b"),
        ("a//b/", "a/b"),
        ("a\\b", "a/b"),
        ("e\u0301.md", "é.md"),
        ("...", "..."),
        (" ", " "),
    ],
)
def test_a_path_has_one_spelling(text: str, normal: str) -> None:
    assert normal_path(text) == normal
    assert normal_path(normal) == normal


@pytest.mark.parametrize("text", ["", ".", "./", "/a", "\\a", "..", "a/../b", "a/..", "a\0b"])
def test_a_path_that_leaves_the_corpus_is_refused(text: str) -> None:
    with pytest.raises(LocationError) as caught:
        normal_path(text)
    assert caught.value.problems[0].where == repr(text)


@given(st.text())
def test_a_normal_path_is_its_own_normal_path(text: str) -> None:
    with suppress(LocationError):
        normal = normal_path(text)
        assert normal_path(normal) == normal


@given(ranges, ranges)
def test_overlap_is_the_number_of_common_lines_either_way_round(one: Lines, other: Lines) -> None:
    assert one.overlap(other) == other.overlap(one)
    assert one.overlap(one) == len(one)
    assert one.overlap(other) <= min(len(one), len(other))


small = st.tuples(st.integers(1, 12), st.integers(0, 8)).map(lambda pair: Lines(pair[0], sum(pair)))


@given(small, small)
def test_overlap_is_that_of_the_sets_of_lines(one: Lines, other: Lines) -> None:
    first, second = (set(range(each.start, each.end + 1)) for each in (one, other))
    assert one.overlap(other) == len(first & second)


@pytest.mark.parametrize(("start", "end"), [(0, 1), (-1, 3), (5, 4)])
def test_a_range_that_cannot_be_is_refused(start: int, end: int) -> None:
    with pytest.raises(LocationError) as caught:
        Lines(start, end)
    (problem,) = caught.value.problems
    assert (problem.where, problem.found) == ("line range", f"{start}-{end}")
