"""The report of an evaluation as annotations, which GitHub shows at the lines of the suite.

GitHub keeps ten errors and ten warnings of a step and drops the others unseen: the worst come first, and the
last of ten says how many more there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.model import Status
from rankgate.model.wording import many
from rankgate.reports.text.github import command, without_commands
from rankgate.reports.text.marks import NOTHING
from rankgate.reports.text.printable import printable, split_where

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rankgate.reports.evaluation.failures import Failure
    from rankgate.reports.evaluation.probes import ProbeRow
    from rankgate.reports.evaluation.report import EvaluationReport
    from rankgate.reports.evaluation.rows import VerdictRow
    from rankgate.reports.text.github import Level

SHOWN = 10
"""How many annotations of a level GitHub shows for a step."""
_TITLE_MOST = 120
_MESSAGE_MOST = 2000
_FEW = 3


@dataclass(frozen=True, slots=True)
class Annotation:
    """One thing to say at one line."""

    level: Level
    title: str
    message: str
    file: str = ""
    line: int | None = None


def render(*reports: EvaluationReport, path_of: Callable[[str], str] = str) -> str:
    """Write the commands of all reports together, and what became of each as plain text.

    Args:
        reports: what to say.
        path_of: turns the path of a suite into the path that the repository has it under.
    """
    said = [one for report in reports for one in annotated(report)]
    left = [report.left_out for report in reports]
    errors, warnings = sum(one.failed + one.errored for one in left), sum(one.weak for one in left)
    lines = [*_bounded(said, "error", path_of, errors), *_bounded(said, "warning", path_of, warnings)]
    ended = [(report.summary.state.symbol, report.title, report.status) for report in reports]
    lines += [without_commands(f"{symbol} {title}: {status}") for symbol, title, status in ended]
    lines += [without_commands(one.words) for one in left if one.words]
    return "".join(f"{line}\n" for line in lines)


def annotated(report: EvaluationReport) -> Iterator[Annotation]:
    """Return what a report has to say: gates first, then cases, then scenarios and invariants."""
    yield from (_gate(row) for row in report.verdicts if row.status is not Status.PASSED)
    lines = {case.case: (case.file, case.line) for case in report.cases}
    # An answer that did not come is worse than one that is not good enough.
    for failure in sorted(report.failures, key=lambda failure: not failure.errored):
        yield _case(failure, *lines.get(failure.case, ("", None)))
    for kind, rows in (("scenario", report.probes.scenarios), ("invariant", report.probes.invariants)):
        yield from (_probe(kind, row) for row in rows if row.reasons)
    for miss in report.known:
        if miss.passes:
            file, line = lines.get(miss.case, ("", None))
            yield Annotation("warning", _title(miss.query, "passes now"), "take its xfail out", file, line)


def _gate(row: VerdictRow) -> Annotation:
    level: Level = "error" if row.status in (Status.FAILED, Status.REFUSED) else "warning"
    # Where a reason does not begin with what was measured, that is said first.
    told = row.value == NOTHING or row.reason.startswith(row.value)
    message = row.reason if told else f"{row.value}: {row.reason}"
    return Annotation(level, _title(row.gate, row.status), message, *split_where(row.where))


def _case(failure: Failure, file: str, line: int | None) -> Annotation:
    ended = "did not pass" if failure.blocks else "below the value of a gate"
    if failure.errored:
        ended = "ended in an error"
    lines = [*failure.reasons, *(f"expected {one.location}: {one.ended}" for one in failure.expected[:_FEW])]
    if len(failure.expected) > _FEW:
        lines.append(f"… and {len(failure.expected) - _FEW} more")
    if failure.hits:
        first = failure.hits[0]
        lines.append(f"first of {failure.returned}: {first.location} {first.mark}".rstrip())
    level: Level = "error" if failure.blocks else "warning"
    return Annotation(level, _title(failure.query, ended), "\n".join(lines), file, line)


def _probe(kind: str, row: ProbeRow) -> Annotation:
    level: Level = "error" if row.blocks else "warning"
    title = _title(f"{kind} {row.name}", row.result)
    return Annotation(level, title, "\n".join(row.reasons), row.file, row.line)


def _title(name: str, ended: str) -> str:
    return f"rankgate: {printable(name, _TITLE_MOST)} {ended}"


def _bounded(
    said: Sequence[Annotation], level: Level, path_of: Callable[[str], str], left_out: int
) -> Iterable[str]:
    mine = [one for one in said if one.level == level]
    shown = mine if len(mine) + left_out <= SHOWN else mine[: SHOWN - 1]
    for one in shown:
        file = path_of(one.file) if one.file else None
        message = one.message if len(one.message) <= _MESSAGE_MOST else one.message[: _MESSAGE_MOST - 1] + "…"
        yield command(level, message, file=file, line=one.line, title=one.title)
    if left := len(mine) - len(shown) + left_out:
        names = "\n".join(one.title.removeprefix("rankgate: ") for one in mine[len(shown) :][: 2 * SHOWN])
        more = f"\n… and {left - 2 * SHOWN} more" if left > 2 * SHOWN else ""
        yield command(level, f"{names}{more}", title=f"rankgate: {many(left, f'more {level}')}")
