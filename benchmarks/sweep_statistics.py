"""`just bench-sweeps`: how often sweeps of equal variants claim a difference, and what the best is worth.

    just bench-sweeps             # 2,000 sweeps of 20 variants
    just bench-sweeps 200         # fewer

Everything is seeded. Fails where a figure leaves its bounds: errors of Holm's rule above 5 % by more than
three standard errors, the winner's difference on held-out queries more than two standard errors from the
truth, or far fewer errors by raw p values than there should be, as the sweeps would then show nothing.
"""

from __future__ import annotations

import math
import sys
from statistics import fmean
from typing import TYPE_CHECKING

from support.simulated_sweeps import (
    ALPHA,
    HELD_OUT,
    VARIANTS,
    equal_sweeps,
    mean_and_error,
    unequal_sweeps,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from support.simulated_sweeps import Simulated

SWEEPS = 2000
CASES = 120
_RAW, _BEST = (0.30, 0.50), (0.14, 0.26)


def main(arguments: Sequence[str]) -> None:
    """Measure, print and judge."""
    number = int(arguments[0]) if arguments else SWEEPS
    about = f"{VARIANTS} variants, {CASES} queries, {HELD_OUT:.0%} of them held out"
    print(f"{number:,} sweeps of {about}; all variants equal:\n", flush=True)
    equal = list(equal_sweeps(number, CASES))
    failed = [*rates(equal), *winners("equal", equal)]
    print(f"\n{number // 4:,} sweeps of {about}; each loses its own share, 0 to 20 %:\n", flush=True)
    failed += winners("unequal", list(unequal_sweeps(number // 4, CASES)))
    if failed:
        sys.exit("out of bounds: " + "; ".join(failed))


def rates(found: Sequence[Simulated]) -> list[str]:
    """Print how often something is claimed where there is nothing, and return what is out of bounds."""
    most = ALPHA + 3 * math.sqrt(ALPHA * (1 - ALPHA) / len(found))
    rows = [
        ("some variant differs, raw p ≤ 0.05", fmean(one.raw for one in found), *_RAW),
        ("the best is better, raw p ≤ 0.05", fmean(one.best_raw for one in found), *_BEST),
        ("some variant differs, by Holm's rule", fmean(one.holm for one in found), 0.0, most),
        ("the table marks some variant as better", fmean(one.marked for one in found), 0.0, most),
        ("the winner differs on held-out queries", fmean(one.held_out for one in found), 0.0, most),
    ]
    print("| what is claimed | in sweeps | bounds |\n|---|---|---|")
    for name, share, low, high in rows:
        print(f"| {name} | {share:.1%} | {low:.1%} to {high:.1%} |", flush=True)
    return [name for name, share, low, high in rows if not low <= share <= high]


def winners(name: str, found: Sequence[Simulated]) -> list[str]:
    """Print how far the winner's difference is from the truth, and return what is out of bounds."""
    print("\n| the winner's difference less its true one | mean | standard error | in standard errors |")
    print("|---|---|---|---|")
    failed = []
    for where, values, unbiased in (
        ("where it was chosen", [one.apparent for one in found], False),
        ("on held-out queries", [one.measured for one in found], True),
    ):
        mean, error = mean_and_error(values)
        print(f"| {where} | {mean:+.4f} | {error:.4f} | {mean / error:+.1f} |", flush=True)
        if (abs(mean) <= 2 * error) is not unbiased:
            failed.append(f"the winner of {name} variants {where}")
    return failed


if __name__ == "__main__":
    main(sys.argv[1:])
