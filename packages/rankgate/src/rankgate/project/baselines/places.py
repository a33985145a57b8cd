"""The locations that kept answers name, and what finds each again when the documents have changed."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import polars as pl

from rankgate.runs.baseline import hit_key
from rankgate.scoring.placements import JudgedHits
from rankgate.truth.drift.refinding import HashedLines
from rankgate.truth.locations.corpus_reader import split_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rankgate.corpora.corpus import Corpus
    from rankgate.model.placing import KeptLines
    from rankgate.runs.store.places import Place
    from rankgate.runs.store.tables import Run
    from rankgate.truth.judgments.table import Judgments

HIT_KEY = ("id", "path", "start", "end")
"""The columns that a hit is named by."""
MOST = 200_000
"""Of answers that name more locations than that none is kept."""


def kept_places(runs: Sequence[Run], corpus: Corpus | None) -> dict[Place, KeptLines]:
    """Return what finds the locations of hits again, of those that the corpus has."""
    if corpus is None or corpus.records:
        return {}
    named = {place for run in runs for place in named_places(run) if place[0] in corpus}
    if len(named) > MOST:
        return {}
    kept: dict[Place, KeptLines] = {}
    for path, places in groupby(sorted(named), key=lambda place: place[0]):
        hashed = HashedLines.of(split_lines(corpus.text(path)))
        kept |= {place: hashed.kept(place[1] or 1, place[2] or hashed.last) for place in places}
    return kept


def named_places(run: Run) -> Iterator[Place]:
    """Return every location that the hits of a run name, or are at one of."""
    for shard in run.shards():
        hits = shard.scan_hits(("path", "start", "end", "copies")).collect()
        for path, start, end in hits.select("path", "start", "end").unique().iter_rows():
            if path is not None:
                yield path, start or 0, end or 0
        for copies in hits["copies"].drop_nulls():
            yield from (place_of(copy) for copy in copies if copy["path"] is not None)


def place_of(copy: Mapping[str, int | str | None]) -> Place:
    """Return the location of one of several copies."""
    return str(copy["path"]), int(copy["start"] or 0), int(copy["end"] or 0)


def relevant_hits(judgments: Judgments, runs: Sequence[Run]) -> dict[str, tuple[str, ...]]:
    """Return the hits of every query that reach something relevant, as a baseline names them."""
    found: dict[str, set[str]] = {}
    for run in runs:
        rows = JudgedHits(judgments, run).rows.filter(pl.col("grade") > 0).select("query", "rank").unique()
        for shard in run.shards():
            hits = shard.scan_hits(("query", "rank", *HIT_KEY)).collect()
            for query, _, *key in hits.join(rows, on=["query", "rank"]).iter_rows():
                found.setdefault(query, set()).add(hit_key(*key))
    return {query: tuple(sorted(keys)) for query, keys in found.items()}
