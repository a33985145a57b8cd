"""One verdict of all gates, and what a command exits with by it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankgate.gates.checks import Checks
from rankgate.gates.context import errored_cases
from rankgate.model import Cause, ExitCode, GateOutcome, State, Status, SuiteVerdict
from rankgate.truth.gone import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankgate.gates.scored import GateVerdict, Scored
    from rankgate.model import Verdict
    from rankgate.scoring.scores import Scores

_CODES = {
    Status.PASSED: ExitCode.PASSED,
    Status.FAILED: ExitCode.GATE_FAILED,
    Status.INCONCLUSIVE: ExitCode.INCONCLUSIVE,
    Status.NOT_ENFORCED: ExitCode.PASSED,
    Status.REFUSED: ExitCode.WRONG_CALL,
}
_STATES = {
    ExitCode.WRONG_CALL: State.REFUSED,
    ExitCode.SYSTEM_FAILED: State.SYSTEM_FAILED,
    ExitCode.GATE_FAILED: State.FAILED,
    ExitCode.INCONCLUSIVE: State.INCONCLUSIVE,
}


def suite_verdict(
    scored: Scored, max_errors: int, max_gone: int = 0, *, enforce: bool, lenient: bool
) -> SuiteVerdict:
    """Return the one verdict of all gates; a system that is only reported may still fail to answer.

    Where more targets are gone than may be, what would have passed or stayed open is refused: what is left of
    the suite says too little. A gate that fails on what is left, and an outage, say enough.

    Args:
        scored: The run, with its gates judged.
        max_errors: How many queries may fail.
        max_gone: How many targets may be gone.
        enforce: False where the system is only reported.
        lenient: True where what cannot be decided is told and fails nothing.
    """
    gates = tuple(GateOutcome(one.gate, one.status, one.counts) for one in scored.verdicts)
    code = exit_code(scored.verdicts, scored.scores, max_errors, scored.checks)
    cause = Cause.MAPPING if scored.nothing_located else Cause.NONE
    if scored.nothing_located:
        code = ExitCode.worst([code, ExitCode.SYSTEM_FAILED])
    gone = counted(scored.gone)
    if gone > max_gone:
        cause = cause or Cause.GONE
        code = ExitCode.WRONG_CALL if code in (ExitCode.PASSED, ExitCode.INCONCLUSIVE) else code
    enforced = enforce and any(one.status is Status.PASSED for one in gates)
    state = _STATES.get(code, State.PASSED if enforced else State.NOT_ENFORCED)
    if lenient and code is ExitCode.INCONCLUSIVE:
        code = ExitCode.PASSED
    return SuiteVerdict(state, code, gates, enforce, cause, gone)


def exit_code(
    verdicts: Iterable[Verdict],
    scores: Scores,
    max_errors: int = 0,
    checks: Checks | None = None,
) -> ExitCode:
    """Return the exit code: a refused gate, too many errors, a failed gate, an inconclusive one, in order.

    What was asked for scenarios and invariants, as `checks` counts it, may fail as little as a query may. A
    query that failed in one of several repeats has failed.
    """
    codes = [_CODES[verdict.status] for verdict in verdicts]
    checks = checks or Checks()
    if int(errored_cases(scores).sum()) + checks.probes_errored > max_errors:
        codes.append(ExitCode.SYSTEM_FAILED)
    return ExitCode.worst(codes)


def waive(verdicts: Iterable[GateVerdict]) -> tuple[GateVerdict, ...]:
    """Take the force out of verdicts, for a system that is only reported."""
    return tuple(
        verdict
        if verdict.status in (Status.PASSED, Status.NOT_ENFORCED)
        else replace(verdict, status=Status.NOT_ENFORCED, reason=f"{verdict.reason} ({verdict.status})")
        for verdict in verdicts
    )
