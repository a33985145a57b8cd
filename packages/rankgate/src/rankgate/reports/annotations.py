"""The report of a test as GitHub workflow commands, which GitHub shows at the lines of the suite.

GitHub shows ten errors and ten warnings of a step and drops the others. The tenth counts the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rankgate import headline
from rankgate.report import CaseState, GateState, State
from rankgate.reports.sections import query_item
from rankgate.reports.text.github import command, without_commands
from rankgate.reports.text.printable import printable, split_where
from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rankgate.report import GateResult, Report
    from rankgate.reports.text.github import Level

SHOWN: Final = 10
"""The number of annotations per level that GitHub shows for a step."""
_TITLE_LENGTH: Final = 120
_MESSAGE_LENGTH: Final = 2000
_LISTED: Final = 20


@dataclass(frozen=True, slots=True)
class Annotation:
    """A message at a line of a file."""

    level: Level
    title: str
    message: str
    where: str = ""


def render(*reports: Report, path_of: Callable[[str], str] = str) -> str:
    """Return the workflow commands of all reports, then a plain line per report.

    Args:
        reports: The reports.
        path_of: Returns the path below the repository's root for a path in a report.
    """
    found = [one for report in reports for one in annotated(report)]
    lines = [*_commands(found, "error", path_of), *_commands(found, "warning", path_of)]
    lines += [without_commands(printable(headline.headline(report))) for report in reports]
    return "".join(f"{line}\n" for line in lines)


def annotated(report: Report) -> Iterator[Annotation]:
    """Return what to annotate: problems, gates, failed queries, scenarios and invariants.

    Queries that regressed are annotated only if a failed gate is about them.
    """
    if report.state in (State.INVALID, State.SYSTEM_FAILED, State.CRASHED):
        for line in report.problems or report.causes or (headline.outcome(report),):
            yield _problem(report, line)
    if report.state is State.NOT_TESTED:
        yield Annotation("warning", "not tested", headline.headline(report), report.path)
    if report.state in (State.CRASHED, State.NOT_TESTED):
        return
    believed = report.state is not State.SYSTEM_FAILED
    if believed:
        yield from (_gate(report, gate) for gate in report.gates if gate.state in _GATES)
    explain = {name for gate in report.gates if gate.state is GateState.FAILED for name in gate.queries}
    order = {name: at for at, name in enumerate(report.attention)}
    for case in sorted(report.cases, key=lambda case: order.get(case.name, len(order))):
        failed = believed and (
            headline.is_failed(case) or (case.name in explain and case.change in headline.WORSE)
        )
        if failed or (case.state is CaseState.ERROR and not believed):
            query = query_item(case, report.primary)
            message = "\n".join([query.change, *(f"{label}: {text}" for label, text in query.details)])
            yield Annotation("error", query.title, message, case.where)
    for kind, probes in (("scenario", report.scenarios), ("invariant", report.invariants)):
        for probe in probes:
            if headline.is_failed(probe) or probe.state is CaseState.ERROR:
                yield Annotation("error", f"{kind} {probe.name}", "\n".join(probe.reasons), probe.where)


_GATES: Final[dict[GateState, Level]] = {
    GateState.FAILED: "error",
    GateState.OVER_NOTHING: "error",
    GateState.INCONCLUSIVE: "warning",
}


def _gate(report: Report, gate: GateResult) -> Annotation:
    text = headline.gate_text(gate, headline.titles(report, gate.queries))
    return Annotation(_GATES[gate.state], f"{gate.gate}: {gate.state}", text, gate.where or report.path)


def _problem(report: Report, text: str) -> Annotation:
    """Return a problem, at the file and line that its sentence begins with."""
    where, colon, rest = text.partition(": ")
    file, line = split_where(where)
    if colon and (line is not None or file == report.path):
        return Annotation("error", headline.outcome(report), rest, where)
    return Annotation("error", headline.outcome(report), text, report.path)


def _commands(found: Sequence[Annotation], level: Level, path_of: Callable[[str], str]) -> Iterator[str]:
    mine = [one for one in found if one.level == level]
    shown = mine if len(mine) <= SHOWN else mine[: SHOWN - 1]
    for one in shown:
        file, line = split_where(one.where)
        message = "\n".join(printable(part) for part in one.message.split("\n"))
        if len(message) > _MESSAGE_LENGTH:
            message = message[: _MESSAGE_LENGTH - 1] + "…"
        title = f"rankgate: {printable(one.title, _TITLE_LENGTH)}"
        yield command(level, message, file=path_of(file) if file else None, line=line, title=title)
    if left := mine[len(shown) :]:
        names = [printable(one.title, _TITLE_LENGTH) for one in left[:_LISTED]]
        names += [f"… and {len(left) - _LISTED:,} more"] if len(left) > _LISTED else []
        yield command(level, "\n".join(names), title=f"rankgate: {many(len(left), f'more {level}')}")
