"""Locate the hits of runs that other tools made, when they are read.

A run that was asked here was placed when it was asked, and says so in every row.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import polars as pl

from rankgate.runs.store.columns import text_hash
from rankgate.runs.store.schemas import HITS, TEXTS
from rankgate.runs.store.tables import HoldsTexts, MayChange

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.runs.store.tables import Run, RunShard
    from rankgate.truth.locate import Placer

_AS_GIVEN = [
    pl.when(pl.col("given").is_not_null())
    .then(pl.col("given").struct.field(name))
    .otherwise(name)
    .alias(name)
    for name in ("path", "start", "end")
]
"""Where a system says that a hit is, though that may be no path of any corpus."""


def placed_run(run: Run, placer: Placer) -> Run:
    """Return a run with the locations of its hits; itself where all of them have been placed."""
    return run if _is_placed(run) else PlacedRun(run, placer)


def _is_placed(run: Run) -> bool:
    return not any(
        shard.scan_hits(("class",)).filter(pl.col("class").is_null()).head(1).collect().height
        for shard in run.shards()
    )


class PlacedRun:
    """A run whose hits are placed when they are first looked at."""

    def __init__(self, run: Run, placer: Placer) -> None:
        self._run, self.name = run, run.name
        self.notes: tuple[str, ...] = getattr(run, "notes", ())
        self.order: str = getattr(run, "order", "returned")
        self.manifest = getattr(run, "manifest", None)
        self._shards = tuple(PlacedShard(shard, placer) for shard in run.shards())

    def shards(self) -> Iterator[PlacedShard]:
        """Iterate over the shards."""
        return iter(self._shards)

    def check_unchanged(self) -> None:
        """Check the files of the run, where it has some that may change."""
        if isinstance(self._run, MayChange):
            self._run.check_unchanged()

    @property
    def estimated(self) -> bool:
        """True where tokens of the hits looked at so far are an estimate."""
        return any(shard.estimated for shard in self._shards)


class PlacedShard:
    """A shard of a `PlacedRun`."""

    def __init__(self, inner: RunShard, placer: Placer) -> None:
        self._inner, self._placer = inner, placer
        self.estimated = False
        """True where placing its hits counted tokens."""

    @property
    def queries(self) -> pl.DataFrame:
        """One row per query."""
        return self._inner.queries

    def scan_hits(self, columns: Sequence[str]) -> pl.LazyFrame:
        """Scan these columns of the hits."""
        return self._hits.lazy().select(columns)

    def read_texts(self) -> pl.DataFrame:
        """Return the texts."""
        return self._inner.read_texts() if isinstance(self._inner, HoldsTexts) else TEXTS.empty()

    @cached_property
    def _hits(self) -> pl.DataFrame:
        hits = self._inner.scan_hits(HITS.names).collect().with_columns(_AS_GIVEN)
        # A text that was cut when it was kept is not the text of the hit.
        whole = {name: text for name, text in self.read_texts().iter_rows() if text_hash(text) == name}
        placed = self._placer.place(hits, [whole.get(name or "") for name in hits["text"]])
        self.estimated = placed["tokens"].count() > hits["tokens"].count()
        return HITS.conform(placed, "hits")
