"""What a command exits with: 0 passed, 1 a gate failed, 2 one refused, 3 the system failed, 4 undecided."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankgate.gates.checks import Checks
from rankgate.gates.context import errored_cases
from rankgate.model import ExitCode, Status

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankgate.gates.scored import GateVerdict
    from rankgate.model import Verdict
    from rankgate.scoring.scores import Scores

_CODES = {
    Status.PASSED: ExitCode.PASSED,
    Status.FAILED: ExitCode.GATE_FAILED,
    Status.INCONCLUSIVE: ExitCode.INCONCLUSIVE,
    Status.NOT_ENFORCED: ExitCode.PASSED,
    Status.REFUSED: ExitCode.WRONG_CALL,
}


def exit_code(
    verdicts: Iterable[Verdict],
    scores: Scores,
    max_errors: int = 0,
    checks: Checks | None = None,
    *,
    lenient: bool = False,
) -> ExitCode:
    """Return the exit code: a refused gate, too many errors, a failed gate, an inconclusive one, in order.

    What was asked for scenarios and invariants, as `checks` counts it, may fail as little as a query may, and
    so may queries that are asked again. Where an evaluation is lenient, what cannot be decided fails nothing.
    """
    codes = [_CODES[verdict.status] for verdict in verdicts]
    checks = checks or Checks()
    first = int(errored_cases(scores).sum()) + checks.probes_errored
    if system_failed(first, checks.repeats_errored, max_errors):
        codes.append(ExitCode.SYSTEM_FAILED)
    code = ExitCode.worst(codes)
    return ExitCode.PASSED if lenient and code is ExitCode.INCONCLUSIVE else code


def system_failed(first: int, repeats: Iterable[int], max_errors: int) -> bool:
    """Check whether a system failed too often, the first time that it was asked or any later one."""
    return max(first, *repeats, 0) > max_errors


def waive(verdicts: Iterable[GateVerdict]) -> tuple[GateVerdict, ...]:
    """Take the force out of verdicts, for a system that is only reported."""
    return tuple(
        verdict
        if verdict.status in (Status.PASSED, Status.NOT_ENFORCED)
        else replace(verdict, status=Status.NOT_ENFORCED, reason=f"{verdict.reason} ({verdict.status})")
        for verdict in verdicts
    )
