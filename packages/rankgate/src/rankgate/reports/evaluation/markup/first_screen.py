"""The first screen of a report in GitHub Markdown: comment, job summary and file begin with it.

It fits 40 lines as GitHub shows it, folds closed: a headline, the failed gates as sentences, at most ten
queries and one ranking. A pass is a headline and a line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.model import Status
from rankgate.model.wording import many
from rankgate.reports.evaluation.summary.causes import CauseKind
from rankgate.reports.evaluation.summary.queries import QueryKind
from rankgate.reports.evaluation.summary.states import ReportState
from rankgate.reports.text.github import table
from rankgate.reports.text.marks import NOTHING
from rankgate.reports.text.shortening import last_part, told_apart_texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.reports.evaluation.report import EvaluationReport
    from rankgate.reports.evaluation.rows import VerdictRow
    from rankgate.reports.evaluation.summary.queries import QueryLine
    from rankgate.reports.text.github import Escapes

QUERIES_SHOWN = 10
"""How many queries the table has."""
_WON_SHOWN = 2
"""How many rows are kept for queries that were won, where more broke than fit."""
_GATES_SHOWN = 4
_CAUSES_SHOWN = 3
_COMMANDS = 2
_QUERY_MOST = 80
_LOCATION_MOST = 60
_HEAD = ("", "query", "first relevant hit", "expected", "returned first")
_UNMET = (Status.FAILED, Status.REFUSED, Status.INCONCLUSIVE)
GATE_SIGNS = {
    Status.PASSED: ReportState.PASSED.symbol,
    Status.FAILED: ReportState.FAILED.symbol,
    Status.INCONCLUSIVE: ReportState.INCONCLUSIVE.symbol,
    Status.NOT_ENFORCED: ReportState.NOT_ENFORCED.symbol,
    Status.REFUSED: ReportState.SUITE_ERROR.symbol,
}
"""The sign of a gate: that of the state which it would make."""
_NOT_BY_GATES = (CauseKind.INTERNAL, CauseKind.OUTAGE, CauseKind.MAPPING)
"""Where one of these is the cause, what the gates say is no matter of the search."""
_BY_GATES = (CauseKind.SUITE, CauseKind.FAILED, CauseKind.INCONCLUSIVE)


def row_sign(report: EvaluationReport, row: VerdictRow) -> str:
    """Return the sign of a row of the verdicts: of a problem that of the state, of a gate its own."""
    return report.summary.state.symbol if report.refused else GATE_SIGNS[row.status]


def headline(report: EvaluationReport, by: Escapes, *, html: bool = False) -> str:
    """Return what happened in a line: the sign of the state, suite and system, the event, lost and won.

    Args:
        report: What to say.
        by: How texts are escaped.
        html: True between tags.
    """
    summary = report.summary
    name = " · ".join(filter(None, (report.title, report.system)))
    counts = ""
    if (summary.lost_count or summary.won_count) and summary.cause not in _NOT_BY_GATES:
        counts = f" ({summary.lost_count:,} lost, {summary.won_count:,} won)"
    if html:
        return f"{summary.state.symbol} {by.html(name)}: {by.html(summary.headline)}{counts}"
    return f"{summary.state.symbol} {by.title(name)}: {by.text(summary.headline)}{counts}"


def opening(report: EvaluationReport, by: Escapes) -> Iterator[str]:
    """Return the paragraphs below the headline: why, what changed, the gates that failed, the commands."""
    summary = report.summary
    said = [] if _told_by_gates(report) else [summary.reason]
    said += summary.findings
    said.append(summary.changed or (_counts(report) if summary.state is ReportState.PASSED else ""))
    if words := " ".join(map(by.text, filter(None, said))):
        yield words
    if points := [*_causes(report, by), *_gates(report, by)]:
        yield "\n".join(points)
    if summary.steps and summary.state is not ReportState.PASSED:
        yield f"Next: {commands(report, by)}"


def commands(report: EvaluationReport, by: Escapes) -> str:
    """Return the commands to run next, each with what for."""
    steps = report.summary.steps[:_COMMANDS]
    return " · ".join(f"{by.text(step.label)} {by.code(step.command)}" for step in steps)


def query_table(report: EvaluationReport, by: Escapes) -> Iterator[str]:
    """Return the table of the queries that broke and of those that were won, and how many are not in it."""
    summary = report.summary
    broken = summary.broken
    named = {line.case for line in broken}
    won = [line for line in summary.won if line.case not in named]
    if summary.cause in _NOT_BY_GATES:
        broken = tuple(line for line in broken if line.kind is QueryKind.ERROR)
        won = []
    few = broken[: QUERIES_SHOWN - min(_WON_SHOWN, len(won))]
    shown = [*few, *won[: QUERIES_SHOWN - len(few)]]
    if not shown:
        return
    names = told_apart_texts([(line.query, line.case) for line in shown], _QUERY_MOST)
    yield table(_HEAD, "", [_row(line, name, by) for line, name in zip(shown, names, strict=True)])
    left = summary.broken_count - sum(line.count for line in few)
    gained = len(won) - (len(shown) - len(few))
    gained += summary.won_count - len(summary.won) if won else 0
    counts = ((left, "more broke"), (gained, "more won"))
    if more := [f"{number:,} {words}" for number, words in counts if number]:
        yield f"… {', '.join(more)}."


def _row(line: QueryLine, name: str, by: Escapes) -> Sequence[str]:
    query = by.code(name, cell=True)
    if line.count > 1:
        query += f" and {many(line.count - 1, 'more query', 'more queries')}"
    said = [line.ranks]
    if line.kind in (QueryKind.ERROR, QueryKind.TARGET) or (line.reason and not line.expected):
        said.append(line.reason)
    return (
        str(line.kind),
        query,
        by.text("; ".join(filter(None, said))),
        by.code(last_part(line.expected, _LOCATION_MOST), cell=True),
        by.code(last_part(line.first, _LOCATION_MOST), cell=True),
    )


def _told_by_gates(report: EvaluationReport) -> bool:
    """Check whether the lines of the gates say the reason already."""
    return report.summary.cause in _BY_GATES and bool(_unmet(report)) and bool(report.cases)


def _unmet(report: EvaluationReport) -> list[VerdictRow]:
    """Return the gates that get a sentence each."""
    if report.summary.cause in _NOT_BY_GATES:
        return []
    rows = [row for row in report.verdicts if row.status in _UNMET]
    rows.sort(key=lambda row: _UNMET.index(row.status))
    # Where nothing was judged, the headline says the first of what is wrong.
    return rows if report.cases else rows[1:]


def _gates(report: EvaluationReport, by: Escapes) -> Iterator[str]:
    rows = _unmet(report)
    for row in rows[:_GATES_SHOWN]:
        # The queries that were lost are in the table.
        said = row.reason.partition(" (")[0] if row.lost else row.reason
        if row.value != NOTHING and not said.startswith(row.value):
            said = f"{row.value}: {said}"
        gate = f"{by.code(row.gate)} {row.status}: " if report.cases else ""
        yield f"- {row_sign(report, row)} {gate}{by.text(said)}"
    if more := len(rows) - _GATES_SHOWN:
        noun = ("more gate", "more gates") if report.cases else ("more problem", "more problems")
        yield from [f"- … and {many(more, *noun)}, below"] if more > 0 else []
    others = sorted(
        (row for row in report.verdicts if row.status not in _UNMET),
        key=lambda row: row.status is not Status.PASSED,
    )
    if rows and others:
        number = sum(row.status is Status.PASSED for row in others)
        idle = len(others) - number
        words = [f"{many(number, 'gate')} passed"] if number else []
        words += [f"{idle:,} not enforced"] if idle else []
        yield f"- {GATE_SIGNS[others[0].status]} {', '.join(words)}"


def _causes(report: EvaluationReport, by: Escapes) -> Iterator[str]:
    """Return what else is so, a line each; what the gates say below is not said twice."""
    lines = report.summary.lines
    if _unmet(report):
        lines = tuple(line for line in lines if line.kind not in _BY_GATES)
    if report.summary.changed:
        lines = tuple(line for line in lines if line.kind is not CauseKind.COMPARISON)
    for line in lines[:_CAUSES_SHOWN]:
        command = f": {by.code(line.command)}" if line.command else ""
        yield f"- {by.text(line.words)}{command}"
    if len(lines) > _CAUSES_SHOWN:
        yield f"- … and {many(len(lines) - _CAUSES_SHOWN, 'more finding')}, below"


def _counts(report: EvaluationReport) -> str:
    """Return how many queries there are, and how many of them are as they should be."""
    summary, known = report.summary, len(report.known) + report.left_out.known
    said = [f"{summary.fine:,} fine"]
    said += [f"{summary.broken_count:,} broke"] if summary.broken_count else []
    said += [f"{summary.weakest:,} below a gate's value"] if summary.weakest else []
    said += [many(known, "known miss", "known misses")] if known else []
    return f"{many(report.total, 'query', 'queries')}: {', '.join(said)}."
