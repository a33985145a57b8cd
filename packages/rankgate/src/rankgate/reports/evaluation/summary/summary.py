"""The first screen of a report: its state, one headline with its reason, what broke, and what to do next.

It knows no layout: terminal, comment, page and `view` say the same, each in its form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.gates.wording import figure
from rankgate.model import Status
from rankgate.model.wording import many
from rankgate.reports.evaluation.summary.causes import (
    MOST_STEPS,
    CauseKind,
    CauseLine,
    Known,
    NextStep,
    causes,
    sentence,
)
from rankgate.reports.evaluation.summary.queries import MOST, QueryKind, QueryLine
from rankgate.reports.evaluation.summary.states import ReportState, refused_state, report_state
from rankgate.reports.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.errors import ExitCode
    from rankgate.reports.evaluation.rows import VerdictRow
    from rankgate.reports.evaluation.summary.commands import SummaryCommands

_PLACES = 3
_WAIVED = f"({Status.FAILED})"


@dataclass(frozen=True, slots=True)
class Summary:
    """The first screen of a report."""

    state: ReportState = ReportState.NO_GATES
    """How it ended; each state has its own sign and colour."""
    cause: CauseKind | None = None
    """What the headline is about; null where the gates passed, or do not count."""
    headline: str = ""
    """What happened, in one sentence without a full stop."""
    reason: str = ""
    """Why, in one sentence; empty where the headline says it."""
    gates: str = ""
    """What became of the gates, in a few words."""
    lines: tuple[CauseLine, ...] = ()
    """What else is so, one line each, in the order of causes."""
    steps: tuple[NextStep, ...] = ()
    """What to do next, at most three commands."""
    broken: tuple[QueryLine, ...] = ()
    """The queries that broke: target moved, lost, errors by message, nothing found, by cost; at most 100."""
    broken_count: int = 0
    """How many queries broke in all."""
    lost_count: int = 0
    """How many of these are lost."""
    won: tuple[QueryLine, ...] = ()
    """The queries that are found now and were not in the baseline; at most 100."""
    won_count: int = 0
    """How many were won in all."""
    weakest: int = 0
    """How many queries fell short of the value of a gate and broke nothing."""
    fine: int = 0
    """How many queries are neither of these, and no known misses."""
    changed: str = ""
    """What changed since the baseline, in one sentence; empty without one, and where the system failed."""


def summary_of(known: Known) -> Summary:
    """Work out the first screen of an evaluation."""
    lines, verdict = known.lines, known.scored.verdict
    state = report_state(verdict)
    told = causes(known)
    chosen = next((cause for cause in told if cause.decides), None)
    headline, reason, steps = _undecided(known, state) if chosen is None else chosen[1:4]
    return Summary(
        state=state,
        cause=None if chosen is None else chosen.kind,
        headline=printable(headline),
        reason=reason,
        gates=gates_words(known.rows),
        lines=tuple(cause.line for cause in told if cause is not chosen),
        steps=steps[:MOST_STEPS],
        broken=lines.broken[:MOST],
        broken_count=lines.named,
        lost_count=len(lines.of(QueryKind.LOST)),
        won=lines.won[:MOST],
        won_count=len(lines.won),
        weakest=lines.weakest,
        fine=lines.fine,
        changed=printable(_changed(known)),
    )


def gates_words(rows: Sequence[VerdictRow]) -> str:
    """Return what became of the gates, in a few words."""
    if not rows:
        return "No gates defined"
    number = {status: sum(row.status is status for row in rows) for status in Status}
    if number[Status.PASSED] == len(rows):
        return f"{many(len(rows), 'gate')} passed"
    order = (Status.FAILED, Status.REFUSED, Status.INCONCLUSIVE, Status.NOT_ENFORCED, Status.PASSED)
    if not any(number[status] for status in order[:3]):
        order = (Status.PASSED, *order[:-1])
    first, *others = [(status, number[status]) for status in order if number[status]]
    of = f"{first[1]} of {len(rows)}" if others else f"{first[1]}"
    noun = "gate" if len(rows) == 1 else "gates"
    return ", ".join([f"{of} {noun} {first[0]}", *(f"{count} {status}" for status, count in others)])


def _undecided(known: Known, state: ReportState) -> tuple[str, str, tuple[NextStep, ...]]:
    """Return headline, reason and steps where nothing went wrong: passed, not enforced, or no gates."""
    own, commands = known.scored.own_baseline, known.commands
    baseline: tuple[NextStep, ...] = ()
    if own is not None and own.absent and own.command:
        baseline = (NextStep("compare from now on", printable(own.command)),)
    if state is ReportState.NO_GATES:
        reason = "Add a gate to get pass or fail, such as gates: [ndcg@10 >= 0.65]."
        return "No gates defined", reason, (NextStep("what gates can claim", commands.plan()), *baseline)
    waived = [row for row in known.rows if row.status is Status.NOT_ENFORCED]
    if state is ReportState.NOT_ENFORCED and not known.scored.verdict.enforced:
        failing = [row for row in waived if row.reason.endswith(_WAIVED)]
        of = many(len(known.rows), "gate")
        reason = "This system is only reported (gate = false)."
        if not failing:
            return f"Not enforced: {of} would not fail", reason, baseline
        verb = "fails" if len(failing) == 1 else "fail"
        first = failing[0].reason.removesuffix(_WAIVED).strip()
        reason = f"This system is only reported (gate = false); first: {failing[0].gate}: {first}."
        return f"Not enforced: {len(failing)} of {of} {verb}", printable(reason), baseline
    if state is ReportState.NOT_ENFORCED:
        why = waived[0].reason.removesuffix(", gates not enforced") if waived else "no gate counts"
        return f"Not enforced: {why}", "", baseline
    reason = ""
    if waived:
        reason = sentence(f"{many(len(waived), 'gate')} not enforced: {waived[0].reason}")
    return gates_words(known.rows), reason, baseline


def _changed(known: Known) -> str:
    """Return how it differs from the baseline; an outage is no change of the search."""
    own, found = known.scored.own_baseline, known.comparison
    if known.outage or own is None or own.absent:
        return ""
    if own.comparison is None or found is None:
        told = any(own.why in row.reason for row in known.rows)
        return f"Not compared with {own.name}: {own.why}." if own.why and not told else ""
    shared = own.comparison.shared
    number = int((own.comparison.changed & shared).sum())
    asked = many(int(shared.sum()), "query", "queries")
    begin = f"Compared with {own.name}"
    if not number:
        return f"{begin}: the answers to {asked} are unchanged."
    parts = [f"the answers to {number:,} of {asked} changed"]
    if found.rows:
        row = found.rows[0]
        apart = row.numbers.difference
        how = "up" if apart > 0 else "down"
        moved = (
            f"{row.metric} {how} by {figure(abs(apart), decimals=_PLACES)}"
            if apart
            else f"{row.metric} unchanged"
        )
        parts.append(f"{moved} ({row.finding})" if apart else moved)
    lost, won = len(known.lines.of(QueryKind.LOST)), len(known.lines.won)
    parts.append(f"{lost} lost, {won} won")
    return f"{begin}: {'; '.join(parts)}."


def refused_summary(code: ExitCode, said: Sequence[str], commands: SummaryCommands) -> Summary:
    """Return the first screen of a test that came to no verdict.

    Args:
        code: What the command exits with.
        said: What is wrong, a line each; none for a crash, which says it elsewhere.
        commands: What names the commands.
    """
    state = refused_state(code)
    kinds = {
        ReportState.INTERNAL_ERROR: CauseKind.INTERNAL,
        ReportState.SUITE_ERROR: CauseKind.SUITE,
        ReportState.SYSTEM_ERROR: CauseKind.OUTAGE,
    }
    first = said[0] if said else ""
    more = f" (and {many(len(said) - 1, 'more problem')})" if len(said) > 1 else ""
    lint = (NextStep("check the suite", commands.lint()),) if commands.suite else ()
    words: dict[ReportState, tuple[str, str, tuple[NextStep, ...]]] = {
        ReportState.INTERNAL_ERROR: ("rankgate crashed", code.__doc__ or "", ()),
        ReportState.SUITE_ERROR: (f"{first}{more}", "", lint),
        ReportState.SYSTEM_ERROR: (f"System error: {first}{more}", "", ()),
        ReportState.INCONCLUSIVE: (f"Stopped: {code.brief}", code.__doc__ or "", ()),
    }
    headline, reason, steps = words.get(state, (code.brief, "", ()))
    return Summary(
        state=state,
        cause=kinds.get(state),
        headline=printable(headline) or code.brief,
        reason=sentence(reason or "nothing was judged"),
        gates="Nothing was judged",
        steps=steps,
    )


def older_summary(code: ExitCode, status: str, rows: Sequence[VerdictRow]) -> Summary:
    """Return the first screen of a report that was written before there was one."""
    state = refused_state(code)
    if state is ReportState.PASSED:
        counted = any(row.status is Status.PASSED for row in rows)
        idle = ReportState.NOT_ENFORCED if rows else ReportState.NO_GATES
        state = ReportState.PASSED if counted else idle
    return Summary(state=state, headline=status, gates=gates_words(rows))
