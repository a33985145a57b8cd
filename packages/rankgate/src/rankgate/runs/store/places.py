"""The places of kept hits: what finds each again when the documents have changed.

In the folder of a run, and of a large baseline, a table. In the file of a baseline one line a place behind
the lines of the queries, so that a diff shows changed rankings and changed documents apart.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import polars as pl

from rankgate.errors import FormatError, Problem
from rankgate.files.decoder import Constraint, Count, LineDecoder, Name
from rankgate.files.parquet import read_table, write_table
from rankgate.files.schema import Schema, TableColumn
from rankgate.model.placing import KeptLines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from rankgate.files.problems import Problems

Place: TypeAlias = tuple[str, int, int]
"""A file, its first line and its last; 0 and 0 for all of it."""
FILE = "places.parquet"
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{16})*(?:[A-Za-z0-9+/]{6}|[A-Za-z0-9+/]{11})?")
"""Four bytes a line: 16 letters are three lines, 6 are one, 11 are two."""
_EXPECTED = "hashes of lines, in Base64"


def _are_hashes(text: str) -> bool:
    return _BASE64.fullmatch(text) is not None


Hashes: TypeAlias = Annotated[str, Constraint(_EXPECTED, _are_hashes)]
"""The hashes of some lines."""
_PLACES = Schema(
    "places",
    (
        TableColumn("path", pl.String()),
        TableColumn("start", pl.UInt32()),
        TableColumn("end", pl.UInt32()),
        TableColumn("lines", pl.String()),
        TableColumn("before", pl.String()),
        TableColumn("behind", pl.String()),
        TableColumn("offset", pl.UInt32()),
    ),
)


@dataclass(frozen=True, slots=True)
class _PlaceLine:
    """One place."""

    path: Name
    start: Count
    end: Count
    lines: Hashes = ""
    before: Hashes = ""
    behind: Hashes = ""
    offset: Count = 0


def place_lines(places: Mapping[Place, KeptLines]) -> Iterator[dict[str, Any]]:
    """Return the lines of a file, in the order of the places; what is empty is left out."""
    for (path, start, end), kept in sorted(places.items()):
        found = {name: value for name, value in kept._asdict().items() if value}
        yield {"path": path, "start": start, "end": end, **found}


def read_place(found: dict[str, Any], where: str, problems: Problems) -> tuple[Place, KeptLines] | None:
    """Read one line; None where it is wrong, which the problems say."""
    line: _PlaceLine | None = LineDecoder(where, problems).read(found, _PlaceLine)
    if line is None:
        return None
    return (line.path, line.start, line.end), KeptLines(line.lines, line.before, line.behind, line.offset)


def write_places(folder: Path, places: Mapping[Place, KeptLines]) -> Path:
    """Write a table of places into the folder of a run or of a large baseline."""
    path = folder / FILE
    write_table(_PLACES.of_rows([(*place, *kept) for place, kept in sorted(places.items())]), path, _PLACES)
    return path


def read_places(folder: Path) -> dict[Place, KeptLines]:
    """Read the table of places in a folder; none where it has no such table.

    Raises:
        FormatError: for a table that cannot be read, or holds something else than hashes.
    """
    path = folder / FILE
    if not path.is_file():
        return {}
    found = {}
    for name, start, end, *kept in read_table(path, _PLACES).iter_rows():
        lines = KeptLines(*kept)
        if wrong := [one for one in lines[:3] if not _are_hashes(one)]:
            raise FormatError(Problem(f"{path}: {name}", repr(wrong[0])[:80], _EXPECTED))
        found[name, start, end] = lines
    return found
