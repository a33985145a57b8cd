"""The same queries asked several times: what each is worth on the whole."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankgate.model import Answer
from rankgate.scoring.evaluate import score
from rankgate.scoring.matches import Column

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rankgate.runs.store.tables import Run
    from rankgate.scoring.matches import Ints
    from rankgate.scoring.scores import Scores
    from rankgate.truth.judgments.table import Judgments

_WORSE = (Answer.OK, Answer.MISSING, Answer.TIMEOUT, Answer.ERROR)
"""How a query ended, from good to bad: of several times the worst counts."""


def score_all(
    judgments: Judgments,
    runs: Iterable[Run],
    metrics: Sequence[str],
    depth: int | None = None,
    *,
    trec: bool = False,
) -> Scores:
    """Score a run and its repeats: the value of a query is its mean over them."""
    return mean_scores([score(judgments, run, metrics, trec=trec, depth=depth) for run in runs])


def mean_scores(each: Sequence[Scores]) -> Scores:
    """Return the mean of each query over its repeats; one that failed once has failed.

    A value that a repeat does not have is left out of the query's mean.
    """
    first = each[0]
    if len(each) == 1:
        return first
    ranks = [[_WORSE.index(Answer(one)) for one in scores.status.to_list()] for scores in each]
    worst = [_WORSE[max(several)].value for several in zip(*ranks, strict=True)]
    columns = {label: _mean([one.columns[label] for one in each]) for label in first.columns}
    status = pl.Series("status", worst, dtype=pl.String)
    return replace(first, columns=columns, status=status, times=len(each))


def _mean(columns: Sequence[Column]) -> Column:
    defined = np.stack([one.defined for one in columns])
    values = np.where(defined, np.stack([one.values for one in columns]), 0.0)
    number = defined.sum(axis=0)
    return Column(values.sum(axis=0) / np.maximum(number, 1), number > 0)


def usual_ranks(ranks: Sequence[Ints]) -> Ints:
    """Return the smallest rank that at least half of the repeats reach; 0 where fewer have any.

    >>> usual_ranks([np.array([1, 3, 0]), np.array([0, 7, 0]), np.array([2, 5, 1])]).tolist()
    [2, 5, 0]
    """
    absent = np.iinfo(np.int64).max
    every = np.sort(np.stack([np.where(one > 0, one, absent) for one in ranks]), axis=0)
    usual = every[(len(ranks) + 1) // 2 - 1]
    found: Ints = np.where(usual == absent, 0, usual)
    return found
