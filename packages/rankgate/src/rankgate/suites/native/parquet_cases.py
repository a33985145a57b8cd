"""The cases of a Parquet file, read as they are needed."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, overload

import polars as pl

from rankgate.errors import Code, FormatError
from rankgate.files.parquet import reading
from rankgate.model.suite import LazyCases
from rankgate.suites.native.case_rows import COLUMNS, check_rows, conformed, to_cases

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from rankgate.files.problems import Problems
    from rankgate.model.suite import Case
    from rankgate.suites.native.targets import Defaults


CHUNK = 8192
"""How many cases are read at a time, and written to a row group."""

KEPT = 4
"""How many chunks are kept in memory."""

_CHECKED = 1 << 16


class ParquetCases(LazyCases):
    """The cases of some rows of a file; `open_cases` has checked them."""

    def __init__(self, chunk: Callable[[int], tuple[Case, ...]], rows: range) -> None:
        self._chunk = chunk
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Case: ...

    @overload
    def __getitem__(self, index: slice) -> ParquetCases: ...

    def __getitem__(self, index: int | slice) -> Case | ParquetCases:
        if isinstance(index, slice):
            return ParquetCases(self._chunk, self._rows[index])
        number, at = divmod(self._rows[index], CHUNK)
        return self._chunk(number)[at]

    def __iter__(self) -> Iterator[Case]:
        for row in self._rows:
            number, at = divmod(row, CHUNK)
            yield self._chunk(number)[at]


def open_cases(path: Path, defaults: Defaults, problems: Problems) -> tuple[ParquetCases, list[str]]:
    """Check every row of a file, in pieces, and promise its cases; tell which columns are not of a suite.

    Raises:
        FormatError: for what is not Parquet; what is wrong with its rows is only added to the problems.
    """
    with reading(path, brief=True):
        scan = pl.scan_parquet(path, glob=False, hive_partitioning=False)
        rows = int(scan.select(pl.len()).collect().item())
        other = [name for name in scan.collect_schema().names() if name not in COLUMNS]
        table = conformed(scan, str(path), problems)
        if problems.total:
            problems.refuse()
        hashes = []
        for start in range(0, rows, _CHECKED):
            frame = _slice(table, start, _CHECKED)
            check_rows(frame, str(path), defaults, problems)
            hashes.append(frame["id"].hash())
        if hashes:
            _check_ids(table, pl.concat(hashes), path, problems)
    if not rows:
        problems.add(Code.NO_CASES(str(path), "a suite without cases", "a row a case"))
    stamp = _stamp(path)

    @lru_cache(KEPT)
    def chunk(number: int) -> tuple[Case, ...]:
        with reading(path, brief=True):
            if _stamp(path) != stamp:
                fix = "start again; the cases are read as they are needed"
                raise FormatError(
                    Code.CHANGED_MEANWHILE(str(path), "a file that has changed", "the file as it was", fix)
                )
            frame = _slice(table, number * CHUNK, CHUNK)
        return to_cases(frame, str(path), has_corpus=defaults.has_corpus)

    return ParquetCases(chunk, range(rows)), other


def _slice(table: pl.LazyFrame, start: int, size: int) -> pl.DataFrame:
    return table.slice(start, size).collect().with_row_index("row", start + 1)


def _check_ids(table: pl.LazyFrame, hashes: pl.Series, path: Path, problems: Problems) -> None:
    """Find ids that come twice; only the rows whose hashes do are looked at."""
    suspects = hashes.is_duplicated()
    if not suspects.any():
        return
    ids = table.select("id").collect().with_row_index("row", 1).filter(suspects)
    again = ids.with_columns(first=pl.col("row").min().over("id")).filter(pl.col("row") != pl.col("first"))
    problems.add_rows(
        again.drop_nulls("id"),
        lambda row: Code.REPEATED(
            f"{path}: row {row['row']}: id",
            f"{row['id']!r:.80}, as in row {row['first']}",
            "an id of its own",
        ),
    )


def _stamp(path: Path) -> tuple[int, int]:
    stat = path.stat()
    return stat.st_size, stat.st_mtime_ns
