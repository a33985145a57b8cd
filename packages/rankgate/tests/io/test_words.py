"""Files of words: the same words as a plain reading gives, and every bad line named."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rankgate.errors import FormatError
from rankgate.io.problems import SHOWN
from rankgate.io.words import _quickly, read_tabbed, read_words

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("a", "b", "c")
pieces = st.sampled_from(
    ["x", "é", "#", "a#b", '"', '"q"', ",", "\\", " ", "  ", "\t", "\v", "\f", "\r", "\n", "\r\n"]
)
texts = st.lists(pieces | st.sampled_from([" ", "\n", "x y z\n", "1 2 3 4\n"]), max_size=40).map("".join)


def plain_reading(text: str) -> list[tuple[str, ...] | None]:
    """Read as slowly and plainly as possible: the words of each line, None for one with too few."""
    rows: list[tuple[str, ...] | None] = []
    for number, line in enumerate(re.sub("\r\n", "\n", text).split("\n"), 1):
        words = [word for word in re.split("[ \t\v\f\r]+", line) if word]
        if not words or words[0].startswith("#"):
            continue
        rows.append((*words[:3], str(number)) if len(words) >= 3 else None)
    return rows


@given(texts)
@settings(deadline=None, max_examples=60)
@example("x y z\n\nx y z\n")
@example("x y z\n\n\n")
@example("\nx y z")
@example("x y z")
@example("")
@example("#\n# x\nx y z z z \n")
@example("x\ty\tz\n#\nx\ty\tz\n")
def test_words_are_those_of_a_plain_reading(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("words") / "file"
    path.write_bytes(text.encode())
    expected = plain_reading(text)
    if None in expected:
        with pytest.raises(FormatError) as caught:
            read_words(path, NAMES, kind="a test")
        assert len(caught.value.problems) == min(expected.count(None), SHOWN + 1)
    else:
        rows = [(*row[:3], str(row[3])) for row in read_words(path, NAMES, kind="a test").iter_rows()]
        assert rows == expected


@given(texts)
@settings(deadline=None, max_examples=60)
def test_the_quick_way_gives_what_the_general_way_gives_or_nothing(text: str) -> None:
    frame = _quickly(text.encode(), NAMES)
    if frame is not None:
        assert [(*row[:3], str(row[3])) for row in frame.iter_rows()] == plain_reading(text)


def test_an_ordinary_file_takes_the_quick_way() -> None:
    assert _quickly(b"# made by hand\n1 2 3\n4 5 6 7\n", NAMES) is not None


def test_lines_are_numbered_as_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"\xef\xbb\xbf1 2 3\r\n\r\n# no\r\n 4\t 5  6 7\r\n")
    frame = read_words(path, NAMES, kind="a test")
    assert frame.rows() == [("1", "2", "3", 1), ("4", "5", "6", 4)]
    assert frame.schema["line"] == pl.UInt32


def test_every_short_line_is_named_up_to_twenty(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("1 2 3\n" + "4 5\n" * 30)
    with pytest.raises(FormatError) as caught:
        read_words(path, NAMES, kind="a test")
    assert len(caught.value.problems) == SHOWN + 1
    assert caught.value.problems[0].where == f"{path}:2"
    assert "10 more problems" in str(caught.value)


def test_lines_that_are_not_utf8_are_named(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes("é 2 3\n".encode() + b"1 \xff 3\n1 2 3\n\xe9 2 3\n")
    with pytest.raises(FormatError) as caught:
        read_words(path, NAMES, kind="a test")
    assert [problem.where for problem in caught.value.problems] == [f"{path}:2", f"{path}:4"]


def test_a_nul_byte_is_named(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"1 2 3\n1 2\0 3\n")
    with pytest.raises(FormatError, match=r":2: found a NUL byte"):
        read_words(path, NAMES, kind="a test")


@pytest.mark.parametrize(
    "line", ["x" * 10**6 + " 2 3", "1 2 3" + " " * 10**6 + "4", "1" + " " * 10**6 + "2 3"]
)
def test_a_line_of_a_million_characters_is_a_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "file"
    path.write_text(line + "\n1 2 3\n")
    assert read_words(path, NAMES, kind="a test").height == 2


def test_a_million_characters_do_not_reach_the_error(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("x" * 10**6)
    with pytest.raises(FormatError) as caught:
        read_words(path, NAMES, kind="a test")
    assert len(str(caught.value)) < 500


def test_a_table_keeps_spaces_and_numbers_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text('a\tb\tc\n1 x\t"2\t3\n\n#4\t5\t6\n')
    assert read_tabbed(path, NAMES, kind="a test").rows() == [("1 x", '"2', "3", 2), ("#4", "5", "6", 4)]


def test_a_table_without_its_first_line_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("1\t2\t3\n")
    with pytest.raises(FormatError, match="starts with a b c"):
        read_tabbed(path, NAMES, kind="a test")


def test_a_table_names_lines_with_empty_fields(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("a\tb\tc\n1\t2\t3\n1\t\t3\n1\t2\n")
    with pytest.raises(FormatError) as caught:
        read_tabbed(path, NAMES, kind="a test")
    assert [problem.where for problem in caught.value.problems] == [f"{path}:3", f"{path}:4"]
