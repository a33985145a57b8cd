"""The report of an evaluation as one comment on a pull request, which a later run finds and replaces.

The first line is a mark that nobody sees: by it the comment is found again. What a reviewer must know fits 40
lines; the rest is folded away. GitHub refuses more than 65,536 characters: what does not fit is counted. The
summary of a job is laid out alike.
"""

from __future__ import annotations

import hashlib
from itertools import takewhile
from typing import TYPE_CHECKING
from urllib.parse import quote

from rankgate.errors import ExitCode
from rankgate.model.wording import many
from rankgate.reports.comparison.rows import FIGURES
from rankgate.reports.evaluation.failures import broken_and_weakest, told_once
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
from rankgate.reports.evaluation.markup.first_screen import commands, headline, opening, query_table
from rankgate.reports.evaluation.markup.ranking_diff import rankings
from rankgate.reports.evaluation.summary.states import ReportState
from rankgate.reports.text.github import Escapes, link, plain, table

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
_TAILS = 20
"""How many of them a report may have."""
_WORST = ("❌", "⚠️", "✅")
_FACTS = {"baseline": "baseline", "commit": "commit", "suite": "", "rankgate": "rankgate"}
"""What the last line says of what was tested, each with the words before it."""
_NO_ROOM = "… more does not fit into a comment."


def render(*reports: EvaluationReport, limit: int = LIMIT, url: str = "", marked: bool = True) -> str:
    """Write the body of a comment about all reports: the line of each comes before more of any.

    Args:
        reports: What to say.
        limit: How many bytes it may have.
        url: Where the whole report can be read; empty where nobody knows.
        marked: False for what is not looked for again, such as the summary of a job.
    """
    budget = _Budget(limit - _TAIL)
    parts = [marker(reports)] if marked and budget.take(marker(reports)) else []
    if len(reports) == 1:
        head = f"### {headline(reports[0], _SHORT)}"
        budget.take(head)
        return "\n\n".join([*parts, head, *_body(reports[0], budget, url)]) + "\n"
    heads = [f"- {headline(report, _SHORT)}" for report in reports]
    shown = budget.fitting(heads)
    parts.append("\n".join(heads[:shown]))
    if shown < len(reports):
        parts.append(f"… and {many(len(reports) - shown, 'more report')}.")
    # What failed first is shown below the lines of all; the others are folded.
    worst = ExitCode.worst(report.exit_code for report in reports)
    opened = next((at for at, report in enumerate(reports) if report.exit_code is worst), 0)
    order = [opened, *(at for at in range(shown) if at != opened)] if opened < shown else range(shown)
    for number, at in enumerate(order):
        own = _Budget(budget.left // (shown - number))
        whole = "\n\n".join(_one_of_several(reports[at], own, url, folded=number > 0))
        if whole and budget.take(whole):
            parts.append(whole)
    return "\n\n".join(parts) + "\n"


def _one_of_several(report: EvaluationReport, budget: _Budget, url: str, *, folded: bool) -> Iterator[str]:
    head = headline(report, _SHORT, html=folded)
    opens = f"<details>\n<summary>{head}</summary>" if folded else f"### {head}"
    if budget.take(opens) and (body := list(_body(report, budget, url))):
        yield opens
        yield from body
        yield from ["</details>"] if folded else []


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


def _body(report: EvaluationReport, budget: _Budget, url: str) -> Iterator[str]:
    if not budget.take(" " * _TAIL * _TAILS):
        return
    shown, screen = rankings(report, _SHORT), [*opening(report, _SHORT)]
    queries = list(query_table(report, _SHORT))
    passed = report.summary.state is ReportState.PASSED
    # What a pass changed is below the fold.
    screen += [] if passed else [*queries, *shown[:1]]
    # Notes come last, where there may be no room: that not all queries are listed is said before.
    screen += [_SHORT.text(report.left_out.words)] if report.left_out.words else []
    screen.append(_foot(report, url))
    fit = [part for part in screen if budget.take(part)]
    yield from fit
    if len(fit) < len(screen):
        yield _NO_ROOM
    if others := shown[1:] if not passed else []:
        yield from _folded(f"{many(len(others), 'more ranking')} before and now", others, budget)
    inside = list(_sections(report, budget, [*queries, *shown] if passed else ()))
    if inside:
        parts = (part for title, section in inside for part in (f"**{_capital(title)}**", *section))
        yield from _rest(_capital(", ".join(title for title, _ in inside)), parts, budget)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _sections(
    report: EvaluationReport, budget: _Budget, moved: Sequence[str]
) -> Iterator[tuple[str, Iterable[str]]]:
    """Return what is folded away, each section with its title; what does not fit is counted."""
    if moved:
        yield "changed queries", _fitting(moved, budget)
    if report.verdicts:
        # Where not all fit, those that did not pass do.
        order = sorted(range(len(report.verdicts)), key=lambda at: _WORST.index(report.verdicts[at].mark))
        rows = gate_rows(report, _SHORT)
        title = many(len(rows), "gate") if report.cases else many(len(rows), "problem")
        yield title, _table(GATES, SIDES, rows, budget, "gate", order=order)
    if report.metrics:
        yield "metrics", _table(METRICS, SIDES, metric_rows(report, _SHORT), budget, "metric")
    if report.comparison is not None and report.comparison.rows:
        yield (
            _SHORT.title(report.comparison.title.replace("Compared", "comparison", 1)),
            _comparison(report.comparison, budget),
        )
    for title, failures, left_out in filter(
        None,
        broken_and_weakest(report.failures, report.broken_cases, report.left_out.by_section),
    ):
        yield title, _stories([*told_once(failures)], budget, left_out)
    if report.recommendations:
        yield "what to try next", _items([_advice(one) for one in report.recommendations], budget)
    broken = [
        f"- {row.sign} {_SHORT.code(row.name)}: {_SHORT.text(row.reason)}"
        for row in (*report.probes.scenarios, *report.probes.broken)
        if row.reasons
    ]
    if broken:
        yield "scenarios and invariants that do not hold", _items(broken, budget)
    if report.slices.rows:
        yield many(len(report.slices.rows), "category", "categories"), _slices(report, budget)
    if known := known_points(report, _SHORT):
        yield many(len(known), "known miss", "known misses"), _items(known, budget)
    if report.notes:
        yield "notes", _items([f"- {_SHORT.text(note)}" for note in report.notes], budget)
    if facts := [f"- {_SHORT.title(name)}: {_SHORT.code(fact)}" for name, fact in report.provenance]:
        yield "run details", _items(facts, budget)


def _fitting(parts: Sequence[str], budget: _Budget) -> Iterator[str]:
    shown = [part for part in parts if budget.take(part)]
    yield from shown
    if len(shown) < len(parts):
        yield _NO_ROOM


def _rest(titles: str, body: Iterable[str], budget: _Budget) -> Iterator[str]:
    """Fold the sections away, whose titles are its summary."""
    if budget.take(f"<details>\n<summary>{titles}</summary>"):
        # What stands in it has taken its bytes already.
        yield f"<details>\n<summary>{titles}</summary>"
        yield from body
        yield "</details>"
    else:
        yield _NO_ROOM


def _comparison(compared: ComparisonReport, budget: _Budget) -> Iterator[str]:
    """Return how the metrics compare with the baseline, and which queries moved most."""
    rows = [
        (_SHORT.code(row.metric, cell=True), *map(plain, (*row.figures[:5], row.finding)))
        for row in compared.rows
    ]
    yield from _table(("metric", *FIGURES[:5], "finding"), "lrrrrrl", rows, budget, "metric")
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


def _items(items: Sequence[str], budget: _Budget) -> Iterator[str]:
    shown = items[: budget.fitting(items)]
    yield from _listed(shown, len(items) - len(shown))


def _stories(told: Sequence[tuple[Failure, str]], budget: _Budget, left_out: int) -> Iterator[str]:
    # Of 20,000 a few dozen fit: the others are not written.
    shown = [*takewhile(budget.take, (_story(failure, more) for failure, more in told))]
    yield from _listed(shown, len(told) - len(shown) + left_out)


def _listed(shown: Sequence[str], more: int) -> Iterator[str]:
    if shown:
        yield "\n".join(shown)
    if more:
        yield f"… and {more:,} more."


def _folded(summary: str, parts: Sequence[str], budget: _Budget) -> Iterator[str]:
    """Fold parts away, as many as fit."""
    opens = f"<details>\n<summary>{summary}</summary>"
    if not budget.take(opens):
        yield _NO_ROOM
        return
    yield opens
    yield from _fitting(parts, budget)
    yield "</details>"


def _advice(one: Recommendation) -> str:
    cost = f" ({_SHORT.text(one.cost)})" if one.cost else ""
    words = f"- **{_SHORT.text(one.finding)}{cost}.** {_SHORT.text(one.advice)}"
    return f"{words} {_SHORT.text(one.evidence)}" if one.evidence else words


def _story(failure: Failure, more: str = "") -> str:
    where = " at ".join(filter(None, (_SHORT.code(failure.case), _SHORT.code(failure.where))))
    sign = f"{failure.mark} " if failure.blocks else ""
    lines = [f"- {sign}{_SHORT.code(failure.query)} ({where})"]
    lines += [f"  - {point}" for point in story_points(failure, _SHORT, _EXPECTED_SHOWN)]
    if failure.hits:
        hits = ", ".join(
            f"{_SHORT.code(hit.location)} {hit.mark}".rstrip() for hit in failure.hits[:_HITS_SHOWN]
        )
        lines.append(
            f"  - top {min(_HITS_SHOWN, len(failure.hits))} of {_SHORT.text(failure.returned)}: {hits}"
        )
    lines += [f"  - {more}"] if more else []
    return "\n".join(lines)


def _foot(report: EvaluationReport, url: str) -> str:
    """Return where the whole report is, what it is compared with and what was tested."""
    facts = dict(report.provenance)
    words = [link("Report", url)]
    if report.summary.state is ReportState.PASSED:
        words.append(commands(report, _SHORT))
    words += [
        f"{label} {_SHORT.title(facts[name])}".strip() for name, label in _FACTS.items() if name in facts
    ]
    words += [_SHORT.code(fact) for _, fact in report.header]
    words = list(filter(None, words)) or [f"exit code {int(report.exit_code)}"]
    return f"<sub>{' · '.join(words)}</sub>"
