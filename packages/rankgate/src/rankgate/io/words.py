"""Files of words: lines of a fixed number of words, as TREC keeps them, and tables separated by tabs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rankgate.errors import Code, FormatError, Problem
from rankgate.io.problems import Problems
from rankgate.io.text import read_text
from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_OTHER_SPACE = b"\t\v\f\r"
_LARGE = 1 << 24
_SHORTEST = 4
_TO_SPACE = bytes.maketrans(_OTHER_SPACE, b" " * len(_OTHER_SPACE))


def read_words(
    path: str | Path, names: Sequence[str], *, kind: str, notes: list[str] | None = None
) -> pl.DataFrame:
    """Read lines of words into columns of text and `line`, the number of the line in the file.

    Words are separated by white space of ASCII. Words after the named ones are ignored, as are empty lines
    and lines whose first word starts with ``#``; a ``#`` elsewhere is an ordinary character. A lone carriage
    return ends no line, as for trec_eval; `notes` gets their number, since what follows is ignored.

    Raises:
        FormatError: for lines with too few words, and for what is not UTF-8.
    """
    data = read_text(path)
    if notes is not None and (alone := data.count(b"\r")):
        notes.append(
            f"{many(alone, 'carriage return')} within lines, read as white space, which ends no line"
        )
    _check_lines(data, path, f"lines of {len(names)} words")
    frame = _quickly(data, names)
    if frame is None:
        frame = _without_comments(_split(_single_spaced(data), names, b" "))
    problems = Problems(str(path))
    expected = f"{len(names)} words: {', '.join(names)}"
    if frame.get_column(names[-1]).null_count():
        problems.add_rows(
            frame.filter(pl.col(names[-1]).is_null()),
            lambda row: Code.WRONG_FORMAT(
                f"{path}:{row['line']}", _found(row, names), expected, f"is this {kind}?"
            ),
        )
    problems.check()
    return frame


def read_tabbed(path: str | Path, names: Sequence[str], *, kind: str) -> pl.DataFrame:
    """Read a table separated by tabs, whose first line names its columns, into columns of text and `line`.

    Raises:
        FormatError: for another first line, for fields that are missing or empty, and for what is not UTF-8.
    """
    header, _, data = read_text(path).partition(b"\n")
    _check_lines(data, path, f"lines of {len(names)} columns")
    found = header.decode().rstrip("\r").split("\t")
    if found[: len(names)] != list(names):
        expected = f"{kind}, which starts with {' '.join(names)}, separated by tabs"
        raise FormatError(Problem(f"{path}:1", repr(header.decode()[:80]), expected))
    frame = _split(data, names, b"\t").with_columns(pl.col("line") + 1)
    frame = frame.filter(~((pl.col(names[0]) == "#") & pl.all_horizontal(pl.col(*names[1:]).is_null())))
    problems = Problems(str(path))
    problems.add_rows(
        frame.filter(pl.any_horizontal(pl.col(*names).is_null())),
        lambda row: Code.WRONG_FORMAT(
            f"{path}:{row['line']}", _found(row, names), f"{', '.join(names)}, separated by tabs"
        ),
    )
    problems.check()
    return frame


def numbers(frame: pl.DataFrame, column: str, path: str | Path, problems: Problems) -> pl.Series:
    """Turn a column of words into numbers; words that are none, and NaN, become problems."""
    values = frame.get_column(column).cast(pl.Float64, strict=False)
    if values.null_count() or values.is_nan().any():
        problems.add_rows(
            frame.filter(values.is_null() | values.is_nan()),
            lambda row: Code.WRONG_FORMAT(f"{path}:{row['line']}", f"{column} {row[column]!r}", "a number"),
        )
    return values


def _check_lines(data: bytes, path: str | Path, expected: str) -> None:
    """Refuse a large file of next to nothing but ends of lines: each would take room for all its words."""
    if len(data) > _LARGE and (lines := data.count(b"\n")) * _SHORTEST > len(data):
        raise FormatError(Problem(str(path), f"{lines} lines in {len(data)} bytes", expected))


def _quickly(data: bytes, names: Sequence[str]) -> pl.DataFrame | None:
    """Split a file that has one kind of separator, once between words; None where it is otherwise.

    A doubled separator, one before the first word, and a word too few all leave a null among the named
    words; an empty line leaves a null or is not counted. Without either, the words are those of the file.
    """
    present = [space for space in (b" ", b"\t", b"\v", b"\f", b"\r") if space in data]
    if present not in ([b" "], [b"\t"]):
        return None
    frame = _split(data, names, present[0], keep_empty=False)
    if frame.height != data.count(b"\n") + (not data.endswith(b"\n")):
        return None
    frame = _without_comments(frame)
    return None if any(frame.null_count().row(0)) else frame


def _without_comments(frame: pl.DataFrame) -> pl.DataFrame:
    first = frame.columns[0]
    return frame.filter(~pl.col(first).str.starts_with("#").fill_null(value=False))


def _single_spaced(data: bytes) -> bytes:
    """Leave one space between words and none around lines: bytes.replace does this at the speed of memory."""
    if any(space in data for space in (b"\t", b"\v", b"\f", b"\r")):
        data = data.translate(_TO_SPACE)
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    if data.startswith(b" ") or b"\n " in data:
        data = data.removeprefix(b" ").replace(b"\n ", b"\n")
    return data.replace(b" \n", b"\n") if b" \n" in data else data


def _split(data: bytes, names: Sequence[str], separator: bytes, *, keep_empty: bool = True) -> pl.DataFrame:
    # The reader takes the number of columns from the first line, so one is put before; it becomes row 0, and
    # the index of a row is the number of its line. Empty lines would not count, so each becomes a comment.
    first = separator.join([b"#"] * len(names)) + b"\n"
    if data.startswith(b"\n"):
        data = b"#" + data
    while keep_empty and b"\n\n" in data:
        data = data.replace(b"\n\n", b"\n#\n")
    frame = pl.read_csv(
        first + data,
        has_header=False,
        separator=separator.decode(),
        quote_char=None,
        schema=dict.fromkeys(names, pl.String()),
        truncate_ragged_lines=True,
        row_index_name="line",
    )
    return frame.slice(1).select(*names, pl.col("line").cast(pl.UInt32))


def _found(row: dict[str, object], names: Sequence[str]) -> str:
    words = [str(row[name]) for name in names if row[name] is not None]
    shown = " ".join(words)
    return f"{len(words)} of them in {shown[:80] + '…' if len(shown) > 80 else shown!r}"
