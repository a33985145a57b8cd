"""Judging gates: a status, a value, and a reason with the counts behind it.

Left out of every figure that a gate compares, and counted: cases with a relevant target that nobody has
reviewed, and known misses (`xfail`) until their date. Latency and errors are no matter of truth, and count
every case. A gate over a figure with estimated labels in it is refused, unless the suite allows them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankgate.errors import InputError, Problem
from rankgate.gates.checks import CheckResult
from rankgate.gates.language import NEGATED, Gate, Measure, parse_gate
from rankgate.gates.slices import Slices
from rankgate.gates.wording import decimals_to_tell, figure, many, tally
from rankgate.model import Answer, Counts, ExitCode, GateText, Status, Verdict
from rankgate.scoring.aggregate import aggregate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import date

    from rankgate.gates.checks import Checks
    from rankgate.model import Suite
    from rankgate.scoring.matches import Bools
    from rankgate.scoring.scores import Scores
    from rankgate.truth.judgments import Judgments

MIN_N = 5
"""How many scored cases a slice needs before a gate decides by it."""


def judge(
    gates: Sequence[Gate],
    scores: Scores,
    judgments: Judgments,
    checks: Checks,
    *,
    suite: Suite,
    today: date,
    max_errors: int = 0,
    min_n: int = MIN_N,
) -> tuple[Verdict, ...]:
    """Judge every gate.

    A suite with checks is held to ``checks = 100%``, and one with more errors than `max_errors` to
    ``errors <= max_errors``, whether or not a gate says so.

    Raises:
        InputError: with every gate over zero scored cases, or over a slice that does not exist.
    """
    cases = _Cases.of(scores, judgments, suite, today)
    verdicts: list[Verdict] = []
    problems: list[Problem] = []
    for gate in (*gates, *_unwritten(gates, cases, checks, max_errors)):
        try:
            mask = cases.slices.members(gate.only, _at(gate)) if gate.only else cases.everything
            verdicts.append(_JUDGES[gate.measure](_Question(gate, mask, cases, checks, min_n)))
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise InputError(problems)
    return tuple(verdicts)


def exit_code(verdicts: Iterable[Verdict], scores: Scores, max_errors: int = 0) -> ExitCode:
    """Give the exit code: a refused gate, too many errors, a failed gate, an inconclusive one, in order."""
    codes = [_CODES[verdict.status] for verdict in verdicts]
    if int(_errored(scores).sum()) > max_errors:
        codes.append(ExitCode.SYSTEM_FAILED)
    return ExitCode.worst(codes)


_CODES = {
    Status.PASSED: ExitCode.PASSED,
    Status.FAILED: ExitCode.GATE_FAILED,
    Status.INCONCLUSIVE: ExitCode.INCONCLUSIVE,
    Status.NOT_ENFORCED: ExitCode.PASSED,
    Status.REFUSED: ExitCode.WRONG_CALL,
}


def waive(verdicts: Iterable[Verdict]) -> tuple[Verdict, ...]:
    """Take the force out of verdicts, for a system that is only reported."""
    return tuple(
        verdict
        if verdict.status in (Status.PASSED, Status.NOT_ENFORCED)
        else replace(verdict, status=Status.NOT_ENFORCED, reason=f"{verdict.reason} ({verdict.status})")
        for verdict in verdicts
    )


def excused(suite: Suite, today: date) -> frozenset[str]:
    """Give the cases that are known misses today."""
    return frozenset(case.id for case in suite.cases if case.xfail and today <= case.xfail.until)


@dataclass(frozen=True, slots=True)
class _Cases:
    """What gates need to know of every case, in the order of the scores."""

    scores: Scores
    names: tuple[str, ...]
    slices: Slices
    judged: Bools
    """Cases with a relevant target that is no estimate."""
    unreviewed: Bools
    """Cases with a relevant target that nobody has reviewed."""
    excused: Bools
    """Known misses."""
    errored: Bools
    missing: Bools
    allow_estimated: bool
    """True where gates may count estimated labels."""

    @classmethod
    def of(cls, scores: Scores, judgments: Judgments, suite: Suite, today: date) -> _Cases:
        relevant = judgments.targets.filter(pl.col("grade") > 0)
        known = pl.Series(list(excused(suite, today)), dtype=pl.String)

        def among(queries: pl.Series) -> Bools:
            return scores.queries.is_in(queries.unique().implode()).to_numpy()

        return cls(
            scores=scores,
            names=tuple(scores.queries.to_list()),
            slices=Slices(judgments.cases),
            judged=among(relevant["query"]) & ~scores.estimated,
            unreviewed=among(relevant.filter(~pl.col("reviewed"))["query"]),
            excused=among(known),
            errored=_errored(scores),
            missing=(scores.status == Answer.MISSING.value).to_numpy(),
            allow_estimated=suite.allow_estimated,
        )

    @property
    def everything(self) -> Bools:
        return np.ones(len(self.names), dtype=bool)

    @property
    def reviewed(self) -> int:
        return int((self.judged & ~self.unreviewed).sum())

    @property
    def not_enforced(self) -> str | None:
        """Say so where a suite has targets and nobody has reviewed a single case."""
        if not self.judged.any() or self.reviewed:
            return None
        return f"0 of {int(self.judged.sum())} reviewed, gates not enforced"


@dataclass(frozen=True, slots=True)
class _Question:
    """One gate, and all it takes to judge it."""

    gate: Gate
    mask: Bools
    cases: _Cases
    checks: Checks
    min_n: int

    def verdict(self, status: Status, value: float | None, reason: str, counts: Counts) -> Verdict:
        return Verdict(self.gate.text, status, value, reason, counts, self.gate.where)

    def decided(self, value: float) -> Status:
        return Status.PASSED if self.gate.holds(value) else Status.FAILED

    def comparison(self, value: float) -> str:
        """Write the value, how it stands to the bar, and the bar."""
        sign = self.gate.sign if self.gate.holds(value) else NEGATED[self.gate.sign]
        return f"{value_text(self.gate, value)} {sign} {self.gate.bar_text}"


@dataclass(frozen=True, slots=True)
class _Part:
    """A metric over some cases."""

    value: float | None
    counts: Counts
    excused: int
    had: int
    """How many would be scored, had nothing been left out."""

    def words(self) -> str:
        return ", ".join([tally(self.counts), *([f"{self.excused} xfail"] if self.excused else [])])


def value_text(gate: Gate, value: float) -> str:
    """Write a value with enough digits to see on which side of the gate's bar it is.

    >>> value_text(parse_gate(GateText("ndcg@10 >= 0.65")), 0.64996)
    '0.64996'
    """
    return figure(value, gate.unit, decimals=decimals_to_tell(value, gate.bar, gate.unit))


def _metric(question: _Question) -> Verdict:
    gate, cases = question.gate, question.cases
    if gate.label not in cases.scores.columns:
        known = ", ".join(cases.scores.columns)
        raise InputError(Problem(_at(gate), f"{gate.label}, which was not scored", f"one of {known}"))
    if gate.worst:
        return _worst(question)
    part = _part(question, question.mask)
    if not part.had:
        raise InputError(_nothing_scored(gate, part.words()))
    if reason := cases.not_enforced:
        return question.verdict(Status.NOT_ENFORCED, _mean(question, question.mask), reason, part.counts)
    if part.value is None:
        return question.verdict(
            Status.INCONCLUSIVE, None, f"nothing left to judge: {part.words()}", part.counts
        )
    if part.counts.estimated and not cases.allow_estimated:
        return question.verdict(Status.REFUSED, part.value, _refusal(part.counts), part.counts)
    reason = f"{question.comparison(part.value)}: {part.words()}"
    if gate.only and part.counts.scored < question.min_n:
        reason = f"{reason}; a slice needs {question.min_n} scored"
        return question.verdict(Status.INCONCLUSIVE, part.value, reason, part.counts)
    return question.verdict(question.decided(part.value), part.value, reason, part.counts)


def _worst(question: _Question) -> Verdict:
    gate, cases = question.gate, question.cases
    key = str(gate.worst)
    masks = {name: mask & question.mask for name, mask in cases.slices.values(key, _at(gate)).items()}
    parts = {name: _part(question, mask) for name, mask in masks.items()}
    scored = {name: part for name, part in parts.items() if part.had}
    if not scored:
        raise InputError(_nothing_scored(gate, f"{len(parts)} slices"))
    values = {name: part.value for name, part in scored.items() if part.value is not None}
    if reason := cases.not_enforced:
        shown = [_mean(question, masks[name]) for name in scored]
        value = max((value for value in shown if value is not None), key=gate.badness, default=None)
        return question.verdict(Status.NOT_ENFORCED, value, reason, _part(question, question.mask).counts)
    inside = _part(question, np.logical_or.reduce(list(masks.values()))).counts
    if inside.estimated and not cases.allow_estimated:
        value = max(values.values(), key=gate.badness, default=None)
        return question.verdict(Status.REFUSED, value, _refusal(inside), inside)
    thin = [name for name, part in scored.items() if part.counts.scored < question.min_n]
    full = [name for name in values if name not in thin]
    tail = _worst_words(question, key, thin, len(scored))
    if not values:
        counts = _part(question, question.mask).counts
        return question.verdict(Status.INCONCLUSIVE, None, f"nothing left to judge; {tail}", counts)
    name = max(full or values, key=lambda name: gate.badness(values[name]))
    status = question.decided(values[name])
    if thin and (status is Status.PASSED or not full):
        status = Status.INCONCLUSIVE
    part = scored[name]
    reason = f"{question.comparison(values[name])} in {key} = {name}: {part.words()}; {tail}"
    return question.verdict(status, values[name], reason, part.counts)


def _refusal(counts: Counts) -> str:
    these = f"the labels of {counts.estimated} of {counts.scored} scored cases are estimated from an answer"
    return f"{these}: give those cases targets, or say allow_estimated: true in the suite"


def _worst_words(question: _Question, key: str, thin: list[str], slices: int) -> str:
    without = question.mask.copy()
    for mask in question.cases.slices.values(key, _at(question.gate)).values():
        without &= ~mask
    words = [f"worst of {many(slices, 'slice')}"]
    if thin:
        words.append(f"fewer than {question.min_n} scored in {', '.join(thin)}")
    if without.any():
        words.append(f"{many(int(without.sum()), 'case')} without {key}")
    return "; ".join(words)


def _part(question: _Question, mask: Bools) -> _Part:
    """Work a metric out over the cases that a gate counts."""
    cases, gate = question.cases, question.gate
    column = cases.scores.columns[str(gate.label)]
    about_truth = gate.unit != "ms"
    unreviewed = mask & cases.unreviewed & about_truth
    known = mask & cases.excused & ~unreviewed & about_truth
    counted = mask & ~unreviewed & ~known
    counts = Counts(
        scored=int((counted & column.defined).sum()),
        undefined=int((counted & ~column.defined).sum()),
        unreviewed=int(unreviewed.sum()),
        errored=int((counted & cases.errored).sum()),
        missing=int((counted & cases.missing).sum()),
        estimated=int((counted & cases.scores.marked(str(gate.label))).sum()),
    )
    value = _mean(question, counted)
    return _Part(value, counts, int(known.sum()), int((mask & column.defined).sum()))


def _mean(question: _Question, mask: Bools) -> float | None:
    """Work a metric out over some cases, whether or not a gate counts them."""
    scores, label = question.cases.scores, question.gate.label
    metric = next(metric for metric in scores.metrics if metric.label == label)
    column = scores.columns[metric.label]
    rows = mask & column.defined
    return aggregate(column.values[rows], scores.weights[rows], metric.statistic)


def _errors(question: _Question) -> Verdict:
    cases, mask = question.cases, question.mask
    number, asked = int((mask & cases.errored).sum()), int(mask.sum())
    if not asked:
        raise InputError(_nothing_scored(question.gate, "no queries"))
    value = number / asked if question.gate.unit == "%" else float(number)
    reason = f"{question.comparison(value)}: {number} of {many(asked, 'query', 'queries')} errored"
    counts = Counts(scored=asked - number, errored=number)
    return question.verdict(question.decided(value), value, reason, counts)


def _checks(question: _Question) -> Verdict:
    cases = question.cases
    inside = {name for name, wanted in zip(cases.names, question.mask, strict=True) if wanted}
    known = {name for name, is_known in zip(cases.names, cases.excused, strict=True) if is_known}
    every = [check for check in question.checks.results if check.case in inside]
    if not every:
        raise InputError(_nothing_scored(question.gate, "no case has top or expect: empty"))
    held = [check for check in every if check.case not in known]
    run = [check for check in held if check.result is not CheckResult.NOT_RUN]
    passed = sum(check.result is CheckResult.PASSED for check in run)
    left_out = (
        (len(held) - len(run), "not run, because the system did not answer"),
        (len(every) - len(held), "xfail"),
    )
    words = "".join(f", {number} {word}" for number, word in left_out if number)
    counts = Counts(scored=len(run), errored=len(held) - len(run))
    if not run:
        # A known miss fails nothing; an answer that did not come leaves the check open.
        status = Status.INCONCLUSIVE if held else Status.NOT_ENFORCED
        return question.verdict(status, None, f"0 checks run{words}", counts)
    value = passed / len(run)
    if reason := cases.not_enforced:
        return question.verdict(Status.NOT_ENFORCED, value, reason, counts)
    reason = f"{question.comparison(value)}: {passed} of {many(len(run), 'check')} passed{words}"
    return question.verdict(question.decided(value), value, reason, counts)


_JUDGES = {Measure.METRIC: _metric, Measure.ERRORS: _errors, Measure.CHECKS: _checks}


def _unwritten(gates: Sequence[Gate], cases: _Cases, checks: Checks, max_errors: int) -> Iterator[Gate]:
    """Add what holds without being written: checks are hard, and errors are bounded."""
    written = [gate for gate in gates if gate.only is None]
    if checks.results and not any(gate.measure is Measure.CHECKS for gate in written):
        yield parse_gate(GateText("checks = 100%"))
    bound = parse_gate(GateText(f"errors <= {max_errors}"))
    too_many = int(cases.errored.sum()) > max_errors
    if too_many and not any(gate.measure is Measure.ERRORS and gate.bar <= bound.bar for gate in written):
        yield bound


def _errored(scores: Scores) -> Bools:
    return scores.status.is_in([Answer.ERROR.value, Answer.TIMEOUT.value]).to_numpy()


def _nothing_scored(gate: Gate, found: str) -> Problem:
    fix = "a gate over nothing would always pass; correct the slice, or give its cases relevant targets"
    return Problem(_at(gate), f"{gate.text!r} over 0 scored cases ({found})", "at least one", fix)


def _at(gate: Gate) -> str:
    return gate.where or f"gate {gate.text!r}"
