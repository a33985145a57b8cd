"""RunOptions everything several times: how much the answers vary when nothing was changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rankgate.gates.wording import figure
from rankgate.model.verdict import Answer
from rankgate.model.wording import many
from rankgate.runs.store.hits import answer_digests
from rankgate.runs.store.run_folder import repeat_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from rankgate.runs.store.tables import Run
    from rankgate.scoring.metric import Metric
    from rankgate.scoring.scores import Scores


def repeat_folders(folder: Path | None, times: int) -> list[Path | None]:
    """Name the folders of the second time and all later ones, inside that of the run."""
    return [None if folder is None else repeat_folder(folder, number) for number in range(2, times + 1)]


def noise(scores: Sequence[Scores], runs: Sequence[Run]) -> tuple[str, ...]:
    """Return how far the metrics of equal runs lie apart, and how many answers were not the same."""
    if len(runs) < 2:
        return ()
    varied, queries = varying(runs), len(scores[0].queries)
    words = [f"asked {len(runs)} times: {varied} of {many(queries, 'query', 'queries')} answered differently"]
    words += [
        f"{failed} of {many(queries, 'query', 'queries')} errored in repeat {number}"
        for number, run in enumerate(runs[1:], 2)
        if (failed := errored(run))
    ]
    apart = spreads(scores)
    for metric, values in _measured(scores):
        shown = ", ".join(figure(value, metric.unit, decimals=4) for value in values)
        spread = figure(apart[metric.label], metric.unit, decimals=4)
        words.append(f"{metric.label} in {len(values)} runs: {shown} (range {spread})")
    return tuple(words)


def spreads(scores: Sequence[Scores]) -> dict[str, float]:
    """Return the largest value of every metric less the smallest, by its label, where any run has one."""
    return {metric.label: max(values) - min(values) for metric, values in _measured(scores)}


def _measured(scores: Sequence[Scores]) -> Iterator[tuple[Metric, list[float]]]:
    for metric in scores[0].metrics:
        values = [value for one in scores if (value := one[metric.label]) is not None]
        if values:
            yield metric, values


def errored(run: Run) -> int:
    """Count the queries that the system failed to answer."""
    bad = [Answer.ERROR.value, Answer.TIMEOUT.value]
    return sum(int(shard.queries["status"].is_in(bad).sum()) for shard in run.shards())


def varying(runs: Sequence[Run]) -> int:
    """Count the queries whose hits are not the same, in the same order, in every run."""
    answers = pl.concat([answer_digests(run) for run in runs])
    distinct = answers.group_by("query").agg(kinds=pl.col("answer").n_unique(), runs=pl.len())
    return distinct.filter((pl.col("kinds") > 1) | (pl.col("runs") < len(runs))).height
