"""Where hits and targets lie: characters in place of lines, several places of one text, and what lines cover.

A hit whose text stands in several places reaches a target if any of them does. Line measures go by a place
that reached a relevant target, a new one if there is one, and by the first that is named where none did.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankgate.model import MatchBy
from rankgate.runs.store.hits import collected
from rankgate.scoring.matches import HitFiles, Spans, is_relevant
from rankgate.scoring.truth_table import ints

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.model import Matching
    from rankgate.runs.store.tables import RunShard
    from rankgate.scoring.matches import Bools, Ints
    from rankgate.scoring.truth_table import TruthTable

CHARACTERS = ["start_char", "end_char"]
"""The columns of the first character and of the one behind the last."""
# Of places that reached targets a new one counts, then the one worth most, then the first and longest.
_DOWN = {"worth", "end", "end_char"}


def copies_of(shard: RunShard) -> pl.DataFrame | None:
    """Return a row for each place of each hit that has several; None where no hit does."""
    # Few runs have any, and then nothing but this column is read.
    several = pl.col("copies").is_not_null()
    if collected(shard.scan_hits(["copies"]).filter(several).head(1)).is_empty():
        return None
    every = shard.scan_hits(["query", "rank", "copies"])
    return collected(every.filter(several)).explode("copies").unnest("copies")


def with_copies(hits: pl.LazyFrame, copies: pl.DataFrame | None, columns: Sequence[str]) -> pl.LazyFrame:
    """Add a row for each place to those of the hits themselves; a text stands once, beside the hit."""
    if copies is None:
        return hits
    if "path" in columns:
        # Where all of them lie in one file the hit itself has that, which is no place beside its lines.
        several = copies.lazy().select("query", "rank", several=True).unique()
        joined = hits.join(several, on=["query", "rank"], how="left")
        hits = joined.with_columns(path=pl.when(pl.col("several").is_null()).then("path")).select(columns)
    rows = copies.lazy().with_columns(text=pl.lit(None, pl.String)).select(columns)
    return pl.concat([hits, rows])


def settled(hits: pl.DataFrame, copies: pl.DataFrame, reached: pl.DataFrame) -> pl.DataFrame:
    """Give each hit that has several places the one that counts, in place of none.

    Args:
        hits: Hits: query, rank, path, lines, characters, and others.
        copies: The places of those that have several.
        reached: The places through which targets were reached: query, rank, path, start, end, whether it was
            returned before, and what the target is worth.
    """
    location = ["path", "start", "end"]
    taken_over = [*location, "start_char", "end_char"]
    keys = ["query", "rank"]
    known = copies.select(*keys, *taken_over)
    best = ["repeated", "worth", *taken_over]
    ordered = reached.join(known, on=[*keys, *location]).sort(
        best, descending=[name in _DOWN for name in best]
    )
    through = ordered.select(known.columns)
    chosen = pl.concat([through, known]).unique(keys, keep="first", maintain_order=True)
    joined = hits.join(chosen, on=keys, how="left", suffix="_of_copy", maintain_order="left")
    several = pl.col("path_of_copy").is_not_null()
    taken = [pl.when(several).then(f"{name}_of_copy").otherwise(name).alias(name) for name in taken_over]
    return joined.with_columns(taken).select(hits.columns)


def shares_characters(rule: Matching, wanted: tuple[Ints, Ints], shown: tuple[Ints, Ints]) -> Bools:
    """Return where hits share enough characters with targets, or where one side has none to compare."""
    (start, end), (first, behind) = wanted, shown
    shared = np.minimum(end, behind) - np.maximum(start, first)
    either = (end - start) + (behind - first) - shared
    enough = (shared > 0) & (shared >= rule.min_fraction * (end - start) - 1e-9)
    enough &= shared >= rule.iou * either - 1e-9
    unknown: Bools = (start < 0) | (first < 0)
    return unknown | enough | (rule.by is MatchBy.PATH)


def hit_files(hits: pl.DataFrame, local: pl.DataFrame) -> HitFiles:
    """Number the files of hits within queries; a hit that is in none has its id."""
    rows = hits.join(local, on="query").sort("q", "rank")
    number = rows.select(pl.struct("q", "path", pl.when(pl.col("path").is_null()).then("id")).rank("dense"))
    return HitFiles(ints(rows["q"]), ints(rows["rank"]), ints(number.to_series()))


def line_spans(hits: pl.DataFrame, local: pl.DataFrame, truth: TruthTable) -> tuple[Spans, Spans, Bools]:
    """Number paths within queries, and note the queries in which a relevant target has no lines."""
    shown = hits.join(local, on="query")
    relevant = is_relevant(truth.grade, None)
    wanted = truth.named(["query", "path"]).with_columns(
        pl.Series("start", truth.start),
        pl.Series("end", truth.end),
        pl.Series("q", truth.query),
        rank=pl.lit(0),
    )
    wanted = wanted.with_columns(_target_characters(truth))
    wanted = wanted.filter(pl.Series(relevant))
    order = [pl.col("path"), pl.col("q", "rank", "start", "end", *CHARACTERS).cast(pl.Int64)]
    both = pl.concat([wanted.select(order), shown.select(order)]).with_columns(
        file=pl.struct("q", "path").rank("dense").cast(pl.Int64)
    )
    if truth.characters is not None:
        # Characters are counted in place of lines where all of a query's targets and hits have them.
        known = pl.all_horizontal(pl.col(CHARACTERS).is_not_null() | pl.col("path").is_null()).all().over("q")
        both = both.with_columns(
            start=pl.when(known).then(pl.col("start_char") + 1).otherwise("start"),
            end=pl.when(known).then("end_char").otherwise("end"),
        )
    bad = pl.col("path").is_null() | pl.col("start").fill_null(0).eq(0)
    unspanned = np.zeros(truth.size, dtype=bool)
    unspanned[ints(both.filter(bad & pl.col("rank").eq(0))["q"])] = True
    good = both.filter(~bad)
    targets, top = good.filter(pl.col("rank") == 0), good.filter(pl.col("rank") > 0)
    names = ("q", "rank", "file", "start", "end")
    return Spans(*(ints(targets[n]) for n in names)), Spans(*(ints(top[n]) for n in names)), unspanned


def _target_characters(truth: TruthTable) -> list[pl.Series]:
    if truth.characters is None:
        return [
            pl.Series(name, [None], dtype=pl.Int64).new_from_index(0, len(truth.query)) for name in CHARACTERS
        ]
    named = zip(CHARACTERS, truth.characters, strict=True)
    return [pl.Series(name, np.where(values < 0, np.nan, values)).fill_nan(None) for name, values in named]
