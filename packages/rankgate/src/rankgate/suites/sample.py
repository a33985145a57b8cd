"""Suites drawn from a log of searches: count its queries, and draw some of them.

A log is a file with a query a row (Parquet, CSV, TSV, JSON Lines) or a line (text), or several of them.

A query is drawn with a probability that is proportional to how often it occurs (or the same for all). Its
weight is what it stands for, divided by that probability (Horvitz and Thompson), so that the mean over the
drawn queries estimates the mean over all. Each query has a number between 0 and 1, a hash of the seed and its
text, which decides whether it is drawn (sequential Poisson sampling, Ohlsson 1998). The size is exact, and a
log that grew has most of its sample in common with the log before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankgate.errors import Code, FormatError, InputError, Problem, did_you_mean
from rankgate.io.parquet import reading
from rankgate.progress import counted_steps
from rankgate.wording import many

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
By = Literal["traffic", "queries"]
FREQUENCY = "frequency"
"""The name of strata by how often queries occur."""
FREQUENCIES = ("head", "torso", "tail")
"""These strata: each has about a third of the searches."""
COLUMN = "column:"
"""The prefix of a column whose name means something else."""
COLUMNS = ("query", "user_query", "q", "text", "search_term", "keyword")
"""The usual names of the column with the query; the first that exists counts."""
LONGEST = 500
"""The longest query, in characters; a longer one is a text that somebody pasted."""
MOST_STRATA = 1000
_TEXT = "text"


class DrawnQuery(NamedTuple):
    """A query that was drawn."""

    text: str
    """The query, folded."""
    stratum: str | None
    """The stratum that it is from."""
    seen: int
    """How often it occurs."""
    inclusion: float
    """The probability with which it was drawn."""
    weight: float
    """What it stands for, divided by the probability; 1 on average."""


@dataclass(frozen=True, slots=True)
class DrawnLog:
    """The queries that were drawn from a log, and the counts of the log."""

    queries: tuple[DrawnQuery, ...]
    """The most frequent first."""
    rows: int
    empty: int
    """The number of rows without a query."""
    long: int
    """The number of rows with a query that is too long."""
    different: int
    """The number of different queries; one in two strata counts twice."""
    rare: int
    """How many of these occur too few times."""
    share: float
    """The share of the drawn queries in the searches that can be drawn."""
    hides_column: bool = False
    """Whether strata are by frequency although the log has a column of that name."""


def draw_log(
    paths: Sequence[Path],
    size: int,
    *,
    column: str | None = None,
    stratify: str | None = None,
    seed: int = 0,
    by: By = "traffic",
    least: int = 1,
) -> DrawnLog:
    """Draw queries from a log. Queries that differ only in case, white space or Unicode form are one.

    Args:
        paths: Its files.
        size: How many to draw.
        column: The column of the query, if its name is not a usual one.
        stratify: A column, of each value of which as many are drawn; "frequency" for head, torso and tail;
            "column:frequency" for a column of that name.
        seed: Another seed draws others.
        by: What means are over: searches ("traffic"), or different queries.
        least: How often a query must occur.

    Raises:
        InputError: for a log without such queries, or without such a column.
        FormatError: for a file that is not in its format.
    """
    by_frequency = stratify == FREQUENCY
    named = None if by_frequency or stratify is None else stratify.removeprefix(COLUMN)
    counts, rows, empty, long = _counts(paths, column, named)
    able = counts.filter(pl.col("seen") >= least)
    if able.is_empty():
        expected = f"queries that were asked {many(least, 'time')} or more"
        raise InputError(Code.WRONG_INPUT(str(paths[0]), f"none in {many(rows, 'row')}", expected))
    seen, chance = able["seen"].to_numpy().astype(np.int64), _chances(able, seed)
    if by_frequency:
        names: Sequence[str | None] = FREQUENCIES
        strata = frequency_strata(seen, chance)
    else:
        names = able["stratum"].unique(maintain_order=True).to_list()
        if len(names) > MOST_STRATA:
            found = f"more than {MOST_STRATA} values, such as {names[0]!r}"
            fix = "choose a column with few values, such as a market or a language"
            raise InputError(Code.WRONG_OPTION("--stratify", found, f"at most {MOST_STRATA}", fix))
        numbers = {name: number for number, name in enumerate(names)}
        strata = np.array([numbers[name] for name in able["stratum"]], dtype=np.int64)
    chosen = choose(chance, seen, strata, size, by)
    queries = tuple(
        DrawnQuery(able["query"][row], names[strata[row]], int(seen[row]), float(likely), float(weight))
        for row, likely, weight in zip(chosen.rows.tolist(), chosen.inclusion, chosen.weight, strict=True)
    )
    return DrawnLog(
        queries,
        rows,
        empty,
        long,
        different=counts.height,
        rare=counts.height - able.height,
        share=float(seen[chosen.rows].sum() / seen.sum()),
        hides_column=by_frequency and any(FREQUENCY in _opened(path)[1] for path in paths),
    )


# --- reading ---


def _counts(
    paths: Sequence[Path], column: str | None, stratum: str | None
) -> tuple[pl.DataFrame, int, int, int]:
    """Return `query`, `stratum` and `seen`, and the numbers of rows, of empty and of long ones."""
    scans = [_scan(path, column, stratum) for path in paths]
    parts = []
    for path, scan in counted_steps(zip(paths, scans, strict=True), "reading the log", len(paths)):
        with reading(path, brief=True):
            parts.append(scan.group_by("query", "stratum").agg(seen=pl.len()).collect(engine="streaming"))
    every = (
        pl.concat(parts).with_columns(_folded(pl.col("query"))).with_columns(pl.col("seen").cast(pl.Int64))
    )
    counts = every.group_by("query", "stratum").agg(pl.col("seen").sum()).sort("stratum", "query")
    size = pl.col("query").str.len_chars().fill_null(0)
    valid = counts.filter(size > 0, size <= LONGEST)
    rows, long = int(counts["seen"].sum()), int(counts.filter(size > LONGEST)["seen"].sum())
    return valid, rows, rows - long - int(valid["seen"].sum()), long


def _folded(query: pl.Expr) -> pl.Expr:
    plain = query.str.normalize("NFKC").str.to_lowercase()
    return plain.str.replace_all(r"\s+", " ").str.strip_chars()


def _scan(path: Path, column: str | None, stratum: str | None) -> pl.LazyFrame:
    """Scan the queries of one file and their strata."""
    scan, names = _opened(path)
    query = _column(path, names, column, COLUMNS)
    by = pl.lit(None, pl.String) if stratum is None else pl.col(_column(path, names, stratum, ()))
    return scan.select(query=pl.col(query).cast(pl.String), stratum=by.cast(pl.String))


def _opened(path: Path) -> tuple[pl.LazyFrame, list[str]]:
    if not path.is_file():
        raise InputError(Code.NO_SUCH_FILE(str(path), "no such file", "a log of queries"))
    read = _READERS.get(_suffix(path))
    if read is None:
        expected = "a name that ends in " + ", ".join(_READERS)
        raise FormatError(Problem(str(path), f"a log named *{path.suffix}", expected, "also .gz and .zst"))
    with reading(path, brief=True):
        scan = read(path)
        return scan, scan.collect_schema().names()


def _suffix(path: Path) -> str:
    packed = path.suffix.lower() in (".gz", ".zst")
    return Path(path.stem).suffix.lower() if packed else path.suffix.lower()


def _column(path: Path, names: Sequence[str], wanted: str | None, usual: Sequence[str]) -> str:
    if names == [_TEXT] and _suffix(path) == ".txt" and wanted is None:
        return _TEXT
    for name in [wanted] if wanted else usual:
        if name in names:
            return str(name)
    expected = f"a column {wanted!r}" if wanted else f"a column called {', '.join(usual[:-1])} or {usual[-1]}"
    near = did_you_mean(wanted, names) if wanted else "name it with --column"
    raise FormatError(Problem(str(path), f"the columns {', '.join(names)}", expected, near))


def _lines(path: Path) -> pl.LazyFrame:
    # No text has this byte, so a line is one value.
    return pl.scan_csv(path, separator="\x1f", has_header=False, new_columns=[_TEXT], quote_char=None)


_READERS: dict[str, Callable[[Path], pl.LazyFrame]] = {
    ".parquet": lambda path: pl.scan_parquet(path, glob=False, hive_partitioning=False),
    ".csv": lambda path: pl.scan_csv(path, infer_schema=False),
    ".tsv": lambda path: pl.scan_csv(path, separator="\t", infer_schema=False, quote_char=None),
    ".jsonl": pl.scan_ndjson,
    ".ndjson": pl.scan_ndjson,
    ".txt": _lines,
}


# --- drawing ---


@dataclass(frozen=True, slots=True)
class Chosen:
    """The rows that were chosen."""

    rows: Ints
    """Their numbers, the most frequent first."""
    inclusion: Floats
    """The probability with which each was chosen."""
    weight: Floats
    """What each stands for, divided by the probability; 1 on average."""


def choose(chance: Floats, seen: Ints, strata: Ints, size: int, by: By = "traffic") -> Chosen:
    """Choose rows, as many of each stratum as far as it has so many.

    Args:
        chance: A number between 0 and 1 for each row.
        seen: How often each occurs.
        strata: The number of its stratum.
        size: How many to choose.
        by: What means are over: searches ("traffic"), or different queries.

    >>> chosen = choose(np.array([0.9, 0.6, 0.2]), np.array([96, 2, 2]), np.zeros(3, dtype=int), 2)
    >>> chosen.rows.tolist(), chosen.inclusion.tolist()
    ([0, 2], [1.0, 0.5])
    """
    sizes = seen.astype(np.float64) if by == "traffic" else np.ones(len(seen))
    parts = [np.flatnonzero(strata == number) for number in np.unique(strata)]
    rows: list[Ints] = []
    inclusion: list[Floats] = []
    for part, count in zip(parts, allocate([len(part) for part in parts], size), strict=True):
        likely = inclusion_probabilities(sizes[part], count)
        with np.errstate(divide="ignore"):
            # What is certain comes first.
            order = np.argsort(np.where(likely >= 1, -1.0, chance[part] / likely), kind="stable")[:count]
        rows.append(part[order])
        inclusion.append(likely[order])
    found, likely = np.concatenate(rows), np.concatenate(inclusion)
    order = np.lexsort((chance[found], -seen[found]))
    found, likely = found[order], likely[order]
    stands_for = sizes[found] / likely
    return Chosen(found, likely, stands_for / stands_for.mean())


def allocate(heights: list[int], size: int) -> list[int]:
    """Give each stratum the same number, and what some cannot fill to the others.

    >>> allocate([5, 100, 100], 60), allocate([3], 10)
    ([5, 28, 27], [3])
    """
    given = [0] * len(heights)
    unfilled, left = [at for at, height in enumerate(heights) if height], size
    while unfilled and left:
        share, rest = divmod(left, len(unfilled))
        for number, at in enumerate(unfilled):
            more = min(heights[at] - given[at], share + (number < rest))
            given[at] += more
            left -= more
        unfilled = [at for at in unfilled if given[at] < heights[at]]
    return given


def inclusion_probabilities(sizes: Floats, count: int) -> Floats:
    """Return the probability of each, proportional to its size, or 1 if that would be more than 1.

    >>> inclusion_probabilities(np.array([8.0, 1.0, 1.0]), 2).tolist()
    [1.0, 0.5, 0.5]
    """
    found = np.zeros(len(sizes))
    sure = np.zeros(len(sizes), dtype=bool)
    while (left := count - int(sure.sum())) > 0 and not sure.all():
        found = left * sizes / sizes[~sure].sum()
        more = ~sure & (found >= 1)
        if not more.any():
            break
        sure |= more
    return np.where(sure, 1.0, found)


def frequency_strata(seen: Ints, chance: Floats) -> Ints:
    """Return the stratum of each row by how often it occurs: each has about a third of the searches.

    >>> frequency_strata(np.array([1, 4, 1, 2, 4]), np.linspace(0, 1, 5)).tolist()
    [2, 0, 2, 2, 1]
    """
    order = np.lexsort((chance, -seen))
    before = np.cumsum(seen[order]) - seen[order]
    strata = np.empty(len(seen), dtype=np.int64)
    strata[order] = np.minimum(3 * before // max(1, seen.sum()), 2)
    return strata


def _chances(queries: pl.DataFrame, seed: int) -> Floats:
    """Return a number between 0 and 1 for each query and stratum, the same on every machine."""
    key = seed.to_bytes(16, "little", signed=True)
    names = queries["stratum"].unique().to_list()
    salts = {name: hashlib.blake2b((name or "").encode(), digest_size=16).digest() for name in names}
    hashes = (
        hashlib.blake2b(text.encode(), digest_size=8, key=key, salt=salts[name]).digest()
        for text, name in queries.select("query", "stratum").iter_rows()
    )
    return np.frombuffer(b"".join(hashes), dtype="<u8") / 2.0**64
