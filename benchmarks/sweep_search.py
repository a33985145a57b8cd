"""`just bench-search`: how often a search finds a good combination, beside as many that are drawn by chance.

Drawn spaces: 2,000 combinations of five axes that act on each other, of which at most 1 % reach 95 % of the
best value; 60 trials, 20 seeds each. Fails where fewer than nine searches of ten reach it. A real grid: 100
combinations of weights of the reference system on the handbook, all asked once; then 20 trials with 20 seeds
over the kept answers, stopped early by the rule of `--search`.
"""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
import time
from contextlib import chdir
from pathlib import Path
from statistics import fmean

from rankgate.sweeps.flow import OpenedSweep, SweepOptions, run_sweep
from rankgate.sweeps.searching.asking import Searching
from rankgate.sweeps.searching.space import search_space
from rankgate.sweeps.sweep_file import read_sweep
from support.drawn_spaces import COMBINATIONS, DrawnSpace
from support.repository import ROOT

SPACES, SEEDS, TRIALS = 5, 20, 60
GRID_TRIALS, BEST = 20, 5
LEAST = 0.9
GRID = """
system = "lexical"
metrics = ["ndcg@10"]
held_out = 0.3
seed = 7
[axes]
"weights.names" = [0, 0.5, 1, 2, 4]
"weights.coverage" = [0, 0.25, 0.5, 0.75, 1]
"weights.filler" = [0, 0.3]
"weights.title" = [1, 3]
"""


def main() -> int:
    """Measure, print and judge."""
    failed = drawn()
    real()
    return int(failed)


def drawn() -> bool:
    """Print how many seeds reach 95 % of the best in each space, and tell whether they are too few."""
    print(f"{COMBINATIONS:,} combinations, {TRIALS} trials, {SEEDS} seeds; reach 95 % of the best:\n")
    print("| space | combinations that reach it | search | by chance | seconds |\n|---|---|---|---|---|")
    total = 0
    for number in range(SPACES):
        space, began = DrawnSpace(number), time.monotonic()
        found = sum(space.found(seed, TRIALS) for seed in range(SEEDS))
        chance = sum(space.found_by_chance(seed, TRIALS) for seed in range(SEEDS))
        seconds = time.monotonic() - began
        total += found
        print(f"| {number} | {space.share:.2%} | {found} of {SEEDS} | {chance} | {seconds:.0f} |", flush=True)
    share = total / (SPACES * SEEDS)
    print(f"\nin all {total} of {SPACES * SEEDS} ({share:.0%}, goal {LEAST:.0%})", flush=True)
    return share < LEAST


def real() -> None:
    """Print how good the best of a few trials is among all combinations of a grid that was asked."""
    with tempfile.TemporaryDirectory() as room:
        project = Path(room) / "handbook"
        shutil.copytree(ROOT / "suites" / "handbook", project, ignore=shutil.ignore_patterns(".rankgate"))
        (project / "grid.toml").write_text(GRID)
        with chdir(project):
            read = read_sweep(project / "grid.toml")
            (report,) = run_sweep(read, SweepOptions()).reports
            values = {row.name: row.numbers.means[0] or 0.0 for row in report.rows}
            ordered = sorted(values.values(), reverse=True)
            opened = OpenedSweep.of(read, search=True)
            asking = opened.asking(opened.suites[0], SweepOptions())
            places, stopped = [], []
            for seed in range(SEEDS):
                searching = Searching(search_space(opened.sweep, opened.configuration), asking)
                searching.run(GRID_TRIALS, seed)
                places.append(1 + ordered.index(max(values[name] for name in searching.asked)))
                stopped.append(searching.stopped)
    chance = [
        1 + ordered.index(max(random.Random(seed).sample(list(values.values()), GRID_TRIALS)))
        for seed in range(SEEDS)
    ]
    ends = f"ndcg@10 {ordered[-1]:.4f} to {ordered[0]:.4f}"
    print(f"\nthe handbook: {len(values)} combinations of weights, {ends}")
    print(f"{GRID_TRIALS} trials, {SEEDS} seeds; {fmean(stopped):.1f} trials stopped early on average\n")
    print(f"| | one of the best {BEST} | the best | mean place of the best found |\n|---|---|---|---|")
    for name, found in (("search", places), ("by chance", chance)):
        near, first = sum(place <= BEST for place in found), sum(place == 1 for place in found)
        print(f"| {name} | {near} of {SEEDS} | {first} of {SEEDS} | {fmean(found):.1f} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
