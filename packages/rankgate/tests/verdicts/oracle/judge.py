"""What each gate must say of some answers, and which exit code that is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from verdicts.oracle.scorer import first_rank, gated, reaches, value
from verdicts.state import Gate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from verdicts.state import Answer, Baseline, Case, Question, State, Suite, System

PASSED, FAILED, OPEN, WAIVED = "passed", "failed", "inconclusive", "not enforced"
WAITING, REQUIRED = "waiting", "required"
"""Inconclusive, and refused, for want of a baseline that says enough."""
WRONG, OUTAGE = 2, 3
MIN_N = 5
ENOUGH = 0.8
LOST_DEPTH = 10
"""How deep a query that was found is looked for without a gate that says so, where so many are asked for."""
LIMIT_MS = 2000.0
"""After how long a system of a state is too late."""
_CODES = {FAILED: 1, OPEN: 4, WAITING: 4, REQUIRED: 2, PASSED: 0, WAIVED: 0}
_ORDER = (2, 3, 1, 4, 0)


class RefusedError(Exception):
    """The suite, the call or a file is wrong: exit code 2."""


@dataclass(frozen=True)
class Expected:
    """What a command must end with."""

    code: int
    gates: Mapping[str, str] | None = None
    """The status of each gate by its text; None where no verdict is given."""
    why: str = ""
    green: bool = False
    """Whether nothing is wrong but that gates wait for a baseline, or for one of today."""


@dataclass(frozen=True)
class Answers:
    """What a verdict is about."""

    by_case: Mapping[str, Answer]
    k: int
    repeats: tuple[Mapping[str, Answer], ...] = ()

    def every(self, case: str) -> list[Answer]:
        """Return what a case was answered each time that it was asked."""
        return [one[case] for one in (self.by_case, *self.repeats)]

    def fails(self, case: str) -> bool:
        """Return whether a case was without an answer at any time."""
        return any(isinstance(one, str) for one in self.every(case))

    @property
    def failed(self) -> int:
        """How many cases were without an answer at any time."""
        return sum(map(self.fails, self.by_case))


def depth(suite: Suite, gates: Iterable[Gate], k: int | None) -> int:
    """Return how many hits are asked for."""
    cuts = map(_cut, gates)
    tops = [case.top[1] for case in suite.cases if case.top]
    return k or suite.k or max([10, *cuts, *tops])


def _cut(gate: Gate) -> int:
    """Return how many hits a gate looks at; 0 where it looks at none."""
    return max(gate.ranks) if gate.kind == "lost" else int(gate.metric.partition("@")[2] or 0)


def gates_of(suite: Suite, system: System) -> tuple[Gate, ...]:
    """Return the gates that hold: the system's own, where it has any."""
    return suite.gates if system.gates is None else system.gates


def judge(state: State, suite: Suite, system: System, answers: Answers) -> Expected:
    """Return what the verdict must be."""
    try:
        statuses = _Judging(state, suite, system, answers).statuses()
    except RefusedError as refused:
        return Expected(WRONG, None, str(refused))
    if not system.gate:
        statuses = {text: status if status == PASSED else WAIVED for text, status in statuses.items()}
    codes = [_CODES[status] for status in statuses.values()]
    outage = answers.failed > system.max_errors
    code = min([*codes, *([OUTAGE] if outage else [])], key=_ORDER.index, default=0)
    lenient = suite.lenient if system.lenient is None else system.lenient
    code = 0 if code == 4 and lenient else code
    bad = {FAILED, OPEN} & set(statuses.values())
    shown = {text: {WAITING: OPEN, REQUIRED: "refused"}.get(one, one) for text, one in statuses.items()}
    return Expected(code, shown, green=code == 0 or (code in (2, 4) and not bad))


class _Judging:
    def __init__(self, state: State, suite: Suite, system: System, answers: Answers) -> None:
        self.state, self.suite, self.system, self.answers = state, suite, system, answers
        self.cases = suite.cases
        judged = [case for case in self.cases if any(one.grade > 0 for one in case.targets)]
        self.unreviewed = bool(judged) and not any(map(_reviewed, judged))

    def statuses(self) -> dict[str, str]:
        gates = gates_of(self.suite, self.system)
        own = self._baseline(None)
        problems: list[str] = []
        found: dict[str, str] = {}
        for gate in chain(gates, self._unwritten(gates), self._none_lost(gates, own, found)):
            try:
                found[gate.text] = self._status(gate)
            except RefusedError as refused:
                problems.append(str(refused))
        if problems:
            raise RefusedError("; ".join(problems))
        return found

    def _unwritten(self, gates: Sequence[Gate]) -> Iterable[Gate]:
        whole = [gate for gate in gates if gate.where is None]
        if any(case.top or case.empty for case in self.cases) and not any(
            one.kind == "checks" for one in whole
        ):
            yield Gate("checks")
        allowed = self.system.max_errors
        too_many = self.answers.failed > allowed
        if too_many and not any(one.kind == "errors" and one.bar <= allowed for one in whole):
            yield Gate("errors", bar=allowed)

    def _none_lost(
        self, gates: Sequence[Gate], own: Baseline | None, found: Mapping[str, str]
    ) -> Iterable[Gate]:
        held = self.state.require_baseline if own is None else self._comparable(own)
        deep = min(LOST_DEPTH, self.answers.k)
        # What the worst slice is held to says nothing of slices that are too small; what looks deeper than
        # the baseline goes leaves open what the baseline can tell.
        instead = any(
            one.kind == "lost"
            and not (one.against or one.where or one.key)
            and (one.ranks[1] <= deep or found[one.text] not in {OPEN, WAITING})
            for one in gates
            if one.text in found
        )
        if held and not instead:
            yield Gate("lost", ranks=(deep, deep), bare=True)

    def _status(self, gate: Gate) -> str:
        members = [case for case in self.cases if gate.where is None or _has(case, *gate.where)]
        if not members:
            raise RefusedError(f"{gate.text}: no such slice")
        if gate.key and not any(_key(case, gate.key) for case in self.cases):
            raise RefusedError(f"{gate.text}: no such key")
        judged = {
            "metric": self._metric,
            "worst": self._worst,
            "errors": self._errors,
            "checks": self._checks,
            "drop": self._compared,
            "lost": self._compared,
            "latency": self._latency,
        }[gate.kind]
        return judged(gate, members)

    def _value(self, gate: Gate, case: Case, before: Answer | None = None) -> float | None:
        """Score a case as gates do, by its mean over all times; None where it does not count."""
        if case.xfail == "future" or not _reviewed(case):
            return None
        every = self.answers.every(case.name) if before is None else [before]
        values = [value(gate.metric, *gated(one, case.targets)) for one in every]
        return math.fsum(one or 0.0 for one in values) / len(values)

    def _mean(self, gate: Gate, cases: Iterable[Case]) -> float | None:
        rows = [(case.weight, one) for case in cases if (one := self._value(gate, case)) is not None]
        if not rows:
            return None
        total = math.fsum(weight * one for weight, one in rows)
        return total / sum(weight for weight, _ in rows)

    def _metric(self, gate: Gate, members: Sequence[Case]) -> str:
        if not any(one.grade > 0 for case in members for one in case.targets):
            raise RefusedError(f"{gate.text}: nothing to score")
        if self.unreviewed:
            return WAIVED
        mean = self._mean(gate, members)
        counted = [case for case in members if self._value(gate, case) is not None]
        if mean is None or (gate.where and _size(gate, counted) < MIN_N):
            return OPEN
        return PASSED if round(mean, 9) >= round(gate.bar, 9) else FAILED

    def _worst(self, gate: Gate, members: Sequence[Case]) -> str:
        if not any(one.grade > 0 for case in members for one in case.targets):
            raise RefusedError(f"{gate.text}: nothing to score")
        if self.unreviewed:
            return WAIVED
        counted = [case for case in members if self._value(gate, case) is not None]
        return _worst_slice(gate, counted, lambda cases: self._mean_fails(gate, cases))

    def _mean_fails(self, gate: Gate, cases: Sequence[Case]) -> bool:
        mean = self._mean(gate, cases)
        return mean is not None and round(mean, 9) < round(gate.bar, 9)

    def _errors(self, gate: Gate, members: Sequence[Case]) -> str:
        errors = sum(self.answers.fails(case.name) for case in members)
        return PASSED if errors <= gate.bar else FAILED

    def _latency(self, _: Gate, members: Sequence[Case]) -> str:
        answers = [one for case in members for one in self.answers.every(case.name)]
        if all(one == "error" for one in answers):
            return OPEN
        if self.unreviewed:
            return WAIVED
        return FAILED if "late" in answers else PASSED

    def _checks(self, gate: Gate, members: Sequence[Case]) -> str:
        checked = [case for case in members if case.top or case.empty]
        if not checked:
            raise RefusedError(f"{gate.text}: no case has a check")
        held = [case for case in checked if case.xfail != "future"]
        ended = [self._check(case) for case in held]
        if FAILED in ended or not held:
            return FAILED if held else WAIVED
        return PASSED if PASSED in ended else OPEN

    def _check(self, case: Case) -> str:
        """Return how a check ended, which must hold every time; without an answer nothing is held to it."""
        given = [one for one in self.answers.every(case.name) if not isinstance(one, str)]
        if not all(_holds(case, one) for one in given):
            return FAILED
        return OPEN if self.answers.fails(case.name) else PASSED

    def _compared(self, gate: Gate, members: Sequence[Case]) -> str:
        before = self._baseline(gate.against)
        # Of another system's baseline nobody says that it is about to be made.
        waiting = WAITING if gate.against is None else OPEN
        if before is None:
            return REQUIRED if self.state.require_baseline and gate.against is None else WAIVED
        if not self._comparable(before):
            return waiting
        kept = dict(before.answers.values())
        asked = {case.question for case in self.cases}
        scored = [case for case in members if case.xfail != "future" and _reviewed(case)]
        both = [case for case in scored if case.question in kept]
        if self.unreviewed:
            return WAIVED
        if not both or _cut(gate) > before.k:
            return waiting
        if len(both) < ENOUGH * len(scored) or sum(one in asked for one in kept) < ENOUGH * len(kept):
            return waiting

        def fails(cases: Sequence[Case]) -> bool:
            pairs = [(case, kept[case.question]) for case in cases]
            return self._loses(gate, pairs) if gate.kind == "lost" else self._falls(gate, pairs)

        if gate.key:
            return _worst_slice(gate, both, fails)
        if gate.where and _size(gate, both) < MIN_N:
            return OPEN
        return FAILED if fails(both) else PASSED

    def _loses(self, gate: Gate, pairs: Sequence[tuple[Case, Answer]]) -> bool:
        lost = sum(self._lost(gate, case, before) for case, before in pairs)
        return lost > (_may_be_lost(len(pairs)) if gate.bare else gate.bar)

    def _falls(self, gate: Gate, pairs: Sequence[tuple[Case, Answer]]) -> bool:
        drop = math.fsum(case.weight * self._drop(gate, case, before) for case, before in pairs)
        return round(drop / sum(case.weight for case, _ in pairs), 9) >= round(gate.bar, 9)

    def _lost(self, gate: Gate, case: Case, before: Answer) -> bool:
        within, deep = gate.ranks
        was = first_rank(*gated(before, case.targets))
        if was is None or was > within:
            return False
        now = [first_rank(*gated(one, case.targets)) for one in self.answers.every(case.name)]
        found = sum(rank is not None and rank <= deep for rank in now)
        return 2 * found < len(now)

    def _drop(self, gate: Gate, case: Case, before: Answer) -> float:
        return (self._value(gate, case, before) or 0.0) - (self._value(gate, case) or 0.0)

    def _baseline(self, name: str | None) -> Baseline | None:
        """Return a baseline that can be read."""
        known = [one.name for one in self.state.systems]
        found = self.state.baselines.get((self.suite.path, name or self.system.name))
        if found is None:
            if name is not None and name not in known:
                raise RefusedError(f"against {name}: nobody has that name")
            return None
        if found.damaged:
            raise RefusedError("the baseline cannot be read")
        if (found.suite, found.system) != (self.suite.name, name or self.system.name):
            raise RefusedError("the baseline is of another suite or system")
        return found

    def _comparable(self, before: Baseline) -> bool:
        return not self.suite.corpus or before.corpus == self.state.corpus


def _worst_slice(gate: Gate, counted: Sequence[Case], fails: Callable[[Sequence[Case]], bool]) -> str:
    """Judge each slice of a key that has enough cases, those that have not together, and say what all say."""
    slices: dict[str, list[Case]] = {}
    for case in counted:
        slices.setdefault(_key(case, gate.key) or "(none)", []).append(case)
    thin = [name for name, cases in slices.items() if _size(gate, cases) < MIN_N]
    pooled = [case for name in thin for case in slices[name]]
    full = [cases for name, cases in slices.items() if name not in thin]
    full += [pooled] if _size(gate, pooled) >= MIN_N else []
    if any(map(fails, full)):
        return FAILED
    return PASSED if full and sum(map(len, full)) >= ENOUGH * len(counted) else OPEN


def _size(gate: Gate, cases: Sequence[Case]) -> float:
    """Return how many cases of one weight say as much as these; whether a query is lost has no weight."""
    if gate.kind == "lost" or not cases:
        return len(cases)
    return sum(case.weight for case in cases) ** 2 / sum(case.weight**2 for case in cases)


def _may_be_lost(queries: int) -> int:
    """Return how many may be lost where a gate does not say: none of few, of many five in a thousand."""
    return 0 if queries <= 200 else math.floor(queries * 5 / 1000)


def _reviewed(case: Case) -> bool:
    return any(one.reviewed and one.grade > 0 for one in case.targets)


def _holds(case: Case, answer: Answer) -> bool:
    hits = () if isinstance(answer, str) else answer
    if case.empty and hits:
        return False
    return case.top is None or any(reaches(hit, case.top[0]) for hit in hits[: case.top[1]])


def _key(case: Case, key: str) -> str | None:
    found = {"category": case.category, "lang": case.lang, "group": case.group}
    return found.get(key)


def _has(case: Case, key: str, wanted: str) -> bool:
    return _key(case, key) == wanted


def questions(suite: Suite) -> dict[str, Question]:
    """Return what a suite asks, by the names of its cases."""
    return {case.name: case.question for case in suite.cases}
