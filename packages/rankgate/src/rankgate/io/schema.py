"""What a table holds: its columns, their types, and which of them may be missing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

import polars as pl

from rankgate.errors import Problem
from rankgate.io.problems import Problems

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from polars._typing import PolarsDataType

VERSION = 1
"""The version of every table; a change that an older reader would misread raises it."""


@dataclass(frozen=True, slots=True)
class TableColumn:
    """One column of a table."""

    name: str
    """How it is called."""
    type: PolarsDataType
    """What it holds."""
    nullable: bool = False
    """True where null has a meaning; a missing column is then all null."""
    default: object = None
    """What a missing column holds, where it is not nullable; None if the column must be there."""


@dataclass(frozen=True)
class Schema:
    """The columns of a table, in order."""

    name: str
    """What one calls the table in an error."""
    columns: tuple[TableColumn, ...]
    """In the order in which they are written."""

    @cached_property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

    @cached_property
    def types(self) -> pl.Schema:
        """The columns as Polars knows them."""
        return pl.Schema({column.name: column.type for column in self.columns})

    def empty(self) -> pl.DataFrame:
        """Make a table without rows."""
        return self.types.to_frame()

    def of_rows(self, rows: Sequence[object]) -> pl.DataFrame:
        """Make a frame of rows from Python; numbers that do not fit are left for `conform` to refuse."""
        return pl.DataFrame(rows, schema=self._wide_types, orient="row")

    def of_columns(self, columns: Mapping[str, Sequence[object] | pl.Series]) -> pl.DataFrame:
        """Make a frame of columns from Python, as `of_rows` does of rows and several times as fast.

        A series stays of its type. Columns that are not given are left for `conform` to fill; others than
        the schema's stay as they are.
        """
        types = self._wide_types
        wanted = {
            name: types[name]
            for name, column in columns.items()
            if name in types and not isinstance(column, pl.Series)
        }
        return pl.DataFrame(columns, schema_overrides=wanted)

    @cached_property
    def _wide_types(self) -> pl.Schema:
        kinds = self.types.items()
        return pl.Schema({name: pl.Int64() if kind.is_integer() else kind for name, kind in kinds})

    def conform(self, frame: pl.DataFrame, where: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """Bring a frame to this schema without losing a value; columns of other names are left out.

        Raises:
            FormatError: for missing columns, nulls where none may be, and values that do not fit.
        """
        problems = Problems(where)
        wanted = [column for column in self.columns if columns is None or column.name in columns]
        series = [_column(frame, column, f"{where}: {self.name}", problems) for column in wanted]
        problems.check()
        return pl.DataFrame(series) if series else frame.select()


def _column(frame: pl.DataFrame, column: TableColumn, where: str, problems: Problems) -> pl.Series:
    where = f"{where}.{column.name}"
    if column.name not in frame.columns:
        if not column.nullable and column.default is None:
            problems.add(Problem(where, "no such column", f"a column of {column.type}"))
        return _missing(column).new_from_index(0, frame.height)
    series = frame.get_column(column.name)
    if series.dtype != column.type:
        series = _cast(series, column, where, problems)
    if not column.nullable and (nulls := series.null_count()):
        problems.add(Problem(where, f"{nulls} nulls", f"a {column.type} in every row"))
    return series


@cache
def _missing(column: TableColumn) -> pl.Series:
    return pl.Series(column.name, [column.default], dtype=column.type)


def _cast(series: pl.Series, column: TableColumn, where: str, problems: Problems) -> pl.Series:
    if not can_be_cast(series.dtype, column.type):
        problems.add(Problem(where, f"a column of {series.dtype}", f"a column of {column.type}"))
        return _missing(column).clear()
    cast = series.cast(column.type, strict=False)
    back = cast if series.dtype.is_(pl.Null) else cast.cast(series.dtype, strict=False)
    if back.equals(series):
        return cast
    lost = series.filter(back.ne_missing(series))
    if lost.len():
        found = f"{lost.len()} values such as {lost[0]!r}"
        problems.add(Problem(where, found, f"values that a {column.type} can hold"))
        return _missing(column).clear()
    return cast


def can_be_cast(have: pl.DataType, want: PolarsDataType) -> bool:
    """Return whether columns of one type may be read as another, where no value is lost."""
    if have.is_(pl.Null):
        return True
    if want == pl.String:
        # Integers are how other tools often keep ids; "301" and 301 name the same query.
        return have.is_integer() or have.base_type() in {pl.Categorical, pl.Enum}
    if want == pl.List(pl.String):
        return have.base_type() in {pl.List, pl.Array} and (
            can_be_cast(have.inner, pl.String) or have.inner == pl.String  # type: ignore[attr-defined]
        )
    return have.is_numeric() and pl.Series([], dtype=want).dtype.is_numeric()
