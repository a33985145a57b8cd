"""Judgments laid out for joining: targets sorted by query, with their units, as arrays and one frame."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankgate.errors import Code, InputError
from rankgate.scoring.matches import Units
from rankgate.truth.judgments.checks import query_heads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.model import Matching
    from rankgate.scoring.matches import Bools, Floats, Ints
    from rankgate.truth.judgments.table import Judgments

_ZERO = np.zeros(1, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class TruthTable:
    """The targets of some queries, numbered from 0, sorted by query."""

    size: int
    """How many queries."""
    names: pl.DataFrame
    """What targets are called, these and others: query, target, id, path and text, the hash of one."""
    row: Ints
    """The row of each target in `names`."""
    query: Ints
    """The query of each target."""
    unit: Ints
    """The unit of each target; alternatives share one."""
    grade: Floats
    """The grade of each target."""
    start: Ints
    """Its first line; 0 where it has none."""
    end: Ints
    """Its last line; 0 where it has none."""
    characters: tuple[Ints, Ints] | None
    """Its first character and the one behind its last, -1 where they are not known; None where none are."""
    units: Units
    """The units, sorted by query."""
    exhaustive: Bools
    """Where the targets are all that is relevant."""
    expect_empty: Bools
    """Where the right answer is no hit at all."""
    matching: Matching
    """When a hit reaches a target."""
    max_grade: float | None
    """The top of the declared grade scale."""
    lowest: float
    """The lowest grade of the whole suite, whichever of its queries these are."""
    has_ids: bool
    """True where a target is an id."""
    has_paths: bool
    """True where a target is a location in a file."""
    has_texts: bool
    """True where a target is a text, as it is in labels that are estimated."""
    query_start: Ints
    """The first target of each query, and the number of targets at the end."""
    unit_start: Ints
    """The first unit of each query, and the number of units at the end."""

    @classmethod
    def of(cls, judgments: Judgments, names: pl.DataFrame) -> TruthTable:
        """Lay out judgments. `names` has each query once, with its number in column q."""
        frame = _sorted(judgments.targets, names)
        query = ints(frame["q"])
        grade = frame["grade"].to_numpy()
        has_paths = frame["path"].null_count() < len(frame)
        unit, units = _units(frame, query, grade)
        lines = [ints(frame[name].fill_null(0)) if has_paths else _ZERO for name in ("start", "end")]
        start, end = (np.broadcast_to(line, len(frame)) for line in lines)
        has_texts = frame["text_hash"].null_count() < len(frame)
        has_ids = frame["id"].null_count() < len(frame)
        return cls(
            size=len(names),
            names=frame.select("query", "target", "id", "path", text="text_hash"),
            row=np.arange(len(frame)),
            query=query,
            unit=unit,
            grade=grade,
            start=start,
            end=end,
            characters=_characters(frame),
            units=units,
            exhaustive=judgments.cases["exhaustive"].to_numpy().astype(bool),
            expect_empty=judgments.cases["expect_empty"].to_numpy().astype(bool),
            matching=judgments.matching,
            max_grade=judgments.max_grade,
            lowest=float(grade.min(initial=np.inf)),
            has_ids=has_ids,
            has_paths=has_paths,
            has_texts=has_texts,
            query_start=_starts(query, len(names)),
            unit_start=_starts(units.query, len(names)),
        )

    def named(self, columns: Sequence[str], targets: Ints | None = None) -> pl.DataFrame:
        """Return columns of `names` of these targets, or of some of them."""
        return self.names.select(columns)[self.row if targets is None else self.row[targets]]

    def part(self, wanted: Ints) -> TruthTable:
        """Keep some queries, given in ascending order, and number them anew from 0."""
        if len(wanted) == self.size:
            return self
        rows, query, query_start = _rows(self.query_start, self.query, wanted)
        unit_rows, unit_query, unit_start = _rows(self.unit_start, self.units.query, wanted)
        return replace(
            self,
            size=len(wanted),
            row=self.row[rows],
            query=query,
            unit=self.unit[rows] + (unit_start[:-1] - self.unit_start[wanted])[query],
            grade=self.grade[rows],
            start=self.start[rows],
            end=self.end[rows],
            characters=self.characters and (self.characters[0][rows], self.characters[1][rows]),
            units=Units(unit_query, self.units.grade[unit_rows], self.units.lowest[unit_rows]),
            exhaustive=self.exhaustive[wanted],
            expect_empty=self.expect_empty[wanted],
            query_start=query_start,
            unit_start=unit_start,
        )


def ints(series: pl.Series) -> Ints:
    """Return a column as the integers that arrays are indexed with."""
    return series.to_numpy().astype(np.int64, copy=False)


def _sorted(targets: pl.DataFrame, names: pl.DataFrame) -> pl.DataFrame:
    columns = ["query", "target", "group", "grade", "id", "path", "start", "end", "text_hash"]
    columns += ["start_char", "end_char"]
    frame = targets[columns].hstack([_numbers(targets["query"], names)])
    several = frame["path"].null_count() < len(frame) or frame["group"].null_count() < len(frame)
    # Where a hit may reach several targets, their order decides between equal assignments, so it must
    # not depend on the order of the file.
    if several:
        return frame.sort(
            "q", "group", "path", "start", "end", "start_char", "id", "text_hash", "grade", nulls_last=True
        )
    if frame["q"].is_sorted():
        return frame
    return frame.sort("q", maintain_order=True)


def _numbers(query: pl.Series, names: pl.DataFrame) -> pl.Series:
    """Look up the number of each row's query, once for each run of equal rows."""
    heads = query_heads(query)
    different, counts = query.gather(heads), np.diff(heads, append=len(query))
    if different.equals(names["query"]):
        return names["q"].gather(np.repeat(np.arange(len(heads)), counts))
    found = different.to_frame().join(names, on="query", how="left", maintain_order="left")
    if found["q"].null_count():
        lost = found.filter(pl.col("q").is_null())["query"][0]
        raise InputError(
            Code.UNKNOWN_CASE("judgments", f"targets of {lost!r}, which is no case", "a case for every query")
        )
    return pl.Series("q", np.repeat(found["q"].to_numpy(), counts))


def _units(frame: pl.DataFrame, query: Ints, grade: Floats) -> tuple[Ints, Units]:
    """Number the units in the order of the rows; targets without a group are units of their own."""
    if frame["group"].null_count() == len(frame):
        return np.arange(len(frame), dtype=np.int64), Units(query, grade, grade)
    group = pl.col("group")
    new = group.is_null() | (group != group.shift()) | (pl.col("q") != pl.col("q").shift())
    head = frame.select(new.fill_null(value=True)).to_series().to_numpy()
    starts = np.flatnonzero(head)
    units = Units(query[head], np.maximum.reduceat(grade, starts), np.minimum.reduceat(grade, starts))
    return np.cumsum(head) - 1, units


def _characters(frame: pl.DataFrame) -> tuple[Ints, Ints] | None:
    if frame["start_char"].null_count() == len(frame):
        return None
    start, end = (ints(frame[name].cast(pl.Int64).fill_null(-1)) for name in ("start_char", "end_char"))
    return start, end


def _starts(query: Ints, size: int) -> Ints:
    """Find the first row of each query in a sorted column, and the number of rows at the end."""
    starts = np.zeros(size + 1, dtype=np.int64)
    np.cumsum(np.bincount(query, minlength=size), out=starts[1:])
    return starts


def _rows(starts: Ints, query: Ints, wanted: Ints) -> tuple[slice | Ints, Ints, Ints]:
    """Find the rows of the wanted queries, their new numbers, and the first row of each query then."""
    if len(wanted) and wanted[-1] - wanted[0] + 1 == len(wanted):  # a slice copies nothing
        kept = starts[wanted[0] : wanted[-1] + 2]
        rows = slice(int(kept[0]), int(kept[-1]))
        return rows, query[rows] - wanted[0], kept - kept[0]
    counts = starts[wanted + 1] - starts[wanted]
    numbers = np.repeat(np.arange(len(wanted), dtype=np.int64), counts)
    new = _starts(numbers, len(wanted))
    shift = starts[wanted] - new[:-1]
    return np.arange(len(numbers)) + shift[numbers], numbers, new
