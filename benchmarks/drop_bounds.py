"""`just bench-bounds`: how often `noninferior` passes wrongly, how often rightly, and how long a bound takes.

Exact scans first: every outcome is counted, nothing is drawn. Then drops as nDCG has them, drawn with a seed,
and the power beside that of the reference that lies beside RANKGATE_SHARED_DATA, where it does. Fails where a
figure leaves its bounds. `--every` looks at every size up to 2,000, and draws five times as much.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rankgate.scoring.paired.bounds import upper_bound
from support.drawn_drops import CELLS, KINDS, MIXTURES, most_wrong, pass_rate, reference_chance
from support.margin_scans import (
    WrongPasses,
    members_as_queries,
    partly_lost,
    weighted,
    whole_losses,
    worst,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.drawn_drops import PValue

MARGINS = np.round(np.arange(0.01, 0.2005, 0.001), 3)
FEW = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2)
SIZES = (20, 48, 100, 150)
PARTS = (0.0, 0.5, 1.0)
POINT = 0.01
"""How far the power may lie from that of the reference."""
MOST_MS = 50
LEVEL = 0.05


def main() -> None:
    """Measure, print and judge."""
    parser = argparse.ArgumentParser(description="How far the bounds of drops can be trusted.")
    parser.add_argument("--every", action="store_true", help="every size, and five times the sets")
    every = parser.parse_args().every
    folder = os.environ.get("RANKGATE_SHARED_DATA")
    reference = reference_chance(Path(folder)) if folder else None
    sets = 10_000 if every else 2_000
    failed = [*scans(every=every), *drawn(sets), *powers(sets // 5, reference), *speed()]
    if failed:
        sys.exit("out of bounds: " + "; ".join(failed))


def scans(*, every: bool) -> Iterator[str]:
    """Print the worst of every exact scan."""
    sizes = [n for n in range(10, 2001) if every or n <= 300 or n % 10 == 0]
    print(
        f"whole losses, {len(sizes):,} sizes from 10 to 2,000, margins 0.01 to 0.2, every rate from there on"
    )
    on_grid, anywhere = WrongPasses(0.0, 0, 0.0), WrongPasses(0.0, 0, 0.0)
    round_margins = set(MARGINS.tolist())
    for queries in sizes:
        for found in whole_losses(queries, MARGINS):
            anywhere = max(anywhere, found)
            on_grid = max(on_grid, found) if found.margin in round_margins else on_grid
    yield from _scanned("margins by thousandths", on_grid)
    yield from _scanned("the worst margin there is for each n", anywhere)
    print("\n| exact scan, n in 20, 48, 100, 150 | worst |\n|---|---|")
    heavy = worst(weighted(n, m, by_heavy=part) for n in SIZES for m in FEW for part in PARTS)
    yield from _row("a tenth weigh ten, whole losses", heavy)
    halves = worst(partly_lost(n, m, half=part) for n in SIZES for m in FEW for part in PARTS)
    yield from _row("groups, lost whole or by half, by their means", halves)
    mean = [weighted(n, m, top_weight=None) for n in SIZES for m in FEW]
    print(f"| wrong: the mean weight for the query not seen | {worst(mean)} |")
    print(f"| the same at n = 150, margin 0.05 | {weighted(150, 0.05, top_weight=None)} |")
    members = [members_as_queries(n, m) for n in SIZES for m in FEW]
    print(f"| wrong: members of groups of 1 and 6 as independent | {worst(members)} |")
    print(f"| the same at n = 48, margin 0.05 | {members_as_queries(48, 0.05)} |", flush=True)


def _scanned(name: str, found: WrongPasses) -> list[str]:
    print(f"{name}: at most {found}", flush=True)
    return [] if found.share <= LEVEL else [name]


def _row(name: str, found: WrongPasses) -> list[str]:
    print(f"| {name} | {found} |", flush=True)
    return [] if found.share <= LEVEL else [name]


def drawn(sets: int) -> Iterator[str]:
    """Print how many drawn suites pass whose true drop is the margin."""
    print(f"\n| wrong passes of {sets:,} suites, the worst of {len(CELLS)} sizes | {' | '.join(KINDS)} |")
    print(f"|---|{'---|' * len(KINDS)}")
    for mixture in MIXTURES:
        shares = [max(pass_rate(kind, mixture, cell, cell[1], sets).own for cell in CELLS) for kind in KINDS]
        print(f"| {mixture.name} | {' | '.join(f'{share:.1%}' for share in shares)} |", flush=True)
        if max(shares) > most_wrong(sets):
            yield f"wrong passes of {mixture.name}"


def powers(sets: int, reference: PValue | None) -> Iterator[str]:
    """Print how many drawn suites pass whose true drop is none, or half the margin."""
    beside = "rankgate / reference" if reference else "without a reference beside RANKGATE_SHARED_DATA"
    print(f"\n| passes, %, {beside} | drop | {' | '.join(f'{n}, {m:g}' for n, m in CELLS)} |")
    print(f"|---|---|{'---|' * len(CELLS)}")
    for mixture in MIXTURES:
        for kind in KINDS:
            for part, name in ((0.0, "0"), (0.5, "half")):
                rates = [
                    pass_rate(kind, mixture, cell, part * cell[1], sets, reference=reference)
                    for cell in CELLS
                ]
                shown = (
                    f"{rate.own:.1%}" + ("" if rate.reference is None else f" / {rate.reference:.1%}")
                    for rate in rates
                )
                print(f"| {mixture.name}, {kind} | {name} | {' | '.join(shown)} |", flush=True)
                apart = [abs(rate.own - rate.reference) for rate in rates if rate.reference is not None]
                if max(apart, default=0.0) > POINT:
                    yield f"power of {mixture.name}, {kind}"


def speed() -> Iterator[str]:
    """Print how long one bound takes."""
    print("\n| queries, all different | ms a bound |\n|---|---|")
    for queries in (12, 48, 1_000, 10_000, 50_000):
        values = np.clip(np.random.default_rng(1).normal(0, 0.2, queries), -1, 1)
        times = []
        for _ in range(15):
            start = time.process_time()
            upper_bound(values, 1.0)
            times.append(time.process_time() - start)
        took = 1000 * float(np.median(times))
        print(f"| {queries:,} | {took:.1f} |", flush=True)
        if queries == 10_000 and took > MOST_MS:
            yield "time at n = 10,000"


if __name__ == "__main__":
    main()
