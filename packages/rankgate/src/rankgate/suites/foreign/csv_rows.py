"""CSV files with a header, every row with its line.

Spreadsheets of many countries put semicolons between cells, and what is copied out of one has tabs. Which it
is, the header says: commas, unless it has none.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING

from rankgate.errors import Code, Problem
from rankgate.files.tree.json_records import file_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from rankgate.files.problems import Problems

_NAMES = {",": "comma", ";": "semicolon", "\t": "tab"}
"""What may stand between cells, by the order in which a header is looked through for it."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row."""

    where: str
    """The file and the line it starts at."""
    cells: Mapping[str, str]
    """Its cells by column, without space around them."""


def read_rows(
    path: Path,
    problems: Problems,
    fits: Callable[[list[str]], bool] = lambda _header: True,
    expected: str = "",
) -> tuple[list[str], list[Row]]:
    """Read the header and the rows; rows without any text are skipped, those with more cells are problems.

    Args:
        path: The file.
        problems: Where problems are gathered.
        fits: Whether a header is that of the format.
        expected: What it should be.

    Raises:
        FormatError: for what is not CSV, for a column named twice, and for another header.
    """
    text = file_text(path)
    separator = separator_of(text)
    reader = csv.reader(StringIO(text, newline=""), strict=True, delimiter=separator)
    header: list[str] | None = None
    rows: list[Row] = []
    line = 1
    try:
        for cells in reader:
            where, line = f"{path}:{line}", reader.line_num + 1
            if not any(cell.strip() for cell in cells):
                continue
            if header is None:
                header = _header(cells, where, problems)
            elif any(cell.strip() for cell in cells[len(header) :]):
                found = f"{len(cells)} cells"
                fix = f"put a cell that holds a {_NAMES[separator]} in double quotes"
                problems.add(Problem(where, found, f"at most {len(header)}, as in the header", fix))
            else:
                padded = [*(cell.strip() for cell in cells), *[""] * (len(header) - len(cells))]
                rows.append(Row(where, dict(zip(header, padded, strict=False))))
    except csv.Error as error:
        problems.add(
            Code.BAD_SYNTAX(
                f"{path}:{line}", f"what is not CSV ({error})", f"{_NAMES[separator]}-separated values"
            )
        )
    if header is None:
        problems.add(Problem(str(path), "an empty file", "a header and rows"))
    elif not problems.total and not fits(header):
        problems.add(Problem(f"{path}:1", f"the columns {', '.join(header)[:80]}", expected))
    problems.check()
    return header or [], rows


def header_of(start: bytes) -> list[str]:
    r"""Return the columns that the first line of a file names; none where it is no CSV.

    >>> header_of(b"query,docid,rating\nlaptop,1,3")
    ['query', 'docid', 'rating']
    """
    text = start.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="replace").lstrip()
    try:
        reader = csv.reader(text.splitlines()[:1], strict=True, delimiter=separator_of(text))
        return [cell.strip() for cell in next(reader, [])]
    except csv.Error:
        return []


def separator_of(text: str) -> str:
    r"""Return what stands between the cells of a file, by its header: a comma, unless that has none.

    >>> separator_of("search term;page\nkeys, old and new;keys.md"), separator_of("query,at (path;grade)\n")
    (';', ',')
    """
    header = next((line for line in text.splitlines() if line.strip()), "")
    for separator in _NAMES:
        # A quoted cell of several lines ends with the text; what it holds is no separator.
        if len(next(csv.reader([header], delimiter=separator), [])) > 1:
            return separator
    return ","


def csv_text(rows: Sequence[Sequence[str]]) -> str:
    """Spell rows as CSV."""
    out = StringIO()
    plain = csv.writer(out, lineterminator="\n")
    # A carriage return ends a row unless it is quoted, and some versions of the writer leave it bare.
    quoted = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for row in rows:
        (quoted if any("\r" in cell for cell in row) else plain).writerow(row)
    return out.getvalue()


def _header(cells: Sequence[str], where: str, problems: Problems) -> list[str]:
    names = [cell.strip() for cell in cells]
    while names and not names[-1]:
        names.pop()
    for name in sorted({name for name in names if names.count(name) > 1}):
        problems.add(Problem(where, f"two columns {name!r}", "each column once"))
    return names
