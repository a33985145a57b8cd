"""Weighted sums of metrics, which are metrics themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rankgate.scoring.matches import Column
from rankgate.scoring.metric import Metric, spell_number

if TYPE_CHECKING:
    from rankgate.scoring.matches import Matches


@dataclass(frozen=True)
class WeightedSum(Metric):
    """A weighted sum: several metrics in one figure, such as ``0.4*p@5 + 0.3*r@5 + 0.3*rr``.

    What it measures: for each query, the sum of its terms' values times their weights.
    Use it when: a team has agreed on one figure and still wants its parts.
    Edge cases: undefined where a term is.

    Example:
        >>> from rankgate.scoring.evaluate import score_ranking
        >>> score_ranking("0.5*p@2 + 0.5*rr", ["c", "a", "b"], {"a": 2, "b": 1})
        0.5

    Reference: none.
    """

    name: ClassVar[str] = "sum"
    estimable: ClassVar[bool] = True  # where its terms are

    terms: tuple[tuple[float, Metric], ...] = ()
    """Weights and metrics, as they were written."""
    title: str | None = None
    """The name it was given: ``relevance = …``."""

    @property
    def reads(self) -> frozenset[str]:
        """What its terms read beyond the hits on relevant targets."""
        return frozenset[str]().union(*(metric.reads for _, metric in self.terms))

    @property
    def label(self) -> str:
        """Its title, or the sum in its one spelling."""
        return self.title or self.formula

    @property
    def formula(self) -> str:
        """The sum in its one spelling."""
        text = " + ".join(f"{spell_number(weight)}*{metric.label}" for weight, metric in self.terms)
        return text.replace("+ -", "- ")

    def values(self, matches: Matches) -> Column:
        """Score every query of a batch."""
        total, defined = np.zeros(matches.size), np.ones(matches.size, dtype=bool)
        for weight, metric in self.terms:
            column = metric.column(matches)
            total += weight * column.values
            defined &= column.defined
        return Column(total, defined)
