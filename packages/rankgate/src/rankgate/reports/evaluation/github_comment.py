"""The report of an evaluation as one comment on a pull request, which a later run finds and replaces.

The first line is a mark that nobody sees: by it the comment is found again. What was decided comes first, and
the failed queries are folded away. GitHub refuses more than 65,536 characters: what does not fit is counted.
"""

from __future__ import annotations

import hashlib
from itertools import takewhile
from typing import TYPE_CHECKING
from urllib.parse import quote

from rankgate.model.wording import many
from rankgate.reports.comparison.report import FIGURES
from rankgate.reports.evaluation.failures import told_once
from rankgate.reports.evaluation.formats import told_apart
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
from rankgate.reports.text.marks import DOUBTFUL

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rankgate.reports.comparison.report import ComparisonReport
    from rankgate.reports.evaluation.failures import Failure
    from rankgate.reports.evaluation.recommendations import Recommendation
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
_WORST = ("❌", "⚠️", "✅")


def render(*reports: EvaluationReport, limit: int = LIMIT) -> str:
    """Write the body of a comment about all reports: the line of each comes before more of any."""
    budget = _Budget(limit - _TAIL)
    parts = [marker(reports)]
    budget.take(parts[0])
    titled = told_apart(reports)
    heads = [_head(report) for report in titled]
    shown = budget.fitting(heads)
    for number, report in enumerate(titled[:shown]):
        body = "\n\n".join(_body(report, _Budget(budget.left // (shown - number))))
        parts += [heads[number], body] if body and budget.take(body) else [heads[number]]
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


class _Budget:
    """How many bytes are left."""

    def __init__(self, left: int) -> None:
        self.left = left

    def take(self, text: str) -> bool:
        """Take the bytes of a text and of what parts it from the next, if there are enough."""
        size = len(text.encode()) + 2
        if size > self.left:
            return False
        self.left -= size
        return True

    def fitting(self, texts: Iterable[str]) -> int:
        """Take texts one after the other until one does not fit; return how many do."""
        return sum(1 for _ in takewhile(self.take, texts))


def _head(report: EvaluationReport) -> str:
    return f"### {report.mark} {_SHORT.title(report.title)}: {_SHORT.text(report.status)}"


def _body(report: EvaluationReport, budget: _Budget) -> Iterator[str]:
    if not budget.take(" " * _TAIL * _TAILS):
        return
    foot = _foot(report)
    shows_foot = budget.take(foot)
    if report.verdicts:
        # Where not all fit, those that did not pass do.
        order = sorted(range(len(report.verdicts)), key=lambda at: _WORST.index(report.verdicts[at].mark))
        yield from _table(GATES, SIDES, gate_rows(report, _SHORT), budget, "gate", order=order)
    else:
        yield "No gates."
    yield from _table(METRICS, SIDES, metric_rows(report, _SHORT), budget, "metric")
    if report.comparison is not None and report.comparison.rows:
        title = f"Against {_SHORT.html(report.comparison.before)}"
        yield from _folded(title, _comparison(report.comparison, budget), budget)
    failed = [_story(failure, more) for failure, more in told_once(report.failures)]
    yield from _listed(many(len(report.failures), "failed query", "failed queries"), failed, budget)
    yield from _listed("What to do next", [_advice(one) for one in report.recommendations], budget)
    broken = [
        f"- {row.mark} {_SHORT.code(row.name)}: {_SHORT.text(row.reason)}"
        for row in (*report.probes.scenarios, *report.probes.broken)
        if row.reasons
    ]
    yield from _listed("Scenarios and invariants that do not hold", broken, budget)
    if report.slices.rows:
        yield from _folded("By category", _slices(report, budget), budget)
    known = known_points(report, _SHORT)
    yield from _listed(many(len(known), "known miss", "known misses"), known, budget)
    yield from _listed("Notes", [f"- {_SHORT.text(note)}" for note in report.notes], budget)
    if shows_foot:
        yield foot


def _comparison(compared: ComparisonReport, budget: _Budget) -> Iterator[str]:
    """Return how the metrics compare with the baseline, and which queries moved most."""
    rows = [
        (_SHORT.code(row.metric, cell=True), *map(plain, (*row.figures[:5], row.finding)))
        for row in compared.rows
    ]
    yield from _table(("metric", *FIGURES[:5], "finding"), "lrrrrrl", rows, budget, "metric")
    told = [f"{DOUBTFUL} {plain(compared.comparable)}"] if compared.comparable else []
    told += [f"- {_SHORT.code(metric)}: {plain(words)}" for metric, words in compared.unjudged_rows]
    if shown := told[: budget.fitting(told)]:
        yield "\n".join(shown)
    moved = [
        f"- {one.mark} {_SHORT.code(one.query)}: {one.before} → {one.after}, {one.first}"
        for one in compared.moved
    ]
    if shown := moved[: budget.fitting(moved)]:
        yield "\n".join(shown)


def _slices(report: EvaluationReport, budget: _Budget) -> Iterator[str]:
    yield from _table(*slice_table(report, _SHORT), budget, "category", "categories")
    note = plain(report.slices.note)
    if note and budget.take(note):
        yield note


def _table(
    head: Sequence[str],
    sides: str,
    rows: Sequence[Sequence[str]],
    budget: _Budget,
    *names: str,
    order: Sequence[int] = (),
) -> Iterator[str]:
    """Write the rows of a table that fit, those that come first in `order`, and count the others."""
    order = order or range(len(rows))
    fit = budget.take(table(head, "", ())) and budget.fitting(f"| {' | '.join(rows[at])} |" for at in order)
    if fit:
        yield table(head, sides, [rows[at] for at in sorted(order[:fit])])
    if fit < len(rows):
        yield f"… and {many(len(rows) - fit, *(f'more {name}' for name in names))}."


def _listed(summary: str, items: Sequence[str], budget: _Budget) -> Iterator[str]:
    """Fold a list away, as much of it as fits."""
    if items:
        yield from _folded(summary, _items(items, budget), budget, f"{summary}: no room to show them.")


def _items(items: Sequence[str], budget: _Budget) -> Iterator[str]:
    if shown := items[: budget.fitting(items)]:
        yield "\n".join(shown)
    if len(shown) < len(items):
        yield f"… and {len(items) - len(shown):,} more."


def _folded(summary: str, body: Iterable[str], budget: _Budget, otherwise: str = "") -> Iterator[str]:
    """Fold parts away, or say so where not even the fold fits."""
    opening = f"<details>\n<summary>{summary}</summary>"
    if budget.take(opening):
        yield opening
        yield from body
        yield "</details>"
    elif otherwise:
        yield otherwise


def _advice(one: Recommendation) -> str:
    cost = f" ({_SHORT.text(one.cost)})" if one.cost else ""
    words = f"- **{_SHORT.text(one.finding)}{cost}.** {_SHORT.text(one.advice)}"
    return f"{words} {_SHORT.text(one.evidence)}" if one.evidence else words


def _story(failure: Failure, more: str = "") -> str:
    where = " at ".join(filter(None, (_SHORT.code(failure.case), _SHORT.code(failure.where))))
    lines = [f"- {failure.mark} {_SHORT.code(failure.query)} ({where})"]
    lines += [f"  - {point}" for point in story_points(failure, _SHORT, _EXPECTED_SHOWN)]
    if failure.hits:
        hits = ", ".join(
            f"{_SHORT.code(hit.location)} {hit.mark}".rstrip() for hit in failure.hits[:_HITS_SHOWN]
        )
        lines.append(f"  - found, first of {_SHORT.text(failure.returned)}: {hits}")
    lines += [f"  - {more}"] if more else []
    return "\n".join(lines)


def _foot(report: EvaluationReport) -> str:
    facts = dict(report.provenance)
    said = [facts[name] for name in ("suite", "system", "rankgate") if name in facts]
    said = [f"rankgate {fact}" if fact == facts.get("rankgate") else fact for fact in said]
    words = [*(_SHORT.title(fact) for fact in said), *(_SHORT.code(fact) for _, fact in report.header)]
    return f"<sub>{' · '.join(words)}</sub>"
