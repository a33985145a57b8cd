"""What each gate must say of some answers, and which exit code that is."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from verdicts.oracle.compared import Compared
from verdicts.oracle.findings import (
    FAILED,
    MIN_N,
    OPEN,
    PASSED,
    REFUSED,
    REQUIRED,
    WAITING,
    WAIVED,
    Counts,
    Finding,
    decide,
    holds,
    keys_of,
    size_of,
    values_of,
)
from verdicts.oracle.scorer import Seen, reaches, terms, value
from verdicts.oracle.sides import LIMIT_MS, UNLABELLED, Answers, Side
from verdicts.state import NOWHERE, Gate, lines_on_top

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from verdicts.state import Answer, Baseline, Case, Documents, Question, State, Suite, System

WRONG, OUTAGE = 2, 3
LOST_DEPTH = 10
"""How deep a query that was found is looked for without a gate that says so, where so many are asked for."""
_CODES = {FAILED: 1, OPEN: 4, WAITING: 4, REQUIRED: 2, REFUSED: 2, PASSED: 0, WAIVED: 0}
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
    found: Mapping[str, Finding] = field(default_factory=dict)
    """The same with values and counts."""


def depth(suite: Suite, gates: Iterable[Gate], k: int | None) -> int:
    """Return how many hits are asked for.

    Raises:
        RefusedError: for a number that is smaller than a gate or a check needs.
    """
    every = [term for gate in gates if gate.metric for term in terms(gate.metric)]
    budgets = [50 for term in every if term.tokens or term.name == "tokens_to"]
    cuts = [term.cut or 0 for term in every if not (term.tokens or term.name == "tokens_to")]
    tops = [case.top[1] for case in suite.cases if case.top]
    needed = [*cuts, *tops, *(rank for gate in gates for rank in _ranks(gate))]
    given = k or suite.k
    if given is not None and given < max(needed, default=0):
        raise RefusedError(f"k: {given} hits, {max(needed)} are needed")
    return given or max([10, *needed, *budgets])


def _ranks(gate: Gate) -> tuple[int, ...]:
    return gate.ranks if gate.kind == "lost" else ()


def gates_of(suite: Suite, system: System) -> tuple[Gate, ...]:
    """Return the gates that hold: the system's own, where it has any."""
    return suite.gates if system.gates is None else system.gates


def judge(state: State, suite: Suite, system: System, answers: Answers, min_n: int = MIN_N) -> Expected:
    """Return what the verdict must be."""
    try:
        found = _Judging(state, suite, system, answers, min_n).findings()
    except RefusedError as refused:
        return Expected(WRONG, None, str(refused))
    statuses = {text: one.status for text, one in found.items()}
    if not system.gate:
        statuses = {text: status if status == PASSED else WAIVED for text, status in statuses.items()}
    codes = [_CODES[status] for status in statuses.values()]
    outage = answers.failed > system.max_errors or _nowhere(state, suite, answers)
    code = min([*codes, *([OUTAGE] if outage else [])], key=_ORDER.index, default=0)
    # What is left of a suite may fail a gate, and an outage is one; it passes and leaves open nothing.
    few = gone_targets(state, suite) > system.max_gone
    code = WRONG if few and code in (0, 4) else code
    code = 0 if code == 4 and system.lenient else code
    bad = {FAILED, OPEN, REFUSED} & set(statuses.values())
    shown = {text: {WAITING: OPEN, REQUIRED: REFUSED}.get(one, one) for text, one in statuses.items()}
    green = code == 0 or (code in (2, 4) and not bad and not few)
    return Expected(code, shown, green=green, found=found)


def gone_targets(state: State, suite: Suite) -> int:
    """Count the places that cases need and the documents do not have: relevant ones, and those of checks."""
    if not suite.corpus:
        return 0
    wanted = {
        (case.name, place)
        for case in suite.cases
        for place in (
            *(one.place for one in case.targets if one.grade > 0),
            *([case.top[0]] if case.top else []),
            *([case.never] if case.never else []),
        )
    }
    return sum(not state.corpus.has(place) for _, place in wanted)


def _nowhere(state: State, suite: Suite, answers: Answers) -> bool:
    """Return whether ten hits or more came back, and none is in the documents, where some target is."""
    hits = [hit for one in answers.by_case.values() if not isinstance(one, str) for hit in one]
    there = any(state.corpus.has(one.place) for case in suite.cases for one in case.targets)
    return suite.corpus and there and len(hits) >= 10 and not any(map(state.corpus.has, hits))


def _located(documents: Documents, answers: Answers) -> Answers:
    """Return answers in which a hit that the documents do not have is nowhere."""
    first, *again = (
        {name: documents.located(one) for name, one in some.items()}
        for some in (answers.by_case, *answers.repeats)
    )
    return replace(answers, by_case=first, repeats=tuple(again))


class _Judging:
    def __init__(self, state: State, suite: Suite, system: System, answers: Answers, min_n: int) -> None:
        documents = state.corpus if suite.corpus else None
        answers = answers if documents is None else _located(documents, answers)
        self.state, self.suite, self.system, self.answers = state, suite, system, answers
        self.documents = documents
        self.cases, self.min_n = suite.cases, min_n
        # As long as nothing is reviewed, everything is shown as it is.
        gated = any(map(_reviewed, self.cases))
        self.now = Side(self.cases, answers, gated=gated, documents=documents)
        self.shown = Side(self.cases, answers, gated=False, documents=documents)
        judged = [case for case in self.cases if any(one.grade > 0 for one in case.targets)]
        self.unreviewed = {case.name for case in judged if not _reviewed(case)}
        self.waived = bool(judged) and len(self.unreviewed) == len(judged)
        excused = {case.name for case in self.cases if case.xfail in ("today", "future")}
        self.counted = {case.name for case in self.cases} - self.unreviewed - excused

    def findings(self) -> dict[str, Finding]:
        gates = gates_of(self.suite, self.system)
        problems: list[str] = []
        found: dict[str, Finding] = {}

        def judge(some: Iterable[Gate]) -> None:
            for gate in some:
                try:
                    found.setdefault(gate.text, self._finding(gate))
                except RefusedError as refused:
                    problems.append(str(refused))

        judge(gates)
        judge(self._unwritten(gates, found))
        if problems:
            raise RefusedError("; ".join(problems))
        return found

    def _unwritten(self, gates: Sequence[Gate], found: Mapping[str, Finding]) -> Iterable[Gate]:
        whole = [gate for gate in gates if gate.where is None]
        if any(map(_checks_of, self.cases)) and not any(one.kind == "checks" for one in whole):
            yield Gate("checks")
        if any(one.finds for one in self.suite.probes) and not any(one.kind == "scenarios" for one in whole):
            yield Gate("scenarios")
        if not all(one.finds for one in self.suite.probes) and not any(
            one.kind == "invariants" for one in whole
        ):
            yield Gate("invariants")
        allowed = self.system.max_errors
        too_many = self.answers.failed > allowed
        counts = [one for one in whole if one.kind == "errors" and one.unit != "%"]
        if too_many and not any(one.bar <= allowed for one in counts):
            yield Gate("errors", bar=allowed)
        own = self._baseline(None)
        held = self.state.require_baseline if own is None else True
        deep = min(LOST_DEPTH, self.answers.k)
        # What the worst slice is held to says nothing of slices that are too small; what looks deeper than
        # the baseline goes leaves open what the baseline can tell.
        instead = any(
            one.kind == "lost"
            and not (one.against or one.key)
            and (max(one.ranks) <= deep or found[one.text].status not in (OPEN, WAITING))
            for one in whole
            if one.text in found
        )
        if held and not instead:
            yield Gate("lost", ranks=(deep, deep), bare=True)

    def _finding(self, gate: Gate) -> Finding:
        where = gate.where
        members = [case for case in self.cases if where is None or where[1] in values_of(case, where[0])]
        if not members:
            raise RefusedError(f"{gate.text}: no such slice")
        if gate.key and gate.key not in keys_of(self.cases):
            raise RefusedError(f"{gate.text}: no such key")
        judged = {
            "metric": self._metric,
            "errors": self._errors,
            "checks": self._checks,
            "scenarios": self._probed,
            "invariants": self._probed,
        }.get(gate.kind, self._compared)
        return judged(gate, members)

    def _counts_as(self, metric: str, case: Case) -> bool:
        """Return whether a gate on a metric counts a case: how long it took is no matter of truth."""
        return case.name in self.counted or terms(metric)[0].name == "latency"

    def _metric(self, gate: Gate, members: Sequence[Case]) -> Finding:
        counts = self._counts(gate, members)
        if all(self.shown.value(gate.metric, case.name) is None for case in members):
            return self._unvalued(gate, members, counts)
        if self.waived:
            return Finding(WAIVED, None, counts)
        found = decide(gate, members, self._mean, self.min_n)
        if self._estimates(gate, members) and not self.suite.allow_estimated:
            return replace(found, status=REFUSED, counts=counts, also=())
        return found

    def _unvalued(self, gate: Gate, members: Sequence[Case], counts: Counts) -> Finding:
        """A gate over nothing is wrong; one that only misses answers is open."""
        failed = [case for case in members if self.answers.fails(case.name) and not self.shown.gone(case)]
        answered = [Seen.of(case, (), gated=False, ms=0.0, told=self.shown.told) for case in failed]
        if any(value(gate.metric, one) is not None for one in answered):
            return Finding(OPEN, None, counts)
        if any(map(self.now.gone, members)) or terms(gate.metric)[0].name == "abstention_p":
            return Finding(OPEN, None, counts)
        raise RefusedError(f"{gate.text}: nothing to score")

    def _mean(self, gate: Gate, members: Sequence[Case]) -> Finding | None:
        if all(self.shown.value(gate.metric, case.name) is None for case in members):
            return None
        rows = [
            (case, one)
            for case in members
            if self._counts_as(gate.metric, case)
            and (one := self.now.value(gate.metric, case.name)) is not None
        ]
        cases = [case for case, _ in rows]
        statistic = terms(gate.metric)[0].statistic
        found = Finding(
            OPEN,
            counts=self._counts(gate, members),
            size=size_of(cases, weighted=statistic == "mean"),
            rows=frozenset(case.name for case in cases),
        )
        if not rows:
            return found
        if statistic == "mean":
            total = math.fsum(case.weight * one for case, one in rows)
            mean = total / sum(case.weight for case, _ in rows)
        else:
            share = 1.0 if statistic == "max" else float(statistic.removeprefix("p")) / 100
            mean = _percentile([one for _, one in rows], share)
        return replace(found, status=PASSED if holds(gate, mean) else FAILED, value=mean)

    def _counts(self, gate: Gate, members: Sequence[Case]) -> Counts:
        rows = [case.name for case in members if self._counts_as(gate.metric, case)]
        scored = [name for name in rows if self.now.value(gate.metric, name) is not None]
        unreviewed = sum(case.name in self.unreviewed for case in members)
        latency = terms(gate.metric)[0].name == "latency"
        return Counts(
            scored=len(scored),
            undefined=len(rows) - len(scored),
            unreviewed=0 if latency else unreviewed,
            errored=sum(map(self.answers.fails, rows)),
        )

    def _estimates(self, gate: Gate, members: Sequence[Case]) -> bool:
        """Return whether a value that counts rests on estimated labels."""
        about = any(term.name not in _ANSWERS for term in terms(gate.metric))
        return about and any(
            case.answer
            and self._counts_as(gate.metric, case)
            and self.now.value(gate.metric, case.name) is not None
            for case in members
        )

    def _errors(self, gate: Gate, members: Sequence[Case]) -> Finding:
        errors, asked = sum(self.answers.fails(case.name) for case in members), len(members)
        if gate.where is None:
            errors += sum(one in ("error", "late") for one in self.answers.probes.values())
            asked += len(self.answers.probes)
        value = errors / asked if gate.unit == "%" else float(errors)
        status = PASSED if holds(gate, value) else FAILED
        return Finding(status, value, Counts(scored=asked - errors, errored=errors))

    def _checks(self, gate: Gate, members: Sequence[Case]) -> Finding:
        every = [(case, check) for case in members for check in _checks_of(case)]
        if not every:
            raise RefusedError(f"{gate.text}: no case has a check")
        held = [(case, check) for case, check in every if case.xfail not in ("today", "future")]
        there = [(case, check) for case, check in held if not self._is_gone(case, check)]
        return _share(gate, [self._check(case, check) for case, check in there])

    def _is_gone(self, case: Case, check: str) -> bool:
        """Return whether the place of a check is gone."""
        place = {"top": case.top[0] if case.top else None, "never": case.never}.get(check)
        return self.documents is not None and place is not None and not self.documents.has(place)

    def _check(self, case: Case, check: str) -> str:
        """Return how a check ended, which must hold every time; without an answer nothing is held to it."""
        given = self.answers.every(case.name)
        if not all(_holds(case, check, one, self.answers.k) for one in given if one not in ("error", "late")):
            return FAILED
        return OPEN if self.answers.fails(case.name) else PASSED

    def _probed(self, gate: Gate, _: Sequence[Case]) -> Finding:
        probes = [one for one in self.suite.probes if bool(one.finds) == (gate.kind == "scenarios")]
        if not probes:
            raise RefusedError(f"{gate.text}: there is none")
        ended = []
        for one in probes:
            answer = self.answers.probes[one.name]
            if isinstance(answer, str):
                ended.append(OPEN)
            elif one.finds:
                found = any(reaches(hit, one.finds) for hit in answer[:10])
                ended.append(PASSED if found else FAILED)
            else:
                ended.append(FAILED if answer else PASSED)
        return _share(gate, ended)

    def _compared(self, gate: Gate, members: Sequence[Case]) -> Finding:
        before = self._baseline(gate.against)
        # Of another system's baseline nobody says that it is about to be made.
        waiting = WAITING if gate.against is None else OPEN
        if before is None:
            required = self.state.require_baseline and gate.against is None
            return Finding(REQUIRED if required else WAIVED)
        if not self._comparable(before):
            return Finding(waiting)
        left_out = self._left_out(before)
        before = self._today(before)
        then = Side.kept(self.cases, before, self.answers.k, gated=self.now.gated, documents=self.documents)
        return Compared(
            now=self.now,
            then=then,
            left_out=left_out,
            baseline=before,
            cases=self.cases,
            counted=self.counted,
            unreviewed=self.unreviewed,
            waived=self.waived,
            waiting=waiting,
            min_n=self.min_n,
        ).judge(gate, members)

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
        if not self.suite.corpus or before.corpus == self.state.corpus or before.findable:
            return True
        every = (one for name in before.answers for one in before.every(name))
        return not any(answer for answer in every if not isinstance(answer, str))

    def _today(self, before: Baseline) -> Baseline:
        """Return a baseline with its hits where their lines are today: below all that was put on top."""
        if not self.suite.corpus or before.corpus is None:
            return before

        def today(answer: Answer) -> Answer:
            return _kept_there(self.state.corpus, _moved(answer, self._more(before)))

        answers = {name: (question, today(one)) for name, (question, one) in before.answers.items()}
        repeats = tuple({name: today(one) for name, one in again.items()} for again in before.repeats)
        return replace(before, answers=answers, repeats=repeats)

    def _more(self, before: Baseline) -> int:
        """Return how many lines were put on top since a baseline was set."""
        then = lines_on_top(before.corpus.edits) if before.corpus is not None else 0
        return lines_on_top(self.state.corpus.edits) - then

    def _left_out(self, before: Baseline) -> dict[str, int]:
        """Return the cases that had a relevant hit which is not there any more, with the first relevant rank.

        What only a repeat had is behind every rank.
        """
        if not self.suite.corpus or before.corpus is None or before.corpus == self.state.corpus:
            return {}
        found, names = {}, {question: name for name, (question, _) in before.answers.items()}
        for case in self.cases:
            name = names.get(case.question, "")
            relevant = before.relevant.get(name, frozenset())
            now = [_moved_hit(hit, self._more(before)) for hit in relevant]
            if all(map(self.state.corpus.has, now)) or self.now.gone(case):
                continue
            ranks = [rank for rank, hit in enumerate(before.answers[name][1], 1) if hit in relevant]
            found[case.name] = min(ranks, default=10**9)
        return found


def _kept_there(documents: Documents, answer: Answer) -> Answer:
    """Return an answer of a baseline, in which a hit that is not found again is nowhere."""
    if isinstance(answer, str):
        return answer
    return tuple(hit if documents.has(hit) else NOWHERE for hit in answer)


def _moved(answer: Answer, lines: int) -> Answer:
    if isinstance(answer, str):
        return answer
    return tuple(_moved_hit(hit, lines) for hit in answer)


def _moved_hit(hit: str, lines: int) -> str:
    path, colon, block = hit.partition(":")
    if not colon:
        return hit
    start, end = block.split("-")
    return f"{path}:{int(start) + lines}-{int(end) + lines}"


_ANSWERS = UNLABELLED


def _percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that so large a share of all does not exceed."""
    ordered = sorted(values)
    return next(one for at, one in enumerate(ordered, 1) if at >= share * len(ordered) - 1e-9)


def _share(gate: Gate, ended: Sequence[str]) -> Finding:
    """Judge which share of checks, scenarios or invariants held, of those that were run."""
    run = [one for one in ended if one != OPEN]
    counts = Counts(scored=len(run), errored=len(ended) - len(run))
    if not run:
        return Finding(OPEN if ended else WAIVED, None, counts)
    value = run.count(PASSED) / len(run)
    return Finding(PASSED if holds(gate, value) else FAILED, value, counts)


def _reviewed(case: Case) -> bool:
    return any(one.reviewed and one.grade > 0 for one in case.targets)


def _checks_of(case: Case) -> list[str]:
    """Return the hard checks of a case."""
    found = {"empty": case.empty, "top": case.top, "never": case.never}
    return [name for name, there in found.items() if there]


def _holds(case: Case, check: str, answer: Answer, k: int) -> bool:
    hits = () if isinstance(answer, str) else answer
    if answer == "missing":
        return False
    if check == "empty":
        return not hits
    if check == "never":
        return not any(reaches(hit, case.never or "") for hit in hits[:k])
    place, within = case.top or ("", 0)
    return any(reaches(hit, place) for hit in hits[:within])


def questions(suite: Suite) -> dict[str, Question]:
    """Return what a suite asks, by the names of its cases."""
    return {case.name: case.question for case in suite.cases}


__all__ = [
    "LIMIT_MS",
    "OUTAGE",
    "WRONG",
    "Answers",
    "Expected",
    "RefusedError",
    "depth",
    "gates_of",
    "judge",
    "questions",
]
