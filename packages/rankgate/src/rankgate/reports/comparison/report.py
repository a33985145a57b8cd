"""What a comparison of two runs says: every number and every string, worked out once.

The same stands in the report of an evaluation that has a baseline, and is what `rankgate compare` prints.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rankgate.gates.against import worsening
from rankgate.model.wording import many
from rankgate.progress import counted_steps
from rankgate.reports.comparison.errored import ErroredQueries, error_messages, errored_words
from rankgate.reports.comparison.headline import headline, main_cause
from rankgate.reports.comparison.rankings import (
    AFTER,
    DEPTH,
    BothRankings,
    MovedDetails,
    MovedQuery,
    ScoredQuery,
    Unjudged,
    moved_queries,
)
from rankgate.reports.comparison.rows import ComparedRow, compared_row
from rankgate.reports.comparison.wording import compared_words, finding
from rankgate.reports.text.marks import ESTIMATED, NOTHING, token_notes, went
from rankgate.reports.text.printable import printable
from rankgate.scoring.metric import aggregate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rankgate.model import Case
    from rankgate.runs.store.tables import Run
    from rankgate.scoring.comparison import Comparison
    from rankgate.scoring.matches import Bools
    from rankgate.scoring.metric import Metric

BASELINE = "the baseline of "
"""How the name of a baseline begins."""
_SHORT = 24


@dataclass(frozen=True, slots=True)
class Claims:
    """What is claimed of the first metric, where several systems are compared with one."""

    number: int = 1
    """How many claims are made."""
    p: float | None = None
    """The p value of this one after Holm; None for that of the test."""
    answered: float | None = None
    """The same over the queries that both answered."""


@dataclass(frozen=True, slots=True)
class ComparisonReport:
    """A run held against another."""

    before: str
    """What is compared with."""
    after: str
    """What is compared."""
    compared: str
    """How many queries, and what was left out, in words."""
    rows: tuple[ComparedRow, ...] = ()
    """A row a metric; the first is the one that is decided by, the others are exploratory."""
    agreement: str = ""
    """How alike the rankings are, in words."""
    moved: tuple[MovedQuery, ...] = ()
    """Three that lost most in the first metric and three that gained most, the largest change first."""
    unmoved: str = ""
    """How many changed and are not shown, in words."""
    unjudged: tuple[Unjudged, ...] = ()
    """What somebody should judge: among the first hits of one of the two alone, and unknown."""
    notes: tuple[str, ...] = ()
    """What a reader must know."""
    headline: str = ""
    """The difference in the first metric and what it mainly comes from, in one sentence."""
    errors: ErroredQueries | None = None
    """What one of the two did not answer, with the figures without it; null where both answered all."""
    baseline: str = ""
    """The commit and the day of the baseline; empty where it does not say, and for two systems."""

    @property
    def sides(self) -> tuple[str, str]:
        """Return what stands over the columns of the two: their names, or baseline and now."""
        if self.before.startswith(BASELINE):
            return "baseline", "now"
        names = printable(self.before, _SHORT), printable(self.after, _SHORT)
        return names if names[0] != names[1] else ("before", "after")

    @property
    def title(self) -> str:
        """Return what stands over a comparison in the report of a run."""
        name = self.before.removeprefix(BASELINE)
        if name == self.before:
            return f"Compared with {name}"
        return f"Compared with the baseline ({', '.join(filter(None, (name, self.baseline)))})"

    @property
    def detectable_words(self) -> str:
        """Return in words what difference such a suite would show; nothing where it would show none."""
        # Where no query changed, how they would is not known: the range of the metric stands in for it.
        alike = {True: "if all queries shift alike", False: "if queries that change do so by the whole range"}
        said = []
        for changed, how in alike.items():
            shown = [
                f"{row.detectable} or more in {row.metric}"
                for row in self.rows
                if row.detectable != NOTHING and bool(row.better or row.worse) is changed
            ]
            said += [f"{', '.join(shown)} (80 % power, {how})"] if shown else []
        few = [
            row.metric
            for row in self.rows
            if row.detectable == NOTHING and row.numbers.detectable is not None
        ]
        why = f"; not known of {', '.join(few)}: too few queries changed to tell by how much" if few else ""
        return f"can detect changes of {'; '.join(said)}{why}" if said else ""

    @property
    def unjudged_words(self) -> str:
        """Return in words how many hits are new and not judged."""
        new = [one for one in self.unjudged if one.side == AFTER]
        if not new:
            return ""
        queries = many(len({one.case for one in new}), "query", "queries")
        return f"{many(len(new), 'unjudged new hit')} in {queries}"


def comparison_report(
    names: tuple[str, str],
    comparison: Comparison,
    runs: tuple[Run, Run],
    cases: Sequence[Case],
    *,
    claims: Claims = Claims(),  # noqa: B008 - frozen
    notes: Sequence[str] = (),
) -> ComparisonReport:
    """Work out the report of a comparison.

    Args:
        names: What people call the two.
        comparison: The scores of both, by query.
        runs: The answers of both.
        cases: The queries.
        claims: What is claimed of the first metric.
        notes: What else a reader must know.
    """
    shared, words = int(comparison.shared.sum()), compared_words(comparison)
    said = (*notes, *(token_notes(comparison.after) or token_notes(comparison.before)))
    names = printable(names[0]), printable(names[1])
    report = ComparisonReport(*names, words, notes=tuple(map(printable, said)))
    if not shared:
        return report
    # Of a percentile, or a figure of a suite, there is no difference by query whose mean it would be.
    metrics = [one for one in comparison.after.metrics if one.statistic == "mean" and one.paired]
    rows = _rows(metrics, comparison, comparison.shared, claims.number, claims.p)
    unlike = {
        metric.label: alone
        for metric in metrics
        if (alone := comparison.one_sided(metric.label, comparison.shared))
    }
    first = next((metric for metric in metrics if metric.unit != "ms" and metric.label not in unlike), None)
    rankings = BothRankings.of(runs, comparison, 0 if first is None else first.needs_hits(DEPTH))
    report = replace(
        report,
        rows=rows,
        agreement=rankings.agreement(),
        unjudged=rankings.unjudged(cases, both=comparison.hits_after.knows_irrelevant),
        notes=(*report.notes, *(printable(not_compared(*one)) for one in unlike.items())),
        errors=_errors(names, metrics, comparison, runs, claims),
    )
    return report if first is None else _with_queries(report, first, comparison, rankings, cases)


def deciding_report(
    names: tuple[str, str],
    comparison: Comparison,
    claims: Claims = Claims(),  # noqa: B008 - frozen
) -> ComparisonReport:
    """Work out the first metric of a comparison alone: what a table of many variants shows of each."""
    report = ComparisonReport(printable(names[0]), printable(names[1]), compared_words(comparison))
    metrics = [one for one in comparison.after.metrics if one.statistic == "mean" and one.paired][:1]
    if not comparison.shared.any():
        return report
    return replace(report, rows=_rows(metrics, comparison, comparison.shared, claims.number, claims.p))


def not_compared(metric: str, alone: str) -> str:
    """Return in words that a metric is not compared, as some queries have a value on one side alone."""
    return f"{metric} is not compared: it has a value for {alone}"


def _rows(
    metrics: Sequence[Metric], comparison: Comparison, mask: Bools, claims: int, adjusted: float | None
) -> tuple[ComparedRow, ...]:
    found = (
        _row(metric, comparison, mask, claims, None if at else adjusted, exploratory=at > 0)
        for at, metric in counted_steps(enumerate(metrics), "comparing metrics", len(metrics))
    )
    return tuple(row for row in found if row is not None)


def _row(
    metric: Metric,
    comparison: Comparison,
    mask: Bools,
    claims: int,
    adjusted: float | None,
    *,
    exploratory: bool,
) -> ComparedRow | None:
    label = metric.label
    rows = comparison.counted(label, mask)
    if not rows.any() or comparison.one_sided(label, mask):
        return None
    weights = comparison.after.weights[rows]
    before, after = (
        aggregate(one.columns[label].values[rows], weights, metric.statistic) or 0.0
        for one in (comparison.before, comparison.after)
    )
    result = comparison.paired(label, mask)
    p = result.p if adjusted is None else adjusted
    named = label, metric.unit, metric.less_is_better
    found = finding(result, p, worsening(label, comparison), claims, exploratory=exploratory)
    row = compared_row(named, (before, after), result, found, p)
    if not any(one.rests_on_tokens(label) for one in (comparison.before, comparison.after)):
        return row
    marked = {name: ESTIMATED + getattr(row, name) for name in ("before", "after", "difference")}
    return replace(row, **marked)


def _errors(
    names: tuple[str, str],
    metrics: Sequence[Metric],
    comparison: Comparison,
    runs: tuple[Run, Run],
    claims: Claims,
) -> ErroredQueries | None:
    """Return what was not answered, with every metric over the queries that both answered."""
    if comparison.answered.sum() == comparison.shared.sum():
        return None
    messages = error_messages(comparison, runs)
    return ErroredQueries(
        errored_words(names, messages, int(comparison.shared.sum())),
        messages[0].total(),
        messages[1].total(),
        _rows(metrics, comparison, comparison.answered, claims.number, claims.answered),
    )


def _with_queries(
    report: ComparisonReport,
    metric: Metric,
    comparison: Comparison,
    rankings: BothRankings,
    cases: Sequence[Case],
) -> ComparisonReport:
    """Add the queries that changed most in a metric, and the sentence that says what it comes from."""
    label, queries = metric.label, comparison.after.queries.to_list()
    before, after = (one.columns[label].values.tolist() for one in (comparison.before, comparison.after))
    first_before, first_after = comparison.first_before.tolist(), comparison.first_after.tolist()
    weights, answered = comparison.after.weights.tolist(), comparison.answered.tolist()
    by_id = {case.id: case for case in cases}

    def tell(at: int) -> MovedDetails:
        case = by_id[queries[at]]
        return MovedDetails(case.query, went(first_before[at], first_after[at]), *rankings.marked(case))

    scored = [
        ScoredQuery(
            at,
            queries[at],
            before[at],
            after[at],
            weights[at],
            (first_before[at], first_after[at]),
            not answered[at],
        )
        for at in np.flatnonzero(comparison.counted(label, comparison.shared)).tolist()
    ]
    return with_queries(report, (label, metric.unit), worsening(label, comparison), scored, tell)


def with_queries(
    report: ComparisonReport,
    metric: tuple[str, str],
    worse: float,
    scored: Sequence[ScoredQuery],
    tell: Callable[[int], MovedDetails],
) -> ComparisonReport:
    """Return a report with the queries that changed most, and the sentence that says what they come to.

    Args:
        report: The report of the same comparison.
        metric: The label of the metric and its unit.
        worse: 1 where less is better, otherwise -1.
        scored: What the queries scored in it.
        tell: Tells of the query with a number what is shown of those taken.
    """
    moved, more = moved_queries(metric, worse, scored, tell)
    names = report.before, report.after
    cause = main_cause(scored, names)
    row = next((row for row in report.rows if row.metric == printable(metric[0])), None)
    words = "" if cause is None else cause.words(metric[1])
    said = "" if row is None else headline(names, row, words, report.errors, len(scored))
    return replace(report, moved=moved, unmoved=more, headline=said)
