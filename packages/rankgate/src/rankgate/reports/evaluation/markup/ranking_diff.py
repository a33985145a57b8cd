"""Both rankings of a query that moved, as a block of a diff: red what went, green what came."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from rankgate.reports.evaluation.summary.states import ReportState
from rankgate.reports.text.github import fenced
from rankgate.reports.text.marks import BAD, GOOD
from rankgate.reports.text.shortening import last_part

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.reports.comparison.rankings import MovedQuery
    from rankgate.reports.evaluation.report import EvaluationReport
    from rankgate.reports.text.github import Escapes

_HITS = 5
_LOCATION_MOST = 90
_NOTES = {GOOD: "  ← expected", BAD: "  ← judged irrelevant", "": ""}


def rankings(report: EvaluationReport, by: Escapes) -> list[str]:
    """Return the rankings of the queries that moved most, before and after; those that broke come first.

    Where the system failed, its rankings say nothing about the search.
    """
    if report.comparison is None or report.summary.state is ReportState.SYSTEM_ERROR:
        return []
    broken = [line.case for line in report.summary.broken]
    moved = sorted(
        report.comparison.moved,
        key=lambda one: broken.index(one.case) if one.case in broken else len(broken),
    )
    return [f"{by.code(one.query)}, {by.text(one.first)}\n\n{ranking_diff(one)}" for one in moved]


def ranking_diff(moved: MovedQuery) -> str:
    """Write both rankings as one block; what stands in both and did not change places has no sign."""
    return fenced(_lines(moved), "diff")


def _lines(moved: MovedQuery) -> Iterator[str]:
    before = [(hit.before, hit.before_mark) for hit in moved.hits[:_HITS] if hit.before]
    after = [(hit.after, hit.after_mark) for hit in moved.hits[:_HITS] if hit.after]
    same = SequenceMatcher(None, [one for one, _ in before], [one for one, _ in after], autojunk=False)
    for tag, start, end, first, last in same.get_opcodes():
        if tag == "equal":
            yield from (_line(" ", at + 1, *after[at]) for at in range(first, last))
            continue
        yield from (_line("-", at + 1, *before[at]) for at in range(start, end))
        yield from (_line("+", at + 1, *after[at]) for at in range(first, last))
    if not before or not after:
        yield f"  {'baseline' if not before else 'now'}: no hits"


def _line(sign: str, rank: int, location: str, mark: str) -> str:
    return f"{sign} {rank}  {last_part(location, _LOCATION_MOST)}{_NOTES[mark]}"
