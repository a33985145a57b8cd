"""Paths and places in a table, brought to the one spelling in which they are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rankgate.errors import LocationError, Problem
from rankgate.locations import Lines, Location, normal_path, surely_normal

if TYPE_CHECKING:
    from rankgate.io.problems import Check, Problems

GIVEN = pl.Struct({"path": pl.String, "start": pl.UInt32, "end": pl.UInt32})
"""A path and lines as a system gave them."""
COPY = pl.Struct(
    {
        "id": pl.String,
        "path": pl.String,
        "start": pl.UInt32,
        "end": pl.UInt32,
        "start_char": pl.UInt32,
        "end_char": pl.UInt32,
    }
)
"""One of several places where a hit may be."""


def normalise_paths(frame: pl.DataFrame, problems: Problems) -> pl.DataFrame:
    """Normalise the column `path`; each different path is looked at once."""
    path_column = frame.get_column("path")
    if path_column.null_count() == path_column.len():
        return frame
    given = path_column.drop_nulls().unique(maintain_order=True)
    changed: dict[str, str] = {}
    for path in given:
        if surely_normal(path):
            continue
        try:
            if (normal := normal_path(path)) != path:
                changed[path] = normal
        except LocationError:
            problems.add(Problem(f"{problems.where}: path", repr(path), "a relative path without .."))
    return frame.with_columns(pl.col("path").replace(changed)) if changed else frame


def location_texts(frame: pl.DataFrame) -> pl.Series:
    """Format each row's location (`path`, `start`, `end`), ``docs/a.md:10-50``; null without a path."""
    paths = frame.get_column("path").drop_nulls().unique(maintain_order=True)
    spelt = {path: text for path in paths if (text := str(Location(path=path))) != path}
    lines = pl.format(":{}-{}", "start", "end").fill_null("")
    # Polars 2.1 panics in `format` over some tables that were put together from parts.
    whole = frame.select("path", "start", "end").rechunk()
    return whole.select(place=pl.col("path").replace(spelt) + lines).to_series()


def lines_check() -> Check:
    """Return the check for rows whose `start` and `end` are no range of lines."""
    start, end = pl.col("start"), pl.col("end")
    wrong = (start.is_null() != end.is_null()) | (start < 1) | (end < start)
    return wrong, "lines {start}-{end}", "1 <= start <= end, or neither"


def characters_check() -> Check:
    """Return the check for rows whose `start_char` and `end_char` are no range of characters."""
    start, end = pl.col("start_char"), pl.col("end_char")
    wrong = (start.is_null() != end.is_null()) | (start > end)
    return wrong, "characters {start_char}-{end_char}", "both, the end not before the start, or neither"


def parse_location(text: str) -> tuple[str, Lines | None]:
    """Read ``path`` or ``path:10-50``.

    Raises:
        LocationError: for what is no location, and for a heading or a symbol, which need a corpus.
    """
    location = Location.at(text)
    if location.path is None or location.heading or location.symbol is not None:
        fix = "headings and symbols are resolved against a corpus, in a suite"
        raise LocationError(Problem(repr(text), "a heading or a symbol", "path or path:10-50", fix))
    if location.lines is not None and location.lines.end >= 1 << 32:
        raise LocationError(Problem(repr(text), f"line {location.lines.end}", "a line number below 2^32"))
    return location.path, location.lines
