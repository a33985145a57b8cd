"""Polars tables: their schemas, their Parquet files, and the paths and ranges in them.

Files are compressed with LZ4: a table of 45-byte ids reads twice as fast as with Zstandard (3 million rows in
0.08 s against 0.17 s) and is twice as large, and a run is read far more often than it is moved.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from rankgate.errors import Code, FormatError, InputError, LocationError, Problem
from rankgate.io.atomic import file_state, replacing
from rankgate.io.compressed import largest_unpacked, too_large
from rankgate.io.problems import Check, Problems
from rankgate.locations import Lines, Location, normal_path, surely_normal

if TYPE_CHECKING:
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


# --- files ---

SCHEMA_KEY = "rankgate.schema"
"""The metadata key under which a file names the version of its schema."""

_SCANNED: dict[Path, _Scanned] = {}
_HELD: dict[Path, pl.DataFrame] = {}
_SCANNED_ELSEWHERE: set[Path] = set()
_SMALL = 1 << 17  # bytes, in the file and in memory
_MOST_HELD = 100  # tables
_TABLE = 1 << 29
"""How many bytes any table may become: 512 MiB, and more where the file is large."""
_RATIO = 200
_VALUE = 16
"""How many bytes a value takes in memory at least."""


def write_table(frame: pl.DataFrame, path: str | Path, schema: Schema) -> None:
    """Write a frame that fits the schema, whole or not at all.

    Raises:
        FormatError: for a frame that does not fit.
        OSError: if the disk is full.
    """
    # Polars reports a full disk as an invalid file, so Python writes the bytes.
    content = table_bytes(frame, schema, str(path))
    with replacing(path) as aside:
        aside.write_bytes(content)


def table_bytes(frame: pl.DataFrame, schema: Schema, where: str) -> bytes:
    """Return a frame that fits the schema as a Parquet file.

    Raises:
        FormatError: for a frame that does not fit.
    """
    held = io.BytesIO()
    metadata = {SCHEMA_KEY: str(VERSION)}
    schema.conform(frame, where).write_parquet(held, compression="lz4", metadata=metadata)
    return held.getvalue()


def read_table(path: str | Path, schema: Schema, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """Read the columns asked for, or all of them, from our own file or one that others made.

    Columns that may be null are filled where they are missing, and types are changed where no value is lost.

    Raises:
        FormatError: for what is not Parquet, is of a later version, or does not fit the schema.
    """
    wanted = schema.names if columns is None else list(columns)
    check_version(path)
    with reading(path):
        scan = _scan(path)
        names = scan.collect_schema().names()
        # Without a column of our own the number of rows is still needed to fill the others.
        some = [name for name in names if name in wanted] or names[:1]
        check_size(path, scan.select(pl.len()).collect().item(), len(some))
        frame = scan.select(some).collect()
    return schema.conform(frame, str(path), wanted).select(wanted)


def scan_table(path: str | Path, schema: Schema, columns: Sequence[str], rows: int) -> pl.LazyFrame:
    """Scan columns of a table, to be read when the frame is collected; only the file's footer is read now.

    Raises:
        FormatError: for what `read_table` refuses, or another number of rows.
    """
    scanned = _scanned(Path(path))
    wanted, there = schema.types, scanned.types
    missing = {column.name for column in schema.columns if column.nullable and column.name not in there}
    fits = all(name in missing or there.get(name) == wanted[name] for name in columns)
    if scanned.rows != rows:
        raise FormatError(
            Code.DAMAGED_FILE(str(path), f"{scanned.rows} rows", f"{rows}, as the manifest says")
        )
    if not fits:
        return read_table(path, schema, columns).lazy()
    # What may be null and is not there is null, so that files of earlier versions are scanned as well.
    nothing = [pl.lit(None, wanted[name]).alias(name) for name in columns if name in missing]
    held = _HELD.get(Path(path).absolute())
    return (_scan(path) if held is None else held.lazy()).with_columns(nothing).select(columns)


@dataclass(frozen=True, slots=True)
class _Scanned:
    """What is known of a file as long as it stays the same, so that it is looked into once."""

    state: tuple[int, ...]
    """What changes when the file does."""
    rows: int
    """How many rows it has."""
    types: pl.Schema
    """Its columns."""


def _scan(path: str | Path) -> pl.LazyFrame:
    return pl.scan_parquet(path, glob=False, hive_partitioning=False)


def _scanned(path: Path) -> _Scanned:
    """Look into a file, once as long as it stays the same.

    Small tables stay in memory: a suite of a dozen queries reads each of its own some ten times.
    """
    with reading(path):
        state, name = file_state(path), path.absolute()
    known = _SCANNED.get(name)
    if known is not None and known.state == state:
        return known
    check_version(path)
    with reading(path):
        scan = _scan(path)
        found = _Scanned(state, scan.select(pl.len()).collect().item(), scan.collect_schema())
        check_size(path, found.rows, len(found.types))
    _SCANNED[name] = found
    _HELD.pop(name, None)
    # A damaged column is an error only for who reads it.
    with suppress(FormatError), reading(path):
        if state[-1] <= _SMALL and (table := scan.collect()).estimated_size() <= _SMALL:
            _HELD[name] = table
    if len(_HELD) > _MOST_HELD:
        del _HELD[next(iter(_HELD))]
    return found


def note_scanned(path: Path) -> None:
    """Note a file of others that is scanned, of which nothing is kept here: it may be the damaged one."""
    _SCANNED_ELSEWHERE.add(path.absolute())


def damage_behind(error: BaseException) -> FormatError | None:
    """Return the error of a scanned file that cannot be read, where Polars failed; None where all can be.

    A scan is read when its frame is collected, far from here; so the files are read once more to find whose
    fault it was, and only then.
    """
    if not isinstance(error, (pl.exceptions.PolarsError, pl.exceptions.PanicException)):
        return None
    for path in (*_SCANNED, *_SCANNED_ELSEWHERE):
        try:
            with reading(path):
                pl.read_parquet(path, glob=False, hive_partitioning=False)
        except FormatError as found:
            return found
    return None


def check_size(path: str | Path, rows: int, columns: int) -> None:
    """Refuse a small file whose rows take far more memory than it has bytes.

    Raises:
        FormatError: for such a file.
    """
    largest = largest_unpacked(Path(path).stat().st_size, _TABLE, _RATIO)
    if rows * columns * _VALUE > largest:
        raise too_large(str(path), largest)


def check_version(path: str | Path) -> None:
    """Check that a file has the version of the schema that is supported, or none: others wrote it.

    Raises:
        FormatError: for what is not Parquet, or has another version.
    """
    with reading(path):
        version = pl.read_parquet_metadata(path).get(SCHEMA_KEY, str(VERSION))
    if version != str(VERSION):
        has = f"the file has version {version:.40}, and this rankgate reads version {VERSION}"
        said = f"{path}: {has}. Read it with a later version of rankgate."
        raise FormatError(Code.NEWER_VERSION(str(path), has, "", "", said))


@contextmanager
def reading(path: str | Path, *, brief: bool = False) -> Iterator[None]:
    """Turn what Polars raises for a file, and its panics over a damaged one, into our own error.

    Args:
        path: The file.
        brief: True for the first line of the message of Polars alone.

    Raises:
        FormatError: for a file that does not exist or cannot be read.
    """
    if not Path(path).is_file():
        raise FormatError(Code.NO_SUCH_FILE(str(path), "no such file", "a Parquet file"))
    try:
        yield
    except InputError:
        raise
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        said = str(error)
        if brief:
            said = said.splitlines()[0] if said else type(error).__name__
        raise FormatError(
            Code.DAMAGED_FILE(str(path), f"what Polars cannot read ({said})", "a Parquet file")
        ) from error


# --- paths and ranges ---

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
