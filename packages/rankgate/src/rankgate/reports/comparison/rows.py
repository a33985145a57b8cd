"""One metric of a comparison: what it was and is, for people and in full."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.gates.wording import figure
from rankgate.reports.comparison.wording import interval_words, p_words
from rankgate.reports.text.marks import NOTHING, Mark, Unmarked, signed
from rankgate.reports.text.printable import printable

if TYPE_CHECKING:
    from rankgate.scoring.paired.compare import PairedResult

FIGURES = ("before", "after", "difference", "95 % interval", "p", "worse", "better", "same")
"""What the figures of a row are."""


@dataclass(frozen=True, slots=True)
class ComparedNumbers:
    """One metric, before and after, in full."""

    before: float
    """The mean before."""
    after: float
    """The mean after."""
    difference: float
    """After less before."""
    low: float | None
    """Where the 95 % interval of the difference begins; null where fewer than six queries
    changed, or all by the same."""
    high: float | None
    """Where it ends."""
    p: float
    """The p value of the randomisation test; of a claim among several, by Holm."""
    effect: float | None
    """The difference over the standard deviation of the differences."""
    detectable: float | None
    """The smallest difference that queries like these would show."""


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """One metric, before and after."""

    mark: Mark | Unmarked
    """✅ better, ❌ worse, beyond chance; empty where chance may be all there is."""
    metric: str
    """Its canonical spelling, or the name that the suite gives it."""
    before: str
    """Its mean before."""
    after: str
    """Its mean after."""
    difference: str
    """After less before, with its sign."""
    interval: str
    """The 95 % interval of the difference."""
    p: str
    """That of the randomisation test."""
    worse: int
    """How many queries are worse."""
    better: int
    """How many are better."""
    same: int
    """How many are as before."""
    finding: str
    """What that allows to say, in words."""
    detectable: str
    """The smallest difference that a suite of this size and spread would show; not told where too few queries
    changed to know their spread."""
    numbers: ComparedNumbers
    """The same for machines."""

    @property
    def figures(self) -> tuple[str, ...]:
        """Its figures for people, in the order of `FIGURES`."""
        counts = map(str, (self.worse, self.better, self.same))
        return self.before, self.after, self.difference, self.interval, self.p, *counts


def compared_row(
    metric: tuple[str, str, bool],
    means: tuple[float, float],
    result: PairedResult,
    found: tuple[Mark | Unmarked, str],
    p: float,
) -> ComparedRow:
    """Lay out the comparison of a metric, given by its label, its unit and whether less is better."""
    label, unit, less = metric
    before, after = means
    fell, rose = (result.wins, result.losses) if less else (result.losses, result.wins)
    # What two queries moved by says nothing of how the others would; where none did, the range of the metric
    # stands in for it, which is no guess.
    told = result.detectable is not None and (result.can_be_significant or not result.differing)
    return ComparedRow(
        mark=found[0],
        metric=printable(label),
        before=figure(before, unit),
        after=figure(after, unit),
        difference=signed(result.mean, unit),
        interval=interval_words(result, unit),
        p=p_words(p, exact=result.exact),
        worse=fell,
        better=rose,
        same=result.ties,
        finding=found[1],
        detectable=figure(result.detectable, unit) if told and result.detectable is not None else NOTHING,
        numbers=ComparedNumbers(
            before=before,
            after=after,
            difference=result.mean,
            low=result.low,
            high=result.high,
            p=p,
            effect=result.effect,
            detectable=result.detectable,
        ),
    )
