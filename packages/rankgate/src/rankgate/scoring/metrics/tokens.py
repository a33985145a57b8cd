"""What reading the answer costs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rankgate.errors import Code, ExpressionError, InputError, Problem
from rankgate.scoring.matches import Column, Cut, first_of, position_in_query
from rankgate.scoring.metric import Metric, ValueRange

if TYPE_CHECKING:
    from rankgate.scoring.matches import Matches

BUDGET = Cut(8000, tokens=True)
"""How many tokens may be read where nobody says."""


@dataclass(frozen=True)
class TokensTo(Metric):
    """Tokens to recall: how much has to be read until enough of what is relevant was seen.

    What it measures: the tokens of all hits down to the one with which recall reaches `recall`;
        repeats are charged.
    Use it when: an agent or a language model reads the hits and pays for each token.
    Edge cases: undefined where nothing relevant is judged. An answer that does not get there within the
        budget costs the whole budget, 8,000 tokens where none is given: ``tokens_to(recall=1)@4000tokens``.
    Example: hits of 100, 250 and 50 tokens, the only target in the second: ``tokens_to(recall=1)`` is 350;
        with ``@300tokens`` it is 300.
    Reference: none; the reading cost of recall at a token budget.
    """

    name: ClassVar[str] = "tokens_to"
    needs: ClassVar[frozenset[str]] = frozenset({"tokens"})
    cut_by: ClassVar[tuple[str, ...]] = ("tokens",)
    unit: ClassVar[str] = "tokens"
    limits: ClassVar[tuple[float, float] | None] = (0.0, math.inf)
    better: ClassVar[str] = "less"
    failure: ClassVar[str] = "the whole budget where the recall is not reached within it"

    recall: float = 1.0
    """The recall to reach, above 0 and at most 1."""
    rel: float | None = None
    """The lowest grade that is relevant; above 0 where not given."""
    cut: Cut | None = None

    def __post_init__(self) -> None:
        if self.cut is None:
            object.__setattr__(self, "cut", BUDGET)  # failure has a price only where there is a budget
        super().__post_init__()
        if not 0 < self.recall <= 1:
            raise ExpressionError(Problem("tokens_to", f"recall={self.recall:g}", "above 0 and at most 1"))

    @property
    def budget(self) -> float:
        """How many tokens may be read."""
        return float((self.cut or BUDGET).size)

    @property
    def range(self) -> ValueRange:
        """Which values a query can have: nothing to the whole budget."""
        return ValueRange(0.0, self.budget)

    def values(self, matches: Matches) -> Column:
        """Score every query of a batch."""
        if matches.tokens is None:
            raise InputError(
                Code.METRIC_NEEDS(self.label, "a run without token counts", "tokens on every hit")
            )
        reached, relevant = matches.reached(self.rel), matches.relevant_units(self.rel)
        wanted = np.ceil(self.recall * relevant - 1e-9)
        enough = position_in_query(reached.query, matches.size) >= wanted[reached.query]
        last = reached.take(enough)
        last = last.take(first_of(last.query, matches.size))
        width = int(matches.returned.max(initial=0)) + 1
        row = np.searchsorted(
            matches.tokens.query * width + matches.tokens.rank, last.query * width + last.rank
        )
        values = np.full(matches.size, self.budget)
        values[last.query] = np.minimum(matches.tokens.total[row], self.budget)
        return Column(values, relevant > 0)
