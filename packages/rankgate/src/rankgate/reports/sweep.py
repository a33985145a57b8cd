"""The report of a sweep over one suite, as plain data, and for a terminal, as Markdown and as JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from rankgate.reports.compare import (
    ComparedMetric,
    Finding,
    figures,
    finding_text,
    interval_text,
    signed_text,
)
from rankgate.reports.score import ESTIMATED
from rankgate.reports.sections import Table
from rankgate.reports.text.github import Escapes, table
from rankgate.reports.text.printable import columns, printable, printable_json
from rankgate.wording import NOTHING, many, value_text

_FEW, _MOST = 3, 50
_COMPARED = ("difference", "95 % interval", "p (Holm)", "improved", "regressed", "unchanged")
_BY = Escapes()


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepRow:
    """One variant."""

    name: str
    axes: Mapping[str, str] = field(default_factory=dict)
    """Its value of each axis; empty for a variant of its own."""
    means: tuple[float | None, ...]
    """One value per metric; null if no query has one."""
    compared: ComparedMetric | None = None
    """The first metric compared with the baseline; null for the baseline, and without common values."""
    errors: int = 0
    """The number of queries that ended in an error."""
    same_as: str = ""
    """The variant that has the same results, and why; empty without one."""
    baseline: bool = False
    tokens: float | None = None
    """The mean number of tokens of a query's results; null if unknown."""
    tokens_estimated: bool = False
    latency: float | None = None
    """The median latency in ms; null if it was not measured in turn."""
    latency_p95: float | None = None
    index_seconds: float | None = None
    """The time to build the index; null if it was built before this sweep, or that is unknown."""
    index_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOut:
    """The winner of one part of the queries, compared with the baseline on the other part."""

    winner: str
    seen: ComparedMetric
    """The comparison on the queries by which the winner was chosen."""
    measured: ComparedMetric
    """The comparison on the held-out queries."""
    shrinkage: float
    """The first difference minus the second."""
    uses: int
    """How often the held-out queries were used, this time included; from 2 on the result is exploratory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepReport:
    """A sweep over one suite."""

    sweep: str
    suite: str
    baseline: str
    metrics: tuple[str, ...]
    """The columns; the first decides."""
    units: tuple[str, ...]
    rows: tuple[SweepRow, ...]
    """A row per variant, the best first."""
    family: int
    """The number of variants that the p values are adjusted for."""
    hidden: int
    """Those of them that have no row."""
    held_out: HeldOut | None = None
    notes: tuple[str, ...] = ()
    alone: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The queries that one variant alone finds, by variant; the most first."""
    unanswered: tuple[str, ...] = ()
    """The queries that no variant finds, although a relevant result is known."""
    provenance: Mapping[str, str] = field(default_factory=dict)
    """What all variants have in common: queries, corpus, k."""


def render(reports: Sequence[SweepReport], style: str) -> str:
    """Return sweeps in a format: terminal, markdown or json."""
    if style == "json":
        return printable_json({"schema": 1, "sweeps": [asdict(report) for report in reports]})
    return {"markdown": _markdown, "terminal": _terminal}[style](reports)


# --- what both show --------------------------------------------------------------------------------------

_SIZES = ((1e3, "kB"), (1e6, "MB"), (1e9, "GB"), (1e12, "TB"))
_MEASURES = ("tokens", "latency p50", "latency p95", "index time", "index size")


def _measures(row: SweepRow) -> tuple[str, ...]:
    """Return the texts of the columns beside the metrics; empty where a value is unknown."""
    return (
        "" if row.tokens is None else (ESTIMATED if row.tokens_estimated else "") + f"{row.tokens:,.0f}",
        "" if row.latency is None else value_text(row.latency, "ms"),
        "" if row.latency_p95 is None else value_text(row.latency_p95, "ms"),
        "" if row.index_seconds is None else f"{row.index_seconds:.1f} s",
        "" if row.index_bytes is None else size_text(row.index_bytes),
    )


def size_text(number: int) -> str:
    """Write a number of bytes.

    >>> size_text(999), size_text(12_345), size_text(3_400_000)
    ('999 B', '12.3 kB', '3.4 MB')
    """
    if number < 1000:
        return f"{number} B"
    size, unit = next((size, unit) for size, unit in _SIZES if number < 1000 * size or unit == "TB")
    return f"{number / size:.1f} {unit}"


def _variants(report: SweepReport) -> Table:
    """Return the table of variants: name, figures, words. A measure that no variant has gets no column."""
    measures = [_measures(row) for row in report.rows]
    known = [at for at in range(len(_MEASURES)) if any(one[at] for one in measures)]
    head = ("variant", *report.metrics, *_COMPARED, *(_MEASURES[at] for at in known), "")
    rows = []
    for row, own in zip(report.rows, measures, strict=True):
        means = (value_text(mean, unit) for mean, unit in zip(row.means, report.units, strict=True))
        compared = ("",) * len(_COMPARED) if row.compared is None else figures(row.compared)[2:]
        rows.append((_name(row), *means, *compared, *(own[at] or NOTHING for at in known), _words(row)))
    return Table(head, tuple(rows), tuple(range(1, len(head) - 1)))


def _name(row: SweepRow) -> str:
    return f"{row.name} (baseline)" if row.baseline else row.name


def _words(row: SweepRow) -> str:
    """Return that a variant is the same as another, or what its difference shows."""
    found = finding_text(row.compared) if row.compared else "" if row.baseline else "not compared"
    return "; ".join(filter(None, (row.same_as or found, f"{row.errors:,} errors" if row.errors else "")))


def headline(report: SweepReport) -> str:
    """Return which variant is better than the baseline, or that none is."""
    metric = report.metrics[0]
    others = [row for row in report.rows if not row.baseline and not row.same_as]
    if not others:
        return f"No other variant answers differently from {report.baseline}."
    better = [row for row in others if row.compared and row.compared.finding is Finding.BETTER]
    if not better or better[0].compared is None:
        return f"No variant is shown to be better than {report.baseline} in {metric}."
    _, _, difference, interval, *_ = figures(better[0].compared)
    more = f", and {len(better) - 1} more are" if len(better) > 1 else ""
    return f"{better[0].name} is better than {report.baseline} in {metric}: {difference} ({interval}){more}."


def _below(report: SweepReport) -> Iterator[str]:
    """Return the lines below the table."""
    hidden = f", {report.hidden} of them not shown" if report.hidden else ""
    family = f"p values are corrected by Holm's rule for {many(report.family, 'variant')}{hidden}"
    yield f"{family}; the metric that decides is {report.metrics[0]}"
    if report.provenance:
        yield "all rows: " + ", ".join(f"{name} {value}" for name, value in report.provenance.items())
    if (found := report.held_out) is not None:
        seen, measured = found.seen, found.measured
        yield (
            f"Held out: {found.winner} is {signed_text(seen.difference, seen.unit)} on the {_queries(seen)} "
            f"it was chosen by, and {signed_text(measured.difference, seen.unit)} "
            f"({interval_text(measured.low, measured.high, seen.unit)}) on {_queries(measured)} held out; "
            f"shrinkage {signed_text(found.shrinkage, seen.unit)}."
        )
        if measured.detectable is None:
            yield "The held-out queries are too few to show any difference."
        else:
            yield f"They can show differences of {measured.detectable:.3f} or more."
        if found.uses > 1:
            yield f"This is look {found.uses} at the held-out queries: exploratory."


def _queries(metric: ComparedMetric) -> str:
    return many(metric.wins + metric.losses + metric.ties, "query", "queries")


# --- terminal --------------------------------------------------------------------------------------------


def _terminal(reports: Sequence[SweepReport]) -> str:
    from click import style

    from rankgate.reports.terminal import line_width, table_lines, written

    width, lines = line_width(sys.stdout), list[str]()
    for report in reports:
        lines += [""] if lines else []
        title = f"{report.sweep} · {report.suite}"
        lines += [style(printable(title), bold=True), printable(headline(report)), ""]
        variants = _variants(report)
        shown = [*table_lines(variants, entries=None, width=None)]
        if max(columns(line) for line in written(shown, sys.stdout, colour=False).splitlines()) > width:
            shown = [printable(line) for row in variants.rows for line in _lines(report, variants, row)]
        lines += [*shown, "", *map(printable, _below(report))]
        lines += [f"- {printable(note)}" for note in report.notes]
    return written(lines, sys.stdout)


def _lines(report: SweepReport, variants: Table, row: tuple[str, ...]) -> Iterator[str]:
    """Return a row in several lines, for a terminal that is narrower than the table."""
    first, last = 1 + len(report.metrics), 1 + len(report.metrics) + len(_COMPARED)
    yield f"  {row[0]}"
    yield f"    {_named(variants.head[1:first], row[1:first])}"
    difference, interval, p, improved, regressed, unchanged = row[first:last]
    if difference:
        yield f"    {difference} ({interval}), p {p} (Holm)"
        yield f"    {improved} improved, {regressed} regressed, {unchanged} unchanged"
    if row[last:-1]:
        yield f"    {_named(variants.head[last:-1], row[last:-1])}"
    if row[-1]:
        yield f"    {row[-1]}"


def _named(titles: Sequence[str], values: Sequence[str]) -> str:
    return ", ".join(f"{title} {value}" for title, value in zip(titles, values, strict=True))


# --- Markdown --------------------------------------------------------------------------------------------


def _markdown(reports: Sequence[SweepReport]) -> str:
    parts = []
    for report in reports:
        shown = _variants(report)
        sides = "l" + "r" * (len(shown.head) - 2) + "l"
        rows = [tuple(map(_BY.text, row)) for row in shown.rows]
        parts += [f"# {_BY.text(f'{report.sweep} · {report.suite}')}", _BY.text(headline(report))]
        parts += [table([*map(_BY.text, shown.head)], sides, rows), *map(_BY.text, _below(report))]
        if report.alone:
            parts.append("## What each variant alone finds")
            alone = [(_BY.text(name), str(len(found)), _some(found)) for name, found in report.alone.items()]
            parts.append(table(("variant", "queries", "which"), "lrl", alone))
        if report.unanswered:
            parts.append(f"## Queries that no variant answers: {len(report.unanswered)}")
            parts.append("\n".join(f"- {_BY.text(query)}" for query in report.unanswered[:_MOST]))
            left = len(report.unanswered) - _MOST
            parts += [f"and {left} more"] if left > 0 else []
        parts += ["\n".join(f"- {_BY.text(note)}" for note in report.notes)] if report.notes else []
    return "\n\n".join(parts) + "\n"


def _some(queries: Sequence[str]) -> str:
    more = f", and {len(queries) - _FEW} more" if len(queries) > _FEW else ""
    return _BY.text("; ".join(queries[:_FEW]) + more)
