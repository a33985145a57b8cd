"""`just bench-plan`: whether what `rankgate plan` says comes true.

Given how queries change, the power that it states beside how often the real test and the real bounds get
there; from stored comparisons the same on average, with how many of its intervals have it; that so many
queries as it says are needed see a drop; that margins which it says can pass do and others never do; and how
often a gate fails by itself beside what repeats say. Fails where a figure leaves its bounds.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

import numpy as np

from rankgate.gates.language import parse_gate
from rankgate.gates.planning.false_alarms import false_alarms
from rankgate.model import GateText
from rankgate.scoring.paired.bounds import upper_bound
from rankgate.scoring.paired.drop import Capacity
from support.planned import POINTS, SETTINGS, Setting, populations, stored_plans
from support.wavering import lost_by_chance, wavering

if TYPE_CHECKING:
    from collections.abc import Iterator

STORED = (
    Setting("what each had", 60, 0.1),
    Setting("small moves", 150, 0.03),
    Setting("broad moves", 150, 0.05),
    Setting("broad moves", 150, 0.0, 0.05, "passes"),
    Setting("broad moves", 150, 0.1, 0.02, "fails"),
)
QUERIES = 100
"""How many queries a stored comparison has."""
ABOUT = 0.25
"""How far the mean of what repeats say may lie from how often a gate really fails: few repeats say little."""
COVERED = 0.8
"""How many intervals must have the power at least."""


def main() -> None:
    """Measure, print and judge."""
    parser = argparse.ArgumentParser(description="Whether what plan says comes true.")
    parser.add_argument("--suites", type=int, default=3000, help="suites drawn for each setting")
    parser.add_argument("--plans", type=int, default=500, help="stored comparisons drawn for each setting")
    asked = parser.parse_args()
    failed = [
        *given(asked.suites),
        *needed(asked.suites // 2),
        *stored(asked.plans, asked.suites),
        *margins(),
        *alarms(asked.plans // 10),
    ]
    if failed:
        sys.exit("out of bounds: " + "; ".join(failed))


def given(suites: int) -> Iterator[str]:
    """Print the power of each setting where the generating distribution is known."""
    print(f"| what is known, queries, drop, gate | stated | reached in {suites:,} suites |\n|---|---|---|")
    for setting in SETTINGS:
        stated, _, _ = setting.stated(populations()[setting.population].model())
        reached = setting.reached(suites)
        print(f"| {_named(setting)} | {stated:.1%} | {reached:.1%} |", flush=True)
        if abs(stated - reached) > POINTS:
            yield _named(setting)


def needed(suites: int) -> Iterator[str]:
    """Print how often so many queries as are needed see a drop."""
    print(f"\n| what is known | drop | queries needed for 80 % | reached in {suites:,} suites |")
    print("|---|---|---|---|")
    for name, population in populations().items():
        for drop in (0.05, 0.1):
            queries = population.model().needed(drop)
            assert queries is not None
            reached = Setting(name, queries, drop).reached(suites, seed=13)
            print(f"| {name} | {drop:g} | {queries:,} | {reached:.1%} |", flush=True)
            if abs(reached - 0.8) > POINTS:
                yield f"needed, {name}, {drop:g}"


def stored(plans: int, suites: int) -> Iterator[str]:
    """Print what plans from stored comparisons state on average, and how many intervals are right."""
    print(
        f"\n| from {plans:,} comparisons of {QUERIES} queries | stated, mean | reached | intervals with it |"
    )
    print("|---|---|---|---|")
    for setting in STORED:
        reached = setting.reached(suites)
        found = stored_plans(setting, QUERIES, plans, reached)
        shown = f"{found.mean:.1%} | {reached:.1%} | {found.covered:.0%}"
        print(f"| {_named(setting)} | {shown} |", flush=True)
        if abs(found.mean - reached) > POINTS or found.covered < COVERED:
            yield f"stored, {_named(setting)}"


def margins() -> Iterator[str]:
    """Print how many margins pass that can, and that none passes which cannot, with losses alone."""
    rng, can, cannot, wrong = np.random.default_rng(17), 0, 0, 0
    for queries in (10, 20, 48, 100, 150, 300, 1000):
        for weights in (np.ones(queries), np.where(np.arange(queries) % 10, 1.0, 5.0)):
            capacity = Capacity.of(queries, weights=weights)
            for margin in np.round(np.arange(0.005, 0.3, 0.005), 3).tolist():
                ties = upper_bound(np.zeros(queries), 1.0, weights=weights) < margin
                forgiven = capacity.forgives(margin)
                can += ties
                wrong += ties != (forgiven is not None)
                for share in (0.01, 0.05, 0.3) if forgiven is None else ():
                    drops = np.where(rng.random(queries) < share, rng.uniform(0, 1, queries), 0.0)
                    cannot += 1
                    wrong += upper_bound(drops, 1.0, weights=weights) < margin
    print(
        f"\n{can:,} margins that can pass do; of {cannot:,} suites without a gain none passes one that cannot"
    )
    if wrong:
        yield f"{wrong} margins"


def alarms(sets: int) -> Iterator[str]:
    """Print how often `lost` fails on an unchanged system, and what repeats say of it on average."""
    print(f"\n| 6 of 48 lost 3 times in 10 | lost fails | by repeats, mean of {sets} | intervals right |")
    print("|---|---|---|---|")
    rng, gate = np.random.default_rng(19), parse_gate(GateText("lost(10 -> absent@10)"))
    for times in (2, 3, 5, 10):
        really = lost_by_chance(6, 0.3, times)
        found = [false_alarms(wavering(48, 6, 0.3, times, rng), [gate]) for _ in range(sets)]
        kept = [one for one in found if one is not None]
        mean = float(np.mean([one.chance for one in kept]))
        inside = float(np.mean([one.low <= really <= one.high for one in kept]))
        print(f"| asked {times} times | {really:.1%} | {mean:.1%} | {inside:.0%} |", flush=True)
        if abs(mean - really) > ABOUT:
            yield f"false alarms of {times} repeats"


def _named(setting: Setting) -> str:
    gate = "seen" if setting.margin is None else f"within {setting.margin:g} {setting.ends}"
    return f"{setting.population}, {setting.queries}, {setting.drop:g}, {gate}"


if __name__ == "__main__":
    main()
