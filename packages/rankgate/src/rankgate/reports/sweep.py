"""The report of a sweep over one suite, as plain data, and for a terminal, as Markdown and as JSON."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from rankgate.reports.sections import Table
from rankgate.reports.text.github import Escapes, table
from rankgate.reports.text.printable import columns, printable, printable_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

STYLES = ("terminal", "markdown", "json")
"""The formats."""
_FEW, _MOST = 3, 50
_COMPARED = ("difference", "95 % interval", "p (Holm)", "improved", "regressed", "unchanged")
_BY = Escapes()


@dataclass(frozen=True, slots=True)
class SweepNumbers:
    """One variant in full, for machines."""

    means: tuple[float | None, ...]
    """Its means, one a metric; null where a metric was not compared."""
    difference: float | None = None
    """That of the first metric to the baseline; null for the baseline itself."""
    low: float | None = None
    """Where the 95 % interval of the difference begins; null where too few queries differ."""
    high: float | None = None
    """Where it ends."""
    p: float | None = None
    """The p value of the randomisation test, as if this were the only variant."""
    holm: float | None = None
    """The same by Holm's rule over the family of all variants."""
    tokens: float | None = None
    """The mean number of tokens that it returns for a query; null where nobody counted."""
    tokens_estimated: bool = False
    """True where these are estimated from the size of the texts."""
    latency: float | None = None
    """The median of its times in ms; null where no pass measured them in turn."""
    latency_p95: float | None = None
    """The 95th percentile of the same."""
    index_seconds: float | None = None
    """How long its index took to build; null where that was before this sweep, or nobody knows."""
    index_bytes: int | None = None
    """The size of its index on disk; null where it does not say where that is."""


@dataclass(frozen=True, slots=True)
class SweepRow:
    """One variant."""

    name: str
    """What people call it."""
    values: tuple[str, ...]
    """Its value of each axis; empty texts for a variant of its own."""
    means: tuple[str, ...]
    """Its means, one a metric."""
    numbers: SweepNumbers
    """The same in full, and what follows from them."""
    difference: str = ""
    """The difference of the first metric to the baseline; empty for the baseline."""
    interval: str = ""
    """The 95 % interval of that difference."""
    p: str = ""
    """The p value by Holm's rule."""
    wins: int = 0
    """How many queries are better than with the baseline."""
    losses: int = 0
    """How many are worse."""
    ties: int = 0
    """How many are the same."""
    finding: str = ""
    """What the test shows by Holm's rule: better, worse, no significant difference, inconclusive, unchanged,
    or not compared; empty for the baseline."""
    measures: tuple[str, ...] = ()
    """What stands beside the metrics, one text for each of `SweepReport.measures`."""
    errors: int = 0
    """How many queries it did not answer."""
    same_as: str = ""
    """That it is the same as another, and in which way; empty where it is not."""
    baseline: bool = False
    """True for the variant that is in use."""


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What the winner of one part of the queries does on the other."""

    winner: str
    """The variant that was best on the part that variants are ranked on."""
    seen: str
    """How many queries that part has, and the winner's difference there, in words."""
    measured: str
    """The winner's difference on the part that was held out, with its interval, in words."""
    shrinkage: str
    """How much smaller the second is, in words."""
    detectable: str
    """The smallest difference that the held-out part can show, in words."""
    uses: int
    """Which look at the held-out part this is, from 1; from the second on it is exploratory."""
    numbers: tuple[float, float, float | None, float | None, float]
    """The difference on both parts, the ends of the interval of the second, and its p value, in full."""

    @property
    def exploratory(self) -> bool:
        """True where the held-out part was looked at before."""
        return self.uses > 1


@dataclass(frozen=True, slots=True)
class FoundAlone:
    """What one variant finds and no other does."""

    variant: str
    queries: tuple[str, ...]
    """The queries in which it alone finds something relevant."""


@dataclass(frozen=True, slots=True)
class SweepReport:
    """A sweep over one suite."""

    title: str
    """The sweep and the suite."""
    headline: str
    """What came of it, in one sentence."""
    metrics: tuple[str, ...]
    """The columns; the first decides."""
    axes: tuple[str, ...]
    """The axes, as their columns are called."""
    rows: tuple[SweepRow, ...]
    """A row a variant, the best first."""
    measures: tuple[str, ...]
    """The columns beside the metrics that some row has a value of: judged@10, tokens, latency, index size."""
    family: str
    """How many variants the p values are corrected for, in words."""
    held_out: HeldOut | None = None
    """What the winner does on the queries that were held out; null where none were."""
    notes: tuple[str, ...] = ()
    """What a reader must know: what was left out, failed or could not be asked."""
    alone: tuple[FoundAlone, ...] = ()
    """What each variant alone finds, those that find most first."""
    unanswered: tuple[str, ...] = ()
    """The queries that no variant answers, though something relevant is known."""
    provenance: tuple[tuple[str, str], ...] = ()
    """What was asked: suite, corpus, k."""


def render(reports: Sequence[SweepReport], style: str) -> str:
    """Return sweeps in a format: terminal, markdown or json."""
    if style == "json":
        return printable_json({"schema": 1, "sweeps": [asdict(report) for report in reports]})
    return {"markdown": _markdown, "terminal": _terminal}[style](reports)


# --- what both show --------------------------------------------------------------------------------------


def _variants(report: SweepReport) -> Table:
    """Return the table of variants: name, figures, words."""
    head = ("variant", *report.metrics, *_COMPARED, *report.measures, "")
    rows = []
    for row in report.rows:
        counts = ("", "", "") if row.baseline else tuple(map(str, (row.wins, row.losses, row.ties)))
        compared = (row.difference, row.interval, row.p, *counts)
        rows.append((_name(row), *row.means, *compared, *row.measures, _words(row)))
    return Table(head, tuple(rows), tuple(range(1, len(head) - 1)))


def _name(row: SweepRow) -> str:
    return f"{row.name} (baseline)" if row.baseline else row.name


def _words(row: SweepRow) -> str:
    """Return that a variant is the same as another, or what its difference shows."""
    errors = f"{row.errors:,} errors" if row.errors else ""
    found = f"significantly {row.finding}" if row.finding in ("better", "worse") else row.finding
    return "; ".join(filter(None, (row.same_as or found, errors)))


def _below(report: SweepReport) -> Iterator[str]:
    """Return the lines below the table."""
    yield report.family
    if report.provenance:
        yield "all rows: " + ", ".join(f"{name} {value}" for name, value in report.provenance)
    if (found := report.held_out) is not None:
        yield f"Held out: {found.winner} is {found.seen}, and {found.measured}; {found.shrinkage}."
        yield found.detectable
        if found.exploratory:
            yield f"This is look {found.uses} at the held-out queries: exploratory."


# --- terminal --------------------------------------------------------------------------------------------


def _terminal(reports: Sequence[SweepReport]) -> str:
    from click import style

    from rankgate.reports.terminal import line_width, table_lines, written

    width, lines = line_width(sys.stdout), list[str]()
    for report in reports:
        lines += [""] if lines else []
        lines += [style(printable(report.title), bold=True), printable(report.headline)]
        shown = [*table_lines(_variants(report), entries=None, width=None)]
        if max(columns(line) for line in written(shown, sys.stdout, colour=False).splitlines()) > width:
            shown = [printable(line) for row in report.rows for line in _lines(report, row)]
        lines += ["", *shown, "", *map(printable, _below(report))]
        lines += [f"- {printable(note)}" for note in report.notes]
    return written(lines, sys.stdout)


def _lines(report: SweepReport, row: SweepRow) -> Iterator[str]:
    """Return a variant in several lines, for a terminal that is narrower than the table."""
    yield f"  {_name(row)}"
    yield f"    {_named(report.metrics, row.means)}"
    if row.difference:
        yield f"    {row.difference} ({row.interval}), p {row.p} (Holm)"
        yield f"    {row.wins} improved, {row.losses} regressed, {row.ties} unchanged"
    if row.measures:
        yield f"    {_named(report.measures, row.measures)}"
    if words := _words(row):
        yield f"    {words}"


def _named(titles: Sequence[str], values: Sequence[str]) -> str:
    return ", ".join(f"{title} {value}" for title, value in zip(titles, values, strict=True))


# --- Markdown --------------------------------------------------------------------------------------------


def _markdown(reports: Sequence[SweepReport]) -> str:
    parts = []
    for report in reports:
        shown = _variants(report)
        sides = "l" + "r" * (len(shown.head) - 2) + "l"
        rows = [tuple(map(_BY.text, row)) for row in shown.rows]
        parts += [f"# {_BY.text(report.title)}", _BY.text(report.headline)]
        parts += [table(shown.head, sides, rows), *map(_BY.text, _below(report)), *_queries(report)]
        parts += ["\n".join(f"- {_BY.text(note)}" for note in report.notes)] if report.notes else []
    return "\n\n".join(parts) + "\n"


def _queries(report: SweepReport) -> Iterator[str]:
    """Return what one variant alone finds, and what none does."""
    if report.alone:
        rows = [(_BY.text(one.variant), str(len(one.queries)), _some(one.queries)) for one in report.alone]
        yield "## What each variant alone finds"
        yield table(("variant", "queries", "which"), "lrl", rows)
    if report.unanswered:
        yield f"## Queries that no variant answers: {len(report.unanswered)}"
        yield "\n".join(f"- {_BY.text(query)}" for query in report.unanswered[:_MOST])
        if (left := len(report.unanswered) - _MOST) > 0:
            yield f"and {left} more"


def _some(queries: Sequence[str]) -> str:
    more = f", and {len(queries) - _FEW} more" if len(queries) > _FEW else ""
    return _BY.text("; ".join(queries[:_FEW]) + more)
