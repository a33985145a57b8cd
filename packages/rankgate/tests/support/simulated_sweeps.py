"""Sweeps whose truth is known: ranks drawn for each variant and query, and what the product says of them.

A query is easy or hard, for all variants alike. A variant finds its one target with that chance, less what
the variant loses, at a rank that is drawn; so the true difference of two variants is known.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankgate.locations import Location
from rankgate.model import Case, Suite, Target
from rankgate.reports.compare import ComparedMetric, Finding
from rankgate.runs.store.tables import MemoryRun
from rankgate.scoring.comparison import Comparison, query_groups
from rankgate.scoring.expressions import parse
from rankgate.scoring.matches import Column
from rankgate.scoring.placements import JudgedHits
from rankgate.scoring.scores import Scores
from rankgate.sweeps.held_out import split
from rankgate.sweeps.table import compared_family, leading
from rankgate.truth.resolve import resolve

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.random import Generator

    from rankgate.scoring.matches import Floats, Ints

METRIC = "ndcg@10"
VARIANTS = 20
ALPHA = 0.05
HELD_OUT = 0.3
_EASY, _HARD = 4.0, 1.5
_RANKS = np.array([0.55, 0.16, 0.09, 0.06, 0.04, 0.03, 0.03, 0.02, 0.01, 0.01])
_GAINS = 1 / np.log2(np.arange(2, 12))


def simulated_suite(cases: int) -> Suite:
    """Queries with one target each."""
    every = (Case(f"q{at}", f"q{at}", (Target(Location.of_id(f"right{at}")),)) for at in range(cases))
    return Suite("simulated", tuple(every), metrics=(METRIC,))


def drawn_ranks(chance: Generator, cases: int, lost: Floats) -> Ints:
    """The rank of the target, a row a variant; 0 where it is not found. `lost` is what each variant loses."""
    found = chance.beta(_EASY, _HARD, cases) * (1 - lost[:, None])
    ranks = chance.choice(np.arange(1, 11), p=_RANKS, size=(len(lost), cases))
    return np.where(chance.random(ranks.shape) < found, ranks, 0)


def true_difference(lost: Floats, variant: int) -> float:
    """What a variant gains over the first, in the mean over all queries like these."""
    found = _EASY / (_EASY + _HARD)
    return float(found * (lost[0] - lost[variant]) * (_RANKS @ _GAINS))


def comparisons(suite: Suite, ranks: Ints) -> list[Comparison]:
    """Every other variant compared with the first, as if the ranks had been scored."""
    judgments = resolve(suite, None).judgments
    size, empty = len(suite.cases), MemoryRun("drawn", ())
    nobody, every = np.zeros(size, dtype=bool), np.ones(size, dtype=bool)
    metrics, groups = (parse(METRIC),), query_groups(judgments)
    queries, status = judgments.cases["query"], pl.Series(["ok"] * size)
    values = np.where(ranks > 0, _GAINS[np.maximum(ranks, 1) - 1], 0.0)
    scores = [
        Scores(
            f"v{at}",
            metrics,
            queries,
            status,
            {metrics[0].label: Column(row, every)},
            np.ones(size),
            nobody,
            nobody,
            nobody,
        )
        for at, row in enumerate(values)
    ]
    hits = JudgedHits(judgments, empty)
    return [
        Comparison(scores[0], one, every, hits, hits, ranks[0], row, every, groups, nobody)
        for one, row in zip(scores[1:], ranks[1:], strict=True)
    ]


def claimed(compared: list[Comparison]) -> list[ComparedMetric]:
    """What the product says of each comparison; every query has a value."""
    return [one for one in compared_family(compared) if one is not None]


@dataclass(frozen=True, slots=True)
class Simulated:
    """What the product says of one sweep."""

    raw: bool
    """Whether some variant differs by its own p value."""
    best_raw: bool
    """Whether the best is better by its own p value."""
    holm: bool
    """Whether some variant differs by Holm's rule: an error where all are equal."""
    marked: bool
    """Whether the table marks some variant as better."""
    apparent: float
    """The difference of the winner where it was chosen, less its true one."""
    measured: float
    """The same on the queries that were held out."""
    held_out: bool
    """Whether the winner differs on those."""


def simulated(suite: Suite, lost: Floats, seed: int) -> Simulated:
    """Draw a sweep, and look at it as `rankgate sweep` does."""
    ranks = drawn_ranks(np.random.default_rng([20_261, seed]), len(suite.cases), lost)
    parts = split(suite, HELD_OUT, seed)
    at = {case.id: number for number, case in enumerate(suite.cases)}
    seen, held = ([at[case.id] for case in part.cases] for part in (parts.seen, parts.held_out))
    claims = claimed(comparisons(parts.seen, ranks[:, seen]))
    best = leading(claims)
    if best is None:
        raise ValueError("a sweep of one variant")
    winner = claims[best]
    (measured,) = claimed(comparisons(parts.held_out, ranks[[0, best + 1]][:, held]))
    truth = true_difference(lost, best + 1)
    return Simulated(
        raw=any(one.p <= ALPHA for one in claims),
        best_raw=winner.difference > 0 and winner.p <= ALPHA,
        holm=any(one.holm is not None and one.holm <= ALPHA for one in claims),
        marked=any(one.finding is Finding.BETTER for one in claims),
        apparent=winner.difference - truth,
        measured=measured.difference - truth,
        held_out=measured.p <= ALPHA,
    )


def equal_sweeps(number: int, cases: int) -> Iterator[Simulated]:
    """Sweeps of twenty variants that are all alike."""
    suite = simulated_suite(cases)
    for seed in range(number):
        yield simulated(suite, np.zeros(VARIANTS), seed)


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """The mean of some values, and its standard error."""
    return float(np.mean(values)), float(np.std(values, ddof=1) / math.sqrt(len(values)))
