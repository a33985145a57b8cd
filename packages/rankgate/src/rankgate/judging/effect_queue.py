"""Passages by effect: those first whose grade is expected to settle a comparison or a gate soonest."""

from __future__ import annotations

from collections import defaultdict
from statistics import mean
from typing import TYPE_CHECKING

import numpy as np

from rankgate.gates.language import Measure, parse_gates
from rankgate.judging.order.candidates import Candidates
from rankgate.judging.order.effect_order import EffectOrder
from rankgate.judging.order.goal import DifferenceGoal, GateGoal
from rankgate.judging.session.queue import Countdown, FixedQueue
from rankgate.model.wording import many
from rankgate.scoring.expressions import parse
from rankgate.truth.judgments.labels import MODEL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.judging.order.goal import Goal
    from rankgate.judging.pool.gather import GatheredPool
    from rankgate.judging.pool.pool import PooledUnit
    from rankgate.judging.units import JudgingUnit
    from rankgate.model.suite import Suite
    from rankgate.scoring.matches import Floats
    from rankgate.truth.judgments.labels import Label, Labels, UnitKey


def effect_queue(suite: Suite, found: GatheredPool) -> EffectQueue | None:
    """Return the order that settles the first comparison or gate soonest; None where there is none to settle.

    Of two answers or more, the first two are compared by the suite's first metric; of one, its first gate on
    a metric over all queries is settled.
    """
    answers = found.answers[:2]
    if not answers or not found.pool.units:
        return None
    goal, what = _goal(suite, [one.name for one in answers])
    if goal is None:
        return None
    runs = [one.run if one.moved is None else one.moved.run for one in answers]
    candidates = Candidates.of_runs(found.judgments, runs, goal.metric.reads)
    if not len(candidates):
        return None
    cases = found.judgments.cases["query"].to_list()
    units = _units_by_hit(found.pool.units, candidates, (cases, [one.name for one in answers]))
    order = EffectOrder(candidates, goal, opinions=_opinions(units, found.labels, candidates))
    return EffectQueue(found.pool.units, len(candidates), order, units, what)


def _units_by_hit(
    pool: Sequence[PooledUnit], candidates: Candidates, names: tuple[Sequence[str], Sequence[str]]
) -> dict[int, list[JudgingUnit]]:
    """Return the passages of each hit that nobody has judged.

    Args:
        pool: The passages.
        candidates: The hits, as the order numbers them.
        names: The ids of the cases and the names of the systems, as the candidates number both.
    """
    cases, systems = names
    numbers = {
        (cases[query], systems[column], int(rank)): hit
        for hit, (query, ranks) in enumerate(zip(candidates.query, candidates.ranks, strict=True))
        for column, rank in enumerate(ranks)
        if rank > 0
    }
    units: dict[int, list[JudgingUnit]] = defaultdict(list)
    for pooled in pool:
        for vote in pooled.hits:
            hit = numbers.get((pooled.unit.case, vote.source, vote.rank))
            if hit is not None and pooled.unit not in units[hit]:
                units[hit].append(pooled.unit)
    return dict(units)


def _opinions(
    units: Mapping[int, Sequence[JudgingUnit]], labels: Labels, candidates: Candidates
) -> Floats | None:
    """Return what model judges say of each hit, as a share of the scale; NaN where none graded it.

    Of a hit with several passages that is the highest grade, of several judges the mean. They only order, so
    that judges that no gate counts have their say as well.
    """
    graded = labels.graded([MODEL])
    if not graded:
        return None
    found = np.full(len(candidates), np.nan)
    for hit, passages in units.items():
        said = [
            mean(label.grade for label in graded[unit.key] if label.grade is not None)
            for unit in passages
            if unit.key in graded
        ]
        if said:
            found[hit] = min(1.0, max(0.0, max(said) / candidates.top))
    return found


def _goal(suite: Suite, names: Sequence[str]) -> tuple[Goal | None, str]:
    if len(names) > 1:
        metric = parse(suite.metrics[0])
        return DifferenceGoal(metric), f"the comparison of {names[0]} and {names[1]} by {metric.label}"
    for gate in parse_gates(suite.gates, suite.metrics):
        whole = gate.only is None and gate.worst is None
        if gate.measure is Measure.METRIC and gate.sign == ">=" and whole and gate.metric is not None:
            return GateGoal(parse(gate.metric), gate.bar), f"the gate {gate.text} of {names[0]}"
    return None, ""


class EffectQueue:
    """Passages in the order in which judging them is expected to settle something.

    A hit is judged where all of its passages are: by the highest of their grades. Where no hit is left that
    could change anything, the other passages follow in the order of the pool.
    """

    def __init__(
        self,
        pool: Sequence[PooledUnit],
        hits: int,
        order: EffectOrder,
        units: Mapping[int, Sequence[JudgingUnit]],
        what: str,
    ) -> None:
        """Bring together what the order numbers and what a judge is shown.

        Args:
            pool: The passages.
            hits: How many hits nobody has judged.
            order: The order, which numbers them.
            units: The passages of each hit.
            what: What is to be settled, in words.
        """
        self._order, self._what = order, what
        self._rest = FixedQueue([pooled.unit for pooled in pool])
        self._units = units
        self._absent = [hit for hit in range(hits) if hit not in units]

    def next(self, judged: Mapping[UnitKey, Label]) -> JudgingUnit | None:
        """Return the passage whose grade is expected to do most; None where nothing is left."""
        grades, passed = self._grades(judged)
        hit = self._order.next(grades, passed)
        if hit is None:
            return self._rest.next(judged)
        return next(unit for unit in self._units[hit] if unit.key not in judged)

    def remaining(self, judged: Mapping[UnitKey, Label]) -> Countdown:
        """Return an estimate of how many more judgments settle it."""
        left = self._rest.remaining(judged)
        found = self._order.remaining(self._grades(judged)[0]).judgments
        if not found:
            return Countdown(left.count, f"{self._what} is settled; {left.words}")
        settle = "settles" if found == 1 else "settle"
        return Countdown(found, f"about {many(found, 'more judgment')} {settle} {self._what}")

    def _grades(self, judged: Mapping[UnitKey, Label]) -> tuple[dict[int, float], list[int]]:
        """Return the grades of hits that are judged, and the hits that nobody shall be asked for."""
        grades: dict[int, float] = {}
        passed = list(self._absent)
        for hit, units in self._units.items():
            said = [judged[unit.key] for unit in units if unit.key in judged]
            given = [label.grade for label in said if label.grade is not None]
            if len(given) == len(units):
                grades[hit] = max(given)
            elif len(said) == len(units):
                passed.append(hit)
        return grades, passed
