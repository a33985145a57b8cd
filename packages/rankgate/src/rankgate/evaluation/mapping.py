"""Why the hits of a run have no location, found in what was kept of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from rankgate.corpora.corpus import Corpus
    from rankgate.runs.store.tables import Run
    from rankgate.truth.judgments.table import Judgments
    from rankgate.truth.locations.diagnosis import MappingFault

_COLUMNS = ("id", "path", "start", "end", "text", "start_char", "class", "strategy", "given")
_MOST_HITS = 100_000
"""How many hits are looked at; the first say as much as all."""


def mapping_faults(run: Run, judgments: Judgments, corpus: Corpus | None) -> tuple[MappingFault, ...]:
    """Find what is wrong with the locations of a run's hits.

    Nothing where the suite has no corpus of files, or none of its targets is a location there.
    """
    if corpus is None or corpus.records:
        return ()
    paths, lines = judgments.targets["path"], judgments.targets["start"]
    shards = [shard.scan_hits(_COLUMNS) for shard in run.shards()]
    if not shards or paths.null_count() == len(paths):
        return ()
    hits = pl.concat(shards).head(_MOST_HITS).collect()
    placed = hits.filter(pl.col("class").is_not_null())
    # Where all is well, which is told by two columns, the rest is not imported.
    well = placed["class"].is_in(["exact", "several"]) & placed["given"].is_null()
    if well.all():
        return ()
    from rankgate.truth.locations.diagnosis import diagnose

    return diagnose(placed, corpus, wants_lines=lines.null_count() < len(lines))
