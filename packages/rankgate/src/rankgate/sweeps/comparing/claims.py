"""What may be claimed of the variants of a sweep: one test each, and Holm's rule over all of them.

The best of twenty equal variants is better than the one in use by its own p value in one sweep of five. By
Holm's rule it is in one of twenty at most, whatever the variants are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.scoring.paired.compare import holm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.scoring.comparison import Comparison
    from rankgate.scoring.paired.compare import PairedResult


@dataclass(frozen=True, slots=True)
class FamilyClaim:
    """What the metric that decides says of one variant among all of a family."""

    result: PairedResult
    """The variant less the one in use, and the p value as if it were the only one."""
    holm: float
    """The p value by Holm's rule over the family."""


def decided(comparison: Comparison) -> PairedResult:
    """Compare two variants by the metric that decides: the first."""
    return comparison.paired(comparison.after.metrics[0].label, comparison.shared)


def family_claims(comparisons: Sequence[Comparison]) -> list[FamilyClaim]:
    """Return what is claimed of each variant of a family, all of which are compared with one."""
    results = [decided(one) for one in comparisons]
    adjusted = holm([one.p for one in results]) if results else []
    return [FamilyClaim(one, float(p)) for one, p in zip(results, adjusted, strict=True)]


def leading(differences: Sequence[float], *, less: bool) -> int | None:
    """Return the number of the best difference, the first of equal ones; None where there is none.

    >>> leading([0.1, 0.3, -0.2, 0.3], less=False), leading([0.1, 0.3, -0.2], less=True)
    (1, 2)
    """
    sign = 1 if less else -1
    return min(range(len(differences)), key=lambda at: sign * differences[at], default=None)
