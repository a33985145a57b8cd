"""`just bench-judge-order`: how many judgments settle a comparison, by effect, by rank and in random order.

Comparisons are drawn from judged collections (judged_systems.py): some queries, two systems, a metric. All
grades are held back and handed out one by one, in three orders: by effect, by rank over all queries as a
pool is judged, and at random; each stops by the same rule. Wrong verdicts count as if everything had to be
judged. The goal: by effect at most half as many as by rank in the median, by both rules, and at least 95 %
of likely verdicts right. `--check` exits with 1 where it is missed.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from typing import TYPE_CHECKING

import numpy as np

from judged_systems import JudgedSet, judged_sets, shared_data
from rankgate.judging.order.candidates import Candidates
from rankgate.judging.order.effect_order import EffectOrder
from rankgate.judging.order.goal import DifferenceGoal, GateGoal
from rankgate.judging.order.state import OrderState
from rankgate.scoring.expressions import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rankgate.judging.order.effect_order import Until
    from rankgate.judging.order.goal import Goal
    from rankgate.scoring.matches import Floats, Ints

COMPARISONS, GATES, SEED = 200, 60, 20_261
METRICS = ("ndcg@10", "ndcg@10", "ndcg@5", "p@10", "p@5", "rr@10", "r@10", "hit@5")
"""What is drawn from; ndcg@10 twice as often."""
QUERIES = (20, 40, 80)
AWAY = (-0.1, -0.05, -0.02, 0.02, 0.05, 0.1)
"""How far the bound of a gate lies from the true value."""
ORDERS = ("effect", "rank", "random")
RULES: tuple[Until, ...] = ("certain", "likely")
HALF, RIGHT = 0.5, 0.95

SETS: list[JudgedSet] = []


@dataclass(frozen=True, slots=True)
class Drawn:
    """A comparison or a gate with the grades that are held back."""

    collection: str
    candidates: Candidates
    goal: Goal
    grades: Floats
    sign: int
    """The true verdict."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one order needed by one rule."""

    collection: str
    metric: str
    units: int
    """How many candidates there are."""
    needed: dict[tuple[Until, str], int]
    """The judgments until the verdict was settled, by rule and order."""
    right: dict[tuple[Until, str], bool]
    """Whether it was the true one."""
    estimates: dict[Until, list[float]]
    """What was said to remain over what did remain, by effect."""

    def counted(self, rule: Until, order: str) -> int:
        """Return the judgments until settled and right: all there are where it was wrong."""
        return self.needed[rule, order] if self.right[rule, order] else self.units


def main() -> int:
    """Draw, simulate, print and judge."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--comparisons", type=int, default=COMPARISONS)
    parser.add_argument("--gates", type=int, default=GATES)
    arguments = parser.parse_args()
    SETS.extend(judged_sets(shared_data()))
    with ProcessPoolExecutor(2, mp_context=get_context("fork")) as pool:
        compared = list(pool.map(comparison, range(arguments.comparisons), chunksize=4))
        gated = list(pool.map(gate, range(arguments.gates), chunksize=4))
    missed = _print(f"{len(compared)} comparisons", compared, RULES)
    _print(f"{len(gated)} gates, bounds 0.02 to 0.1 from the true value", gated, RULES[:1])
    _print_parts(compared, lambda one: one.collection)
    _print_parts(compared, lambda one: one.metric)
    print("\nmissed: " + "; ".join(missed) if missed else "\nevery goal is reached")
    return int(bool(missed) and arguments.check)


def comparison(number: int) -> Outcome:
    """Simulate one comparison."""
    return _simulated(drawn_goal(np.random.default_rng((SEED, number)), gate=False), number)


def gate(number: int) -> Outcome:
    """Simulate one gate."""
    return _simulated(drawn_goal(np.random.default_rng((SEED, 1, number)), gate=True), number)


def drawn_goal(rng: np.random.Generator, *, gate: bool) -> Drawn:
    """Draw until there is something to settle: a difference, and not yet settled without a judgment."""
    while True:
        one = SETS[rng.integers(len(SETS))]
        systems = [one.systems[at] for at in rng.choice(len(one.systems), 1 if gate else 2, replace=False)]
        names = list(one.grades)
        names = [names[at] for at in rng.permutation(len(names))[: int(rng.choice(QUERIES))]]
        metric = parse(str(rng.choice(METRICS)))
        depth = metric.needs_hits(10)
        rows: list[tuple[int, list[int], float]] = []
        for number, query in enumerate(names):
            lists = [system[query][:depth] for system in systems]
            for hit in sorted(set().union(*lists)):
                ranks = [hits.index(hit) + 1 if hit in hits else 0 for hits in lists]
                rows.append((number, ranks, one.grade(query, hit)))
        top = max(max(row.values()) for row in one.grades.values())
        numbers, places = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
        candidates = Candidates.of_ranks(numbers, places, len(names), top)
        grades = np.array([row[2] for row in rows])
        goal: Goal = DifferenceGoal(metric)
        if gate:
            value = _whole(candidates, GateGoal(metric, 0.0), grades)[0]
            goal = GateGoal(metric, min(0.99, max(0.01, value + float(rng.choice(AWAY)))))
        low, high = _whole(candidates, goal, grades)
        sign = goal.sign(low, high)
        if sign and abs(low) > 1e-6 and goal.sign(*OrderState(candidates, goal).ends()) is None:
            return Drawn(one.name, candidates, goal, grades, sign)


def _whole(candidates: Candidates, goal: Goal, grades: Floats) -> tuple[float, float]:
    """Return both ends with everything judged, which are the same."""
    state = OrderState(candidates, goal)
    state.take(np.ones(len(grades), dtype=bool), grades)
    return state.ends()


def _simulated(drawn: Drawn, number: int) -> Outcome:
    candidates, units = drawn.candidates, len(drawn.grades)
    best = np.where(candidates.ranks > 0, candidates.ranks, np.iinfo(np.int64).max).min(axis=1)
    orders = {
        "effect": None,
        "rank": np.lexsort((candidates.query, best)),
        "random": np.random.default_rng((SEED, 2, number)).permutation(units),
    }
    needed: dict[tuple[Until, str], int] = {}
    right: dict[tuple[Until, str], bool] = {}
    estimates: dict[Until, list[float]] = {}
    for rule in RULES if drawn.goal.compares else RULES[:1]:
        for name, order in orders.items():
            if rule == "certain" and order is not None:
                needed[rule, name], sign = _searched(drawn, order)
            else:
                needed[rule, name], sign, said = _judged(drawn, rule, order)
                if order is None:
                    estimates[rule] = _against(said, needed[rule, name])
            right[rule, name] = sign == drawn.sign
    metric = drawn.goal.metric.label
    return Outcome(drawn.collection, metric, units, needed, right, estimates)


def _judged(drawn: Drawn, rule: Until, order: Ints | None) -> tuple[int, int, list[int]]:
    """Judge one by one until the verdict is settled; return how many, the verdict, and what was estimated."""
    effect, labels = EffectOrder(drawn.candidates, drawn.goal, rule), dict[int, float]()
    said: list[int] = []
    while (sign := effect.standing(labels).settled(rule)) is None:
        if order is None:
            said.append(effect.remaining(labels).judgments)
        unit = effect.next(labels) if order is None else int(order[len(labels)])
        if unit is None:
            raise AssertionError("nothing is left to judge, and nothing is settled")
        labels[unit] = float(drawn.grades[unit])
    return len(labels), sign, said


def _searched(drawn: Drawn, order: Ints) -> tuple[int, int]:
    """Return the same of a fixed order by the bounds alone, which only ever become narrower: by bisection."""

    @cache
    def sign(number: int) -> int | None:
        judged = np.zeros(len(order), dtype=bool)
        judged[order[:number]] = True
        state = OrderState(drawn.candidates, drawn.goal)
        state.take(judged, np.where(judged, drawn.grades, 0.0))
        return drawn.goal.sign(*state.ends())

    low, high = 0, len(order)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if sign(middle) is not None else (middle + 1, high)
    return low, sign(low) or 0


def _against(said: Sequence[int], needed: int) -> list[float]:
    """Return estimates over what did remain: after ten judgments, half and three quarters of the way."""
    moments = {10, needed // 2, needed * 3 // 4}
    return [said[at] / (needed - at) for at in sorted(moments) if at < needed]


def _print(title: str, outcomes: Sequence[Outcome], rules: Sequence[Until]) -> list[str]:
    """Print the judgments by rule and order; return what misses the goal."""
    missed: list[str] = []
    if not outcomes:
        return missed
    print(f"\n{title}, {np.median([one.units for one in outcomes]):.0f} candidates in the median\n")
    print("| rule | order | judgments, median (quartiles) | of rank order | paired | right |")
    print("|---|---|---|---|---|---|")
    for rule in rules:
        rank = np.array([one.counted(rule, "rank") for one in outcomes])
        for order in ORDERS:
            count = np.array([one.counted(rule, order) for one in outcomes])
            right = float(np.mean([one.right[rule, order] for one in outcomes]))
            low, middle, high = np.quantile(count, (0.25, 0.5, 0.75))
            ratio, paired = middle / np.median(rank), float(np.median(count / np.maximum(rank, 1)))
            figures = f"{middle:.0f} ({low:.0f} to {high:.0f}) | {ratio:.2f} | {paired:.2f} | {right:.1%}"
            print(f"| {rule} | {order} | {figures} |", flush=True)
            if order == "effect" and max(ratio, paired) > HALF:
                missed.append(f"{rule}: {ratio:.2f} of rank order, paired {paired:.2f}")
            if order == "effect" and right < RIGHT:
                missed.append(f"{rule}: {right:.1%} right")
    for rule in rules:
        said = np.quantile([ratio for one in outcomes for ratio in one.estimates[rule]], (0.25, 0.5, 0.75))
        print(f"\n{rule}: estimated over real, median {said[1]:.2f} ({said[0]:.2f} to {said[2]:.2f})", end="")
    print()
    return missed


def _print_parts(outcomes: Sequence[Outcome], part: Callable[[Outcome], str]) -> None:
    """Print the medians of each part of the comparisons."""
    print("\n| | comparisons | certain: effect, rank, random | likely: effect, rank, random | likely right |")
    print("|---|---|---|---|---|")
    for name in sorted({part(one) for one in outcomes}):
        these = [one for one in outcomes if part(one) == name]
        medians = [
            ", ".join(f"{np.median([one.counted(rule, order) for one in these]):.0f}" for order in ORDERS)
            for rule in RULES
        ]
        right = np.mean([one.right["likely", "effect"] for one in these])
        print(f"| {name} | {len(these)} | {medians[0]} | {medians[1]} | {right:.0%} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
