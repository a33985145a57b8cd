"""The report of a sweep, from its table: a row a variant, the best first, and what came of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from rankgate.model.wording import NOTHING, many, value_text
from rankgate.reports.compare import Finding, figures
from rankgate.reports.sweep import SweepNumbers, SweepReport, SweepRow
from rankgate.reports.text.printable import printable
from rankgate.runs.store.hits import error_texts
from rankgate.scoring.metric import aggregate
from rankgate.sweeps.finders import found_alone, unanswered
from rankgate.sweeps.measures import with_columns, with_own_measures

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.reports.compare import ComparedMetric
    from rankgate.reports.sweep import HeldOut
    from rankgate.scoring.scores import Scores
    from rankgate.sweeps.asking import AskedVariant
    from rankgate.sweeps.latency import LatencyPass
    from rankgate.sweeps.sweep_file import Sweep
    from rankgate.sweeps.table import ComparedVariant, SweepTable

_MESSAGES = 2


def sweep_report(
    sweep: Sweep,
    table: SweepTable,
    notes: Sequence[str] = (),
    held_out: HeldOut | None = None,
    latency: LatencyPass | None = None,
) -> SweepReport:
    """Work out the report of a sweep.

    Args:
        sweep: The sweep.
        table: Its variants, compared.
        notes: What was left out, failed or could not be asked.
        held_out: What the winner does on the queries that were held out.
        latency: The times of all its variants, asked in turn.
    """
    notes = [*notes, *_errors(table.shown), *([] if latency is None else [latency.words])]
    measures, rows = with_columns([_row(table, one, sweep, latency) for one in table.shown])
    less = table.base.metrics[0].less_is_better
    rows.sort(key=lambda row: _order(row, less=less))
    family = len(table.compared)
    shown = {one.variant.name for one in table.shown}
    gone = sum(one.asked.variant.name not in shown for one in table.compared)
    words = f"p values are corrected by Holm's rule for {many(family, 'variant')}"
    words += f", {gone} of them not shown" if gone else ""
    return SweepReport(
        title=printable(f"{sweep.name} · {table.suite.name}"),
        headline=_headline(table, rows),
        metrics=tuple(printable(metric.label) for metric in table.base.metrics),
        axes=tuple(printable(axis.name) for axis in sweep.axes),
        rows=tuple(rows),
        measures=tuple(map(printable, measures)),
        family=f"{words}; the metric that decides is {printable(table.primary)}",
        held_out=held_out,
        notes=tuple(map(printable, notes)),
        alone=found_alone(table),
        unanswered=unanswered(table),
        provenance=_provenance(table),
    )


def _errors(shown: Sequence[AskedVariant]) -> Iterator[str]:
    """Return in how many variants queries were not answered, with the most frequent messages."""
    texts = [error_texts(one.run) for one in shown]
    queries = {query for one in texts for query in one}
    if not queries:
        return
    messages = Counter(text.partition("\n")[0] for one in texts for text in one.values())
    told = [message for message, _ in messages.most_common(_MESSAGES)]
    more = f"; {many(len(messages) - len(told), 'other message')}" if len(messages) > len(told) else ""
    variants = many(sum(map(bool, texts)), "variant")
    ended = f"{many(len(queries), 'query', 'queries')} ended in an error in {variants}, counted as 0"
    yield f"{ended}: {'; '.join(told)}{more}"


def _provenance(table: SweepTable) -> tuple[tuple[str, str], ...]:
    """Return what every row of the table is about."""
    identity = table.baseline.identity
    return (
        ("queries", f"{len(table.suite.cases):,}"),
        ("corpus", (identity.corpus or "none")[:12]),
        ("k", NOTHING if identity.k is None else str(identity.k)),
    )


def _order(row: SweepRow, *, less: bool) -> tuple[bool, float, bool, str]:
    value = row.numbers.means[0]
    return value is None, (value or 0.0) * (1 if less else -1), not row.baseline, row.name


def _row(table: SweepTable, one: AskedVariant, sweep: Sweep, latency: LatencyPass | None) -> SweepRow:
    name = one.variant.name
    found = table.of(name)
    told = table.same.get(name)
    scores = table.base if found is None else found.comparison.after
    means = tuple(_mean(scores, metric.label) for metric in scores.metrics)
    row = SweepRow(
        name=printable(name),
        values=tuple(printable(one.variant.values.get(axis.name, "")) for axis in sweep.axes),
        means=tuple(
            NOTHING if mean is None else value_text(mean, metric.unit)
            for mean, metric in zip(means, scores.metrics, strict=True)
        ),
        numbers=with_own_measures(SweepNumbers(means), one, latency),
        errors=len(error_texts(one.run)),
        same_as="" if told is None else printable(str(told)),
        baseline=name == table.baseline.variant.name,
    )
    if found is None:
        return row
    if found.metric is None:
        return replace(row, finding="not compared")
    return _compared(row, found, found.metric)


def _compared(row: SweepRow, found: ComparedVariant, metric: ComparedMetric) -> SweepRow:
    """Return the row of a variant with its difference to the baseline."""
    _, _, difference, interval, p, *_ = figures(metric)
    numbers = replace(
        row.numbers,
        difference=metric.difference,
        low=metric.low,
        high=metric.high,
        p=found.p,
        holm=found.holm,
    )
    return replace(
        row,
        numbers=numbers,
        difference=difference,
        interval=interval,
        p=p,
        wins=metric.wins,
        losses=metric.losses,
        ties=metric.ties,
        finding=str(metric.finding),
    )


def _mean(scores: Scores, label: str) -> float | None:
    column = scores.columns[label]
    metric = next(one for one in scores.metrics if one.label == label)
    return aggregate(column.values[column.defined], scores.weights[column.defined], metric.statistic)


def _headline(table: SweepTable, rows: Sequence[SweepRow]) -> str:
    """Say which variant is better than the one in use, or that none is shown to be."""
    best = next((row for row in rows if not row.baseline and not row.same_as), None)
    in_use = printable(table.baseline.variant.name)
    if best is None:
        return f"No other variant answers differently from {in_use}."
    better = [row for row in rows if row.finding == Finding.BETTER and not row.same_as]
    if not better:
        return f"No variant is shown to be better than {in_use} in {table.primary}."
    first = better[0]
    more = f", and {len(better) - 1} more are" if len(better) > 1 else ""
    said = f"{first.name} is better than {in_use} in {table.primary}: {first.difference} ({first.interval})"
    return f"{said}{more}."
