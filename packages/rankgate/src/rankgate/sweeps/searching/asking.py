"""`--search N`: trials over the axes of a sweep, each asked in parts and stopped where the best is better.

A trial is asked a quarter of the queries that variants are ranked on, then half, then all. It is stopped
after a part where the best trial so far is better on the same queries: by the one-sided randomisation test of
the paired differences, p at most 0.05. What is stopped lies apart from whole runs, and goes on where it was
left if a later search comes to it. Held-out queries are asked last, and looked at only for the winner.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankgate.errors import ExitCode, RankgateError
from rankgate.model.wording import many
from rankgate.scoring.evaluate import score
from rankgate.scoring.paired.compare import compare_paired
from rankgate.sweeps.held_out import drawn_share, split
from rankgate.sweeps.searching.search import TrialValue, search
from rankgate.truth.locations.resolve import resolve

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.model import Case
    from rankgate.runs.store.tables import Run
    from rankgate.scoring.scores import Scores
    from rankgate.sweeps.asking import AskedVariant, Asking
    from rankgate.sweeps.searching.search import Point
    from rankgate.sweeps.searching.space import SearchSpace
    from rankgate.truth.judgments.table import Judgments

PARTS = (0.25, 0.5, 1.0)
"""How much of the ranked queries a trial was asked when it may be stopped; after the last it is whole."""
WORSE = 0.05
"""A trial is stopped where the best is better with at most this p value."""


class _RankedPart(NamedTuple):
    """A part of the ranked queries."""

    cases: tuple[Case, ...]
    judgments: Judgments
    last: bool
    """True where it is all of them."""


@dataclass(slots=True)
class Searching:
    """The trials of a search over one suite."""

    space: SearchSpace
    """What is searched."""
    asking: Asking
    """How variants are asked."""
    asked: dict[str, AskedVariant] = field(default_factory=dict)
    """The trials that were asked everything, by name."""
    notes: list[str] = field(default_factory=list)
    """What could not be asked."""
    codes: list[ExitCode] = field(default_factory=list)
    """How asking those ended."""
    stopped: int = 0
    """How many trials were stopped."""
    _best: Mapping[str, float] = field(default_factory=dict)
    _best_value: float | None = None
    _known_parts: list[_RankedPart] = field(default_factory=list)

    def run(self, trials: int, seed: int | None = None) -> None:
        """Try so many combinations, that in use first, where it is one; by default with the sweep's seed."""
        sweep = self.asking.sweep
        seed = sweep.seed if seed is None else seed
        base = self.space.named(sweep.baseline)
        first = [] if base is None else [base]
        found = search(self.space, self._measured, trials, seed, less=self.less, first=first)
        total = f"{many(len(found), 'trial')} of {many(self.space.size, 'combination')} (seed {seed})"
        rule = "stopped after a quarter or half of the queries, as the best trial was better on them"
        self.notes.insert(0, f"searched: {total}; {many(self.stopped, 'trial')} {rule} (p ≤ {WORSE:g})")

    @property
    def less(self) -> bool:
        """Whether less is better in the metric that decides."""
        from rankgate.scoring.expressions import parse

        return parse(self.asking.metrics[0]).less_is_better

    def _measured(self, point: Point) -> TrialValue:
        """Ask one combination, part by part."""
        variant, asking = self.space.variant(point), self.asking
        try:
            with asking.trial(variant) as trial:
                for cases, judgments, last in self._parts():
                    values = self._values(judgments, trial.some(cases))
                    if not last and self._is_worse(values):
                        self.stopped += 1
                        return TrialValue(_mean(values), pruned=True)
                self.asked[variant.name] = trial.whole()
        except RankgateError as error:
            self.codes.append(error.exit_code)
            self.notes.append(f"{variant.name} was not asked: {error}")
            return TrialValue(None)
        value = _mean(values)
        if value is not None and (self._best_value is None or self._sign * (value - self._best_value) > 0):
            self._best, self._best_value = values, value
        return TrialValue(value)

    @property
    def _sign(self) -> float:
        return -1.0 if self.less else 1.0

    def _parts(self) -> list[_RankedPart]:
        """Return the growing parts of the ranked queries, the same for every trial; a group is in one."""
        if not self._known_parts:
            sweep = self.asking.sweep
            ranked = split(self.asking.suite, sweep.held_out, sweep.seed).seen
            order = sorted(
                ranked.cases, key=lambda case: drawn_share(f"part {case.group or case.id}", sweep.seed)
            )
            for size in dict.fromkeys(max(1, round(share * len(order))) for share in PARTS):
                cases = _whole_groups(order, size)
                judgments = resolve(replace(ranked, cases=cases), self.asking.corpus).judgments
                self._known_parts.append(_RankedPart(cases, judgments, len(cases) == len(order)))
        return self._known_parts

    def _values(self, judgments: Judgments, run: Run) -> dict[str, float]:
        scores: Scores = score(judgments, run, self.asking.metrics[:1], depth=self.asking.k)
        column = scores.columns[scores.metrics[0].label]
        return {
            query: float(value)
            for query, value, known in zip(scores.queries, column.values, column.defined, strict=True)
            if known
        }

    def _is_worse(self, values: Mapping[str, float]) -> bool:
        """Check whether the best so far is better on the same queries."""
        both = [query for query in values if query in self._best]
        if not both:
            return False
        groups = {case.id: case.group or case.id for case in self.asking.suite.cases}
        gains = self._sign * np.array([values[query] - self._best[query] for query in both])
        return compare_paired(gains, groups=[groups[query] for query in both], scale=None).p_less <= WORSE


def _mean(values: Mapping[str, float]) -> float | None:
    return float(np.mean(list(values.values()))) if values else None


def _whole_groups(order: Sequence[Case], size: int) -> tuple[Case, ...]:
    """Return so many cases, and what else is of the group of the last."""
    last = order[size - 1].group
    more = size
    while last is not None and more < len(order) and order[more].group == last:
        more += 1
    return tuple(order[:more])
