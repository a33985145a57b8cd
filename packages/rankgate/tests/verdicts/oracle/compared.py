"""What gates that compare must say: how far a metric dropped, what was lost."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from verdicts.oracle.findings import (
    ENOUGH,
    FAILED,
    OPEN,
    PASSED,
    REFUSED,
    WAIVED,
    Counts,
    Finding,
    decide,
    holds,
    size_of,
)
from verdicts.oracle.scorer import terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from verdicts.oracle.sides import Side
    from verdicts.state import Baseline, Case, Gate


@dataclass(frozen=True)
class Compared:
    """The answers of today beside those of a baseline."""

    now: Side
    then: Side
    baseline: Baseline
    cases: Sequence[Case]
    """All cases of the suite."""
    counted: AbstractSet[str]
    """Those that are neither known misses nor unreviewed."""
    unreviewed: AbstractSet[str]
    waived: bool
    """Whether nothing is reviewed yet."""
    waiting: str
    """What is said where the baseline says too little."""
    min_n: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    """The cases that had a relevant hit which today's documents do not have, with the first relevant rank."""

    def judge(self, gate: Gate, members: Sequence[Case]) -> Finding:
        """Return what must be said of a gate."""
        rows = self._rows(gate, members)
        whole = Finding(WAIVED, None, self._counts(gate, members), lost=self._lost(gate, rows))
        if self.waived:
            return whole
        if self._too_little(gate, members):
            return replace(whole, status=self.waiting)
        shared = [case.name for case in members if case.name in self.then.cases]
        lacking = [name for name in shared if name in self.counted and self._one_sided(gate, name)]
        if lacking:
            # What only lacks answers is open, so that the outage decides.
            answered = [name for name in lacking if not self.now.answers.fails(name)]
            return replace(whole, status=REFUSED if answered else OPEN)
        if not rows:
            return replace(whole, status=OPEN)
        return replace(decide(gate, members, self._find, self.min_n), lost=whole.lost)

    def _has(self, gate: Gate, case: Case, side: Side) -> bool:
        """Return whether a case has what a gate compares."""
        if case.answer or self.now.gone(case):
            return False
        if side is self.then and gate.kind != "lost" and case.name in self.left_out:
            return False
        if gate.kind == "lost":
            return any(one.grade > 0 for one in case.targets)
        return side.value(gate.metric, case.name) is not None

    def _shallow(self, gate: Gate) -> bool:
        depth, k = self.baseline.k, self.now.answers.k
        needed = max(gate.ranks) if gate.kind == "lost" else max(one.hits(k) for one in terms(gate.metric))
        return depth is not None and min(needed, k) > depth

    def _one_sided(self, gate: Gate, name: str) -> bool:
        case = self.now.cases[name]
        return (
            gate.kind != "lost"
            and not case.answer
            and name not in self.left_out
            and (self._has(gate, case, self.now) != self._has(gate, case, self.then))
        )

    def _rows(self, gate: Gate, members: Sequence[Case]) -> list[Case]:
        if gate.kind != "lost" and self._shallow(gate):
            return []
        return [
            case
            for case in members
            if case.name in self.counted
            and case.name in self.then.cases
            and self._has(gate, case, self.now)
            and self._has(gate, case, self.then)
            and (case.name not in self.left_out or self._is_lost(gate, case))
        ]

    def _counts(self, gate: Gate, members: Sequence[Case]) -> Counts:
        shared = [case for case in members if case.name in self.then.cases and not case.answer]
        rows = self._rows(gate, members)
        return Counts(
            scored=len(rows),
            undefined=sum(case.name in self.counted for case in shared) - len(rows),
            unreviewed=sum(case.name in self.unreviewed for case in shared),
            errored=sum(self.now.answers.fails(case.name) for case in rows),
        )

    def _too_little(self, gate: Gate, members: Sequence[Case]) -> bool:
        today = [case for case in members if case.name in self.counted and self._has(gate, case, self.now)]
        matched = sum(case.name in self.then.cases for case in today)
        kept = {question for question, _ in self.baseline.answers.values()}
        asked = kept & {case.question for case in self.cases}
        few = matched < ENOUGH * len(today) - 1e-9 or len(asked) < ENOUGH * len(kept) - 1e-9
        shared = [case for case in today if case.name in self.then.cases]
        found = sum(case.name not in self.left_out for case in shared)
        return few or self._shallow(gate) or found < ENOUGH * len(shared) - 1e-9

    def _find(self, gate: Gate, members: Sequence[Case]) -> Finding | None:
        rows = self._rows(gate, members)
        if not rows:
            return None
        found = Finding(
            PASSED,
            counts=self._counts(gate, members),
            size=size_of(rows, weighted=gate.kind != "lost"),
            rows=frozenset(case.name for case in rows),
        )
        if gate.kind == "lost":
            number = len(self._lost(gate, rows))
            value = number / len(rows) if gate.unit == "%" else float(number)
            good = holds(gate, value, may_be_lost(len(rows)) if gate.bare else gate.bar)
            return replace(found, status=PASSED if good else FAILED, value=value)
        drops = {case.name: self._drop(gate, case) for case in rows}
        total = math.fsum(case.weight * drops[case.name] for case in rows)
        value = total / sum(case.weight for case in rows)
        return replace(found, status=PASSED if holds(gate, value) else FAILED, value=value)

    def _drop(self, gate: Gate, case: Case) -> float:
        now, then = self.now.value(gate.metric, case.name), self.then.value(gate.metric, case.name)
        less = all(one.rising for one in terms(gate.metric))
        return ((now or 0.0) - (then or 0.0)) * (1 if less else -1)

    def _lost(self, gate: Gate, rows: Sequence[Case]) -> tuple[str, ...]:
        if gate.kind != "lost":
            return ()
        return tuple(case.name for case in rows if self._is_lost(gate, case))

    def _is_lost(self, gate: Gate, case: Case) -> bool:
        within, deep = gate.ranks
        was, now = self.left_out.get(case.name, self.then.rank(case.name)), self.now.rank(case.name)
        return was is not None and was <= within and (now is None or now > deep)


def may_be_lost(queries: int) -> int:
    """Return how many may be lost where a gate does not say: none of few, of many five in a thousand."""
    return 0 if queries <= 200 else math.floor(queries * 5 / 1000)
