"""The report of an evaluation as one comment on a pull request, which a later run finds and replaces.

The first line is a mark that nobody sees: by it the comment is found again. What was decided comes first, and
the failed queries are folded away. GitHub refuses more than 65,536 characters: what does not fit is counted.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING
from urllib.parse import quote

from rankgate.model.wording import many
from rankgate.reports.comparison.report import FIGURES
from rankgate.reports.evaluation.markdown import (
    GATES,
    METRICS,
    SIDES,
    gate_rows,
    known_points,
    metric_rows,
    slice_table,
    story_points,
)
from rankgate.reports.text.github import Escapes, plain, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.reports.evaluation.failures import Failure
    from rankgate.reports.evaluation.report import EvaluationReport

LIMIT = 65_000
"""How many bytes a comment may have; no way of counting characters gives more."""
_MARKER_MOST = 200
_SHORT = Escapes(line=400, name=160)
_EXPECTED_SHOWN = 5
_HITS_SHOWN = 3
_TAIL = 120
"""How many bytes the line that counts what was left out, and the end of a fold, may have."""
_TAILS = 8
"""How many of them a report may have."""


def render(*reports: EvaluationReport, limit: int = LIMIT) -> str:
    """Write the body of a comment about all reports: the line of each comes before more of any."""
    room = _Room(limit - _TAIL)
    parts = [marker(reports)]
    room.take(parts[0])
    heads = [_head(report) for report in reports]
    shown = next((at for at, head in enumerate(heads) if not room.take(head)), len(heads))
    for number, report in enumerate(reports[:shown]):
        body = "\n\n".join(_body(report, _Room(room.left // (shown - number))))
        parts += [heads[number], body] if body and room.take(body) else [heads[number]]
    if shown < len(reports):
        parts.append(f"… and {many(len(reports) - shown, 'more report')}.")
    return "\n\n".join(parts) + "\n"


def marker(reports: Sequence[EvaluationReport]) -> str:
    """Name what a comment is about, in a line that does not show.

    The same suites and systems give the same line, whatever their names hold.
    """
    names = "; ".join(f"{_word(report.title)} {_word(report.system)}" for report in reports)
    if len(names) > _MARKER_MOST:
        names = hashlib.sha256(names.encode()).hexdigest()
    return f"<!-- rankgate: {names} -->"


def _word(name: str) -> str:
    """Write a name without what could end the comment or be taken for two names."""
    return quote(name, safe="") or "-"


class _Room:
    """How many bytes are left."""

    def __init__(self, left: int) -> None:
        self.left = left

    def take(self, text: str) -> bool:
        """Take room for a text and what parts it from the next, if there is enough."""
        size = len(text.encode()) + 2
        if size > self.left:
            return False
        self.left -= size
        return True


def _head(report: EvaluationReport) -> str:
    return f"### {report.mark} {_SHORT.title(report.title)}: {_SHORT.text(report.status)}"


def _body(report: EvaluationReport, room: _Room) -> Iterator[str]:
    if not room.take(" " * _TAIL * _TAILS):
        return
    foot = _foot(report)
    shows_foot = room.take(foot)
    yield from _gates(report, room)
    yield from _metrics(report, room)
    yield from _comparison(report, room)
    failed = [_story(failure) for failure in report.failures]
    yield from _folded(many(len(failed), "failed query", "failed queries"), failed, room)
    broken = [
        f"- {row.mark} {_SHORT.code(row.name)}: {_SHORT.text(row.reason)}"
        for row in (*report.probes.scenarios, *report.probes.broken)
        if row.reasons
    ]
    yield from _folded("Scenarios and invariants that do not hold", broken, room)
    yield from _slices(report, room)
    known = known_points(report, _SHORT)
    yield from _folded(many(len(known), "known miss", "known misses"), known, room)
    yield from _folded("Notes", [f"- {_SHORT.text(note)}" for note in report.notes], room)
    if shows_foot:
        yield foot


def _gates(report: EvaluationReport, room: _Room) -> Iterator[str]:
    if not report.verdicts:
        yield "No gates."
        return
    rows = gate_rows(report, _SHORT)
    # Where not all fit, those that did not pass do.
    order = sorted(range(len(rows)), key=lambda at: ("❌", "⚠️", "✅").index(report.verdicts[at].mark))
    shown = order[: _fitting(GATES, [rows[at] for at in order], room)]
    yield from _table(GATES, SIDES, [rows[at] for at in sorted(shown)], len(rows), "gate")


def _metrics(report: EvaluationReport, room: _Room) -> Iterator[str]:
    rows = metric_rows(report, _SHORT)
    yield from _table(METRICS, SIDES, rows[: _fitting(METRICS, rows, room)], len(rows), "metric")


def _comparison(report: EvaluationReport, room: _Room) -> Iterator[str]:
    """Fold away how the metrics compare with the baseline, and which queries moved most."""
    compared = report.comparison
    if compared is None or not compared.rows:
        return
    opening = f"<details>\n<summary>Against {_SHORT.title(compared.before)}</summary>"
    if not room.take(opening):
        return
    yield opening
    head = ("metric", *FIGURES[:5], "finding")
    rows = [
        (_SHORT.code(row.metric, cell=True), *map(plain, (*row.figures[:5], row.finding)))
        for row in compared.rows
    ]
    yield from _table(head, "lrrrrrl", rows[: _fitting(head, rows, room)], len(rows), "metric")
    moved = [
        f"- {one.mark} {_SHORT.code(one.query)}: {one.before} → {one.after}, {one.first}"
        for one in compared.moved
    ]
    shown = moved[: next((at for at, line in enumerate(moved) if not room.take(line)), len(moved))]
    if shown:
        yield "\n".join(shown)
    yield "</details>"


def _slices(report: EvaluationReport, room: _Room) -> Iterator[str]:
    note = plain(report.slices.note)
    head, sides, rows = slice_table(report, _SHORT)
    opening = "<details>\n<summary>By category</summary>"
    if not rows or not room.take(opening):
        return
    yield opening
    yield from _table(head, sides, rows[: _fitting(head, rows, room)], len(rows), "category", "categories")
    if note and room.take(note):
        yield note
    yield "</details>"


def _fitting(head: Sequence[str], rows: Sequence[Sequence[str]], room: _Room) -> int:
    """Return how many rows of a table there is room for, and take it."""
    if not room.take(table(head, "", ())):
        return 0
    return next((at for at, row in enumerate(rows) if not room.take(f"| {' | '.join(row)} |")), len(rows))


def _table(
    head: Sequence[str], sides: str, rows: Sequence[Sequence[str]], of: int, *names: str
) -> Iterator[str]:
    if rows:
        yield table(head, sides, rows)
    if len(rows) < of:
        yield f"… and {many(of - len(rows), *(f'more {name}' for name in names))}."


def _folded(summary: str, items: Sequence[str], room: _Room) -> Iterator[str]:
    """Fold a list away, as much of it as there is room for."""
    if not items:
        return
    opening = f"<details>\n<summary>{summary}</summary>"
    if not room.take(opening):
        yield f"{summary}: no room to show them."
        return
    shown = []
    for item in items:
        if not room.take(item):
            break
        shown.append(item)
    yield opening
    if shown:
        yield "\n".join(shown)
    if len(shown) < len(items):
        yield f"… and {len(items) - len(shown):,} more."
    yield "</details>"


def _story(failure: Failure) -> str:
    where = " at ".join(filter(None, (_SHORT.code(failure.case), _SHORT.code(failure.where))))
    lines = [f"- {failure.mark} {_SHORT.code(failure.query)} ({where})"]
    lines += [f"  - {point}" for point in story_points(failure, _SHORT, _EXPECTED_SHOWN)]
    if failure.hits:
        hits = ", ".join(
            f"{_SHORT.code(hit.location)} {hit.mark}".rstrip() for hit in failure.hits[:_HITS_SHOWN]
        )
        lines.append(f"  - found, first of {_SHORT.text(failure.returned)}: {hits}")
    return "\n".join(lines)


def _foot(report: EvaluationReport) -> str:
    facts = dict(report.provenance)
    said = [facts[name] for name in ("suite", "system", "rankgate") if name in facts]
    said = [f"rankgate {fact}" if fact == facts.get("rankgate") else fact for fact in said]
    words = [*(_SHORT.title(fact) for fact in said), *(_SHORT.code(fact) for _, fact in report.header)]
    return f"<sub>{' · '.join(words)}</sub>"
