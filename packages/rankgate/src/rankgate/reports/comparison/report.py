"""What a comparison of two runs says: every number and every string, worked out once.

The same stands in the report of an evaluation that has a baseline, and is what `rankgate compare` prints.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rankgate.gates.against import worsening
from rankgate.gates.wording import figure
from rankgate.model.wording import many
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
from rankgate.reports.comparison.unjudged import not_comparable, row_words, to_judge, within_words
from rankgate.reports.text.marks import (
    BAD,
    DOUBTFUL,
    ESTIMATED,
    GOOD,
    NOTHING,
    Mark,
    Unmarked,
    signed,
    token_notes,
    went,
)
from rankgate.reports.text.printable import printable
from rankgate.scoring.metric import aggregate
from rankgate.scoring.unjudged.hits import UnjudgedEffect  # noqa: TC001 - read back by their types

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.model import Case
    from rankgate.runs.store.tables import Run
    from rankgate.scoring.comparison import Comparison
    from rankgate.scoring.metric import Metric
    from rankgate.scoring.paired.compare import PairedResult

ALPHA = 0.05
FIGURES = ("before", "after", "difference", "95 % interval", "p", "worse", "better", "same")
"""What the figures of a row are."""


@dataclass(frozen=True, slots=True)
class ComparedNumbers:
    """One metric, before and after, in full."""

    before: float
    """The mean before."""
    after: float
    """The mean after."""
    difference: float
    """After less before."""
    low: float | None
    """Where the 95 % interval of the difference begins; null where too few queries tell."""
    high: float | None
    """Where it ends."""
    p: float
    """The p value of the randomisation test; of a claim among several, by Holm."""
    effect: float | None
    """The difference over the standard deviation of the differences."""
    detectable: float | None
    """The smallest difference that queries like these would show."""
    unjudged: UnjudgedEffect | None = None
    """What unjudged hits may do to it; null where the suite judges nothing irrelevant."""


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """One metric, before and after."""

    mark: Mark | Unmarked
    """✅ better, ❌ worse, beyond chance; ⚠️ where unjudged hits may be the reason; empty where chance may be
    all there is."""
    metric: str
    """Its canonical spelling, or the name that the suite gives it."""
    before: str
    """Its mean before."""
    after: str
    """Its mean after."""
    difference: str
    """After less before, with its sign."""
    interval: str
    """The 95 % interval of the difference."""
    p: str
    """That of the randomisation test."""
    worse: int
    """How many queries are worse."""
    better: int
    """How many are better."""
    same: int
    """How many are as before."""
    finding: str
    """What that allows to say, in words."""
    detectable: str
    """The smallest difference that a suite of this size and spread would show."""
    numbers: ComparedNumbers
    """The same for machines."""
    unjudged: str = ""
    """How much of it is judged on both sides, and what the unjudged hits allow, in words."""

    @property
    def figures(self) -> tuple[str, ...]:
        """Its figures for people, in the order of `FIGURES`."""
        counts = map(str, (self.worse, self.better, self.same))
        return self.before, self.after, self.difference, self.interval, self.p, *counts


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
    """The queries that moved most in the first metric, the worst first."""
    unmoved: str = ""
    """How many moved and are not shown, in words."""
    unjudged: tuple[Unjudged, ...] = ()
    """What somebody should judge: among the first hits of one of the two alone, and unknown."""
    notes: tuple[str, ...] = ()
    """What a reader must know."""
    comparable: str = ""
    """What to judge before a difference can be called one, with the command; empty where nothing is open."""

    @property
    def detectable_words(self) -> str:
        """Return in words what difference such a suite would show; nothing where it would show none."""
        shown = [f"{row.detectable} in {row.metric}" for row in self.rows if row.detectable != NOTHING]
        if not shown:
            return ""
        return f"four times in five, queries like these show a true difference of {', '.join(shown)}"

    @property
    def unjudged_words(self) -> str:
        """Return in words how many hits are new and not judged."""
        new = [one for one in self.unjudged if one.side == AFTER]
        if not new:
            return ""
        queries = many(len({one.case for one in new}), "query", "queries")
        return f"{len(new):,} new among the first hits of {queries} and judged by nobody"

    @property
    def unjudged_rows(self) -> tuple[tuple[str, str], ...]:
        """Return each metric with what is judged of it and what the unjudged hits allow, in words."""
        return tuple((row.metric, row.unjudged) for row in self.rows if row.unjudged)


def _compared_words(comparison: Comparison) -> str:
    """Return how many queries are compared, and how many are not and why."""
    shared, gone = int(comparison.shared.sum()), int(comparison.after.gone.sum())
    words = f"{many(shared, 'query', 'queries')} compared"
    if new := len(comparison.shared) - shared - gone:
        words += f", {new:,} left out (not asked before, asked otherwise, or with estimated labels)"
    return f"{words}, {gone:,} left out (targets gone)" if gone else words


def comparison_report(
    names: tuple[str, str],
    comparison: Comparison,
    runs: tuple[Run, Run],
    cases: Sequence[Case],
    *,
    adjusted: float | None = None,
    claims: int = 1,
    notes: Sequence[str] = (),
    judge: str = "",
) -> ComparisonReport:
    """Work out the report of a comparison.

    Args:
        names: What people call the two.
        comparison: The scores of both, by query.
        runs: The answers of both.
        cases: The queries.
        adjusted: The p value of the first metric after Holm, where several claims are made.
        claims: How many claims that is.
        notes: What else a reader must know.
        judge: The command that lists what should be judged.
    """
    shared, words = int(comparison.shared.sum()), _compared_words(comparison)
    said = (*notes, *(token_notes(comparison.after) or token_notes(comparison.before)))
    report = ComparisonReport(
        printable(names[0]), printable(names[1]), words, notes=tuple(map(printable, said))
    )
    if not shared:
        return report
    # Of a percentile, or a figure of a suite, there is no difference by query whose mean it would be.
    metrics = [one for one in comparison.after.metrics if one.statistic == "mean" and one.paired]
    rows = [
        row
        for at, metric in enumerate(metrics)
        if (row := _row(metric, comparison, adjusted, claims, exploratory=at > 0)) is not None
    ]
    unlike = {
        metric.label: alone
        for metric in metrics
        if (alone := comparison.one_sided(metric.label, comparison.shared))
    }
    first = next((metric for metric in metrics if metric.unit != "ms" and metric.label not in unlike), None)
    rankings = BothRankings.of(runs, comparison, 0 if first is None else first.needs_hits(DEPTH))
    moved, more = ((), "") if first is None else _moved(first, comparison, rankings, cases)
    unjudged = rankings.unjudged(cases, both=comparison.hits_unjudged.known)
    return replace(
        report,
        rows=tuple(rows),
        agreement=rankings.agreement(),
        moved=moved,
        unmoved=more,
        unjudged=unjudged,
        comparable=printable(to_judge((row.finding for row in rows), len(unjudged), judge)),
        notes=(*report.notes, *(printable(not_compared(*one)) for one in unlike.items())),
    )


def not_compared(metric: str, alone: str) -> str:
    """Return in words that a metric is not compared, as some queries have a value on one side alone."""
    return f"{metric} is not compared: it has a value for {alone}"


def _row(
    metric: Metric, comparison: Comparison, adjusted: float | None, claims: int, *, exploratory: bool
) -> ComparedRow | None:
    label, everything = metric.label, comparison.shared
    rows = comparison.counted(label, everything)
    if not rows.any() or comparison.one_sided(label, everything):
        return None
    weights = comparison.after.weights[rows]
    before, after = (
        aggregate(one.columns[label].values[rows], weights, metric.statistic) or 0.0
        for one in (comparison.before, comparison.after)
    )
    result, effect = comparison.paired(label, everything), comparison.unjudged(label, everything)
    p = result.p if exploratory or adjusted is None else adjusted
    named = label, metric.unit, metric.less_is_better
    found = finding(
        result, p, worsening(label, comparison), claims, exploratory=exploratory, doubt=(effect, metric.unit)
    )
    row = compared_row(named, (before, after), result, found, p, effect)
    if not any(one.rests_on_tokens(label) for one in (comparison.before, comparison.after)):
        return row
    marked = {name: ESTIMATED + getattr(row, name) for name in ("before", "after", "difference")}
    return replace(row, **marked)


def compared_row(
    metric: tuple[str, str, bool],
    means: tuple[float, float],
    result: PairedResult,
    found: tuple[Mark | Unmarked, str],
    p: float,
    unjudged: UnjudgedEffect | None = None,
) -> ComparedRow:
    """Lay out the comparison of a metric, given by its label, its unit and whether less is better."""
    label, unit, less = metric
    before, after = means
    fell, rose = (result.wins, result.losses) if less else (result.losses, result.wins)
    return ComparedRow(
        mark=found[0],
        metric=printable(label),
        before=figure(before, unit),
        after=figure(after, unit),
        difference=signed(result.mean, unit),
        interval=_interval(result, unit),
        p=_p(p, exact=result.exact),
        worse=fell,
        better=rose,
        same=result.ties,
        finding=found[1],
        detectable=NOTHING if result.detectable is None else figure(result.detectable, unit),
        numbers=ComparedNumbers(
            before=before,
            after=after,
            difference=result.mean,
            low=result.low,
            high=result.high,
            p=p,
            effect=result.effect,
            detectable=result.detectable,
            unjudged=unjudged,
        ),
        unjudged=row_words(unjudged, unit),
    )


def _interval(result: PairedResult, unit: str) -> str:
    if result.low is None or result.high is None:
        return NOTHING
    # Its middle may be another mean than the one beside it.
    about = " by group" if result.by_group else ""
    return f"{signed(result.low, unit)} to {signed(result.high, unit)}{about}"


def finding(
    result: PairedResult,
    p: float,
    worse: float,
    claims: int,
    *,
    exploratory: bool,
    doubt: tuple[UnjudgedEffect | None, str] = (None, ""),
) -> tuple[Mark | Unmarked, str]:
    """Return what the test and the unjudged hits, with the metric's unit, allow to say, and no more."""
    if not result.differing:
        return "", "the same"
    if not result.can_be_significant:
        return "", f"cannot be significant: {many(result.differing, 'query differs', 'queries differ')}"
    if p > ALPHA:
        return "", "may be chance"
    if why := not_comparable(result.mean, *doubt):
        return DOUBTFUL, why
    fell = result.mean * worse > 0
    word, within = "worse" if fell else "better", within_words(*doubt)
    if exploratory:
        return "", f"{word}, exploratory{within}"
    said = f"{word} beyond chance" + (f", Holm over {claims} claims" if claims > 1 else "")
    return (BAD if fell else GOOD), said + within


def _p(p: float, *, exact: bool) -> str:
    digits = f"{p:.3f}" if p >= 0.001 else f"{p:.1e}"
    return digits if exact else f"≈{digits}"


def _moved(
    metric: Metric, comparison: Comparison, rankings: BothRankings, cases: Sequence[Case]
) -> tuple[tuple[MovedQuery, ...], str]:
    label, names = metric.label, comparison.after.queries.to_list()
    before, after = (one.columns[label].values.tolist() for one in (comparison.before, comparison.after))
    by_id = {case.id: case for case in cases}

    def tell(at: int) -> MovedDetails:
        case = by_id[names[at]]
        first = went(int(comparison.first_before[at]), int(comparison.first_after[at]))
        return MovedDetails(case.query, first, *rankings.marked(case))

    counted = np.flatnonzero(comparison.counted(label, comparison.shared)).tolist()
    scored = (ScoredQuery(at, names[at], before[at], after[at]) for at in counted)
    return moved_queries((label, metric.unit), worsening(label, comparison), scored, tell)
