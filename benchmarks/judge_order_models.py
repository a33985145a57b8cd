"""`just bench-judge-models`: how many judgments of people a model's labels save, where they order the queue.

Comparisons are drawn as in judge_order.py, and all grades held back. A simulated model graded every
candidate, by a confusion matrix of judge_worlds.py. People judge by effect until the comparison is certain:
without the model's labels, with those of a good model, of one at the bar of calibration, and of a random one.
The labels order and settle nothing, so that every verdict is certain in the end. `--check` exits with 1
where a good model saves nothing in the mean, or a random one costs more than a tenth.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

import numpy as np

from judge_order import SEED, SETS, drawn_goal
from judge_worlds import AT_THE_BAR, GOOD, RANDOM
from judged_systems import judged_sets, shared_data
from rankgate.judging.order.effect_order import EffectOrder

if TYPE_CHECKING:
    from judge_order import Drawn
    from rankgate.scoring.matches import Floats

COMPARISONS = 12
MODELS = {"good, kappa 0.85": GOOD, "at the bar, kappa 0.60": AT_THE_BAR, "random": RANDOM}
_MOST_LOST = 1.1


def main() -> int:
    """Draw, simulate, print and judge."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--comparisons", type=int, default=COMPARISONS)
    arguments = parser.parse_args()
    SETS.extend(judged_sets(shared_data()))
    needed: dict[str, list[int]] = {name: [] for name in ("none", *MODELS)}
    units = []
    for number in range(arguments.comparisons):
        drawn = drawn_goal(np.random.default_rng((SEED, number)), gate=False)
        units.append(len(drawn.grades))
        needed["none"].append(_judged(drawn, None))
        for at, (name, confusion) in enumerate(MODELS.items()):
            chance = np.random.default_rng((SEED, 3, number, at))
            needed[name].append(_judged(drawn, _opinions(drawn, confusion, chance)))
    print(f"{arguments.comparisons} comparisons, {np.median(units):.0f} candidates in the median\n")
    print("| labels of a model | judgments until certain, mean | median | of those without |")
    print("|---|---|---|---|")
    shares = {}
    for name, counts in needed.items():
        shares[name] = sum(counts) / sum(needed["none"])
        print(f"| {name} | {np.mean(counts):.1f} | {np.median(counts):.0f} | {shares[name]:.3f} |")
    missed = shares["good, kappa 0.85"] >= 1 or shares["random"] > _MOST_LOST
    print("\nmissed" if missed else "\nevery goal is reached")
    return int(missed and arguments.check)


def _opinions(drawn: Drawn, confusion: tuple[tuple[float, ...], ...], chance: np.random.Generator) -> Floats:
    """Draw what a model says of every candidate, as a share of the scale.

    A matrix has four grades; the grades of a collection are spread over them.
    """
    steps = len(confusion) - 1
    true = np.rint(np.clip(drawn.grades / drawn.candidates.top, 0.0, 1.0) * steps).astype(np.int64)
    rows = np.array(confusion)[true]
    given = (chance.random(len(rows))[:, None] > np.cumsum(rows, axis=1)[:, :-1]).sum(axis=1)
    share: Floats = given / steps
    return share


def _judged(drawn: Drawn, opinions: Floats | None) -> int:
    """Judge by effect until the comparison is certain, and return how many judgments that took."""
    order, labels = EffectOrder(drawn.candidates, drawn.goal, opinions=opinions), dict[int, float]()
    while order.standing(labels).certain is None:
        unit = order.next(labels)
        if unit is None:
            raise AssertionError("nothing is left to judge, and nothing is settled")
        labels[unit] = float(drawn.grades[unit])
    return len(labels)


if __name__ == "__main__":
    sys.exit(main())
