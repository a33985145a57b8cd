"""A suite and the results of a system, scored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from rankgate.locations import Location
from rankgate.model import Answer, Case, Suite, Target, Top
from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.evaluate import score
from rankgate.truth.judgments.table import Judgments
from rankgate.truth.resolve import ResolvedTop

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.model import Hit
    from rankgate.scoring.scores import Scores


def resolved(top: Top) -> ResolvedTop:
    """Resolve a `top` that needs no corpus."""
    location, lines = top.location, top.location.lines
    start, end = (None, None) if lines is None else (lines.start, lines.end)
    return ResolvedTop(top, location.id, location.path, start, end)


@dataclass(frozen=True)
class Evaluated:
    """A suite, a run and its scores."""

    suite: Suite
    judgments: Judgments
    run: MemoryRun
    scores: Scores


def target(text: str, grade: float = 1.0, *, reviewed: bool = True, group: str | None = None) -> Target:
    """A target at a place if the text has a dot, or else an id."""
    where = Location.at(text) if "." in text else Location.of_id(text)
    return Target(where, grade, reviewed=reviewed, group=group)


def evaluated(
    cases: Sequence[Case],
    answers: Mapping[str, Sequence[Hit | str] | Answer],
    *,
    metrics: Sequence[str] = ("ndcg@10",),
    latency: Mapping[str, float] | None = None,
    name: str = "search",
) -> Evaluated:
    """Score what a system answered; an `Answer` in place of hits is a query that ended so."""
    suite = Suite(name, tuple(cases), metrics=tuple(metrics))
    judgments = Judgments.from_suite(suite)
    rankings = {query: () if isinstance(hits, Answer) else hits for query, hits in answers.items()}
    shard = Shard.of_rankings(rankings)
    ends = {query: hits.value for query, hits in answers.items() if isinstance(hits, Answer)}
    times = {query: float(time) for query, time in (latency or {"": 0.0}).items()}
    query = pl.col("query")
    queries = shard.queries.with_columns(
        status=query.replace_strict(ends, default="ok", return_dtype=pl.String),
        error=pl.when(query.is_in(list(ends))).then(pl.lit("connection refused")),
        latency_ms=query.replace_strict(times, default=None, return_dtype=pl.Float64),
    )
    run = MemoryRun("bm25", [Shard.of(queries, shard.hits)])
    return Evaluated(suite, judgments, run, score(judgments, run, metrics))
