"""Judgments that are too many for memory: looked through once, then read for some queries at a time.

The targets of a query must stand together in the file, as `Judgments.write` puts them and as any table sorted
by query has them. Then every check of them needs the targets of one query alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl

from rankgate.files.atomic import check_unchanged, file_state
from rankgate.files.parquet import read_rows, read_table, row_count
from rankgate.progress import tracked
from rankgate.truth.judgments.checks import (
    check_rows,
    checked_cases,
    checked_targets,
    query_heads,
    recalled_targets,
)
from rankgate.truth.judgments.table import CASES, FILES, TARGETS, Judgments, JudgmentsAbout, read_about

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

LARGE = 5_000_000
"""How many targets are more than are held in memory at once."""
PIECE = 1_000_000
"""How many of them are read at a time, and more where one query has more."""
_TABLE, _CASES = FILES
_SCORED = ["query", "weight", "exhaustive", "expect_empty", "estimated"]
_NO_TEXT = pl.lit(None).alias("text")  # takes no room


@dataclass(frozen=True, slots=True, eq=False)
class JudgmentsFile(JudgmentsAbout):
    """Judgments of which only the cases are in memory. Made by `JudgmentsFile.open`, which checks them."""

    path: Path
    """The table of targets."""
    cases: pl.DataFrame
    """One row per query, in the order of the file; of the columns of `CASES` those that scores depend on."""
    starts: NDArray[np.int64]
    """The row where the targets of each query start, and the number of rows at the end."""
    lowest: float
    """The lowest grade."""
    gone: pl.Series
    """The queries that have relevant targets, all of which are gone."""
    unreviewed: pl.Series
    """The queries that have a target which nobody has looked at."""
    lone: bool
    """True for a table that another tool may have made."""
    state: tuple[int, ...]
    """The state of the table when it was looked through."""
    merged: int = 0
    """How many targets stand in it once more."""

    @classmethod
    def open(cls, path: Path) -> JudgmentsFile | None:
        """Look through a folder of judgments, or a lone Parquet file of targets.

        Returns None where the targets of a query do not stand together; memory must then hold them all.

        Raises:
            FormatError: as `read_judgments` does.
        """
        lone = path.is_file()
        about = {} if lone else read_about(path)
        table = path if lone else path / _TABLE
        state, pieces = file_state(table), _Pieces(table, str(path), lone=lone)
        if not pieces.read():
            return None
        queries = pl.concat(pieces.queries)
        if lone:
            cases = CASES.conform(queries.to_frame(), str(path), _SCORED).with_columns(_NO_TEXT)
        else:
            cases = read_table(path / _CASES, CASES, ["text", *_SCORED])
            cases = cases.with_columns(_NO_TEXT) if cases["text"].null_count() == cases.height else cases
        cases = checked_cases(cases, str(path))
        counts = _counts(queries, np.concatenate(pieces.counts), cases["query"])
        if counts is None:
            return None
        merged = (f"{pieces.merged} duplicate judgments merged",) if pieces.merged else ()
        return cls(
            table,
            cases,
            np.concatenate([[0], np.cumsum(counts)]),
            pieces.lowest,
            pl.concat(pieces.gone),
            pl.concat(pieces.unreviewed),
            lone,
            state,
            pieces.merged,
            **{**about, "notes": (*about.get("notes", ()), *merged)},
        )

    @property
    def height(self) -> int:
        """How many targets there are."""
        return int(self.starts[-1]) - self.merged

    def part(self, wanted: NDArray[np.int64]) -> Judgments:
        """Read what some queries should find, given by their numbers in ascending order.

        Raises:
            InputError: for a file that was changed since.
        """
        where, cases = str(self.path), self.cases[wanted]
        targets = pl.concat([TARGETS.empty(), *self._targets(wanted)])
        if self.merged:
            targets, _ = checked_targets(targets, cases, where)
        elif self.lone:
            targets = recalled_targets(targets, cases, where)
        return Judgments(targets, cases, matching=self.matching, max_grade=self.max_grade)

    def _targets(self, wanted: NDArray[np.int64]) -> Iterator[pl.DataFrame]:
        """Read the rows of some queries, near ones together."""
        first, behind = self.starts[wanted], self.starts[wanted + 1]
        at = 0
        while at < len(wanted):
            start = int(first[at])
            upto = max(at + 1, int(np.searchsorted(behind, start + PIECE, side="right")))
            rows = read_rows(self.path, TARGETS, TARGETS.names, (start, int(behind[upto - 1]) - start))
            check_unchanged(self.path, self.state)
            counts = behind[at:upto] - first[at:upto]
            if counts.sum() < rows.height:
                # Each row's place among those wanted, moved to where its query stands in what was read.
                gaps = first[at:upto] - start - (np.cumsum(counts) - counts)
                rows = rows[np.arange(counts.sum()) + np.repeat(gaps, counts)]
            yield rows
            at = upto


AnyJudgments: TypeAlias = Judgments | JudgmentsFile
"""Judgments in memory, or in a file."""


class _Pieces:
    """What one look through a table of targets tells."""

    def __init__(self, table: Path, where: str, *, lone: bool) -> None:
        self._table, self._where, self._lone = table, where, lone
        nothing = pl.Series("query", [], dtype=pl.String)
        self.queries, self.gone, self.unreviewed = [nothing], [nothing], [nothing]
        self.counts: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
        self.lowest, self.merged = np.inf, 0

    def read(self) -> bool:
        """Read and check everything; return False where the targets of a query do not stand together."""
        rows, first, size = row_count(self._table), 0, PIECE
        with tracked("reading judgments", rows) as advance:
            while first < rows:
                piece = read_rows(self._table, TARGETS, TARGETS.names, (first, size))
                heads = query_heads(piece["query"])
                if first + piece.height < rows:
                    # The last query may go on.
                    size *= 2
                    if len(heads) == 1:
                        continue
                    piece, heads = piece[: heads[-1]], heads[:-1]
                if not self._add(piece, heads):
                    return False
                first, size = first + piece.height, PIECE
                advance(piece.height)
        return pl.concat(self.queries).n_unique() == sum(map(len, self.queries))

    def _add(self, piece: pl.DataFrame, heads: NDArray[np.int64]) -> bool:
        queries = piece["query"].gather(heads)
        if self._lone:
            if queries.n_unique() < len(queries):
                return False
            cases = CASES.conform(queries.to_frame(), self._where)
            targets, merged = checked_targets(piece, cases, self._where)
            self.merged += merged
        else:
            check_rows(piece, self._where)
            targets = piece
        some = Judgments(targets, queries.to_frame())
        self.queries.append(queries)
        self.counts.append(np.diff(heads, append=piece.height))
        self.gone.append(some.gone)
        self.unreviewed.append(some.unreviewed)
        self.lowest = min(self.lowest, float(targets["grade"].min()))  # type: ignore[arg-type]
        return True


def _counts(queries: pl.Series, counts: NDArray[np.int64], cases: pl.Series) -> NDArray[np.int64] | None:
    """Return how many targets each case has; None where the targets come in another order than the cases."""
    if queries.equals(cases):
        return counts
    order = cases.to_frame("query").with_row_index("case")
    number = queries.to_frame("query").join(order, on="query", how="left", maintain_order="left")["case"]
    if number.null_count() or not number.is_sorted():
        return None
    every = np.zeros(len(cases), dtype=np.int64)
    every[number.to_numpy()] = counts
    return every
