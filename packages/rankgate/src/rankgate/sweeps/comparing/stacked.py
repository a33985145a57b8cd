"""Many runs scored at once: a hundred variants of some hundred queries are small tables, and many of them.

Each query of each variant becomes a query of one run, and so do the judgments; what comes of it is taken
apart again. A comparison made so is the one that `compare` makes of the two runs alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankgate.runs.store.hits import answer_digests, tokens_estimated
from rankgate.runs.store.schemas import HITS, TEXTS
from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.comparison import Comparison, query_groups
from rankgate.scoring.evaluate import score
from rankgate.scoring.matches import Column
from rankgate.scoring.placements import JudgedHits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.runs.store.run_folder import StoredRun
    from rankgate.scoring.matches import Bools, Ints
    from rankgate.scoring.scores import Scores
    from rankgate.truth.judgments.table import Judgments

_APART = "\x1f"
_MOST = 20_000
"""How many queries are scored at once; more would fill the memory."""


@dataclass(frozen=True, slots=True, eq=False)
class _Scored:
    """One run, scored."""

    run: StoredRun
    scores: Scores
    hits: JudgedHits
    first: Ints
    answers: pl.Series
    """Its answers as numbers, in the order of the judgments; null where a query was not asked."""


def stacked_comparisons(
    judgments: Judgments, base: StoredRun, others: Sequence[StoredRun], metrics: Sequence[str]
) -> list[Comparison]:
    """Compare each of some runs with a base; all answer the same questions at the same depth."""
    step = max(1, _MOST // max(1, len(judgments.cases)))
    (first,) = _scored(judgments, [base], metrics)
    scored = [
        one
        for at in range(0, len(others), step)
        for one in _scored(judgments, others[at : at + step], metrics)
    ]
    groups, nobody = query_groups(judgments), np.zeros(len(judgments.cases), dtype=bool)
    return [
        Comparison(
            before=first.scores,
            after=one.scores,
            shared=~one.scores.estimated & ~one.scores.gone,
            hits_before=first.hits,
            hits_after=one.hits,
            first_before=first.first,
            first_after=one.first,
            changed=_changed(first.answers, one.answers),
            groups=groups,
            left_out=nobody,
        )
        for one in scored
    ]


def _changed(before: pl.Series, after: pl.Series) -> Bools:
    return ~(before == after).fill_null(value=False).to_numpy()


def _scored(judgments: Judgments, runs: Sequence[StoredRun], metrics: Sequence[str]) -> list[_Scored]:
    """Score some runs as if they were one."""
    whole, size = _stack(judgments, len(runs)), len(judgments.cases)
    run = _together(runs)
    scores = score(whole, run, metrics, depth=runs[0].manifest.k if runs else None)
    reached = _apart(JudgedHits(whole, run).rows, len(runs))
    digests = whole.cases.select("query").join(
        answer_digests(run), on="query", how="left", maintain_order="left"
    )
    found = []
    for at, one in enumerate(runs):
        rows = slice(at * size, (at + 1) * size)
        hits = JudgedHits.joined(judgments, one, reached[at])
        own = _part(judgments, scores, one, rows)
        found.append(_Scored(one, own, hits, hits.first_relevant(), digests["answer"][rows]))
    return found


def _stack(judgments: Judgments, times: int) -> Judgments:
    """Repeat judgments, the queries of each time under names of their own."""
    targets, cases = (
        pl.concat([_renamed(table, at) for at in range(times)])
        for table in (judgments.targets, judgments.cases)
    )
    return replace(judgments, targets=targets, cases=cases)


def _renamed(table: pl.DataFrame, at: int) -> pl.DataFrame:
    return table.with_columns(query=pl.lit(f"{at}{_APART}") + pl.col("query"))


def _together(runs: Sequence[StoredRun]) -> MemoryRun:
    """Read runs into one, the queries of each under names of their own."""
    shards = [(at, shard) for at, run in enumerate(runs) for shard in run.shards()]
    queries = [_renamed(shard.queries, at) for at, shard in shards]
    hits = [_renamed(shard.scan_hits(HITS.names).collect(), at) for at, shard in shards]
    whole = Shard(pl.concat(queries), pl.concat(hits), TEXTS.empty())
    return MemoryRun("variants", [whole], estimated=any(map(tokens_estimated, runs)))


def _apart(rows: pl.DataFrame, times: int) -> list[pl.DataFrame]:
    """Return the rows of each time, under the names that queries have."""
    at, query = (pl.col("query").str.splitn(_APART, 2).struct.field(f"field_{number}") for number in (0, 1))
    parts = rows.with_columns(at=at, query=query).partition_by("at", as_dict=True, include_key=False)
    return [parts.get((str(number),), rows.clear()) for number in range(times)]


def _part(judgments: Judgments, scores: Scores, run: StoredRun, rows: slice) -> Scores:
    """Return the scores of one of the runs."""
    return replace(
        scores,
        run=run.name,
        queries=judgments.cases["query"],
        status=scores.status[rows],
        columns={
            label: Column(column.values[rows], column.defined[rows])
            for label, column in scores.columns.items()
        },
        weights=scores.weights[rows],
        unreviewed=scores.unreviewed[rows],
        estimated=scores.estimated[rows],
        gone=scores.gone[rows],
        # What was left out of all of them together is said of none.
        unjudged=0,
        notes=judgments.notes,
        tokens_estimated=tokens_estimated(run),
    )
