"""Hits below the cut of every metric are not read, and no value changes by that."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.evaluate import score
from rankgate.scoring.expressions import parse
from rankgate.truth.judgments.table import Judgments

CUT = ("ndcg@3", "ndcg(gain=exp)@5", "p@4", "p(any)@4", "r@3", "hit@2", "rr@3", "ap@5", "r(rel=2)@5")


@pytest.mark.parametrize("trec", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_metrics_with_a_cut_score_alone_as_beside_one_that_reads_every_hit(seed: int, *, trec: bool) -> None:
    rng = np.random.default_rng(seed)
    start = rng.integers(1, 30, 120).astype(np.uint32)
    hits = pl.DataFrame(
        {
            "query": [f"q{number}" for number in range(10) for _ in range(12)],
            "rank": np.tile(np.arange(1, 13, dtype=np.uint32), 10),
            "path": pl.Series(rng.integers(0, 3, 120)).cast(pl.String) + ".md",
            "start": start,
            "end": start + rng.integers(0, 30, 120).astype(np.uint32),
        }
    )
    first = rng.integers(1, 30, 60).astype(np.uint32)
    targets = pl.DataFrame(
        {
            "query": [f"q{number}" for number in range(10) for _ in range(6)],
            "path": pl.Series(rng.integers(0, 3, 60)).cast(pl.String) + ".md",
            "start": first,
            "end": first + rng.integers(0, 20, 60).astype(np.uint32),
            "grade": rng.integers(0, 4, 60).astype(float),
            "group": [["a", "b", None, None][number] for number in rng.integers(0, 4, 60)],
        }
    )
    judged = Judgments.of(targets.unique(["query", "path", "start", "end"], maintain_order=True))
    run = MemoryRun("drawn", [Shard.of(hits.select("query").unique(maintain_order=True), hits)])
    beside = score(judged, run, [*CUT, "bpref"], trec=trec).frame()
    for metric in CUT:
        label = parse(metric).label
        alone = score(judged, run, [metric], trec=trec).frame()
        assert alone[label].to_list() == beside[label].to_list()


def test_what_reads_beyond_its_cut_reads_every_hit() -> None:
    depths = {text: parse(text).deepest for text in (*CUT, "ap", "bpref", "ndcg(judged_only)@10", "judged@5")}
    assert [depths[text] for text in CUT] == [3, 5, 4, 4, 3, 2, 3, 5, 5]
    assert [depths[text] for text in ("ap", "bpref", "ndcg(judged_only)@10", "judged@5")] == [None] * 4
