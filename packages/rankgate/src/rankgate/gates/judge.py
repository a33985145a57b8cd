"""Judging gates: a status, a value, and a reason with the counts behind it.

Left out of every figure that a gate compares, and counted: cases with a relevant target that nobody has
reviewed, and known misses (`xfail`) until their date. Latency and errors are no matter of truth, and count
every case. A gate over a figure with estimated labels in it is refused, unless the suite allows them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rankgate.errors import InputError, Problem
from rankgate.gates.against import judge_compared, lost_gate, lost_written
from rankgate.gates.checks import CheckResult
from rankgate.gates.context import Cases, GateContext, gate_location, nothing_scored
from rankgate.gates.exit_code import waive
from rankgate.gates.language import COMPARED, PROBED, Gate, Measure, parse_gate
from rankgate.model import Counts, GateText, Status
from rankgate.model.wording import many
from rankgate.scoring.metric import aggregate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date

    from rankgate.gates.checks import Checks, InvariantResult, ScenarioResult
    from rankgate.gates.scored import Against, GateVerdict, Scored
    from rankgate.scoring.matches import Bools

MIN_N = 5
"""How many scored cases a slice needs before a gate decides by it."""


@dataclass(frozen=True, slots=True)
class JudgingRules:
    """What a run is scored and judged by, whatever it is worth."""

    gates: tuple[Gate, ...]
    """The gates."""
    metrics: tuple[str, ...]
    """Every metric that they or the suite want."""
    today: date
    """The day on which known misses are judged."""
    depth: int = 10
    """How many hits to ask for: enough for every metric and check."""
    max_errors: int = 0
    """How many queries may fail."""
    enforce: bool = True
    """False where the system is only reported."""


def judge_run(scored: Scored, rules: JudgingRules) -> Scored:
    """Judge every gate of the rules.

    Raises:
        InputError: as `judge` does.
    """
    verdicts = judge(scored, rules.gates, max_errors=rules.max_errors)
    return replace(scored, verdicts=verdicts if rules.enforce else waive(verdicts))


def judge(
    scored: Scored, gates: Sequence[Gate], *, max_errors: int = 0, min_n: int = MIN_N
) -> tuple[GateVerdict, ...]:
    """Judge every gate.

    A suite with checks is held to ``checks = 100%``, and in the same way to its scenarios and invariants; one
    with more errors than `max_errors` to ``errors <= max_errors``; one with a baseline loses no query: all of
    it whether or not a gate says so.

    Raises:
        InputError: with every gate over zero scored cases, or over a slice that does not exist.
    """
    cases, checks = Cases.of(scored), scored.checks
    verdicts: list[GateVerdict] = []
    problems: list[Problem] = []
    unwritten = (*_unwritten(gates, cases, checks, max_errors), *_none_lost(gates, scored.own_baseline))
    for gate in (*gates, *unwritten):
        try:
            mask = cases.slices.members(gate.only, gate_location(gate)) if gate.only else cases.everything
            context = GateContext(gate, mask, cases, checks, min_n, scored.baselines.get(gate.against))
            verdicts.append(_JUDGES[gate.measure](context))
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise InputError(problems)
    return tuple(verdicts)


@dataclass(frozen=True, slots=True)
class _Part:
    """A metric over the cases of a slice that a gate counts."""

    value: float | None
    counts: Counts
    words: str
    had: int
    """How many would be scored, had nothing been left out."""


def _metric(context: GateContext) -> GateVerdict:
    gate, cases = context.gate, context.cases
    if gate.label not in cases.scores.columns:
        known = ", ".join(cases.scores.columns)
        raise InputError(
            Problem(gate_location(gate), f"{gate.label}, which was not scored", f"one of {known}")
        )
    if gate.worst:
        return _worst(context)
    part = _part(context, context.mask)
    if not part.had:
        raise InputError(nothing_scored(gate, part.words))
    if reason := cases.not_enforced:
        return context.verdict(Status.NOT_ENFORCED, _mean(context, context.mask), reason, part.counts)
    if part.value is None:
        return context.verdict(Status.INCONCLUSIVE, None, f"nothing left to judge: {part.words}", part.counts)
    if part.counts.estimated and not cases.allow_estimated:
        return context.verdict(Status.REFUSED, part.value, _refusal(part.counts), part.counts)
    reason = f"{context.comparison(part.value)}: {part.words}"
    if gate.only and part.counts.scored < context.min_n:
        reason = f"{reason}; a slice needs {context.min_n} scored"
        return context.verdict(Status.INCONCLUSIVE, part.value, reason, part.counts)
    return context.verdict(context.decided(part.value), part.value, reason, part.counts)


def _worst(context: GateContext) -> GateVerdict:
    gate, cases = context.gate, context.cases
    key = str(gate.worst)
    masks = {
        name: mask & context.mask for name, mask in cases.slices.values(key, gate_location(gate)).items()
    }
    parts = {name: _part(context, mask) for name, mask in masks.items()}
    scored = {name: part for name, part in parts.items() if part.had}
    if not scored:
        raise InputError(nothing_scored(gate, f"{len(parts)} slices"))
    values = {name: part.value for name, part in scored.items() if part.value is not None}
    if reason := cases.not_enforced:
        shown = [_mean(context, masks[name]) for name in scored]
        value = max((value for value in shown if value is not None), key=gate.badness, default=None)
        return context.verdict(Status.NOT_ENFORCED, value, reason, _part(context, context.mask).counts)
    inside = _part(context, np.logical_or.reduce(list(masks.values()))).counts
    if inside.estimated and not cases.allow_estimated:
        value = max(values.values(), key=gate.badness, default=None)
        return context.verdict(Status.REFUSED, value, _refusal(inside), inside)
    thin = [name for name, part in scored.items() if part.counts.scored < context.min_n]
    full = [name for name in values if name not in thin]
    tail = _worst_words(context, key, thin, len(scored))
    if not values:
        counts = _part(context, context.mask).counts
        return context.verdict(Status.INCONCLUSIVE, None, f"nothing left to judge; {tail}", counts)
    name = max(full or values, key=lambda name: gate.badness(values[name]))
    status = context.decided(values[name])
    if thin and (status is Status.PASSED or not full):
        status = Status.INCONCLUSIVE
    part = scored[name]
    reason = f"{context.comparison(values[name])} in {key} = {name}: {part.words}; {tail}"
    return context.verdict(status, values[name], reason, part.counts)


def _refusal(counts: Counts) -> str:
    these = f"the labels of {counts.estimated} of {counts.scored} scored cases are estimated from an answer"
    return f"{these}: give those cases targets, or say allow_estimated: true in the suite"


def _worst_words(context: GateContext, key: str, thin: list[str], slices: int) -> str:
    without = context.mask.copy()
    for mask in context.cases.slices.values(key, gate_location(context.gate)).values():
        without &= ~mask
    words = [f"worst of {many(slices, 'slice')}"]
    if thin:
        words.append(f"fewer than {context.min_n} scored in {', '.join(thin)}")
    if without.any():
        words.append(f"{many(int(without.sum()), 'case')} without {key}")
    return "; ".join(words)


def _part(context: GateContext, mask: Bools) -> _Part:
    """Work a metric out over the cases that a gate counts."""
    cases, label = context.cases, str(context.gate.label)
    counted = cases.counted(mask, context.gate.unit)
    counts = counted.counts(label)
    had = int((mask & cases.scores.columns[label].defined).sum())
    return _Part(_mean(context, counted.rows), counts, counted.words(counts), had)


def _mean(context: GateContext, mask: Bools) -> float | None:
    """Work a metric out over some cases, whether or not a gate counts them."""
    scores, label = context.cases.scores, context.gate.label
    metric = next(metric for metric in scores.metrics if metric.label == label)
    column = scores.columns[metric.label]
    rows = mask & column.defined
    return aggregate(column.values[rows], scores.weights[rows], metric.statistic)


def _errors(context: GateContext) -> GateVerdict:
    """Judge how often the system failed."""
    cases, mask = context.cases, context.mask
    number, asked = int((mask & cases.errored).sum()), int(mask.sum())
    # Probes belong to no case, and so to no slice.
    sliced = context.gate.only is not None
    probes = 0 if sliced else context.checks.probes
    lost = 0 if sliced else context.checks.probes_errored
    if not asked + probes:
        raise InputError(nothing_scored(context.gate, "no queries"))
    errored = number + lost
    value = errored / (asked + probes) if context.gate.unit == "%" else float(errored)
    reason = f"{context.comparison(value)}: {number:,} of {many(asked, 'query', 'queries')} errored"
    if lost:
        reason += f", {many(lost, 'probe')} errored (of {probes:,})"
    counts = Counts(scored=asked + probes - errored, errored=errored)
    return context.verdict(context.decided(value), value, reason, counts)


def _checks(context: GateContext) -> GateVerdict:
    """Judge the hard checks of cases."""
    cases = context.cases
    inside = {name for name, wanted in zip(cases.names, context.mask, strict=True) if wanted}
    known = {name for name, is_known in zip(cases.names, cases.excused, strict=True) if is_known}
    every = [check for check in context.checks.results if check.case in inside]
    if not every:
        raise InputError(nothing_scored(context.gate, "no case has top or expect: empty"))
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
        return context.verdict(status, None, f"0 checks run{words}", counts)
    value = passed / len(run)
    if reason := cases.not_enforced:
        return context.verdict(Status.NOT_ENFORCED, value, reason, counts)
    reason = f"{context.comparison(value)}: {passed} of {many(len(run), 'check')} passed{words}"
    return context.verdict(context.decided(value), value, reason, counts)


def _probed(context: GateContext) -> GateVerdict:
    """Judge scenarios or invariants: people wrote them, so that nothing waits for a review."""
    measure = context.gate.measure
    every = _probed_results(context.checks, measure)
    if not every:
        raise InputError(_nothing_probed(context.gate))
    run = [one for one in every if one.result is not CheckResult.NOT_RUN]
    passed = sum(one.result is CheckResult.PASSED for one in run)
    left_open = len(every) - len(run)
    because = ", because the system did not answer" if context.checks.probes_errored else ""
    words = f", {left_open} not run{because}" if left_open else ""
    counts = Counts(scored=len(run), errored=left_open if context.checks.probes_errored else 0)
    if not run:
        return context.verdict(Status.INCONCLUSIVE, None, f"0 {measure} run{words}", counts)
    value = passed / len(run)
    ended = "succeeded" if measure is Measure.SCENARIOS else "held"
    of = many(len(run), measure.removesuffix("s"))
    reason = f"{context.comparison(value)}: {passed} of {of} {ended}{words}"
    return context.verdict(context.decided(value), value, reason, counts)


def _probed_results(
    checks: Checks, measure: Measure
) -> tuple[ScenarioResult, ...] | tuple[InvariantResult, ...]:
    """Return the results that a gate over scenarios or over invariants counts."""
    return checks.scenarios if measure is Measure.SCENARIOS else checks.invariants


def _nothing_probed(gate: Gate) -> Problem:
    found = f"{gate.text!r} in a suite without {gate.measure}"
    return Problem(gate_location(gate), found, "at least one", f"write {gate.measure}, or take the gate out")


_JUDGES = {
    Measure.METRIC: _metric,
    Measure.ERRORS: _errors,
    Measure.CHECKS: _checks,
    Measure.SCENARIOS: _probed,
    Measure.INVARIANTS: _probed,
    **dict.fromkeys(COMPARED, judge_compared),
}


def _unwritten(gates: Sequence[Gate], cases: Cases, checks: Checks, max_errors: int) -> Iterator[Gate]:
    """Add what holds without being written: checks are hard, and errors are bounded."""
    written = [gate for gate in gates if gate.only is None]
    if checks.results and not any(gate.measure is Measure.CHECKS for gate in written):
        yield parse_gate(GateText("checks = 100%"))
    for measure in PROBED:
        if _probed_results(checks, measure) and not any(gate.measure is measure for gate in written):
            yield parse_gate(GateText(f"{measure} = 100%"))
    bound = parse_gate(GateText(f"errors <= {max_errors}"))
    too_many = int(cases.errored.sum()) + checks.probes_errored > max_errors
    # A share is no count: 1% of a thousand queries is more than none.
    counts = [gate for gate in written if gate.measure is Measure.ERRORS and gate.unit == bound.unit]
    if too_many and not any(gate.bar <= bound.bar for gate in counts):
        yield bound


def _none_lost(gates: Sequence[Gate], own: Against | None) -> Iterator[Gate]:
    """Add that no query is lost, where there is a baseline and no gate says how many may be."""
    if own is not None and own.comparison is not None and not lost_written(gates):
        yield parse_gate(lost_gate(int(own.comparison.shared.sum())))
