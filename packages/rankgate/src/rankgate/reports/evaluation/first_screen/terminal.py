"""The first screen for the terminal: a pass in a few lines, a failure with its reason first."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from rankgate.model import Status
from rankgate.model.wording import many
from rankgate.reports.evaluation.summary.causes import CauseKind
from rankgate.reports.evaluation.summary.queries import QueryKind
from rankgate.reports.evaluation.summary.states import ReportState
from rankgate.reports.text.console import DIM, MARK, NUMBER, STYLES, WORDS, Located, grid, points
from rankgate.reports.text.printable import columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType
    from rich.table import Table

    from rankgate.reports.evaluation.report import EvaluationReport
    from rankgate.reports.evaluation.rows import VerdictRow
    from rankgate.reports.evaluation.summary.queries import QueryLine

COLOURS = {
    "green": "green",
    "red": "bold red",
    "yellow": "yellow",
    "blue": "blue",
    "grey": "bright_black",
    "orange": "dark_orange",
    "purple": "magenta",
    "crimson": "bold white on red",
}
"""How a terminal shows the colour of a state."""
SIGNS = {
    Status.PASSED: ReportState.PASSED.symbol,
    Status.FAILED: ReportState.FAILED.symbol,
    Status.INCONCLUSIVE: ReportState.INCONCLUSIVE.symbol,
    Status.NOT_ENFORCED: ReportState.NOT_ENFORCED.symbol,
    Status.REFUSED: ReportState.SUITE_ERROR.symbol,
}
"""The sign of a gate: that of the state which it would give alone."""
_QUERIES = 3
_GROUPS = 5
_GATES = 5
_METRICS = 4
_NOTES = 3
_NOTE_MOST = 240


def first_screen(report: EvaluationReport, page: str, *, details: bool) -> Iterator[RenderableType]:
    """Return the parts of the first screen.

    Args:
        report: What to say.
        page: Where the page for the browser is; empty where none was written.
        details: True where all the rest follows, so that nothing is said twice.
    """
    said = report.summary
    name = " · ".join(filter(None, (report.title, report.system)))
    code = f" (exit code {int(report.exit_code)})" if report.exit_code else ""
    style = COLOURS[said.state.colour]
    yield Text(f"{said.state.symbol} {said.label} · {name}{code}", style=style)
    # What a file or a call has wrong stands whole in one line, so that it can be searched for.
    yield Text(said.headline, style="bold", overflow="fold", no_wrap=report.refused)
    if said.reason:
        yield Text(said.reason, overflow="fold")
    yield from (Text(line, overflow="fold") for line in said.findings)
    yield from (Text(f"- {row.reason}", no_wrap=True) for row in _problems(report))
    shown = _queries(said.broken)
    if shown:
        yield from (Text(""), *shown)
    rest = _rest(report, len(shown) > 0)
    if rest:
        yield Text(rest)
    if said.steps:
        yield Text("")
        # A command stands in one line, whole, so that it can be copied.
        wide = max(columns(one.label) for one in said.steps)
        yield from (
            Text.assemble((f"{one.label:<{wide}}  ", "dim"), one.command, no_wrap=True) for one in said.steps
        )
    lines = [
        f"{line.words}: {line.command}" if line.command else line.words
        for line in said.lines
        # What changed since the baseline says it with its reason.
        if line.kind is not CauseKind.COMPARISON or not said.changed
    ]
    lines += [said.changed] if said.changed and said.broken else []
    if lines:
        yield from (Text(""), *(Text(line, overflow="fold") for line in lines))
    yield from _gates(report, details=details)
    if said.state in (ReportState.PASSED, ReportState.NOT_ENFORCED) and report.metrics and not details:
        values = ", ".join(f"{row.metric} {row.value}" for row in report.metrics[:_METRICS])
        more = f" and {len(report.metrics) - _METRICS} more" if len(report.metrics) > _METRICS else ""
        yield Text(f"{values}{more}", overflow="fold")
    if said.changed and not said.broken:
        yield Text(said.changed, overflow="fold")
    if not details:
        yield from _footer(report)
        if page:
            yield Text(f"report: {page}", no_wrap=True)


def _problems(report: EvaluationReport) -> Sequence[VerdictRow]:
    """Return what is wrong beside the headline; all of it, where the headline is shorter than the first."""
    if not report.refused or report.summary.state is ReportState.INTERNAL_ERROR:
        return ()
    whole = report.verdicts and report.verdicts[0].reason in report.summary.headline
    return report.verdicts[1:] if whole else report.verdicts


def _queries(broken: Sequence[QueryLine]) -> list[RenderableType]:
    """Return the queries that broke, each with what it expects and what came first; errors once a message."""
    errors = [line for line in broken if line.kind is QueryKind.ERROR]
    others = [line for line in broken if line.kind is not QueryKind.ERROR]
    # The headline has the one message.
    told = errors[:_GROUPS] if len(errors) > 1 else []
    parts: list[RenderableType] = [
        Text(f"{many(line.count, 'query', 'queries')}: {line.reason}", overflow="fold") for line in told
    ]
    if len(errors) > _GROUPS:
        parts.append(Text(f"… and {many(len(errors) - _GROUPS, 'other message')}", style="dim"))
    for line in others[:_QUERIES]:
        parts += _query(line)
    return parts


def _query(line: QueryLine) -> list[RenderableType]:
    ranks = f"  {line.ranks}" if line.ranks else f"  {line.kind}"
    title = Text.assemble((line.query, "bold"), (ranks, "red"), overflow="fold")
    parts: list[RenderableType] = [points([title], Text("•", style="red"))]
    said = [("expects", line.expected), ("first", line.first)]
    if line.kind in (QueryKind.TARGET, QueryKind.CHECK):
        said.append(("why", line.reason))
    said.append(("in", line.where))
    rows = [(Text(label), Located(words)) for label, words in said if words]
    parts.append(Padding(grid(({"no_wrap": True} | DIM, WORDS), rows), (0, 0, 0, 2)))
    return parts


def _rest(report: EvaluationReport, named: bool) -> str:
    """Return in a line how many others broke and how many are fine; nothing where none broke."""
    said = report.summary
    if not said.broken:
        return ""
    others = [line for line in said.broken if line.kind is not QueryKind.ERROR]
    errored = sum(line.count for line in said.broken if line.kind is QueryKind.ERROR)
    left = said.broken_count - errored - min(len(others), _QUERIES)
    parts = [f"{many(left, 'more query', 'more queries')} broke"] if left > 0 and named else []
    if said.weakest:
        parts.append(f"{said.weakest:,} below a gate's value")
    if said.fine:
        parts.append("the other one is fine" if said.fine == 1 else f"the other {said.fine:,} are fine")
    return "; ".join(parts)


def _gates(report: EvaluationReport, *, details: bool) -> Iterator[RenderableType]:
    """Return the gates that did not pass, and those that did where they are few; else their number."""
    if details or report.summary.cause in (CauseKind.INTERNAL, CauseKind.OUTAGE):
        # What an outage does to the gates says nothing about the search.
        return
    rows = () if report.refused else report.verdicts
    open_ones = [row for row in rows if row.status is not Status.PASSED]
    passed = [row for row in rows if row.status is Status.PASSED]
    shown = rows if len(rows) <= _GATES else open_ones[:_GATES]
    if shown:
        yield Text("")
        # What the headline is about has its reason there.
        told = {shown[0].gate} if report.summary.cause is CauseKind.INCONCLUSIVE else set()
        yield gate_table([replace(row, detail="") if row.gate in told else row for row in shown])
    if len(open_ones) > _GATES:
        yield Text(f"… and {many(len(open_ones) - _GATES, 'more gate')} not passed", style="dim")
    if len(rows) > _GATES and passed and open_ones:
        yield Text(f"{many(len(passed), 'gate')} passed")
    if not rows and report.metrics:
        yield Text("")
        measured = (
            (Text(row.metric), Text(row.value), Text(row.counted)) for row in report.metrics[:_METRICS]
        )
        yield grid((WORDS, NUMBER, WORDS | DIM), measured)


def gate_table(rows: Sequence[VerdictRow]) -> Table:
    """Return a line a gate, with the sign of its status, its value and what that stands on."""
    return grid(
        (MARK, {**WORDS, "ratio": 3}, NUMBER, {**WORDS, **DIM, "ratio": 4}),
        (
            (
                Text(SIGNS[row.status]),
                Text(row.gate),
                Text(row.value, style=STYLES[row.mark]),
                Text(row.detail),
            )
            for row in rows
        ),
    )


def _footer(report: EvaluationReport) -> Iterator[RenderableType]:
    """Return notes, what is left out, and the run in one line."""
    parts: list[RenderableType] = [
        Text(f"- {note if len(note) <= _NOTE_MOST else note[: _NOTE_MOST - 1] + '…'}", overflow="fold")
        for note in _told_notes(report)[:_NOTES]
    ]
    if report.timings:
        parts.append(Text("took " + ", ".join(f"{stage} {text}" for stage, text in report.timings)))
    left = _left_out(report)
    if left:
        parts.append(Text(f"--details shows {', '.join(left)}", style="dim", overflow="fold"))
    facts = dict((*report.provenance, *report.header))
    named = ("suite", "corpus", "commit", "rankgate", "time")
    words = " · ".join(
        f"{'rankgate ' if name == 'rankgate' else ''}{facts[name]}" for name in named if name in facts
    )
    if words:
        parts.append(Text(words, style="dim", overflow="fold"))
    if parts:
        yield from (Text(""), Group(*parts))


def _told_notes(report: EvaluationReport) -> list[str]:
    """Return the notes that the reason does not say already."""
    said = report.summary.reason.casefold()
    return [note for note in report.notes if note.casefold() not in said]


def _left_out(report: EvaluationReport) -> list[str]:
    """Name what the long form has beside this, with its numbers."""
    short = (
        len(report.failures)
        + report.left_out.short
        - sum(line.kind is not QueryKind.ERROR for line in report.summary.broken[:_QUERIES])
    )
    counts = (
        (len(report.metrics) if report.verdicts else len(report.metrics) - _METRICS, "metric", None),
        (len(report.slices.rows), "category", "categories"),
        (short, "weak or failed query", "weak or failed queries"),
        (len(report.known) + report.left_out.known, "known miss", "known misses"),
        (len(report.probes.scenarios), "scenario", None),
        (len(report.probes.invariants), "invariant", None),
        (len(report.recommendations), "recommendation", None),
        (len(report.notes) - min(len(_told_notes(report)), _NOTES), "more note", None),
    )
    found = [many(number, one, several) for number, one, several in counts if number > 0]
    return [*found, "the comparison"] if report.comparison is not None else found
