"""The report of an evaluation for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from rankgate.reports.comparison.terminal import comparison_group
from rankgate.reports.evaluation.failures import broken_and_weakest, told_once
from rankgate.reports.evaluation.first_screen.terminal import first_screen, gate_table
from rankgate.reports.text.console import (
    DIM,
    MARK,
    NUMBER,
    STYLES,
    WORDS,
    Located,
    grid,
    laid_out,
    points,
    ruled,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

    from rich.console import RenderableType
    from rich.table import Table

    from rankgate.reports.evaluation.failures import FailureSection
    from rankgate.reports.evaluation.probes import ProbeRow
    from rankgate.reports.evaluation.recommendations import Recommendation
    from rankgate.reports.evaluation.report import EvaluationReport

_FAILURES_SHOWN = 10


def render(
    report: EvaluationReport,
    *,
    width: int | None = None,
    failures: int = _FAILURES_SHOWN,
    colour: bool = True,
    page: str = "",
    details: bool = False,
    stream: TextIO | None = None,
) -> str:
    """Lay a report out for people: the first screen, and on request all that it rests on.

    Args:
        report: what to say.
        width: how many columns there are; by default the terminal's.
        failures: how many failed queries to tell in full.
        colour: False for a file, even where the command has a terminal.
        page: where the page for the browser is; empty where none was written.
        details: True for metrics, comparison, categories, queries, scenarios, advice, notes and run details.
        stream: where it is printed; by default standard output.
    """
    details = details and not report.refused
    parts = list(first_screen(report, page, details=details))
    for title, body in _sections(report, failures, page) if details else ():
        parts += [Text(""), *([Text(title, style="bold")] if title else []), body]
    return laid_out(parts, width, colour=colour, stream=stream)


def _sections(report: EvaluationReport, failures: int, page: str) -> Iterator[tuple[str, RenderableType]]:
    """Return what the first screen rests on, in its order: what broke, gates, advice, comparison, rest."""
    broken, weakest = broken_and_weakest(report.failures, report.broken_cases, report.left_out.by_section)
    if broken:
        yield broken.title, _failures(broken, failures)
    if report.verdicts:
        yield "Gates", gate_table(report.verdicts)
    yield "Metrics", _metrics(report)
    if report.recommendations:
        yield "What to try next", _recommendations(report)
    if report.comparison is not None:
        yield report.comparison.title, comparison_group(report.comparison)
    if report.slices.rows:
        yield "By category", _slices(report)
    if weakest:
        yield weakest.title, _failures(weakest, failures)
    yield from _probes(report)
    if report.known:
        yield "Known misses", _known(report)
    if report.notes:
        yield "Notes", points(report.notes)
    facts = [*report.provenance, *report.header]
    if report.timings:
        facts.append(("took", ", ".join(f"{stage} {text}" for stage, text in report.timings)))
    if page:
        facts.append(("page", page))
    yield (
        "Run details",
        grid(({"no_wrap": True} | DIM, WORDS | DIM), ((Text(name), Text(fact)) for name, fact in facts)),
    )


def _probes(report: EvaluationReport) -> Iterator[tuple[str, RenderableType]]:
    if report.probes.scenarios:
        yield "Scenarios", _scenarios(report)
    if report.probes.invariants:
        yield "Invariants", _invariants(report)


def _metrics(report: EvaluationReport) -> Table:
    return ruled(
        (("metric", WORDS), ("value", NUMBER), ("over", WORDS | DIM)),
        (
            (Text(row.metric), Text(row.value, style=STYLES.get(row.mark, "")), Text(row.counted))
            for row in report.metrics
        ),
    )


def _slices(report: EvaluationReport) -> Group:
    slices = report.slices
    values = [(Text(metric), {**WORDS, "justify": "right"}) for metric in slices.metrics]
    rows = (
        (
            Text(row.name),
            str(row.cases),
            *(Text(value, style="dim" if row.mark else "") for value in row.values),
            Text(row.footnote),
        )
        for row in slices.rows
    )
    table = ruled((("category", WORDS), ("n", NUMBER), *values, ("", MARK)), rows)
    return Group(table, *([Text(slices.note, style="dim")] if slices.note else []))


def _failures(section: FailureSection, most: int) -> Group:
    once = told_once(section.failures)
    told = [failure.explain() + (f"\n   {more}" if more else "") for failure, more in once[:most]]
    if section.left_out:
        told.append(f"… and {len(once[most:]) + section.left_out:,} more; JUnit has those that are listed")
    elif len(once) > most:
        told.append(f"… and {len(once) - most} more; the Markdown report and JUnit have them all")
    return Group(*map(_hanging, "\n\n".join(told).split("\n")))


def _hanging(line: str) -> Padding:
    """Keep the indent of a line where it wraps."""
    text = line.lstrip(" ")
    body = points([text[2:]]) if text.startswith("- ") else Located(text)
    return Padding(body, (0, 0, 0, len(line) - len(text)))


def _scenarios(report: EvaluationReport) -> Group:
    table = ruled(
        (("", MARK), ("scenario", WORDS), ("calls", NUMBER), ("tokens", NUMBER)),
        (
            (Text(row.sign), _with_reason(row), Text(row.calls), Text(row.tokens))
            for row in report.probes.scenarios
        ),
    )
    return Group(Text(report.probes.succeeded), table)


def _invariants(report: EvaluationReport) -> Group:
    broken = report.probes.broken
    table = grid((MARK, WORDS), ((Text(row.sign), _with_reason(row)) for row in broken))
    return Group(Text(report.probes.held), *([table] if broken else []))


def _with_reason(row: ProbeRow) -> Text:
    return Text.assemble(row.name, *([("\n" + row.reason, "dim")] if row.reason else []))


def _known(report: EvaluationReport) -> Table:
    return points(
        f"{miss.query} ({miss.case}), until {miss.until}: {miss.reason}"
        + ("; it passes now" if miss.passes else "")
        for miss in report.known
    )


def _recommendations(report: EvaluationReport) -> Table:
    return points("\n".join(filter(None, _advice(one))) for one in report.recommendations)


def _advice(one: Recommendation) -> tuple[str, ...]:
    head = f"{one.finding} ({one.cost})" if one.cost else one.finding
    return (f"{head}. {one.advice}", one.evidence, *map("  {}".format, one.examples), one.more)
