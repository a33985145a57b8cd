"""Judging gates: a status, a value, and a reason with the counts behind it.

Gates score the targets that somebody has reviewed. Left out of every figure, and counted: cases without any,
and known misses (`xfail`) until their date. Latency and errors are no matter of truth, and count every case.
A gate over a figure with estimated labels in it is refused, unless the suite allows them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError, Problem
from rankgate.gates.against import LOST_DEPTH, judge_compared, of_all_lost, unwritten_lost
from rankgate.gates.checks import CheckResult
from rankgate.gates.context import Cases, GateContext, gate_location, nothing_scored
from rankgate.gates.exit_code import suite_verdict, waive
from rankgate.gates.language import COMPARED, PROBED, Gate, Measure, parse_gate
from rankgate.gates.slicing import MIN_N, SliceFinding, decide, weighted_words, weighting
from rankgate.model import Counts, GateText, Status
from rankgate.model.wording import many
from rankgate.scoring.metric import aggregate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date

    from rankgate.gates.checks import Checks, InvariantResult, ScenarioResult
    from rankgate.gates.scored import Against, GateVerdict, Scored
    from rankgate.scoring.matches import Bools
    from rankgate.scoring.metric import Metric


_NOT_IN_PART = "no query of this part of the suite counts"
_SHOWN = 20
"""How many targets that are gone are named where a suite is refused."""


@dataclass(frozen=True, slots=True)
class JudgingRules:
    """What a run is scored and judged by, whatever it is worth."""

    gates: tuple[Gate, ...]
    metrics: tuple[str, ...]
    """Every metric that they or the suite want."""
    today: date
    """The day on which known misses are judged."""
    depth: int = 10
    """How many hits to ask for: enough for every metric and check."""
    max_errors: int = 0
    """How many queries may fail."""
    max_gone: int = 0
    """How many targets may be gone from the documents."""
    enforce: bool = True
    """False where the system is only reported."""
    lenient: bool = False
    """True where what cannot be decided is told and fails nothing."""
    min_n: int = MIN_N
    """How many scored cases a slice needs."""


def judge_run(scored: Scored, rules: JudgingRules) -> Scored:
    """Judge every gate of the rules.

    Raises:
        InputError: as `judge` does, with the targets that are gone where more are than may be.
    """
    try:
        verdicts = judge(
            scored, rules.gates, max_errors=rules.max_errors, min_n=rules.min_n, depth=rules.depth
        )
    except InputError as error:
        gone = [one.problem for one in scored.gone if one.counts]
        raise InputError([*(gone[:_SHOWN] if len(gone) > rules.max_gone else ()), *error.problems]) from None
    judged = replace(scored, verdicts=verdicts if rules.enforce else waive(verdicts))
    allowed = rules.max_errors, rules.max_gone
    verdict = suite_verdict(judged, *allowed, enforce=rules.enforce, lenient=rules.lenient)
    return replace(judged, verdict=verdict)


def judge(
    scored: Scored, gates: Sequence[Gate], *, max_errors: int = 0, min_n: int = MIN_N, depth: int = LOST_DEPTH
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
    unwritten = _unwritten(gates, cases, checks, max_errors)
    # The last of them depends on what the others say.
    for gate in chain(gates, unwritten, _none_lost(verdicts, scored.own_baseline, depth)):
        try:
            mask = cases.slices.members(gate.only, gate_location(gate)) if gate.only else cases.everything
            if gate.worst:
                cases.slices.values(gate.worst, gate_location(gate))
            context = GateContext(gate, mask, cases, checks, min_n, scored.baselines.get(gate.against))
            verdicts.append(_JUDGES[gate.measure](context))
        except InputError as error:
            if scored.suite.whole is None:
                problems.extend(error.problems)
            else:
                # The whole suite may have what the gate is over: a part of it decides nothing.
                context = GateContext(gate, cases.everything, cases, checks, min_n)
                verdicts.append(context.verdict(Status.NOT_ENFORCED, None, _NOT_IN_PART, Counts(0)))
    if problems:
        raise InputError(problems)
    return tuple(verdicts)


def _metric(context: GateContext) -> GateVerdict:
    gate, cases = context.gate, context.cases
    if gate.label not in cases.scores.columns:
        known = ", ".join(cases.scores.columns)
        raise InputError(
            Code.NOTHING_SCORED(gate_location(gate), f"{gate.label}, which was not scored", f"one of {known}")
        )
    counted = cases.counted(context.mask, gate.unit)
    counts = counted.counts(str(gate.label))
    if not (context.mask & cases.shown.columns[str(gate.label)].defined).any():
        return _unvalued(context, counted.words(counts, str(gate.label)), counts)
    if reason := cases.not_enforced:
        return context.verdict(Status.NOT_ENFORCED, _unreviewed_value(context), reason, counts)
    verdict = decide(context, _found)
    if counts.estimated and not cases.allow_estimated:
        return context.verdict(Status.REFUSED, verdict.value, _refusal(counts), counts)
    return verdict


def _found(context: GateContext) -> SliceFinding | None:
    """Work a metric out over the cases that a gate counts; None where none would have a value."""
    cases, label = context.cases, str(context.gate.label)
    if not (context.mask & cases.shown.columns[label].defined).any():
        return None
    counted = cases.counted(context.mask, context.gate.unit)
    counts, value = counted.counts(label), _mean(context, counted.rows)
    rows = counted.rows & cases.scores.columns[label].defined
    weights = None
    if _metric_of(context).statistic == "mean":
        weights = weighting(cases.scores.columns[label].values[rows], cases.scores.weights[rows])
    return SliceFinding(
        gate=context.gate,
        status=Status.INCONCLUSIVE if value is None else context.decided(value),
        value=value,
        said="" if value is None else context.comparison(value),
        words=counted.words(counts, label) + weighted_words(context.gate, weights),
        counts=counts,
        rows=rows,
        weighting=weights,
    )


def _unreviewed_value(context: GateContext) -> float | None:
    """Return what a gate would look at, had anybody reviewed it."""
    gate, masks = context.gate, [context.mask]
    if gate.worst:
        masks = list(context.cases.slices.partition(gate.worst, context.mask, gate_location(gate)).values())
    values = [value for mask in masks if (value := _mean(context, mask)) is not None]
    return max(values, key=gate.badness, default=None)


def _refusal(counts: Counts) -> str:
    these = f"the labels of {counts.estimated} of {counts.scored} queries are estimated from an answer"
    mended = "give those cases targets, or say allow_estimated: true in the suite"
    return f"{these}: {mended} [{Code.ESTIMATED_LABELS}]"


def _unvalued(context: GateContext, words: str, counts: Counts) -> GateVerdict:
    """Return the verdict where nothing has a value: a gate over nothing is wrong, one over an outage open.

    Raises:
        InputError: where the system answered all that the gate is over.
    """
    cases, metric = context.cases, _metric_of(context)
    needed = context.mask & cases.errored
    if needed.any():
        needed = needed & cases.answerable(metric)
    if not needed.any() and (context.mask & cases.gone).any():
        reason = f"nothing to judge, because the targets are gone from the documents: {words}"
        return context.verdict(Status.INCONCLUSIVE, None, reason, counts)
    if not needed.any() and metric.may_be_empty and context.mask.any():
        reason = f"nothing to judge, because no answer has a value: {words}"
        return context.verdict(Status.INCONCLUSIVE, None, reason, counts)
    if not needed.any():
        raise InputError(nothing_scored(context.gate, words))
    reason = f"nothing to judge, because the system did not answer: {words}"
    return context.verdict(Status.INCONCLUSIVE, None, reason, counts)


def _mean(context: GateContext, mask: Bools) -> float | None:
    """Work a metric out over some cases, whether or not a gate counts them."""
    scores, metric = context.cases.scores, _metric_of(context)
    column = scores.columns[metric.label]
    rows = mask & column.defined
    return aggregate(column.values[rows], scores.weights[rows], metric.statistic)


def _metric_of(context: GateContext) -> Metric:
    return next(one for one in context.cases.scores.metrics if one.label == context.gate.label)


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
    reason = f"{context.comparison(value)}: errors on {number:,} of {many(asked, 'query', 'queries')}"
    if lost:
        reason += f" and {lost:,} of {many(probes, 'probe')}"
    counts = Counts(scored=asked + probes - errored, errored=errored)
    return context.verdict(context.decided(value), value, reason, counts)


def _checks(context: GateContext) -> GateVerdict:
    """Judge the hard checks of cases: people wrote them, so that none waits for a review."""
    cases = context.cases
    inside = {name for name, wanted in zip(cases.names, context.mask, strict=True) if wanted}
    known = {name for name, is_known in zip(cases.names, cases.excused, strict=True) if is_known}
    every = [check for check in context.checks.results if check.case in inside]
    if not every:
        raise InputError(nothing_scored(context.gate, "no case has top, never or expect: empty"))
    held = [check for check in every if check.case not in known]
    there = [check for check in held if check.result is not CheckResult.GONE]
    run = [check for check in there if check.result is not CheckResult.NOT_RUN]
    passed = sum(check.result is CheckResult.PASSED for check in run)
    left_out = (
        (len(there) - len(run), "not run, because the system did not answer"),
        (len(held) - len(there), "gone"),
        (len(every) - len(held), "xfail"),
    )
    words = "".join(f", {number} {word}" for number, word in left_out if number)
    counts = Counts(scored=len(run), errored=len(there) - len(run), gone=len(held) - len(there))
    if not run:
        # A known miss and a target that is gone fail nothing; an answer that did not come leaves it open.
        status = Status.INCONCLUSIVE if there else Status.NOT_ENFORCED
        return context.verdict(status, None, f"0 checks run{words}", counts)
    value = passed / len(run)
    reason = f"{context.comparison(value)}: {passed} of {many(len(run), 'check')} passed{words}"
    return context.verdict(context.decided(value), value, reason, counts)


def _probed(context: GateContext) -> GateVerdict:
    """Judge scenarios or invariants: people wrote them, so that nothing waits for a review."""
    measure = context.gate.measure
    every = _probed_results(context.checks, measure)
    if not every:
        raise InputError(_nothing_probed(context.gate))
    there = [one for one in every if one.result is not CheckResult.GONE]
    run = [one for one in there if one.result is not CheckResult.NOT_RUN]
    passed = sum(one.result is CheckResult.PASSED for one in run)
    left_open, gone = len(there) - len(run), len(every) - len(there)
    because = ", because the system did not answer" if context.checks.probes_errored else ""
    words = f", {left_open} not run{because}" if left_open else ""
    words += f", {gone} gone" if gone else ""
    counts = Counts(len(run), errored=left_open if context.checks.probes_errored else 0, gone=gone)
    if not run:
        status = Status.INCONCLUSIVE if there else Status.NOT_ENFORCED
        return context.verdict(status, None, f"0 {measure} run{words}", counts)
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
    return Code.NOTHING_SCORED(
        gate_location(gate), found, "at least one", f"write {gate.measure}, or take the gate out"
    )


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


def _none_lost(verdicts: Sequence[GateVerdict], own: Against | None, depth: int) -> Iterator[Gate]:
    """Add that no query is lost, where there is or must be a baseline and no gate decides how many may be."""
    if own is None or (own.absent and not own.required):
        return
    written = [one for one in verdicts if of_all_lost(one.rule)]
    decided = any(one.status is not Status.INCONCLUSIVE for one in written)
    if not decided:
        yield from unwritten_lost([one.rule for one in written], depth)
