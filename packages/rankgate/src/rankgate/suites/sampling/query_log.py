"""The log of a search: which queries it has, folded, and how often each was asked.

A log is a file with a query a row (Parquet, CSV, TSV, JSON Lines) or a line (text), or several of them. It is
read once, piece by piece.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from rankgate.errors import Code, FormatError, InputError, Problem, did_you_mean
from rankgate.io.parquet import reading
from rankgate.progress import counted_steps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

LONGEST = 500
"""Characters; a longer query is a text that somebody pasted."""
COLUMNS = ("query", "user_query", "q", "text", "search_term", "keyword")
"""How the column of the query is called, where nobody says: the first that is there."""
PIECE = 3_000_000
"""How many rows are read at a time."""
_TEXT = "text"
_QUERY, _LONG, _EMPTY = range(3)


@dataclass(frozen=True, slots=True)
class LogPiece:
    """Some rows of a log, counted."""

    queries: pl.DataFrame
    """`query`, folded, `stratum` (null where nothing is told apart) and `seen`, how often it is there."""
    rows: int
    """How many rows it has."""
    empty: int
    """How many of them have no query."""
    long: int
    """How many have one that is longer than `LONGEST`."""


def read_log(
    paths: Sequence[Path], column: str | None = None, stratum: str | None = None, rows: int = PIECE
) -> Iterator[LogPiece]:
    """Read a log, which may be several files, and count the queries of every piece.

    Queries that differ only in case, in white space or in how Unicode writes them are one.

    Raises:
        InputError: for a file that does not exist, or a column that it does not have.
        FormatError: for a file that is not in its format.
    """
    scans = [_scan(path, column, stratum) for path in paths]
    both = zip(paths, scans, strict=True)
    for path, scan in counted_steps(both, "reading the log", len(paths)):
        with reading(path, brief=True):
            for piece in scan.collect_batches(chunk_size=rows, maintain_order=False):
                yield _counted(piece)


def folded(query: pl.Expr) -> pl.Expr:
    r"""Fold queries: one case, one space between words, one way of Unicode.

    >>> pl.select(folded(pl.lit("  Rotate\tKEYS "))).item()
    'rotate keys'
    """
    plain = query.cast(pl.String).str.normalize("NFKC").str.to_lowercase()
    return plain.str.replace_all(r"\s+", " ").str.strip_chars()


def _counted(piece: pl.DataFrame) -> LogPiece:
    size = pl.col("query").str.len_chars()
    kind = pl.when(size > LONGEST).then(_LONG).when(size > 0).then(_QUERY).otherwise(_EMPTY)
    # What is spelt alike is folded once.
    spelt = piece.group_by("query", "stratum").agg(seen=pl.len())
    found = spelt.with_columns(query=folded(pl.col("query"))).with_columns(kind=kind.fill_null(_EMPTY))
    left = {number: int(found.filter(kind=number)["seen"].sum()) for number in (_LONG, _EMPTY)}
    queries = found.filter(kind=_QUERY).group_by("query", "stratum").agg(pl.col("seen").sum())
    return LogPiece(queries, piece.height, empty=left[_EMPTY], long=left[_LONG])


def has_column(paths: Sequence[Path], name: str) -> bool:
    """Check whether a file of a log that was read has a column."""
    for path in paths:
        with reading(path, brief=True):
            if name in _READERS[_suffix(path)](path).collect_schema().names():
                return True
    return False


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
