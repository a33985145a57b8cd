"""Where the hits of runs are: those of other tools are placed when they are read, and why some are nowhere.

A run that was asked here was placed when it was asked, and says so in every row.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import polars as pl

from rankgate.model.search import Hit
from rankgate.model.wording import many
from rankgate.runs.store.columns import text_hash
from rankgate.runs.store.schemas import HITS, TEXTS
from rankgate.runs.store.tables import HoldsTexts, MayChange
from rankgate.truth.locations.placing import Placer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.corpora.corpus import Corpus
    from rankgate.gates.scored import Scored
    from rankgate.model.placing import LocateRules
    from rankgate.runs.store.tables import Run, RunShard
    from rankgate.truth.diagnosis import MappingFault

_COLUMNS = ("id", "path", "start", "end", "text", "start_char", "class", "strategy", "given")
_MOST_NAMES = 2000
_MOST_HITS = 100_000
"""How many hits are looked at; the first say as much as all."""
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


def repeat_notes(scored: Scored) -> Iterator[str]:
    """Say how hits count that return a document again, where whole documents are judged."""
    whole = scored.judgments.targets.filter(pl.col("start").is_null() & (pl.col("grade") > 0))
    again = scored.judged_hits.rows.join(whole.select("query", "target"), on=["query", "target"], how="semi")
    hits = again.group_by("query", "target").agg(number=pl.col("rank").n_unique() - 1)
    number = int(hits["number"].sum())
    if number:
        one = "a document that a hit above it has returned: it keeps its rank and earns nothing again"
        several = "documents that hits above them have returned: each keeps its rank and earns nothing again"
        yield f"{many(number, 'hit')} of {one if number == 1 else several}"


def mapping_faults(scored: Scored, corpus: Corpus | None, locate: LocateRules) -> tuple[MappingFault, ...]:
    """Find what is wrong with the locations of a run's hits.

    Nothing where the suite has no corpus of files, or none of its targets is a location there.

    Args:
        scored: The run, with its suite and judgments.
        corpus: What its hits were placed in.
        locate: How the system names locations.
    """
    if corpus is None or corpus.records:
        return ()
    targets = scored.judgments.targets
    paths, lines = targets["path"], targets["start"]
    shards = [shard.scan_hits(_COLUMNS) for shard in scored.run.shards()]
    if not shards or paths.null_count() == len(paths):
        return ()
    hits = pl.concat(shards).head(_MOST_HITS).collect()
    placed = hits.filter(pl.col("class").is_not_null())
    # Where all is well, which is told by two columns, the rest is not imported.
    well = placed["class"].is_in(["exact", "several"]) & placed["given"].is_null()
    if well.all():
        return ()
    from rankgate.truth.diagnosis import diagnose

    files = _files_of_names(placed, Placer(corpus, scored.suite.map_rules, locate))
    return diagnose(placed, corpus, wants_lines=lines.null_count() < len(lines), files=files)


def _files_of_names(hits: pl.DataFrame, placer: Placer) -> dict[str, str]:
    """Return the files that names stand for by the rules there are, whatever the texts of the hits say."""
    given = pl.col("given").struct.field("path")
    names = hits.select(given).to_series().drop_nulls().unique(maintain_order=True).head(_MOST_NAMES)
    found = placer.place_hits([Hit(path=name) for name in names])
    return {
        name: one.path for name, one in zip(names, found, strict=True) if one.path and one.hit_class.located
    }
