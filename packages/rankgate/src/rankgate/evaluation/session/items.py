"""How a case, a gate, a scenario or an invariant ended, each as a test of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from rankgate.evaluation.session.explanations import worst_rankings
from rankgate.gates.checks import CheckResult
from rankgate.gates.context import Slices, value_text
from rankgate.gates.language import NEGATED, Measure
from rankgate.gates.scenarios import NOT_ASKED
from rankgate.model import Cause, ExitCode, State, Status
from rankgate.reports.evaluation.failures import ranking_rows
from rankgate.reports.evaluation.probes import ProbeRow
from rankgate.reports.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.evaluation.session.findings import Findings
    from rankgate.gates.checks import InvariantResult, ScenarioResult
    from rankgate.gates.language import Gate
    from rankgate.model import Case
    from rankgate.project.evaluation import Evaluation
    from rankgate.reports.evaluation.report import CaseRow

REPORTED_ONLY = "not enforced (gate = false)"
"""Why nothing fails with a system whose gates are not enforced."""
ALLOWED = "no gate fails by it"
"""Why a case, a scenario or an invariant may fall short where the suite as a whole is tested."""
UNREVIEWED = "unreviewed: read the case, and delete `reviewed: false` if it is right"
"""Why a case may find nothing."""


class ItemStatus(StrEnum):
    """How it ended."""

    PASSED = "passed"
    FAILED = "failed"
    EXCUSED = "excused"
    """It fell short, and may for now."""
    CURED = "passes now"
    """It may fall short, and does not any more."""
    OPEN = "open"
    """Nothing was decided, and nothing had to be."""


@dataclass(frozen=True, slots=True)
class ItemResult:
    """How it ended, in words."""

    ended: ItemStatus
    reasons: tuple[str, ...] = ()
    """What is wrong, or why nothing was decided; the first says enough."""
    excuse: str = ""
    """Why it may fall short."""
    unreviewed: bool = False
    """True for a case whose targets nobody has looked at."""
    title: str = ""
    """What `rankings` shows."""
    rankings: tuple[str, ...] = ()
    """What was expected, at which rank it came, and what stood above it."""


def case_result(
    case: Case, row: CaseRow, evaluation: Evaluation, gates: Sequence[Gate], *, enforce: bool
) -> ItemResult:
    """Return how a case ended by itself: whether it errored, broke a hard check, or found nothing relevant.

    A value under the bar of a gate is the gate's matter; it is told where something else is wrong. An error
    is no matter of truth: neither a known miss nor an unreviewed case is excused for it.

    Args:
        case: The case.
        row: What the report says of it, where no gates are judged.
        evaluation: The evaluation without gates that it was part of.
        gates: The suite's.
        enforce: False where the system is only reported.
    """
    failure, known = row.failure, row.known
    relevant = [target for target in case.targets if target.grade > 0]
    unreviewed = bool(relevant) and not any(target.reviewed for target in relevant)
    excuse = "" if known is None else f"known miss until {known.until}: {known.reason}"
    if failure is None:
        if known is None:
            return ItemResult(ItemStatus.PASSED, unreviewed=unreviewed)
        return ItemResult(ItemStatus.CURED, ("passes now: take its xfail out",), excuse, unreviewed)
    if failure.errored or _blocks_by_gone(case, evaluation):
        excuse = ""
    elif unreviewed and not excuse and case.id not in evaluation.checks.failed():
        excuse = UNREVIEWED
    if not enforce:
        excuse = REPORTED_ONLY
    besides = () if failure.errored else _under_the_bar(case, evaluation, gates)
    return ItemResult(
        ItemStatus.EXCUSED if excuse else ItemStatus.FAILED,
        (*failure.reasons, *besides),
        excuse,
        unreviewed,
        "" if failure.errored else failure.query,
        tuple(ranking_rows(failure)),
    )


def _blocks_by_gone(case: Case, evaluation: Evaluation) -> bool:
    """Check whether targets of a case are gone, and more than may be: that is no miss that is known."""
    gone = any(one.case == case.id and one.counts for one in evaluation.scored.gone)
    return gone and evaluation.verdict.cause is Cause.GONE


def as_part(end: ItemResult, row: CaseRow | ProbeRow, state: State) -> ItemResult:
    """Excuse what fell short by itself and is no part of why the suite failed, as its report has it."""
    if isinstance(row, ProbeRow):
        blocks = row.blocks or row.errored
    else:
        failure = row.failure
        outage = failure is not None and failure.errored and state is State.SYSTEM_FAILED
        blocks = outage or (failure is not None and failure.blocks)
    return end if blocks else replace(end, ended=ItemStatus.EXCUSED, excuse=ALLOWED)


def _under_the_bar(case: Case, evaluation: Evaluation, gates: Sequence[Gate]) -> tuple[str, ...]:
    """Name the values of a case that are under the bar of a gate over the whole suite."""
    words: dict[str, None] = {}
    for gate in gates:
        if gate.measure is not Measure.METRIC or gate.label is None or gate.unit == "ms":
            continue
        if gate.only is None and gate.worst is None:
            value = evaluation.scores.per_query(gate.label).get(case.id)
            if value is not None and not gate.holds(value):
                words[f"{gate.label} {value_text(gate, value)} {NEGATED[gate.sign]} {gate.bar_text}"] = None
    return tuple(words)


def gate_result(findings: Findings, number: int, gate: Gate) -> ItemResult:
    """Return how a gate ended.

    A gate that passes while the system failed on more queries than may fail does not pass: what it compares
    stands on an outage.
    """
    evaluation = findings.evaluation
    verdict = evaluation.verdicts[number]
    reason = printable(verdict.reason)
    if verdict.status is Status.NOT_ENFORCED:
        return ItemResult(ItemStatus.OPEN, (f"not enforced: {reason}",))
    if verdict.status is Status.INCONCLUSIVE:
        decided = ItemStatus.OPEN if evaluation.exit_code is ExitCode.PASSED else ItemStatus.FAILED
        return ItemResult(decided, (f"inconclusive: {reason}",))
    if evaluation.exit_code is ExitCode.SYSTEM_FAILED:
        return ItemResult(ItemStatus.FAILED, (evaluation.report.status, reason))
    if verdict.status is Status.PASSED:
        return ItemResult(ItemStatus.PASSED, (reason,))
    title, rankings = ("", ()) if verdict.status is Status.REFUSED else _worst(findings, gate)
    return ItemResult(ItemStatus.FAILED, (reason,), title=title, rankings=rankings)


def _worst(findings: Findings, gate: Gate) -> tuple[str, tuple[str, ...]]:
    """Show the worst of the cases that a gate counts."""
    if gate.measure is not Measure.METRIC or gate.label is None or gate.unit == "ms":
        return "", ()
    values, cases = findings.counted(gate.label).values, findings.evaluation.judgments.cases
    if gate.only is not None:
        inside = set(cases.filter(Slices(cases).members(gate.only, gate.where))["query"])
        values = {name: value for name, value in values.items() if name in inside}
    return worst_rankings(findings, gate.label, values, gate.badness)


def probe_result(result: ScenarioResult | InvariantResult, *, enforce: bool) -> ItemResult:
    """Return how a scenario or an invariant ended by itself."""
    reasons = tuple(map(printable, result.reasons))
    if result.result is CheckResult.PASSED:
        return ItemResult(ItemStatus.PASSED)
    if NOT_ASKED in reasons:
        return ItemResult(ItemStatus.OPEN, reasons)
    return ItemResult(
        ItemStatus.FAILED if enforce else ItemStatus.EXCUSED, reasons, "" if enforce else REPORTED_ONLY
    )
