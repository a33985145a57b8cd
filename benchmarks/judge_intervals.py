"""Ways to bound a weighted kappa from below, beside each other: how often each is above the truth."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from judge_worlds import JUDGES, World
from page_tables import table_of
from rankgate.judging.agreement.kappa import cohen_kappa
from rankgate.judging.calibration.calibrate import calibrate
from rankgate.judging.calibration.drawing import draw_pairs
from rankgate.judging.calibration.sample import PairSample

if TYPE_CHECKING:
    from numpy.random import Generator

    from rankgate.scoring.matches import Floats

DRAWS = 250
RESAMPLES = 500
QUERIES = 100
PAIRS = (100, 300)
NAMES = ("good, kappa 0.85", "at the bar: kappa 0.60", "at the bar: bias 0.10")
WAYS = ("bootstrap, percentiles", "bootstrap, BCa", "jackknife and t", "as rankgate does")


def compared_bounds() -> str:
    """Return the shares of lower bounds that are above the true kappa, by way, judge and number of pairs."""
    rows = []
    for judge in (one for one in JUDGES if one.name in NAMES):
        large = World.drawn(np.random.default_rng(1), 50_000, named=False)
        grades = judge.grades(np.random.default_rng(2), large)
        truth = _kappa_of(grades, large.truth.astype(np.float64))
        for pairs in PAIRS:
            above = np.zeros(len(WAYS))
            for draw in range(DRAWS):
                chance = np.random.default_rng((8, draw))
                world = World.drawn(chance, QUERIES)
                pool = world.pool(judge.grades(chance, world))
                people = np.full(len(pool.keys), np.nan)
                drawn = draw_pairs(pool, pairs, seed=draw)
                people[drawn] = world.truth[drawn]
                low = calibrate(pool, people).kappa.low
                found = (*_resampled(PairSample.of(pool, people), chance), -1.0 if low is None else low)
                above += np.array(found) > truth
            rows.append((judge.name, str(pairs), *(f"{share:.1%}" for share in above / DRAWS)))
    return table_of(("judge", "pairs", *WAYS), rows)


def _kappa_of(model: Floats, people: Floats) -> float:
    table = np.zeros((4, 4))
    np.add.at(table, (model.astype(np.int64), people.astype(np.int64)), 1)
    return float(cohen_kappa(table, weights="quadratic"))


def _resampled(sample: PairSample, chance: Generator) -> tuple[float, float, float]:
    """Return the lower bounds of three ways that draw, or leave out, whole queries.

    Weights are worked out again in each resample; a stratum that it has no pair of keeps none.
    """
    strata, queries = int(sample.strata.max()) + 1, int(sample.queries.max()) + 1
    model, people = sample.model.astype(np.int64), sample.people.astype(np.int64)
    cells = np.zeros((queries, strata, 4, 4))
    np.add.at(cells, (sample.queries, sample.strata, model, people), 1.0)
    share = np.bincount(sample.strata, weights=sample.weights)

    def kappas(drawn: Floats) -> Floats:
        tables = np.tensordot(drawn, cells, 1)
        given = tables.sum(axis=(-2, -1), keepdims=True)
        weighted = np.divide(tables, given, out=np.zeros_like(tables), where=given > 0)
        return cohen_kappa((weighted * share[:, None, None]).sum(axis=1), weights="quadratic")

    whole = float(kappas(np.ones((1, queries)))[0])
    booted = kappas(chance.multinomial(queries, np.full(queries, 1 / queries), RESAMPLES).astype(np.float64))
    left_out = kappas(1.0 - np.eye(queries))
    return (
        float(np.quantile(booted, 0.025)),
        float(np.quantile(booted, _bca(booted, left_out, whole))),
        whole - 1.98 * math.sqrt((queries - 1) / queries * float(((left_out - left_out.mean()) ** 2).sum())),
    )


def _bca(booted: Floats, left_out: Floats, whole: float) -> float:
    """Return the quantile that bias-corrected and accelerated bounds take in place of 2.5 %."""
    normal = NormalDist()
    shift = normal.inv_cdf(min(max(float((booted < whole).mean()), 1e-3), 1 - 1e-3))
    away = left_out.mean() - left_out
    lean = float((away**3).sum()) / (6 * max(float((away**2).sum()), 1e-300) ** 1.5)
    z = shift + normal.inv_cdf(0.025)
    return normal.cdf(shift + z / (1 - lean * z))
