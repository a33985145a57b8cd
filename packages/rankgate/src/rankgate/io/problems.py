"""Everything that is wrong with one file, gathered and refused at once."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from rankgate.errors import Code, FormatError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

Check: TypeAlias = "tuple[pl.Expr, str, str]"
"""What is wrong with a row of a query; what was found and what was expected, with columns in braces."""

SHOWN = 20
"""How many problems of a file are told one by one."""


class Problems:
    """Counts the problems of a file and keeps the first of them.

    >>> problems = Problems("a.qrels")
    >>> problems.add(Problem("a.qrels:3", "grade 'x'", "a number"))
    >>> problems.total
    1
    """

    def __init__(self, where: str) -> None:
        self.where = where
        self.total = 0
        self.ignored: Counter[str] = Counter()
        """How often a member that no field has was left alone, by its path; it is no problem."""
        self._shown: list[Problem] = []
        self._alike: Counter[tuple[str, str]] = Counter()

    @property
    def shown(self) -> tuple[Problem, ...]:
        """The first of them."""
        return tuple(self._shown)

    def add(self, problem: Problem) -> None:
        """Add one problem."""
        self.total += 1
        if len(self._shown) < SHOWN:
            self._shown.append(problem if problem.code else replace(problem, code=FormatError.default_code))

    def add_alike(self, problem: Problem) -> None:
        """Add a problem that a file may have very often: the first is told, with how many are like it."""
        alike = (problem.found, problem.expected)
        self._alike[alike] += 1
        if self._alike[alike] == 1:
            self.add(problem)

    def add_rows(self, rows: pl.DataFrame, describe: Callable[[dict[str, Any]], Problem]) -> None:
        """Add one problem a row; only the rows that are shown are described."""
        self.total += rows.height
        room = SHOWN - len(self._shown)
        self._shown.extend(describe(row) for row in rows.head(room).iter_rows(named=True))

    def add_queries(self, rows: pl.DataFrame, found: str, expected: str) -> None:
        """Add one problem a row, which has a query; in what is said, braces hold the names of columns."""
        self.add_rows(
            rows,
            lambda row: Code.WRONG_FORMAT(
                f"{self.where}: query {row['query']!r}", found.format(**row), expected.format(**row)
            ),
        )

    def add_where(self, frame: pl.DataFrame, *checks: Check) -> None:
        """Add one problem a row for each condition that holds, after one pass that finds those that do."""
        holds = frame.select(wrong.any().alias(f"{n}") for n, (wrong, *_) in enumerate(checks)).row(0)
        for any_row, (wrong, found, expected) in zip(holds, checks, strict=True):
            if any_row:
                self.add_queries(frame.filter(wrong), found, expected)

    def check(self) -> None:
        """Refuse the file if anything was wrong with it.

        Raises:
            FormatError: with the first problems and the number of the others.
        """
        if self.total:
            self.refuse()

    def refuse(self) -> NoReturn:
        """Refuse the file."""
        shown = [
            replace(one, found=f"{one.found} ({often:,} times)") if (often := self._often(one)) > 1 else one
            for one in self._shown
        ]
        more = self.total - len(shown)
        last = (
            [Code.WRONG_FORMAT(self.where, f"{more} more problems", "none", f"correct the first {SHOWN}")]
            if more
            else []
        )
        raise FormatError([*shown, *last])

    def _often(self, problem: Problem) -> int:
        return self._alike[problem.found, problem.expected]


def repeats(values: pl.Series) -> pl.DataFrame:
    """Return what stands in a column more than once, each once."""
    if values.n_unique() == values.len():
        return values.clear().to_frame()
    return values.filter(values.is_duplicated()).unique(maintain_order=True).to_frame()
