"""Runs of other tools in Parquet: hits in one file or in a folder of files, as query engines write them.

Nothing is held in memory but what scoring asks for: files are scanned, and the hits of a query may lie in
several of them.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import polars as pl

from rankgate.errors import Code, FormatError
from rankgate.io.atomic import check_unchanged, file_state
from rankgate.io.parquet import (
    can_be_cast,
    characters_check,
    check_version,
    lines_check,
    normalise_paths,
    note_scanned,
    reading,
)
from rankgate.io.problems import Problems
from rankgate.runs.store.schemas import HITS, QUERIES
from rankgate.wording import many, shortest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from rankgate.runs.store.tables import Order

Made = TypeVar("Made")

_NO_SLICE = "(none)"
_NEEDED = "the columns query, rank, and id or path"
_MADE = {"text", "class", "strategy", "given", "copies"}
_READ = [name for name in HITS.names if name not in _MADE]
"""The columns of `HITS` that hits of other tools may have; the others are made by rankgate."""
_NESTED = (pl.List, pl.Array, pl.Struct, pl.Binary, pl.Object)


@dataclass(frozen=True)
class ParquetRun:
    """The hits of some Parquet files: `query`, `rank`, `id` or `path`, and what else `_READ` names.

    It is a run of one shard, since any file may have hits of any query.
    """

    path: Path
    """The file, or the folder of files."""
    files: tuple[Path, ...]
    name: str
    """What reports call it."""
    by: str | None = None
    """The column that slices of queries are made by; None where there are none."""
    order: Order = "returned"
    """Where the order of the rankings comes from: the ranks."""
    notes: tuple[str, ...] = ()
    """What was left out."""
    states: tuple[tuple[int, ...], ...] = ()
    """The states of the files when they were opened."""

    @classmethod
    def open(cls, path: Path) -> ParquetRun:
        """Look into the files; what they hold is read when it is asked for.

        Raises:
            FormatError: for what is not Parquet or lacks a column.
        """
        files = _files(path)
        states = tuple(map(file_state, files))
        for file in files:
            check_version(file)
            note_scanned(file)
        run = cls(path, files, path.stem)
        there = run.types
        if not {"query", "rank"} <= {*there} or not {"id", "path"} & {*there}:
            found = f"the columns {', '.join(there)}"
            raise FormatError(Code.UNKNOWN_FORMAT(str(shortest(path)), found, _NEEDED))
        run._check_types()
        run._check_lines()
        made = [name for name in there if name in _MADE]
        said = (f"{many(len(made), 'column')} left out: {', '.join(made)}",) if made else ()
        # By whole paths, since another process may read them from another folder.
        return replace(run, files=tuple(file.absolute() for file in files), notes=said, states=states)

    def check_unchanged(self) -> None:
        """Check that the files are those that were opened.

        Raises:
            InputError: where one has changed.
        """
        for file, state in zip(self.files, self.states, strict=True):
            check_unchanged(file, state)

    @cached_property
    def types(self) -> pl.Schema:
        """The columns of the files."""
        with reading(shortest(self.files[0])):
            return self._scan().collect_schema()

    def _scan(self) -> pl.LazyFrame:
        return pl.scan_parquet([*self.files], glob=False, hive_partitioning=False)

    def shards(self) -> Iterator[ParquetRun]:
        """Iterate over the shards: itself."""
        yield self

    def scan_hits(self, columns: Sequence[str]) -> pl.LazyFrame:
        """Scan these columns of `HITS`; those that the files lack are null."""
        return self._scan().select(self._column(name) for name in columns)

    def _column(self, name: str) -> pl.Expr:
        kind = HITS.types[name]
        if name not in self.types or name not in _READ:
            return pl.lit(None, kind).alias(name)
        column = pl.col(name) if self.types[name] == kind else pl.col(name).cast(kind)
        return column.replace(self._other_paths) if name == "path" and self._other_paths else column

    @cached_property
    def _other_paths(self) -> dict[str, str]:
        """The paths that are spelt otherwise than rankgate spells them, each with its normal form."""
        problems = Problems(str(shortest(self.path)))
        paths = self._collected(self._scan().select(pl.col("path").cast(pl.String).drop_nulls().unique()))
        normal = normalise_paths(paths, problems)
        problems.check()
        return {old: new for (old,), (new,) in zip(paths.rows(), normal.rows(), strict=True) if old != new}

    def _check_types(self) -> None:
        """Refuse columns of which a value would become another one."""
        where = str(shortest(self.path))
        there = {name: self.types[name] for name in _READ if name in self.types}
        for name, kind in there.items():
            wanted = HITS.types[name]
            if kind != wanted and not can_be_cast(kind, wanted):
                fix = f"write {name} as {wanted}"
                said = f"{name} of type {kind}"
                raise FormatError(Code.WRONG_VALUE(where, said, f"a column of {wanted}", fix))
        # Numbers that may be missing are floats in many tools. Ranks that are integers are looked at later.
        torn = [
            pl.col(name).cast(wanted, strict=False).cast(kind, strict=False).ne_missing(pl.col(name))
            for name, kind in there.items()
            if (wanted := HITS.types[name]).is_integer() and kind != wanted
            if name != "rank" or not kind.is_integer()
        ]
        if torn and (found := self._collected(self._scan().filter(pl.any_horizontal(torn)).head(1))).height:
            row = found.row(0, named=True)
            said = ", ".join(f"{name} {row[name]}" for name in there if name in row)
            raise FormatError(Code.WRONG_VALUE(where, said, "integers from 0 on, or none"))

    def _check_lines(self) -> None:
        checks = {("start", "end"): lines_check(), ("start_char", "end_char"): characters_check()}
        for names, (wrong, said, expected) in checks.items():
            if not {*names} & {*self.types}:
                continue
            rows = self.scan_hits(["query", "rank", *names]).filter(wrong).head(1)
            for row in self._collected(rows).iter_rows(named=True):
                found = f"{said.format(**row)} of hit {row['rank']} of {row['query']!r}"
                raise FormatError(Code.WRONG_VALUE(str(shortest(self.path)), found, expected))

    @cached_property
    def queries(self) -> pl.DataFrame:
        """One row per query.

        Raises:
            FormatError: for hits without a query or a rank, for ranks that are not 1, 2, 3, …, and for what
                `by` cannot make slices of.
        """
        return QUERIES.conform(self._counted.select("query", "hits"), str(self.path))

    def slices_of(self, queries: pl.Series) -> pl.Series:
        """Return the slice of each of some queries; those that have no hits are in ``(none)``.

        Raises:
            FormatError: as `queries` does.
        """
        wanted, known = queries.rename("query").to_frame(), self._counted.select("query", "value")
        found = wanted.join(known, on="query", how="left", maintain_order="left")
        return found["value"].fill_null(_NO_SLICE).rename(self.by or "")

    @cached_property
    def _counted(self) -> pl.DataFrame:
        """What is known of each query, from one pass over the hits."""
        where = str(shortest(self.path))
        if self.by is not None and self.by not in self.types:
            found = f"no column {self.by!r}"
            raise FormatError(Code.UNKNOWN_SLICE(where, found, f"one of {', '.join(self.types)}"))
        keys = [pl.col("query") if self.types["query"] == pl.String else pl.col("query").cast(pl.String)]
        if self.by is not None:
            if self.types[self.by].base_type() in _NESTED:
                found = f"{self.by} of type {self.types[self.by]}"
                raise FormatError(Code.UNKNOWN_SLICE(where, found, "a column of one value a row"))
            keys.append(pl.col(self.by).alias("value"))
        rank = pl.col("rank").cast(pl.Int64)
        known = {"nulls": rank.null_count(), "least": rank.min(), "last": rank.max()}
        grouped = self._scan().group_by(keys).agg(hits=pl.len(), **known, each=_digest(rank).sum())
        if self.by is not None:
            grouped = grouped.with_columns(pl.col("value").cast(pl.String).fill_null(_NO_SLICE))
        counted = self._collected(grouped).sort("query")
        if self.by is not None:
            _check_slices(counted, self.by, where)
        _check_ranks(counted, where)
        return counted

    def counted_while(self, work: Callable[[], Made]) -> Made:
        """Count the hits of each query while other work is done, and return what that makes.

        Reading and checking judgments leaves one of two cores idle for much of its time.
        """
        with ThreadPoolExecutor(max_workers=1) as thread:
            counting = thread.submit(lambda: self._counted)
            made = work()
            counting.result()
        return made

    def _collected(self, frame: pl.LazyFrame) -> pl.DataFrame:
        try:
            return frame.collect(engine="streaming")
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            raise FormatError(
                Code.DAMAGED_FILE(str(self.path), f"what Polars cannot read ({error})", _NEEDED)
            ) from error


def _files(path: Path) -> tuple[Path, ...]:
    """Return the files of hits: the one that is named, or all in the folder; none may lie below that."""
    if not path.is_dir():
        return (path,)
    # What Spark and Delta write beside a table lies in folders such as _delta_log.
    every = sorted(
        file
        for file in path.rglob("*.parquet")
        if not any(part.startswith((".", "_")) for part in file.relative_to(path).parts)
    )
    below = [file for file in every if file.parent != path]
    if below or not every:
        found = f"{shortest(below[0])} in a folder below" if below else "no *.parquet"
        fix = "put all files into one folder, or name the folder that has them"
        raise FormatError(Code.UNKNOWN_FORMAT(str(shortest(path)), found, "files of hits in the folder", fix))
    return tuple(every)


def _digest(rank: pl.Expr) -> pl.Expr:
    """Return 40 bits for each rank, whose sums tell 1, 2, 3, … from other ranks, repeated ones too."""
    return rank.hash(7) // (1 << 24)


def _check_slices(counted: pl.DataFrame, by: str, where: str) -> None:
    torn = counted.filter(pl.col("query").is_duplicated())
    if torn.is_empty():
        return
    number, first = torn["query"].n_unique(), torn["query"][0]
    values = torn.filter(pl.col("query") == first)["value"].sort().to_list()
    shown = " and ".join(map(repr, values[:2]))
    found = (
        f"{many(number, 'query has', 'queries have')} several values of {by}, such as {first!r} with {shown}"
    )
    raise FormatError(Code.WRONG_VALUE(where, found, "one value in all hits of a query"))


def _check_ranks(counted: pl.DataFrame, where: str) -> None:
    number = pl.col("hits").cast(pl.Int64)
    most = counted["hits"].to_numpy().max(initial=0)
    every = pl.DataFrame({"rank": np.arange(1, most + 1, dtype=np.int64)})
    sums = every.select(_digest(pl.col("rank")).cum_sum()).to_series()
    wrong = counted.filter(
        pl.col("query").is_null()
        | (pl.col("nulls") > 0)
        | (pl.col("least") != 1)
        | (pl.col("last") != number)
        | (pl.col("each") != sums.gather(counted["hits"] - 1))
    )
    if wrong.height:
        first = wrong.row(0, named=True)
        said = f"{many(wrong.height, 'query', 'queries')} with other ranks, such as {first['query']!r}:"
        found = f"{said} {first['hits']} hits, ranks {first['least']} to {first['last']}"
        raise FormatError(
            Code.WRONG_VALUE(where, found, "ranks 1, 2, 3, … of each query", "rank them from 1")
        )
