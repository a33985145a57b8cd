"""`just bench-calibration`: whether the bar of model judges keeps bad ones out and lets good ones in.

    python benchmarks/judge_calibration.py           print every figure
    python benchmarks/judge_calibration.py --check   and exit with 1 where one misses its goal

Judges of known confusion (`judge_worlds.py` has the matrices) grade simulated pools of two systems; people,
who are always right here, grade the pairs that are drawn. Everything is seeded.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import numpy as np

from judge_intervals import compared_bounds
from judge_worlds import JUDGES, World, ndcg
from page_tables import table_of
from rankgate.judging.agreement.kappa import cohen_kappa
from rankgate.judging.calibration.calibrate import KAPPA_BAR, calibrate
from rankgate.judging.calibration.drawing import draw_pairs
from rankgate.scoring.corrected.mean import corrected_mean
from rankgate.truth.model_truth import FEWEST

if TYPE_CHECKING:
    from rankgate.judging.calibration.calibrate import Calibration
    from rankgate.judging.calibration.pool import CalibrationPool
    from rankgate.scoring.matches import Floats

DRAWS = 1000
QUERIES = 100
PAIRS = (100, 200, 250, 300, 400)
MOST_BAD, LEAST_GOOD = 0.05, 0.8
REPETITIONS = 2000
ALL_QUERIES = 200
COVERED = (0.935, 0.965)


def main() -> None:
    """Measure, print and judge."""
    start = time.perf_counter()
    print("## Judges\n")
    print(judges_table())
    print(f"\n## How often each passes, {DRAWS:,} draws of {QUERIES} queries\n")
    failed = passing()
    print("\n## The lower bound of kappa above the truth; 2.5 % is what is promised\n")
    print(compared_bounds())
    print(f"\n## Corrected means, {REPETITIONS:,} repetitions, {FEWEST} of {ALL_QUERIES} queries by people\n")
    failed += corrected()
    print(f"\n{time.perf_counter() - start:,.0f} s")
    if failed:
        print("missed: " + "; ".join(failed))
    if failed and "--check" in sys.argv:
        sys.exit(1)


def judges_table() -> str:
    """Return what each judge is in truth, over many queries."""
    world = World.drawn(np.random.default_rng(1), 20_000, named=False)
    rows = []
    for number, judge in enumerate(JUDGES):
        grades = judge.grades(np.random.default_rng((2, number)), world)
        apart = grades - world.truth
        table = np.zeros((4, 4))
        np.add.at(table, (grades.astype(np.int64), world.truth), 1)
        bias = [float(apart[world.ranks[:, system] > 0].mean()) for system in (0, 1)]
        first = (world.ranks == 1).any(axis=1)
        rows.append(
            (
                judge.name,
                f"{float(cohen_kappa(table, weights='quadratic')):.3f}",
                f"{bias[0]:+.3f}",
                f"{bias[1]:+.3f}",
                f"{bias[0] - bias[1]:+.3f}",
                f"{apart[first].mean() - apart[~first].mean():+.3f}",
            )
        )
    columns = ("judge", "quadratic kappa", "bias to one", "to the other", "between", "to rank 1")
    return table_of(columns, rows)


def passing() -> list[str]:
    """Print how often each judge passes the bar, and by its first two conditions alone."""
    passed = np.zeros((len(JUDGES), len(PAIRS)))
    without = np.zeros_like(passed)
    for draw in range(DRAWS):
        world = World.drawn(np.random.default_rng((3, draw)), QUERIES)
        for row, judge in enumerate(JUDGES):
            pool = world.pool(judge.grades(np.random.default_rng((4, draw, row)), world))
            for column, pairs in enumerate(PAIRS):
                found = measured(world, pool, pairs, seed=draw)
                passed[row, column] += found.passed
                low = found.kappa.low
                kappa = low is not None and low >= KAPPA_BAR
                without[row, column] += kappa and all(each.within for each in found.between)
    columns = ("passes, by pairs", *map(str, PAIRS))
    for title, counts in (("", passed), (", kappa and bias between systems alone", without)):
        rows = [
            (f"{judge.name}{title}", *(f"{share:.1%}" for share in counts[row] / DRAWS))
            for row, judge in enumerate(JUDGES)
        ]
        print(table_of(columns, rows), end="\n\n", flush=True)
    return _judged(passed / DRAWS)


def measured(world: World, pool: CalibrationPool, pairs: int, seed: int) -> Calibration:
    """Draw pairs, let people grade them, and calibrate."""
    people = np.full(len(pool.keys), np.nan)
    drawn = draw_pairs(pool, pairs, seed)
    people[drawn] = world.truth[drawn]
    return calibrate(pool, people)


def _judged(shares: Floats) -> list[str]:
    failed = []
    for row, judge in enumerate(JUDGES):
        if judge.bad:
            wrong = [str(pairs) for pairs, share in zip(PAIRS, shares[row], strict=True) if share > MOST_BAD]
            failed += [f"{judge.name} passes too often with {', '.join(wrong)} pairs"] if wrong else []
    good = shares[[row for row, judge in enumerate(JUDGES) if not judge.bad]].min(axis=0)
    enough = [pairs for pairs, share in zip(PAIRS, good, strict=True) if share >= LEAST_GOOD]
    if not enough:
        return [*failed, "no number of pairs lets good judges pass"]
    print(f"Good judges pass in at least {LEAST_GOOD:.0%} from {enough[0]} pairs on.")
    if enough[0] > PAIRS[0]:
        print(f"{PAIRS[0]} pairs cannot do both: the good judges pass in {good[0]:.1%} at least.")
    return failed


def corrected() -> list[str]:
    """Print how often the interval of a corrected mean has the truth, for a judge biased to a system."""
    judge = next(one for one in JUDGES if one.name == "biased to a system")
    model: list[list[Floats]] = []
    truth = []
    for repetition in range(REPETITIONS):
        world = World.drawn(np.random.default_rng((5, repetition)), ALL_QUERIES, named=False)
        grades = judge.grades(np.random.default_rng((6, repetition)), world)
        right = world.truth.astype(np.float64)
        each = [[ndcg(world, by, system, ALL_QUERIES) for system in (0, 1)] for by in (grades, right)]
        model.append([*each[0], each[0][0] - each[0][1]])
        truth.append([*each[1], each[1][0] - each[1][1]])
    true_means = np.mean(truth, axis=(0, 2))
    rows, failed = [], []
    for at, name in enumerate(("nDCG@10 of one", "nDCG@10 of the other", "the difference")):
        covered = naive = 0
        widths = []
        for repetition in range(REPETITIONS):
            chosen = np.random.default_rng((7, repetition)).permutation(ALL_QUERIES)[:FEWEST]
            people = np.full(ALL_QUERIES, np.nan)
            people[chosen] = truth[repetition][at][chosen]
            found = corrected_mean(model[repetition][at], people)
            covered += found.low <= true_means[at] <= found.high
            widths.append(found.high - found.low)
            alone = corrected_mean(model[repetition][at], model[repetition][at])
            naive += alone.low <= true_means[at] <= alone.high
        share = covered / REPETITIONS
        by_model = float(np.mean([one[at].mean() for one in model]))
        rows.append(
            (
                name,
                f"{true_means[at]:.4f}",
                f"{by_model:.4f}",
                f"{share:.1%}",
                f"{np.mean(widths):.3f}",
                f"{naive / REPETITIONS:.1%}",
            )
        )
        failed += [] if COVERED[0] <= share <= COVERED[1] else [f"coverage of {name}"]
    columns = ("", "truth", "by the model", "corrected covers", "width", "the model alone covers")
    print(table_of(columns, rows))
    return failed


if __name__ == "__main__":
    main()
