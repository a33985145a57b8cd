"""The first screen of a report: its state, one headline with its reason, what broke, and what to do next.

It knows no layout: terminal, comment and page say the same, each in its form.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.gates.context import UNREVIEWED
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
from rankgate.reports.evaluation.summary.states import ReportState, report_state
from rankgate.reports.text.marks import BAD
from rankgate.reports.text.printable import printable
from rankgate.suites.asked_suite import source_kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.reports.evaluation.rows import VerdictRow

_PLACES = 3
_FAILING = 3
_NAMED = 5
_NOT_PEOPLE = {"model": "a model", "clicks": "clicks"}
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
    code: str = ""
    """The kind of the error that left nothing to judge, as on the page of errors; empty for a verdict."""
    about: str = ""
    """What such an error is about: suite, usage, configuration, corpus, run, baseline or file; else empty."""
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
    findings: tuple[str, ...] = ()
    """What is known of the cause, one sentence each: documents that changed, pages that are not indexed."""

    @property
    def label(self) -> str:
        """The state, as people are shown it: of what is wrong, with what that is about."""
        return f"{self.about} error" if self.about else str(self.state)

    def status(self, fault: str = "") -> str:
        """Return the headline and the other causes in one line, for where there is room for no more.

        Args:
            fault: What keeps hits from their locations, with the setting that mends it: it comes first.
        """
        said = [self.headline, *(line.words for line in self.lines)]
        if fault:
            # The line of the fault itself has no setting.
            said = [fault, *(words for words in said if not fault.startswith(words))]
        if self.state is ReportState.PASSED and self.weakest:
            said.append(f"{many(self.weakest, 'query', 'queries')} below the value of a gate")
        return "; ".join(said)


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
        lost_count=lines.counts[QueryKind.LOST],
        won=lines.won,
        won_count=lines.counts[QueryKind.WON],
        weakest=lines.weakest,
        fine=lines.fine,
        changed=printable(_changed(known)),
        findings=tuple(map(printable, _findings(known))),
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
    if known.scored.suite.whole is not None:
        return _looked_at(known)
    baseline: tuple[NextStep, ...] = ()
    if own is not None and own.absent and own.command and not commands.fixed:
        baseline = (NextStep("compare from now on", printable(own.command)),)
    if state is ReportState.NO_GATES:
        where = f" to {commands.file}" if commands.file else ""
        reason = f"Add a gate{where} to get pass or fail, such as gates: [ndcg@10 >= 0.65]."
        return "No gates defined", reason, baseline
    waived = [row for row in known.rows if row.status is Status.NOT_ENFORCED]
    if state is ReportState.NOT_ENFORCED and not known.scored.verdict.enforced:
        failing = [row for row in waived if row.reason.endswith(_WAIVED)]
        of = many(len(known.rows), "gate")
        reason = "This system is only reported (gate = false)."
        if not failing:
            return f"Not enforced: {of} would not fail", reason, baseline
        verb = "fails" if len(failing) == 1 else "fail"
        named = [f"{row.gate} is {row.value}" for row in failing[:_FAILING]]
        named += [f"{len(failing) - _FAILING} more"] if len(failing) > _FAILING else []
        reason = f"This system is only reported (gate = false): {', '.join(named)}; mend that, or take "
        reason += "gate = false out of its settings to enforce the gates."
        # A baseline would keep what fails as what is right.
        steps = (NextStep("see what fails", commands.test("--details")),)
        return f"Not enforced: {len(failing)} of {of} {verb}", printable(reason), steps
    if state is ReportState.NOT_ENFORCED:
        why = waived[0].reason.removesuffix(", gates not enforced") if waived else "no gate counts"
        case = _unreviewed(known)
        if case is None or not (waived and waived[0].reason.endswith(UNREVIEWED)):
            return f"Not enforced: {why}", "", baseline
        todo = "and delete `reviewed: false` from the right ones"
        reason = f"To enforce the gates, read the cases of {commands.file or 'the suite'} {todo}."
        return f"Not enforced: {why}", reason, (NextStep("review the first", commands.ask(case)), *baseline)
    reason = ""
    if waived:
        reason = sentence(f"{many(len(waived), 'gate')} not enforced: {waived[0].reason}")
    left, shared = _not_compared(known)
    if left:
        are = "is" if left == 1 else "are"
        told = f"{left:,} of {many(shared, 'query', 'queries')} {are} not compared with the baseline: "
        told += "the texts that it found are not in today's documents."
        reason = f"{reason} {told}".strip()
        baseline = (NextStep("renew the baseline", printable(own.command if own else "")),)
    return gates_words(known.rows), f"{reason} {_not_held(known)}".strip(), baseline


def _not_held(known: Known) -> str:
    """Return the gate that would have failed, where a pass is worse than a baseline that no gate holds."""
    first = known.comparison.rows[0] if known.comparison and known.comparison.rows else None
    held = any("drop(" in row.gate for row in known.rows)
    if first is None or held or first.mark != BAD:
        return ""
    gate = f"drop({first.metric}) <= 0 in {known.commands.file or 'the suite'}"
    return f"{first.metric} is worse than in the baseline, and no gate holds it: {gate} would."


def _not_compared(known: Known) -> tuple[int, int]:
    """Count the queries that a new baseline would compare again, and all; 0 where targets come first."""
    own = known.scored.own_baseline
    if own is None or own.comparison is None or not own.command or known.gone.targets:
        return 0, 0
    shared = own.comparison.shared
    return int((own.comparison.left_out & shared).sum()), int(shared.sum())


def _looked_at(known: Known) -> tuple[str, str, tuple[NextStep, ...]]:
    """Return headline, reason and steps of a part of a suite: what it shows is no verdict."""
    suite = known.scored.suite
    of = many(len(suite.whole.cases if suite.whole else suite.cases), "case")
    reason = "Gates are not enforced on a part of a suite, and nothing was kept."
    steps = (NextStep("test all", known.commands.test()),)
    return f"Quick look at {len(suite.cases):,} of {of}", reason, steps


def _unreviewed(known: Known) -> str | None:
    """Return the first case that nobody has reviewed."""
    cases = known.scored.suite.cases
    return next((case.id for case in cases if not all(target.reviewed for target in case.targets)), None)


def _findings(known: Known) -> Iterator[str]:
    """Return what is known of the cause: documents that changed, of those that hits of the baseline are in.

    And pages that queries which broke expect, and that the index does not have; and whose judgments they are.
    """
    own = known.scored.own_baseline
    if known.scored.suite.whole is not None and any(cause.decides for cause in causes(known)):
        headline, reason, _ = _looked_at(known)
        yield f"{headline}. {reason}"
    if own is not None and own.documents:
        yield f"Changed since the baseline: {_named(own.documents)}."
    if truth := _whose_truth(known):
        yield truth


def _judge_name(source: str) -> str:
    """Return the name of the model judge that a source names; empty where it names none."""
    words = source.replace(",", " , ").split()
    return printable(words[1]) if len(words) > 1 and words[1] != "," else ""


def _whose_truth(known: Known) -> str:
    """Return whose judgments gates count, where they are not those of people."""
    targets = known.scored.judgments.targets.filter("reviewed")
    found = Counter(source_kind(source) for source in targets["source"])
    others = " and ".join(words for kind, words in _NOT_PEOPLE.items() if found[kind])
    if not others:
        return ""
    number = sum(found[kind] for kind in _NOT_PEOPLE)
    judges = Counter(_judge_name(source) for source in targets["source"] if source_kind(source) == "model")
    if number < found.total() and judges and "" not in judges:
        named = (f"{count} of the model judge {judge}" for judge, count in sorted(judges.items()))
        clicks = [f"{found['clicks']} of clicks"] if found["clicks"] else []
        return f"{', '.join([many(found.total() - number, 'judgment') + ' of people', *named, *clicks])}."
    return f"{number} of {found.total()} judgments come from {others}, not from people (gating_sources)."


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{', '.join(names[:_NAMED])}{more}"


def _changed(known: Known) -> str:
    """Return how it differs from the baseline; an outage is no change of the search."""
    own, found = known.scored.own_baseline, known.comparison
    if known.outage or own is None:
        return ""
    if own.absent:
        idle = report_state(known.scored.verdict) in (ReportState.NO_GATES, ReportState.NOT_ENFORCED)
        return "Not compared: there is no baseline yet." if idle else ""
    if own.comparison is None or found is None:
        told = any(own.why in row.reason for row in known.rows)
        return f"Not compared with {own.name}: {own.why}." if own.why and not told else ""
    shared = own.comparison.shared
    number = int((own.comparison.changed & shared).sum())
    asked = many(int(shared.sum()), "query", "queries")
    begin = found.title
    if not number:
        return f"{begin}: the answers to all {asked} are unchanged."
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
        if left := int((own.comparison.left_out & shared).sum()):
            moved += f" without {many(left, 'query', 'queries')} whose text was not found again"
        parts.append(f"{moved}, {row.finding}" if apart else moved)
    lost, won = (known.lines.counts[kind] for kind in (QueryKind.LOST, QueryKind.WON))
    parts.append(f"{lost:,} lost, {won:,} won")
    return f"{begin}: {'; '.join(parts)}."
