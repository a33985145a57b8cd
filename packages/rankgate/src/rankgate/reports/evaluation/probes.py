"""What a report says of scenarios and invariants."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rankgate.gates.checks import CheckResult
from rankgate.gates.language import Measure
from rankgate.gates.wording import figure
from rankgate.model import Status
from rankgate.model.wording import many
from rankgate.reports.evaluation.summary.states import ReportState
from rankgate.reports.text.marks import BAD, DOUBTFUL, ESTIMATED, GOOD, Mark
from rankgate.reports.text.printable import printable, split_where

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.gates.checks import Checks, InvariantResult, ScenarioResult
    from rankgate.gates.scored import GateVerdict

_REASON_MOST = 400


@dataclass(frozen=True, slots=True)
class ProbeRow:
    """One scenario or one invariant."""

    name: str
    """What it is called."""
    mark: Mark
    """✅ it holds, ⚠️ it was not run or its gate passes all the same, ❌ it is part of why the run failed."""
    result: CheckResult
    """How it ended."""
    errored: bool
    """True where it was not run, and that is part of why the run failed."""
    reasons: tuple[str, ...]
    """Why it does not hold."""
    reason: str
    """The first of them, and how many more there are; empty where there are none."""
    calls: str = ""
    """How many calls a scenario took."""
    tokens: str = ""
    """What reading all the answers of a scenario costs, marked as an estimate."""
    cost: str = ""
    """Both in words."""
    file: str = ""
    """The file it was written in."""
    line: int | None = None
    """The line it was written at."""

    @property
    def blocks(self) -> bool:
        """True where it is part of why the run failed."""
        return self.mark == BAD

    @property
    def sign(self) -> str:
        """What people see: ⚪ where it fails and no gate counts it, ❔ where it was not run."""
        if self.mark != DOUBTFUL:
            return self.mark
        failed = self.result is CheckResult.FAILED
        return (ReportState.NOT_ENFORCED if failed else ReportState.INCONCLUSIVE).symbol


@dataclass(frozen=True, slots=True)
class ProbeReport:
    """The scenarios and invariants of a suite."""

    scenarios: tuple[ProbeRow, ...] = ()
    """Every scenario, in the order of the suite."""
    invariants: tuple[ProbeRow, ...] = ()
    """Every invariant, in the order of the suite."""
    succeeded: str = ""
    """How many scenarios succeeded, in words, and what their figures are."""
    held: str = ""
    """How many invariants hold, in words."""

    @property
    def broken(self) -> tuple[ProbeRow, ...]:
        """The invariants that do not hold, or were not run."""
        return tuple(row for row in self.invariants if row.reasons)


def probe_report(checks: Checks, verdicts: Sequence[GateVerdict]) -> ProbeReport:
    """Work out what is said of scenarios and invariants."""
    failed = {verdict.rule.measure for verdict in verdicts if verdict.status is Status.FAILED}
    return ProbeReport(
        scenarios=tuple(_scenario(one, failed) for one in checks.scenarios),
        invariants=tuple(_row(one, Measure.INVARIANTS, failed) for one in checks.invariants),
        succeeded=f"{_counted(checks.scenarios, 'succeeded')}; tokens are estimated",
        held=_counted(checks.invariants, "holds" if len(checks.invariants) == 1 else "hold"),
    )


def _counted(results: Sequence[ScenarioResult | InvariantResult], ended: str) -> str:
    passed = sum(one.result is CheckResult.PASSED for one in results)
    left_open = sum(one.result is CheckResult.NOT_RUN for one in results)
    words = f", {left_open} not run" if left_open else ""
    gone = sum(one.result is CheckResult.GONE for one in results)
    words += f", {gone} gone" if gone else ""
    return f"{passed} of {len(results):,} {ended}{words}"


def _scenario(result: ScenarioResult, failed: set[Measure]) -> ProbeRow:
    row = _row(result, Measure.SCENARIOS, failed)
    tokens = ESTIMATED + figure(result.tokens, "tokens")
    cost = f"{many(result.calls, 'call')}, {tokens} tokens (estimated)"
    return replace(row, calls=f"{result.calls:,}", tokens=tokens, cost=cost)


def _row(result: ScenarioResult | InvariantResult, measure: Measure, failed: set[Measure]) -> ProbeRow:
    file, line = split_where(result.where)
    reasons = tuple(printable(reason, _REASON_MOST) for reason in result.reasons)
    more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
    errored = result.result is CheckResult.NOT_RUN and Measure.ERRORS in failed
    blocks = errored or (result.result is CheckResult.FAILED and measure in failed)
    return ProbeRow(
        name=printable(result.name),
        mark=GOOD if result.result is CheckResult.PASSED else BAD if blocks else DOUBTFUL,
        result=result.result,
        errored=errored,
        reasons=reasons,
        reason=f"{reasons[0]}{more}" if reasons else "",
        file=printable(file),
        line=line,
    )
