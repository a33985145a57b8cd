"""Order by effect: which unit to judge next so that a gate or a comparison is settled with few judgments.

A verdict is *certain* where no grading of the unjudged hits can turn it: their bounds, those of every
comparison, no longer cross the gate or zero. It is *likely* where a model of relevance by rank and votes,
fitted on what is judged, gives one side a chance of 95 % or more. The first is a fact; the second comes much
sooner, and is as good as the model. Only the sign of a difference is ever called likely: what the model gets
wrong of both systems alike cancels out of it, and does not out of the value of one system beside its gate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from rankgate.errors import Code, InputError
from rankgate.judging.order.candidates import labels_of
from rankgate.judging.order.expected import Prospects
from rankgate.judging.order.progress import BoundProgress
from rankgate.judging.order.relevance import Features, RelevanceModel
from rankgate.judging.order.state import OrderState
from rankgate.model.wording import many

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from rankgate.judging.order.candidates import Candidates
    from rankgate.judging.order.goal import Goal
    from rankgate.scoring.matches import Floats, Ints

Until: TypeAlias = Literal["certain", "likely"]
"""When to stop: where no grading can turn the verdict, or where the model gives it 95 %."""

LIKELY = 0.95
"""The chance from which a verdict is likely."""
FEWEST = 10
"""How many judgments the model needs before a verdict is called likely."""
_CHANGE = 0.5
"""How much the expected change of the mean counts beside the progress of the bounds. It leads on where
several units must be judged before a bound moves at all."""
_TINY = 1e-24


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a verdict stands by the judgments so far."""

    low: float
    """The lowest mean that the unjudged hits allow, less the bound of the goal."""
    high: float
    """The highest one."""
    chance: float
    """How likely the goal is met, or the system after is better, by the model."""
    certain: int | None
    """1 for met or better, -1 for not met or worse, 0 for the same; None while unjudged hits can turn it."""
    likely: int | None
    """The same by the model; None while its chance is below 95 %, and for a gate."""

    def settled(self, until: Until) -> int | None:
        """Return the verdict as it is settled by a rule; what is certain is likely too."""
        return self.certain if until == "certain" or self.certain is not None else self.likely


@dataclass(frozen=True, slots=True)
class Remaining:
    """How many more judgments are expected to settle a verdict. An estimate, made again after each judgment.

    >>> str(Remaining(12, "certain")), str(Remaining(1, "likely")), str(Remaining(0, "likely"))
    ('about 12 more judgments', 'about 1 more judgment', 'settled')
    """

    judgments: int
    """How many; 0 where it is settled."""
    until: Until
    """By which rule."""

    def __str__(self) -> str:
        return f"about {many(self.judgments, 'more judgment')}" if self.judgments else "settled"


@dataclass(frozen=True, slots=True, eq=False)
class _Outlook:
    """What is expected by the judgments so far."""

    units: Ints
    """The open units."""
    chance: Floats
    """How likely each has each grade."""
    value: Floats
    """What is expected of each query, less the bound."""
    change: Floats
    """How far judging each unit is expected to move what is expected of the mean."""
    mean: float
    """What is expected of the mean, less the bound."""
    spread: float
    """The standard deviation of the mean."""

    @property
    def met(self) -> float:
        """How likely the mean is above the bound."""
        return 0.5 * math.erfc(-self.mean / (self.spread * math.sqrt(2.0)))


class EffectOrder:
    """Orders the units of some candidates by what judging them does to one goal."""

    def __init__(
        self, candidates: Candidates, goal: Goal, until: Until = "certain", opinions: Floats | None = None
    ) -> None:
        """Begin with nothing judged.

        Args:
            candidates: The units.
            goal: What is to be settled.
            until: When to stop.
            opinions: What model judges graded each unit, as a share of the scale; NaN where none did. They
                order, and settle nothing.

        Raises:
            InputError: where a gate is to be settled by what is likely.
        """
        if until == "likely" and not goal.compares:
            fix = "stop where the gate is certain"
            raise InputError(Code.CONFLICT("until", "likely, for a gate", "certain, or a difference", fix))
        self._state, self._until = OrderState(candidates, goal), until
        features = Features.of(candidates.query, candidates.ranks, candidates.size, opinions)
        self._model = RelevanceModel(features)
        self._progress = BoundProgress(self._state)
        self._outlook: _Outlook | None = None

    def next(self, labels: Mapping[int, float], passed: Collection[int] = ()) -> int | None:
        """Return the unit to judge next; None where no unjudged unit can change the metric.

        Args:
            labels: The grades so far, by the number of the unit.
            passed: Units that are not to be offered: skipped, or unsure.
        """
        best = self.foremost(labels, 1, passed)
        return int(best[0]) if len(best) else None

    def foremost(self, labels: Mapping[int, float], number: int, passed: Collection[int] = ()) -> Ints:
        """Return so many units that could be judged next, the best first."""
        outlook = self._look(labels)
        effect = self._effect(outlook)
        effect[np.isin(outlook.units, list(passed))] = -np.inf
        order = np.argsort(-effect, kind="stable")[:number]
        best: Ints = outlook.units[order[effect[order] > -np.inf]]
        return best

    def standing(self, labels: Mapping[int, float]) -> Standing:
        """Return where the verdict stands."""
        outlook = self._look(labels)
        low, high = self._state.ends()
        certain = self._state.goal.sign(low, high)
        chance = outlook.met if certain is None else (1.0, 0.5, 0.0)[1 - certain]
        sure = self._state.goal.compares and len(labels) >= FEWEST and max(chance, 1.0 - chance) >= LIKELY
        return Standing(low, high, chance, certain, (1 if chance > 0.5 else -1) if sure else None)

    def remaining(self, labels: Mapping[int, float]) -> Remaining:
        """Return an estimate of how many more judgments settle the verdict."""
        standing = self.standing(labels)
        if standing.settled(self._until) is not None:
            return Remaining(0, self._until)
        outlook = self._look(labels)
        found = self._until_certain(outlook, standing) if self._until == "certain" else _until_likely(outlook)
        number = max(found, FEWEST - len(labels)) if self._until == "likely" else found
        return Remaining(max(1, min(number, len(outlook.units))), self._until)

    def _until_certain(self, outlook: _Outlook, standing: Standing) -> int:
        """Count until the end on the wrong side of the bound has come as far as it must on its way.

        The way ends where the mean is expected, or beyond: how far beyond is not known, about as far as the
        mean is from what is expected.
        """
        above = outlook.mean >= 0
        wrong = -standing.low if above else standing.high
        beyond = math.hypot(outlook.mean, outlook.spread)
        moves = self._moves(outlook)[0 if above else 1]
        shares = np.cumsum(-np.sort(-moves)) / max(float(moves.sum()), _TINY)
        return int(np.searchsorted(shares, wrong / (wrong + beyond))) + 1

    def _look(self, labels: Mapping[int, float]) -> _Outlook:
        """Take the judgments there are, and return what is expected by them."""
        state = self._state
        moved = state.take(*labels_of(state.candidates, labels))
        if len(moved) or self._outlook is None:
            self._progress.touch(moved)
            self._outlook = self._expect()
        return self._outlook

    def _expect(self) -> _Outlook:
        state, units = self._state, self._state.open
        query, scale = state.candidates.query[units], state.candidates.scale
        good = state.judged & (state.grade > 0)
        fit = self._model.fit(state.judged, good)
        relevant, spread = fit.chance[units], fit.spread[units]
        share = _shares(state.grade[good], scale)
        chance = np.hstack([1.0 - relevant[:, None], relevant[:, None] * share])
        expected = state.expected(Prospects(query, chance, scale, state.candidates.size), units)
        weight = state.weights[query]
        given = expected.given * weight[:, None]
        own = (chance * (given - (chance * given).sum(axis=1)[:, None]) ** 2).sum(axis=1)
        effect = np.zeros(len(state.judged))
        effect[units] = given[:, 1:] @ share - given[:, 0]
        variance, along = fit.carried(effect)
        # What a judgment says of its own unit, of the model, and of which grade a relevant unit has.
        told = (effect[units] * spread + along[units]) ** 2 / np.maximum(fit.variance()[units], _TINY)
        graded = np.maximum(own - effect[units] ** 2 * spread, 0.0)
        return _Outlook(
            units,
            chance,
            expected.value,
            np.sqrt(told + graded),
            float(expected.value @ state.weights),
            math.sqrt(max(float(own.sum()) + variance, _TINY)),
        )

    def _effect(self, outlook: _Outlook) -> Floats:
        """Return what the order goes by: the change of the mean, or the progress of the bounds."""
        if self._until == "likely":
            return outlook.change.copy()
        # Towards the verdict that is more likely the low end must rise, towards the other the high one fall.
        up, down = outlook.met, 1.0 - outlook.met
        rises, falls = self._average(outlook)
        # A bound may only move when the last of several units is judged: each has its part in it.
        whole = up * rises + down * falls
        rises, falls = self._moves(outlook)
        step = up * rises + down * falls
        best: Floats = np.maximum(step, whole + 1e-3 * step) + _CHANGE * outlook.change
        return best

    def _moves(self, outlook: _Outlook) -> tuple[Floats, Floats]:
        """Return how far judging each open unit is expected to raise the low end, and to lower the high one.

        Where that was not worked out, it is the average of the query.
        """
        state = self._state
        rises, falls = average = self._average(outlook)
        first = np.zeros(state.candidates.size)
        np.maximum.at(first, state.candidates.query[outlook.units], np.maximum(rises, falls))
        return self._progress.expected(outlook.units, outlook.chance, outlook.change, first, average)

    def _average(self, outlook: _Outlook) -> tuple[Floats, Floats]:
        """Return how far both ends move on average if all open units of a query are judged."""
        state, query = self._state, self._state.candidates.query[outlook.units]
        part = state.weights / np.maximum(np.bincount(query, minlength=state.candidates.size), 1)
        rises, falls = (outlook.value - state.low) * part, (state.high - outlook.value) * part
        return np.maximum(rises, 0.0)[query], np.maximum(falls, 0.0)[query]


def _until_likely(outlook: _Outlook) -> int:
    """Count until what is left of the variance is small beside the mean, which moves by what is taken."""
    total = outlook.spread**2
    taken = np.minimum(np.cumsum(-np.sort(-(outlook.change**2))), total)
    enough = outlook.mean**2 + taken >= NormalDist().inv_cdf(LIKELY) ** 2 * (total - taken)
    return int(np.argmax(enough)) + 1 if enough.any() else len(taken)


def _shares(grades: Floats, scale: Floats) -> Floats:
    """Return how often relevant units have each grade; all alike before any is known."""
    nearest = np.abs(grades[:, None] - scale).argmin(axis=1)
    counts = np.bincount(nearest, minlength=len(scale)).astype(np.float64) + 1.0
    shares: Floats = counts / counts.sum()
    return shares
