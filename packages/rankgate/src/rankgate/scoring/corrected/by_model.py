"""Judgments as they would be if a model had said what people say: for means that are corrected by people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankgate.scoring.corrected.mean import CorrectedMean, corrected_mean
from rankgate.scoring.repeats import score_all
from rankgate.truth.judgments.table import TARGETS, Judgments
from rankgate.truth.model_truth import FEWEST

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.runs.store.tables import Run
    from rankgate.scoring.scores import Scores
    from rankgate.truth.model_truth import ModelTruth

_PLACE = ("query", "id", "path", "start", "end")


def by_the_model(judgments: Judgments, model: ModelTruth) -> Judgments:
    """Return judgments in which the model speaks for people, in the queries that they graded whole.

    Every target and label that overlaps a passage that both graded is replaced by the model's grade of it.
    """
    rows = TARGETS.conform(TARGETS.of_rows([dict(row) for row in model.rows]), "labels of a model")
    beside = rows.select(*_PLACE).rename({name: f"model_{name}" for name in _PLACE})
    numbered = judgments.targets.with_row_index("row")
    met = numbered.join(beside, left_on="query", right_on="model_query", how="inner").filter(
        (pl.col("id").is_not_null() & (pl.col("id") == pl.col("model_id")))
        | ((pl.col("path") == pl.col("model_path")) & _overlap())
    )
    kept = numbered.join(met.select("row").unique(), on="row", how="anti").sort("row").drop("row")
    return Judgments.of(
        pl.concat([kept, rows]),
        judgments.cases,
        where="labels of a model",
        matching=judgments.matching,
        max_grade=judgments.max_grade,
        suite=judgments.suite,
        corpus=judgments.corpus,
    )


def _overlap() -> pl.Expr:
    lines = (pl.col("start") <= pl.col("model_end")) & (pl.col("model_start") <= pl.col("end"))
    return pl.col("start").is_null() | pl.col("model_start").is_null() | lines


def corrected_means(
    judgments: Judgments, runs: Sequence[Run], scores: Scores, metrics: Sequence[str], model: ModelTruth
) -> Mapping[str, CorrectedMean]:
    """Return the corrected mean of every metric that is a mean over queries, by its label.

    Nothing where people graded too few queries whole, where the suite does not have grades that count yet, or
    where queries have different weights. A metric is 0 for a query to which nothing relevant is judged.

    Args:
        judgments: What should be found.
        runs: What was found, each time that it was asked.
        scores: What that is worth.
        metrics: The same metrics, as they are written.
        model: What the model says of queries that people graded whole.
    """
    empty = judgments.cases["expect_empty"].to_numpy()
    weights = scores.weights[~empty]
    if len(model.whole) < FEWEST or model.unapplied or (len(weights) and np.ptp(weights) > 0):
        return {}
    replaced = score_all(by_the_model(judgments, model), tuple(runs), metrics, scores.depth)
    counted = ~empty & ~scores.gone & ~scores.estimated
    whole = scores.queries.is_in(list(model.whole)).to_numpy() & counted
    found = {}
    for metric in scores.metrics:
        if metric.statistic != "mean" or metric.unit or not metric.about_labels:
            continue
        by_model, by_people = replaced.columns[metric.label], scores.columns[metric.label]
        f = np.where(by_model.defined, by_model.values, 0.0)
        y = np.where(by_people.defined, by_people.values, 0.0)
        # Where people did not grade a query whole, what is scored is the model's.
        f = np.where(whole, f, y)
        y = np.where(whole, y, np.nan)
        if int(whole.sum()) >= FEWEST:
            found[metric.label] = corrected_mean(f[counted], y[counted])
    return found
