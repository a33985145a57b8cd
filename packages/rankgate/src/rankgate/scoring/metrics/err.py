"""Expected reciprocal rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rankgate.errors import Code, InputError
from rankgate.scoring.credit import exponential_gain, graded_credit, linear_gain
from rankgate.scoring.matches import Column, Cut, position_in_query
from rankgate.scoring.metric import NOT_FOUND, SHARE, Metric

if TYPE_CHECKING:
    from rankgate.scoring.matches import Matches

_HIGHEST = 100


@dataclass(frozen=True)
class ERR(Metric):
    """Expected reciprocal rank: where a reader who stops when satisfied is likely to stop.

    What it measures: the sum over ranks of (chance to be satisfied here and not before) / rank, where a
        hit of grade g satisfies with chance (2^g - 1) / 2^max.
    Use it when: a very good hit makes those below it worth less.
    Edge cases: undefined where nothing relevant is judged. The maximum is the top of the declared
        scale, ``err(max=3)@20`` or the suite's; it is never guessed from the grades at hand.

    Example:
        >>> from rankgate.scoring.evaluate import score_ranking
        >>> score_ranking("err(max=2)@20", ["c", "a", "b"], {"a": 2, "b": 1})
        0.3958333333333333

    Reference: Chapelle et al., Expected reciprocal rank for graded relevance, CIKM 2009.
    """

    name: ClassVar[str] = "err"
    limits: ClassVar[tuple[float, float] | None] = SHARE
    failure: ClassVar[str] = NOT_FOUND
    cut_by: ClassVar[tuple[str, ...]] = ("rank",)

    max: float | None = None
    """The top of the grade scale; the suite's where not given."""
    cut: Cut | None = None

    def values(self, matches: Matches) -> Column:
        """Score every query of a batch."""
        top = self.max if self.max is not None else matches.max_grade
        highest = float(matches.units.grade.max(initial=0))
        if top is None:
            raise InputError(
                Code.METRIC_NEEDS(
                    self.label, "no declared grade scale", "err(max=…), or a scale in the suite"
                )
            )
        if highest > top:
            raise InputError(
                Code.METRIC_NEEDS(self.label, f"a grade of {highest:g}", f"grades of at most {top:g}")
            )
        if top > _HIGHEST:
            raise InputError(Code.METRIC_NEEDS(self.label, f"a scale up to {top:g}", f"at most {_HIGHEST}"))
        credited = graded_credit(matches, self.cut, linear_gain)
        satisfied = exponential_gain(credited.grade) / 2**top
        position = position_in_query(credited.query, matches.size)
        values, unsatisfied = np.zeros(matches.size), np.ones(matches.size)
        for turn in range(1, int(position.max(initial=0)) + 1):
            now = position == turn
            query = credited.query[now]
            values[query] += unsatisfied[query] * satisfied[now] / credited.rank[now]
            unsatisfied[query] *= 1 - satisfied[now]
        return Column(values, matches.relevant_units(None) > 0)
