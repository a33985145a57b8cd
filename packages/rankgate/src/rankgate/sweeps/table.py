"""The table of a sweep: every variant against the one that is in use, over one suite.

The p values of "better" are corrected by Holm's rule for the family: every distinct variant that was ever
asked in this sweep of this suite, whether or not it is in the file today. Variants that are the same as
another count once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rankgate.evaluation.project.named_answers import NamedAnswers, compared_pair
from rankgate.gates.scored import errored_queries
from rankgate.gates.wording import figure
from rankgate.model.wording import many
from rankgate.reports.comparison.report import Claims, comparison_report
from rankgate.reports.sweep.report import SweepNumbers, SweepReport, SweepRow
from rankgate.reports.text.marks import NOTHING
from rankgate.reports.text.printable import printable
from rankgate.scoring.metric import aggregate
from rankgate.scoring.paired.compare import holm
from rankgate.sweeps.effects import axis_effects
from rankgate.sweeps.no_ops import no_ops

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.model import Suite
    from rankgate.reports.comparison.report import ComparisonReport
    from rankgate.reports.sweep.report import HeldOut
    from rankgate.scoring.comparison import Comparison
    from rankgate.scoring.scores import Scores
    from rankgate.sweeps.asking import AskedVariant
    from rankgate.sweeps.no_ops import NoOp
    from rankgate.sweeps.sweep_file import Sweep
    from rankgate.truth.judgments.table import Judgments


@dataclass(frozen=True, slots=True, eq=False)
class ComparedVariant:
    """A variant compared with the baseline."""

    asked: AskedVariant
    """The variant."""
    comparison: Comparison
    """Its scores and those of the baseline, query by query."""
    report: ComparisonReport
    """What is said of the two."""
    p: float
    """The p value as if it were the only variant."""
    holm: float
    """The same by Holm's rule over the family."""


@dataclass(frozen=True, slots=True, eq=False)
class SweepTable:
    """All that the answers of a sweep say about a suite."""

    suite: Suite
    """What was asked."""
    baseline: AskedVariant
    """The variant that is in use."""
    base: Scores
    """Its scores."""
    compared: tuple[ComparedVariant, ...]
    """The distinct others, in the order of the file; those that left the file last."""
    same: dict[str, NoOp] = field(default_factory=dict)
    """The variants that are the same as another, by name."""
    shown: tuple[AskedVariant, ...] = ()
    """The variants of the file, all of which have a row."""

    @property
    def primary(self) -> str:
        """The metric that decides."""
        return self.base.metrics[0].label

    def of(self, name: str) -> ComparedVariant | None:
        """Find what is said of a variant; that of the one it is the same as; None for the baseline."""
        told = self.same.get(name)
        wanted = name if told is None else told.other
        return next((one for one in self.compared if one.asked.variant.name == wanted), None)


def sweep_table(
    suite: Suite,
    judgments: Judgments,
    asked: Sequence[AskedVariant],
    earlier: Sequence[AskedVariant],
    baseline: str,
    metrics: Sequence[str],
) -> SweepTable:
    """Compare the variants of a sweep with the one that is in use.

    Args:
        suite: What was asked.
        judgments: What should be found.
        asked: The variants of the file.
        earlier: Variants that were asked before and are not in the file; they count in the family.
        baseline: The name of the variant that is in use.
        metrics: What is measured; the first decides.

    Raises:
        InputError: for answers to something else, with what differs.
    """
    every = [*asked, *earlier]
    same = no_ops(every, baseline)
    base = next(one for one in every if one.variant.name == baseline)
    others = [one for one in every if one is not base and one.variant.name not in same]
    named = NamedAnswers(base.variant.name, base.run)
    pairs = [
        compared_pair(suite, judgments, (named, NamedAnswers(one.variant.name, one.run)), metrics)
        for one in others
    ]
    raw = [found.paired(found.after.metrics[0].label, found.shared).p for found, _ in pairs]
    adjusted = holm(raw) if raw else []
    compared = tuple(
        ComparedVariant(
            one,
            comparison,
            comparison_report(
                (base.variant.name, one.variant.name),
                comparison,
                pair.runs,
                suite.cases,
                claims=Claims(1, float(p), float(p)),
                notes=pair.notes,
            ),
            alone,
            float(p),
        )
        for one, (comparison, pair), alone, p in zip(others, pairs, raw, adjusted, strict=True)
    )
    scores = pairs[0][0].before if pairs else _scores(suite, judgments, base, metrics)
    return SweepTable(suite, base, scores, compared, same, tuple(asked))


def _scores(suite: Suite, judgments: Judgments, base: AskedVariant, metrics: Sequence[str]) -> Scores:
    """Score the baseline where there is nothing to compare it with."""
    named = NamedAnswers(base.variant.name, base.run)
    return compared_pair(suite, judgments, (named, named), metrics)[0].before


def sweep_report(
    sweep: Sweep, table: SweepTable, notes: Sequence[str] = (), held_out: HeldOut | None = None
) -> SweepReport:
    """Work out the report of a sweep."""
    rows = [_row(table, one, sweep) for one in table.shown]
    less = table.base.metrics[0].less_is_better
    rows.sort(key=lambda row: _order(row, less=less))
    family = len(table.compared)
    shown = {one.variant.name for one in table.shown}
    gone = sum(one.asked.variant.name not in shown for one in table.compared)
    words = f"p values are corrected by Holm's rule for {many(family, 'variant')}"
    words += f", {gone} of them not shown" if gone else ""
    return SweepReport(
        title=printable(f"{sweep.path.stem} · {table.suite.name}"),
        headline=_headline(table, rows),
        metrics=tuple(printable(metric.label) for metric in table.base.metrics),
        axes=tuple(printable(axis.name) for axis in sweep.axes),
        rows=tuple(rows),
        family=f"{words}; the metric that decides is {printable(table.primary)}",
        effects=axis_effects(sweep, table),
        held_out=held_out,
        notes=tuple(map(printable, notes)),
    )


def _order(row: SweepRow, *, less: bool) -> tuple[bool, float, bool, str]:
    value = row.numbers.means[0]
    return value is None, (value or 0.0) * (1 if less else -1), not row.baseline, row.name


def _row(table: SweepTable, one: AskedVariant, sweep: Sweep) -> SweepRow:
    name = one.variant.name
    values = tuple(printable(one.variant.values.get(axis.name, "")) for axis in sweep.axes)
    told, found = table.same.get(name), table.of(name)
    is_base = name == table.baseline.variant.name
    same = "" if told is None else printable(str(told))
    scores = table.base if found is None else found.comparison.after
    means = [_mean(scores, metric.label) for metric in scores.metrics]
    texts = tuple(
        NOTHING if mean is None else figure(mean, metric.unit)
        for mean, metric in zip(means, scores.metrics, strict=True)
    )
    errors = errored_queries(one.run)
    if found is None or not found.report.rows:
        numbers = SweepNumbers(tuple(means), index_seconds=one.seconds)
        finding = "" if is_base else "not compared" if found is not None else ""
        return SweepRow(
            printable(name),
            values,
            texts,
            numbers,
            finding=finding,
            errors=errors,
            same_as=same,
            baseline=is_base,
        )
    first = found.report.rows[0]
    return SweepRow(
        name=printable(name),
        values=values,
        means=texts,
        numbers=SweepNumbers(
            tuple(means),
            first.numbers.difference,
            first.numbers.low,
            first.numbers.high,
            found.p,
            found.holm,
            index_seconds=one.seconds,
        ),
        difference=first.difference,
        interval=first.interval,
        p=first.p,
        wins=first.better,
        losses=first.worse,
        ties=first.same,
        # What unjudged hits allow has a column of its own.
        finding=first.finding.partition(", unjudged hits")[0],
        mark=first.mark,
        unjudged=first.unjudged,
        errors=errors,
        same_as=same,
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
    better = [row for row in rows if row.mark == "✅" and not row.same_as]
    if not better:
        return f"No variant is shown to be better than {in_use} in {table.primary}."
    first = better[0]
    more = f", and {len(better) - 1} more are" if len(better) > 1 else ""
    said = f"{first.name} is better than {in_use} in {table.primary}: {first.difference} ({first.interval})"
    return f"{said}{more}."
