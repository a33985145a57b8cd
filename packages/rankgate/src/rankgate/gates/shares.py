"""Gates over counts: errors, and the shares of checks, scenarios and invariants that hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.errors import InputError, Problem
from rankgate.gates.checks import CheckResult
from rankgate.gates.context import gate_location, nothing_scored
from rankgate.gates.language import Measure
from rankgate.model import Counts, Status
from rankgate.model.wording import many

if TYPE_CHECKING:
    from rankgate.gates.checks import Checks, InvariantResult, ScenarioResult
    from rankgate.gates.context import GateContext
    from rankgate.gates.language import Gate
    from rankgate.gates.scored import GateVerdict


def judge_errors(context: GateContext) -> GateVerdict:
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


def judge_checks(context: GateContext) -> GateVerdict:
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


def judge_probed(context: GateContext) -> GateVerdict:
    """Judge scenarios or invariants: people wrote them, so that nothing waits for a review."""
    measure = context.gate.measure
    every = probed_results(context.checks, measure)
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


def probed_results(
    checks: Checks, measure: Measure
) -> tuple[ScenarioResult, ...] | tuple[InvariantResult, ...]:
    """Return the results that a gate over scenarios or over invariants counts."""
    return checks.scenarios if measure is Measure.SCENARIOS else checks.invariants


def _nothing_probed(gate: Gate) -> Problem:
    found = f"{gate.text!r} in a suite without {gate.measure}"
    return Problem(gate_location(gate), found, "at least one", f"write {gate.measure}, or take the gate out")
