"""The log of a search: which queries it has, folded, and how often each was asked.

A log is a file with a query a row (Parquet, CSV, TSV, JSON Lines) or a line (text), or several of them. It is
read once, in pieces; what is held is its different queries, not its lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from rankgate.errors import Code, FormatError, InputError, Problem, did_you_mean
from rankgate.files.parquet import reading

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LONGEST = 500
"""Characters; a longer query is a text that somebody pasted."""
COLUMNS = ("query", "user_query", "q", "text", "search_term", "keyword")
"""How the column of the query is called, where nobody says: the first that is there."""
_TEXT = "text"


@dataclass(frozen=True, slots=True)
class LogCounts:
    """The different queries of a log."""

    queries: pl.DataFrame
    """`query`, folded, `stratum` (null where nothing is told apart) and `seen`, how often it was asked."""
    rows: int
    """How many rows the log has."""
    empty: int
    """How many of them have no query."""
    long: int
    """How many have one that is longer than `LONGEST`."""


def count_log(paths: Sequence[Path], column: str | None = None, stratum: str | None = None) -> LogCounts:
    """Count the queries of a log, which files may share.

    Queries that differ only in case, in white space or in how Unicode writes them are one.

    Raises:
        InputError: for a file that does not exist, or a column that it does not have.
        FormatError: for a file that is not in its format.
    """
    parts = [_scan(path, column, stratum) for path in paths]
    size = pl.col("query").str.len_chars()
    kind = pl.when(size > LONGEST).then(1).when(size > 0).then(0).otherwise(2).fill_null(2)
    grouped = (
        pl.concat(parts)
        .with_columns(query=folded(pl.col("query")))
        .with_columns(kind=kind.cast(pl.UInt8))
        # What is left out is one row a kind.
        .with_columns(query=pl.when(pl.col("kind") == 0).then("query"))
        .group_by("query", "stratum", "kind")
        .agg(seen=pl.len().cast(pl.UInt32))
    )
    with reading(paths[0], brief=True):
        found = grouped.collect(engine="streaming")
    left = {number: int(found.filter(kind=number)["seen"].sum()) for number in (0, 1, 2)}
    queries = found.filter(kind=0).drop("kind")
    return LogCounts(queries, sum(left.values()), empty=left[2], long=left[1])


def folded(query: pl.Expr) -> pl.Expr:
    r"""Fold queries: one case, one space between words, one way of Unicode.

    >>> pl.select(folded(pl.lit("  Rotate\tKEYS "))).item()
    'rotate keys'
    """
    plain = query.cast(pl.String).str.normalize("NFKC").str.to_lowercase()
    return plain.str.replace_all(r"\s+", " ").str.strip_chars()


def _scan(path: Path, column: str | None, stratum: str | None) -> pl.LazyFrame:
    """Scan the queries of one file, and what they are told apart by."""
    if not path.is_file():
        raise InputError(Code.NO_SUCH_FILE(str(path), "no such file", "a log of queries"))
    read = _READERS.get(_suffix(path))
    if read is None:
        expected = "a name that ends in " + ", ".join(_READERS)
        raise FormatError(Problem(str(path), f"a log named *{path.suffix}", expected, "also .gz and .zst"))
    with reading(path, brief=True):
        scan = read(path)
        names = scan.collect_schema().names()
    query = _found(path, names, column, COLUMNS)
    by = pl.lit(None, pl.String) if stratum is None else pl.col(_found(path, names, stratum, ()))
    return scan.select(query=pl.col(query).cast(pl.String), stratum=by.cast(pl.String))


def _suffix(path: Path) -> str:
    packed = path.suffix.lower() in (".gz", ".zst")
    return Path(path.stem).suffix.lower() if packed else path.suffix.lower()


def _found(path: Path, names: Sequence[str], wanted: str | None, usual: Sequence[str]) -> str:
    if names == [_TEXT] and _suffix(path) == ".txt" and wanted is None:
        return _TEXT
    for name in [wanted] if wanted else usual:
        if name in names:
            return str(name)
    expected = f"a column {wanted!r}" if wanted else f"a column called {', '.join(usual[:-1])} or {usual[-1]}"
    near = did_you_mean(wanted, names) if wanted else "name it with --column"
    raise FormatError(Problem(str(path), f"the columns {', '.join(names)}", expected, near))


def _lines(path: Path) -> pl.LazyFrame:
    # No text has this byte, so that a line is one value.
    return pl.scan_csv(path, separator="\x1f", has_header=False, new_columns=[_TEXT], quote_char=None)


_READERS: dict[str, Callable[[Path], pl.LazyFrame]] = {
    ".parquet": lambda path: pl.scan_parquet(path, glob=False, hive_partitioning=False),
    ".csv": lambda path: pl.scan_csv(path, infer_schema=False),
    ".tsv": lambda path: pl.scan_csv(path, separator="\t", infer_schema=False, quote_char=None),
    ".jsonl": pl.scan_ndjson,
    ".ndjson": pl.scan_ndjson,
    ".txt": _lines,
}
