"""The report of an evaluation as GitHub Markdown: for a pull request, a job summary or a file.

Whatever comes from a suite or a system is escaped, or shown as code, in which nothing is a link, a mention
or HTML.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.reports.comparison.formats import comparison_parts
from rankgate.reports.text.github import Escapes, code, plain, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rankgate.reports.evaluation.failures import Failure
    from rankgate.reports.evaluation.probes import ProbeRow
    from rankgate.reports.evaluation.report import EvaluationReport

GATES, METRICS = ("", "gate", "value", "why"), ("", "metric", "value", "over")
"""The heads of the two tables that come first."""
SIDES = "lrl"
"""The sides of both."""
_FAILURES_SHOWN = 100
_WHOLE = Escapes()


def render(report: EvaluationReport, *, failures: int = _FAILURES_SHOWN) -> str:
    """Write a report as Markdown; of the failed queries, at most so many in full."""
    parts = [
        f"# {report.mark} {plain(report.title)}: {plain(report.status)}",
        *_summary(report),
        *_comparison(report),
        *_failures(report.failures, failures),
        *_slices(report),
        *_scenarios(report),
        *_invariants(report),
        *_known(report),
        *_recommendations(report),
        *_notes(report),
        *_about(report),
    ]
    return "\n\n".join(parts) + "\n"


def gate_rows(report: EvaluationReport, by: Escapes) -> list[Sequence[str]]:
    """Return a row a gate."""
    return [
        (row.mark, by.code(row.gate, cell=True), by.text(row.value), by.text(row.detail))
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
        (by.title(row.name), str(row.cases), *map(by.text, row.values), row.mark) for row in slices.rows
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


def _summary(report: EvaluationReport) -> Iterable[str]:
    yield "## Summary"
    yield table(GATES, SIDES, gate_rows(report, _WHOLE)) if report.verdicts else "No gates."
    yield table(METRICS, SIDES, metric_rows(report, _WHOLE))


def _comparison(report: EvaluationReport) -> Iterable[str]:
    if report.comparison is not None:
        yield f"## Against {plain(report.comparison.before)}"
        yield from comparison_parts(report.comparison)


def _failures(failures: Sequence[Failure], most: int) -> Iterable[str]:
    yield "## Failed queries"
    if not failures:
        yield "None."
    for failure in failures[:most]:
        yield f"### {failure.mark} {code(failure.query)}"
        yield "\n".join(_story(failure))
    if len(failures) > most:
        yield f"… and {len(failures) - most} more."


def _story(failure: Failure) -> Iterable[str]:
    yield " at ".join(filter(None, (code(failure.case), code(failure.where))))
    yield ""
    yield from map("- {}".format, story_points(failure, _WHOLE))
    if failure.hits:
        yield f"- found, first of {failure.returned}:"
        yield from (f"  {hit.rank}. {code(hit.location)} {hit.mark}".rstrip() for hit in failure.hits)


def _slices(report: EvaluationReport) -> Iterable[str]:
    if not report.slices.rows:
        return
    yield "## By category"
    yield table(*slice_table(report, _WHOLE))
    if report.slices.note:
        yield report.slices.note


def _scenarios(report: EvaluationReport) -> Iterable[str]:
    if report.probes.scenarios:
        yield "## Scenarios"
        yield f"{report.probes.succeeded}."
        rows = [
            (row.mark, plain(row.name), row.calls, row.tokens, plain(row.reason))
            for row in report.probes.scenarios
        ]
        yield table(("", "scenario", "calls", "tokens", "why"), "llrrl", rows)


def _invariants(report: EvaluationReport) -> Iterable[str]:
    if report.probes.invariants:
        yield "## Invariants"
        yield f"{report.probes.held}."
        if report.probes.broken:
            yield "\n".join(_broken(row) for row in report.probes.broken)


def _broken(row: ProbeRow) -> str:
    reasons = [f"  - {plain(reason)}" for reason in row.reasons]
    return "\n".join([f"- {row.mark} {code(row.name)}", *reasons])


def _known(report: EvaluationReport) -> Iterable[str]:
    if report.known:
        yield "## Known misses"
        yield "\n".join(known_points(report, _WHOLE))


def _recommendations(report: EvaluationReport) -> Iterable[str]:
    yield "## Recommendations"
    if not report.recommendations:
        yield "None."
        return
    lines = []
    for one in report.recommendations:
        lines.append(f"- **{one.finding}.** {one.advice}")
        lines += [f"  - {code(example)}" for example in one.examples]
        lines += [f"  - {one.more}"] if one.more else []
    yield "\n".join(lines)


def _notes(report: EvaluationReport) -> Iterable[str]:
    if report.notes:
        yield "## Notes"
        yield "\n".join(f"- {plain(note)}" for note in report.notes)


def _about(report: EvaluationReport) -> Iterable[str]:
    yield "## Provenance"
    facts = [*report.provenance, *report.header]
    yield "\n".join(f"- {plain(name)}: {code(fact)}" for name, fact in facts)
    if report.timings:
        yield "Took " + ", ".join(f"{plain(stage)} {text}" for stage, text in report.timings) + "."
