"""The report of an evaluation as GitHub Markdown: for a pull request, a job summary or a file.

Whatever comes from a suite or a system is escaped, or shown as code, in which nothing is a link, a mention
or HTML.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.reports.comparison_markdown import comparison_parts
from rankgate.reports.markdown_text import code, plain
from rankgate.reports.markdown_text import table as _table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rankgate.reports.evaluation import EvaluationReport
    from rankgate.reports.failures import Failure
    from rankgate.reports.probes import ProbeRow

_FAILURES_SHOWN = 100


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


def _summary(report: EvaluationReport) -> Iterable[str]:
    yield "## Summary"
    if report.verdicts:
        rows: list[Sequence[str]] = [
            (row.mark, code(row.gate, cell=True), plain(row.value), plain(row.detail))
            for row in report.verdicts
        ]
        yield _table(("", "gate", "value", "why"), "lrl", rows)
    else:
        yield "No gates."
    rows = [
        (row.mark, code(row.metric, cell=True), plain(row.value), plain(row.counted))
        for row in report.metrics
    ]
    yield _table(("", "metric", "value", "over"), "lrl", rows)


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
    yield from (f"- {plain(reason)}" for reason in failure.reasons)
    if failure.filters:
        yield f"- asked with {code(failure.filters)}"
    yield from (f"- expected {code(one.place)}: {one.ended}" for one in failure.expected)
    if failure.hits:
        yield f"- found, first of {failure.returned}:"
        yield from (f"  {hit.rank}. {code(hit.place)} {hit.mark}".rstrip() for hit in failure.hits)


def _slices(report: EvaluationReport) -> Iterable[str]:
    if not report.slices.rows:
        return
    yield "## By category"
    head = ("category", "n", *(code(metric, cell=True) for metric in report.slices.metrics), "")
    rows = [(plain(row.name), str(row.cases), *row.values, row.mark) for row in report.slices.rows]
    yield _table(head, "l" + "r" * (len(head) - 2) + "l", rows)
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
        yield _table(("", "scenario", "calls", "tokens", "why"), "llrrl", rows)


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
        yield "\n".join(
            f"- {code(miss.query)} until {miss.until}: {plain(miss.reason)}"
            + (" **It passes now.**" if miss.passes else "")
            for miss in report.known
        )


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
