"""Pieces that a library returned without saying where they stand, placed by their texts and their order."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from rankgate.chunks.locate import Pieces, place_in_order
from rankgate.locations import Characters, Lines
from rankgate.model import Document

TEXTS = st.text(alphabet="ab{}.\n é", min_size=1, max_size=120)


@given(TEXTS, st.lists(st.integers(0, 120), max_size=12))
def test_pieces_with_their_white_space_are_placed_with_it(text: str, cuts: list[int]) -> None:
    ends = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    spans = [(first, behind) for first, behind in pairwise(ends) if text[first:behind].strip()]
    assert place_in_order(text, [text[first:behind] for first, behind in spans]) == spans


@given(TEXTS, st.lists(st.integers(0, 120), max_size=12))
def test_trimmed_pieces_of_any_repetitive_text_are_placed_where_they_were_cut(
    text: str, cuts: list[int]
) -> None:
    ends = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    parts = [(first, text[first:behind]) for first, behind in pairwise(ends) if text[first:behind].strip()]
    starts = [first + len(part) - len(part.lstrip()) for first, part in parts]
    pieces = [part.strip() for _, part in parts]
    expected = [(start, start + len(piece)) for start, piece in zip(starts, pieces, strict=True)]
    assert place_in_order(text, pieces) == expected


def test_a_closing_brace_inside_the_overlap_is_placed_behind_the_piece_before_it() -> None:
    text = "if a { b{} }\nif c {\n  d{}\n}\n"
    pieces = ["if a { b{} }", "if c {\n  d{}", "}"]
    # A search from where the overlap begins would find the brace of d.
    assert place_in_order(text, pieces, 6) == [(0, 12), (13, 25), (26, 27)]


def test_pieces_that_could_stand_in_several_places_reach_the_end_of_the_document() -> None:
    assert place_in_order("aaaaaaa", ["aaaa", "aaaa"], 3) == [(0, 4), (3, 7)]
    assert place_in_order("aaaaaaabb", ["aaaa", "aaaa", "bb"], 3) == [(0, 4), (3, 7), (7, 9)]


def test_a_piece_inside_the_one_before_it_and_one_that_begins_where_it_does_are_placed() -> None:
    text = "using var limit = new Limit(3);"
    pieces = ["using var limit =", "using var limit = new Limit(3);", "Limit(3);"]
    assert place_in_order(text, pieces, 40) == [(0, 17), (0, 31), (22, 31)]


def test_a_piece_that_was_changed_is_nowhere_and_moves_no_other() -> None:
    text = "one two\n\nthree four\n\nfive six\n\nthree fuor\n"
    pieces = ["one two", "three fuor", "five six", "three fuor"]
    assert place_in_order(text, pieces) == [(0, 7), None, (21, 29), (31, 41)]


def test_what_does_not_print_plays_no_part() -> None:
    assert place_in_order("a\u00adb\u200b c\n\n\td", ["ab", "c  \nd"]) == [(0, 3), (5, 10)]


def test_a_piece_says_its_lines_and_characters_and_one_that_cannot_be_placed_says_so() -> None:
    document = Document("a.md", "# Keys\n\nMake one.\nRotate it.\n", title="a.md", path="a.md")
    found = list(
        Pieces(document).placed(["Make one. Rotate it.", "", " \n", "Sell it."], titles=["Keys"] * 4)
    )
    assert [(one.id, one.lines, one.characters, one.title) for one in found] == [
        ("a.md@8-28", Lines(3, 4), Characters(8, 28), "Keys"),
        ("a.md@piece-4", None, None, "Keys"),
    ]
    assert found[0].text == "Make one. Rotate it."


def test_a_start_that_the_library_says_is_taken_where_the_text_stands_there_and_searched_elsewhere() -> None:
    document = Document("a.md", "key key key", path="a.md")
    found = Pieces(document).placed(["key", "key"], starts=[8, 9])
    assert [one.characters for one in found] == [Characters(8, 11), Characters(4, 7)]


@given(st.text(alphabet="ab\n", min_size=1, max_size=60), st.data())
def test_the_lines_of_characters_are_those_that_hold_them(text: str, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(text) - 1))
    behind = data.draw(st.integers(first + 1, len(text)))
    piece = Pieces(Document("a.md", text, path="a.md")).between(first, behind)
    assert piece.text == text[first:behind]
    expected = (text[:first].count("\n") + 1, text[: behind - 1].count("\n") + 1)
    assert piece.lines is not None
    assert (piece.lines.start, piece.lines.end) == expected
