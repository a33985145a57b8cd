"""Latency: as the run recorded it, with percentiles that were observed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rankgate.runs.store.schemas import HITS
from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.evaluate import score
from rankgate.truth.judgments.table import Judgments
from support.builders import id_targets, run_of

if TYPE_CHECKING:
    from rankgate.scoring.scores import Scores


def timed(times: list[float | None], *metrics: str, status: str = "ok") -> Scores:
    queries = [f"q{number}" for number in range(len(times))]
    table = pl.DataFrame({"query": queries, "latency_ms": times, "status": [status] * len(times)})
    shard = Shard.of(table, HITS.empty())
    judgments = Judgments.of(id_targets(*((query, "a", 1) for query in queries)))
    return score(judgments, MemoryRun("system", [shard]), metrics)


def test_the_example_of_the_decision() -> None:
    """Twenty times: the 19th is p95, and no time between two is ever told."""
    times = [*map(float, range(11, 28)), 29.0, 31.0, 480.0]
    scores = timed([*times], "latency.p95", "latency.p99", "latency.p50", "latency.max", "latency")
    assert scores["latency.p95"] == 31
    assert scores["latency.p99"] == scores["latency.max"] == 480
    assert scores["latency.p50"] == 20
    assert scores["latency"] == sum(times) / 20


def test_queries_without_a_time_are_left_out_and_counted() -> None:
    scores = timed([4.0, None, 2.0], "latency", "latency.max")
    assert scores["latency"] == 3
    assert scores.per_query("latency") == {"q0": 4, "q1": None, "q2": 2}
    assert (scores.counts("latency").scored, scores.counts("latency").undefined) == (2, 1)


def test_a_run_without_times_has_no_latency() -> None:
    scores = score(Judgments.of(id_targets(("q", "a", 1))), run_of({"q": ["a"]}), ["latency.p95", "rr"])
    assert scores["latency.p95"] is None
    assert scores["rr"] == 1


def test_a_query_that_the_run_lacks_has_no_time() -> None:
    judgments = Judgments.of(id_targets(("q0", "a", 1), ("gone", "a", 1)))
    shard = Shard.of(pl.DataFrame({"query": ["q0"], "latency_ms": [7.5]}), HITS.empty())
    scores = score(judgments, MemoryRun("s", [shard]), ["latency"])
    assert scores.per_query("latency") == {"q0": 7.5, "gone": None}
    assert scores["latency"] == 7.5


def test_a_query_that_failed_keeps_the_time_it_took() -> None:
    assert timed([9.0], "latency", status="timeout")["latency"] == 9


def test_a_time_of_zero_is_a_time() -> None:
    assert timed([0.0], "latency.p95").per_query("latency.p95") == {"q0": 0}
