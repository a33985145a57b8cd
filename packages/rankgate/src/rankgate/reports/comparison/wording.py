"""What the test allows to say of a difference, and how its interval and its p value are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.model.wording import many
from rankgate.reports.text.marks import BAD, GOOD, NOTHING, Mark, Unmarked, signed

if TYPE_CHECKING:
    from rankgate.scoring.comparison import Comparison
    from rankgate.scoring.paired.compare import PairedResult

ALPHA = 0.05
UNCHANGED = "unchanged"
"""What is said of a metric that no query changed in."""
FEWEST = 6
"""How many queries must change for any outcome to be significant: 2 / 2^5 is above 0.05, 2 / 2^6 is not."""
_SMALLEST = 0.001


def compared_words(comparison: Comparison) -> str:
    """Return how many queries are compared, and how many are not and why."""
    shared, gone = int(comparison.shared.sum()), int(comparison.after.gone.sum())
    words = f"{many(shared, 'query', 'queries')} compared"
    if new := len(comparison.shared) - shared - gone:
        words += f", {new:,} left out (not asked before, asked otherwise, or with estimated labels)"
    return f"{words}, {gone:,} left out (targets gone)" if gone else words


def interval_words(result: PairedResult, unit: str) -> str:
    """Write the 95 % interval of a difference; nothing where too few queries tell."""
    if result.low is None or result.high is None:
        return NOTHING
    return f"{signed(result.low, unit)} to {signed(result.high, unit)}"


def p_words(p: float, *, exact: bool) -> str:
    """Write a p value; ≈ where it is drawn and not counted out.

    >>> p_words(0.25, exact=True), p_words(0.0412, exact=False), p_words(0.0001, exact=False)
    ('0.250', '≈0.041', '< 0.001')
    """
    if p < _SMALLEST:
        return f"< {_SMALLEST}"
    return f"{p:.3f}" if exact else f"≈{p:.3f}"


def finding(
    result: PairedResult,
    p: float,
    worse: float,
    claims: int,
    *,
    exploratory: bool,
) -> tuple[Mark | Unmarked, str]:
    """Return what the test allows to say, and no more."""
    if not result.differing:
        return "", UNCHANGED
    if not result.can_be_significant:
        these = "groups" if result.groups < result.cases else "queries"
        return "", f"too few changed {these} ({result.differing}, need {FEWEST})"
    if p > ALPHA:
        return "", "no clear change"
    fell = result.mean * worse > 0
    word = "worse" if fell else "better"
    if exploratory:
        return "", f"{word} (secondary metric)"
    over = f", Holm over {claims} claims" if claims > 1 else ""
    return (BAD if fell else GOOD), f"{word} (significant{over})"
