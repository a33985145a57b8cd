"""What must hold for rows that are to become cases; each problem with its row."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl

from rankgate.errors import PlaceError, Problem
from rankgate.model.places import Location
from rankgate.suites.case_table import parts
from rankgate.suites.values import LARGEST

if TYPE_CHECKING:
    from rankgate.files.problems import Problems
    from rankgate.suites.targets import Defaults

_SEGMENT = r"[A-Za-z0-9_-][A-Za-z0-9_. -]*"
# Places that are surely well formed. Those that this does not know are parsed, one by one.
_SURELY = rf"^{_SEGMENT}(?:/{_SEGMENT})*(?:#{_SEGMENT}|::[A-Za-z0-9_.]+|:[1-9][0-9]{{0,8}})?$"


def check_rows(frame: pl.DataFrame, file: str, defaults: Defaults, problems: Problems) -> None:
    """Find what is wrong with rows, which have their number in `row`."""
    told = _Telling(file, problems)
    for name in ("id", "query"):
        told(name, frame.filter(_blank(name)), pl.lit("text without a word"), "text")
    weight = pl.col("weight")
    light = frame.filter(~(weight.is_finite() & (weight > 0)))
    told("weight", light, weight.cast(pl.String), "a number above 0")
    both = pl.col("expect_empty") & ((pl.col("targets").list.len() > 0) | (pl.col("top").list.len() > 0))
    told("expect_empty", frame.filter(both), pl.lit("true beside targets or top"), "one of the two")
    half = pl.col("xfail_reason").is_null() != pl.col("xfail_until").is_null()
    told("xfail_reason", frame.filter(half), pl.lit("only one of reason and until"), "both or neither")
    tags = parts(frame, "tags").filter(pl.col("tags").is_null())
    told("tags", tags, pl.lit("a null"), "text")
    nothing = pl.col("key").is_null() | pl.col("values").list.eval(pl.element().is_null()).list.any()
    filters = parts(frame, "filters").filter(nothing)
    told("filters", filters, pl.lit("a facet without a key, or with a null"), "a key and its values")
    targets, tops = parts(frame, "targets"), parts(frame, "top")
    for name, spread in (("targets", targets), ("top", tops)):
        one = pl.col("id").is_null() != pl.col("at").is_null()
        told(name, spread.filter(~one), pl.lit("neither or both of id and at"), "one of the two")
        told(name, spread.filter(one & _blank("id") & _blank("at")), pl.lit("an empty name"), "a name")
        _check_places(spread.filter(one & ~_blank("at")), name, told, defaults)
    within = pl.col("within")
    few = tops.filter(~within.is_between(1, LARGEST))
    told("top", few, pl.lit("within ") + within.cast(pl.String), "within of 1 or more")
    _check_targets(targets, told, defaults)


class _Telling:
    """Tells what is wrong with some rows."""

    def __init__(self, file: str, problems: Problems) -> None:
        self.file = file
        self.problems = problems

    def __call__(self, column: str, rows: pl.DataFrame, found: pl.Expr, expected: str, fix: str = "") -> None:
        self.problems.add_rows(
            rows.select("row", found=found),
            lambda row: Problem(f"{self.file}: row {row['row']}: {column}", row["found"], expected, fix),
        )


def _blank(name: str) -> pl.Expr:
    return pl.col(name).is_null() | (pl.col(name).str.strip_chars() == "")


def _check_targets(targets: pl.DataFrame, told: _Telling, defaults: Defaults) -> None:
    most = math.inf if defaults.max_grade is None else defaults.max_grade
    limit = "" if defaults.max_grade is None else f", at most {most:g}, the top of the scale"
    grade, matches = pl.col("grade"), pl.col("matches")
    high = targets.filter(~(grade.is_finite() & (grade <= most)))
    told("targets", high, pl.lit("grade ") + grade.cast(pl.String), f"a number{limit}")
    counts = targets.filter(~matches.is_between(0, LARGEST))
    told("targets", counts, pl.lit("matches ") + matches.cast(pl.String), "a whole number, 0 or more")


def _check_places(places: pl.DataFrame, column: str, told: _Telling, defaults: Defaults) -> None:
    if defaults.records is not None:
        found = pl.lit(f"a place in a corpus of {defaults.records} records")
        told(column, places, found, "the id of a record", "write id for at")
    elif defaults.has_corpus:
        for row, text in places.filter(~pl.col("at").str.contains(_SURELY)).select("row", "at").iter_rows():
            try:
                Location.at(text)
            except PlaceError as error:
                problem = error.problems[0]
                where, said = f"{told.file}: row {row}: {column}", f"{text[:80]!r}, {problem.found}"
                told.problems.add(Problem(where, said, problem.expected, problem.fix))
