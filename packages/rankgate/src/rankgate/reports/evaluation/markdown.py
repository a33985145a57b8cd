"""The report of an evaluation as GitHub Markdown: for a pull request, a job summary or a file.

Whatever comes from a suite or a system is escaped, or shown as code, in which nothing is a link, a mention
or HTML.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.reports.comparison.formats import comparison_parts
from rankgate.reports.evaluation.failures import broken_and_weakest, told_once
from rankgate.reports.evaluation.markup.first_screen import headline, opening, query_table, row_sign
from rankgate.reports.text.github import Escapes, code, plain, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rankgate.reports.evaluation.failures import Failure, FailureSection
    from rankgate.reports.evaluation.report import EvaluationReport

GATES, METRICS = ("", "gate", "value", "why"), ("", "metric", "value", "over")
"""The heads of the two tables that come first."""
SIDES = "lrl"
"""The sides of both."""
_FAILURES_SHOWN = 100
_WHOLE = Escapes()


def render(report: EvaluationReport, *, failures: int = _FAILURES_SHOWN) -> str:
    """Write a report as Markdown; of the failed queries, at most so many in full."""
    parts = [f"# {headline(report, _WHOLE)}", *opening(report, _WHOLE), *query_table(report, _WHOLE)]
    for title, body in _sections(report, failures):
        parts += [f"## {title}", *body]
    return "\n\n".join(parts) + "\n"


def gate_rows(report: EvaluationReport, by: Escapes) -> list[Sequence[str]]:
    """Return a row a gate."""
    return [
        (row_sign(report, row), by.code(row.gate, cell=True), by.text(row.value), by.text(row.detail))
        for row in report.verdicts
    ]


def metric_rows(report: EvaluationReport, by: Escapes) -> list[Sequence[str]]:
    """Return a row a metric."""
    return [
        (row.mark, by.code(row.metric, cell=True), by.text(row.value), by.text(row.counted))
        for row in report.metrics
    ]


def slice_table(report: EvaluationReport, by: Escapes) -> tuple[Sequence[str], str, list[Sequence[str]]]:
    """Return the head, the sides and the rows of the table of categories."""
    slices = report.slices
    head = ("category", "n", *(by.code(metric, cell=True) for metric in slices.metrics), "")
    rows: list[Sequence[str]] = [
        (by.title(row.name), str(row.cases), *map(by.text, row.values), row.footnote) for row in slices.rows
    ]
    return head, "l" + "r" * (len(head) - 2) + "l", rows


def story_points(failure: Failure, by: Escapes, most: int | None = None) -> Iterator[str]:
    """Return why a query fell short and what was expected, of that at most so many."""
    yield from map(by.text, failure.reasons)
    if failure.filters:
        yield f"asked with {by.code(failure.filters)}"
    yield from (f"expected {by.code(one.location)}: {by.text(one.ended)}" for one in failure.expected[:most])
    if most is not None and len(failure.expected) > most:
        yield f"… and {len(failure.expected) - most} more expected"


def known_points(report: EvaluationReport, by: Escapes) -> list[str]:
    """Return a point for each query that may fall short for now."""
    return [
        f"- {by.code(miss.query)} until {by.text(miss.until)}: {by.text(miss.reason)}"
        + (" **It passes now.**" if miss.passes else "")
        for miss in report.known
    ]


def _sections(report: EvaluationReport, failures: int) -> Iterator[tuple[str, Iterable[str]]]:
    gates = table(GATES, SIDES, gate_rows(report, _WHOLE)) if report.verdicts else "No gates defined."
    if not report.cases:
        # Nothing was judged, so that no query failed and none passed.
        yield "Problems", [gates]
        return
    broken, weakest = broken_and_weakest(report.failures, report.broken_cases, report.left_out.by_section)
    if broken:
        yield broken.title, _failures(broken, failures)
    yield "Gates", [gates]
    yield "Metrics", [table(METRICS, SIDES, metric_rows(report, _WHOLE))]
    if report.recommendations:
        yield "What to try next", [_recommendations(report)]
    if report.comparison is not None:
        yield plain(report.comparison.title), comparison_parts(report.comparison)
    if report.slices.rows:
        yield "By category", filter(None, [table(*slice_table(report, _WHOLE)), report.slices.note])
    if weakest:
        yield weakest.title, _failures(weakest, failures)
    if report.probes.scenarios:
        yield "Scenarios", [f"{report.probes.succeeded}.", _scenarios(report)]
    if report.probes.invariants:
        yield "Invariants", filter(None, [f"{report.probes.held}.", _broken(report)])
    if report.known:
        yield "Known misses", ["\n".join(known_points(report, _WHOLE))]
    if report.notes:
        yield "Notes", ["\n".join(f"- {plain(note)}" for note in report.notes)]
    yield "Run details", _about(report)


def _failures(section: FailureSection, most: int) -> Iterator[str]:
    once = told_once(section.failures)
    for failure, more in once[:most]:
        yield f"### {f'{failure.mark} ' if failure.blocks else ''}{code(failure.query)}"
        yield "\n".join([*_story(failure), *([f"- {more}"] if more else [])])
    if more_left := len(once[most:]) + section.left_out:
        yield f"… and {more_left} more."


def _story(failure: Failure) -> Iterator[str]:
    yield " at ".join(filter(None, (code(failure.case), code(failure.where))))
    yield ""
    yield from map("- {}".format, story_points(failure, _WHOLE))
    if failure.hits:
        yield f"- top {len(failure.hits)} of {failure.returned}:"
        yield from (f"  {hit.rank}. {code(hit.location)} {hit.judged}".rstrip() for hit in failure.hits)


def _scenarios(report: EvaluationReport) -> str:
    rows = [
        (row.sign, plain(row.name), row.calls, row.tokens, plain(row.reason))
        for row in report.probes.scenarios
    ]
    return table(("", "scenario", "calls", "tokens", "why"), "llrrl", rows)


def _broken(report: EvaluationReport) -> str:
    lines = []
    for row in report.probes.broken:
        lines += [f"- {row.sign} {code(row.name)}", *(f"  - {plain(reason)}" for reason in row.reasons)]
    return "\n".join(lines)


def _recommendations(report: EvaluationReport) -> str:
    lines = []
    for one in report.recommendations:
        cost = f" ({plain(one.cost)})" if one.cost else ""
        lines.append(f"- **{plain(one.finding)}{cost}.** {plain(one.advice)}")
        lines += [f"  {plain(one.evidence)}"] if one.evidence else []
        lines += [f"  - {code(example)}" for example in one.examples]
        lines += [f"  - {one.more}"] if one.more else []
    return "\n".join(lines)


def _about(report: EvaluationReport) -> Iterator[str]:
    facts = [*report.provenance, *report.header]
    yield "\n".join(f"- {plain(name)}: {code(fact)}" for name, fact in facts)
    if report.timings:
        yield "Took " + ", ".join(f"{plain(stage)} {text}" for stage, text in report.timings) + "."
