"""The report of `rankgate compare`: each system beside the first one, as plain data.

`compare_formats.py` writes it. The queries are those of the report of a test, with the first system in place
of the baseline.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankgate.cases import short_where, values_at
from rankgate.model import Answer
from rankgate.progress import counted_steps
from rankgate.report import CaseResult, CaseState, Change, ShownHit, ShownTarget
from rankgate.reports.score import ESTIMATED, token_notes
from rankgate.runs.store.hits import error_texts, location_text, read_hits
from rankgate.scoring.metric import aggregate
from rankgate.scoring.paired.agreement import overlap, rank_biased_overlap
from rankgate.scoring.paired.compare import holm
from rankgate.wording import NOTHING, figure, many, value_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rankgate.model import Case
    from rankgate.runs.store.hits import HitRow
    from rankgate.runs.store.tables import Run
    from rankgate.scoring.comparison import Comparison
    from rankgate.scoring.matches import Bools
    from rankgate.scoring.metric import Metric
    from rankgate.scoring.paired.compare import PairedResult
    from rankgate.scoring.placements import JudgedHits

VERSION = 1
"""The version of the JSON of a comparison."""
ALPHA = 0.05
FEWEST = 6
"""The number of queries that must differ for any result to be significant: 2 / 2^5 is above 0.05."""
DEPTH = 10
"""The number of results by which two rankings are compared."""
DETAILED = 100
"""The number of regressed and of improved queries that are reported with their results."""
_AGREED = 20_000
"""The number of queries with rankings that are compared: those of a whole query log need too much memory."""
_TIE = 1e-9
_SMALLEST_P = 0.001
_MESSAGES = 2
_BASELINE = "the baseline of "


class Finding(StrEnum):
    """What the test of significance shows for a metric."""

    UNCHANGED = "unchanged"
    """No query differs."""
    INCONCLUSIVE = "inconclusive"
    """Fewer than six queries differ, so that no result could be significant."""
    NO_DIFFERENCE = "no significant difference"
    BETTER = "better"
    WORSE = "worse"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedMetric:
    """A metric of two systems over the same queries."""

    metric: str
    unit: str = ""
    less_is_better: bool = False
    before: float
    after: float
    difference: float
    """After minus before."""
    low: float | None = None
    """Lower end of the 95 % interval; null if fewer than six queries differ, or all differ alike."""
    high: float | None = None
    p: float
    """The p value of the randomization test, as if this were the only comparison."""
    holm: float | None = None
    """The p value of the first metric, adjusted by Holm's rule; null for one comparison."""
    exact: bool
    """True if every way to swap the systems was counted, false if some were drawn."""
    wins: int
    """The queries for which the second system is better."""
    losses: int
    ties: int
    effect: float | None = None
    """The difference divided by the standard deviation of the differences."""
    detectable: float | None = None
    """The smallest difference that queries like these would show in four of five comparisons."""
    estimated: bool = False
    """True if token counts behind it are estimates."""
    primary: bool = True
    """True for the first metric. The others are exploratory."""
    finding: Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class UnjudgedHit:
    """A result among the first ones of one system only that nobody has judged."""

    case: str
    query: str
    rank: int
    location: str
    side: str
    """`before` or `after`: the system that returned it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How alike the rankings are, whatever is relevant."""

    queries: int
    """The number of queries with rankings that were compared: at most 20,000."""
    same: int
    """The queries whose first ten results are the same, in the same order."""
    rbo: float
    overlap: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemErrors:
    """The queries that one system did not answer."""

    system: str
    count: int
    messages: tuple[tuple[str, int], ...]
    """The most frequent messages with their counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedPair:
    """A system compared with the first one."""

    before: str
    after: str
    queries: int
    """The number of compared queries."""
    left_out: int = 0
    """Queries that one of both was not run with, or with estimated judgments."""
    gone: int = 0
    """Queries without any target in today's documents."""
    metrics: tuple[ComparedMetric, ...] = ()
    """The first one decides."""
    primary: str = ""
    """The metric by which queries regressed or improved."""
    agreement: Agreement | None = None
    errors: tuple[SystemErrors, ...] = ()
    answered: tuple[ComparedMetric, ...] = ()
    """The metrics over the queries that both systems answered; empty without errors."""
    cases: tuple[CaseResult, ...] = ()
    """The queries that have a value in both: regressed, improved, then unchanged; the largest change first,
    and those with an error behind the others."""
    unjudged: tuple[UnjudgedHit, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def sides(self) -> tuple[str, str]:
        """Return short names of both."""
        if self.before.startswith(_BASELINE):
            return "baseline", "now"
        return (self.before, self.after) if self.before != self.after else ("before", "after")

    def changed(self, change: Change) -> list[CaseResult]:
        """Return the queries that regressed, improved or are unchanged."""
        return [case for case in self.cases if case.change is change]


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareReport:
    """Systems, runs or baselines, each compared with the first one."""

    version: int = VERSION
    suite: str
    pairs: tuple[ComparedPair, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ComparedRuns:
    """Two scored runs that a report is built from."""

    names: tuple[str, str]
    comparison: Comparison
    runs: tuple[Run, Run]
    notes: tuple[str, ...] = ()


# --- building --------------------------------------------------------------------------------------------


def compare_report(suite: str, cases: Sequence[Case], compared: Sequence[ComparedRuns]) -> CompareReport:
    """Build the report. The p values of the first metric are adjusted if several runs are compared."""
    adjusted: list[float | None] = [None] * len(compared)
    answered = adjusted
    if len(compared) > 1:
        adjusted = [*holm([first_p(one.comparison, one.comparison.shared) for one in compared])]
        answered = [*holm([first_p(one.comparison, one.comparison.answered) for one in compared])]
    pairs = (_pair(one, cases, *p) for one, *p in zip(compared, adjusted, answered, strict=True))
    return CompareReport(suite=suite, pairs=tuple(pairs))


def paired_metrics(comparison: Comparison) -> list[Metric]:
    """Return the metrics with a difference per query: no percentile, and no figure of the whole suite."""
    return [metric for metric in comparison.after.metrics if metric.statistic == "mean" and metric.paired]


def first_p(comparison: Comparison, mask: Bools) -> float:
    """Return the p value of the first metric; 1 if no query has a value in both runs."""
    for metric in paired_metrics(comparison)[:1]:
        if comparison.counted(metric.label, mask).any():
            return float(comparison.paired(metric.label, mask).p)
    return 1.0


def _pair(
    one: ComparedRuns, cases: Sequence[Case], adjusted: float | None, answered: float | None
) -> ComparedPair:
    comparison, shared = one.comparison, one.comparison.shared
    count, gone = int(shared.sum()), int(comparison.after.gone.sum())
    metrics = paired_metrics(comparison)
    alone = {metric.label: comparison.one_sided(metric.label, shared) for metric in metrics}
    first = next((one for one in metrics if one.unit != "ms" and not alone[one.label]), None)
    tops = _tops(one, 0 if first is None else first.needs_hits(DEPTH)) if count else []
    all_answered = bool(comparison.answered.sum() == shared.sum())
    return ComparedPair(
        before=one.names[0],
        after=one.names[1],
        queries=count,
        left_out=len(shared) - count - gone,
        gone=gone,
        metrics=tuple(_metrics(metrics, comparison, shared, adjusted)),
        primary="" if first is None else first.label,
        agreement=_agreement(tops) if tops else None,
        errors=() if all_answered else tuple(_errors(one)),
        answered=() if all_answered else tuple(_metrics(metrics, comparison, comparison.answered, answered)),
        cases=() if first is None else _cases(one, first, cases),
        unjudged=tuple(_unjudged(tops, cases, comparison)),
        notes=(
            *one.notes,
            *(token_notes(comparison.after) or token_notes(comparison.before)),
            *(f"{label} is not compared: it has a value for {one}" for label, one in alone.items() if one),
        ),
    )


def _metrics(
    metrics: Sequence[Metric], comparison: Comparison, mask: Bools, adjusted: float | None
) -> Iterator[ComparedMetric]:
    for at, metric in counted_steps(enumerate(metrics), "comparing metrics", len(metrics)):
        found = compared_metric(comparison, metric, mask, None if at else adjusted, primary=not at)
        if found is not None:
            yield found


def compared_metric(
    comparison: Comparison,
    metric: Metric,
    mask: Bools,
    adjusted: float | None = None,
    *,
    primary: bool = True,
) -> ComparedMetric | None:
    """Compare a metric over some queries; None if no query has a value in both, or one in one run only.

    Args:
        comparison: The two runs.
        metric: One of the metrics that they are scored by.
        mask: The queries.
        adjusted: The p value after Holm's rule.
        primary: Whether this is the metric that decides.
    """
    label, less = metric.label, metric.less_is_better
    rows = comparison.counted(label, mask)
    if not rows.any() or comparison.one_sided(label, mask):
        return None
    weights = comparison.after.weights[rows]
    before, after = (
        aggregate(one.columns[label].values[rows], weights, metric.statistic) or 0.0
        for one in (comparison.before, comparison.after)
    )
    result = comparison.paired(label, mask)
    # The changes of fewer than six queries do not show how the others would change.
    known = result.can_be_significant or not result.differing
    return ComparedMetric(
        metric=label,
        unit=metric.unit,
        less_is_better=less,
        before=before,
        after=after,
        difference=result.mean,
        low=result.low,
        high=result.high,
        p=result.p,
        holm=adjusted,
        exact=result.exact,
        wins=result.losses if less else result.wins,
        losses=result.wins if less else result.losses,
        ties=result.ties,
        effect=result.effect,
        detectable=result.detectable if known else None,
        estimated=any(one.rests_on_tokens(label) for one in (comparison.before, comparison.after)),
        primary=primary,
        finding=finding(result, result.p if adjusted is None else adjusted, less_is_better=less),
    )


def finding(result: PairedResult, p: float, *, less_is_better: bool = False) -> Finding:
    """Return what a test shows, with the p value that counts."""
    if not result.differing:
        return Finding.UNCHANGED
    if not result.can_be_significant:
        return Finding.INCONCLUSIVE
    if p > ALPHA:
        return Finding.NO_DIFFERENCE
    return Finding.BETTER if (result.mean > 0) is not less_is_better else Finding.WORSE


def _errors(one: ComparedRuns) -> Iterator[SystemErrors]:
    """Return the compared queries that each system did not answer, with its messages."""
    comparison, ends = one.comparison, [Answer.ERROR.value, Answer.TIMEOUT.value]
    for name, run, scores in zip(one.names, one.runs, (comparison.before, comparison.after), strict=True):
        queries = scores.queries.filter(scores.status.is_in(ends) & pl.Series(comparison.shared))
        texts = error_texts(run) if len(queries) else {}
        found = Counter(texts.get(query, "").partition("\n")[0] for query in queries)
        if found:
            most = tuple((text, count) for text, count in found.most_common(_MESSAGES) if text)
            yield SystemErrors(system=name, count=found.total(), messages=most)


def _tops(one: ComparedRuns, depth: int) -> list[tuple[str, list[str], list[str]]]:
    """Return the locations of the first results of both runs for each compared query."""
    queries = one.comparison.after.queries.filter(pl.Series(one.comparison.shared)).head(_AGREED).to_list()
    before, after = (
        {
            query: [hit.location or "(no location)" for hit in hits]
            for query, hits in read_hits(run, queries, max(depth, DEPTH)).items()
        }
        for run in one.runs
    )
    return [(query, before.get(query, []), after.get(query, [])) for query in queries]


def _agreement(tops: Sequence[tuple[str, list[str], list[str]]]) -> Agreement:
    both = [(old[:DEPTH], new[:DEPTH]) for _, old, new in tops]
    return Agreement(
        queries=len(both),
        same=sum(old == new for old, new in both),
        rbo=float(np.mean([rank_biased_overlap(old, new) for old, new in both])),
        overlap=float(np.mean([overlap(old, new, DEPTH) for old, new in both])),
    )


def _unjudged(
    tops: Sequence[tuple[str, list[str], list[str]]], cases: Sequence[Case], comparison: Comparison
) -> Iterator[UnjudgedHit]:
    """Return the unjudged results of the second system only, or of either if irrelevant ones are judged."""
    before, after = comparison.hits_before, comparison.hits_after
    by_name = {name: (old, new) for name, old, new in tops}
    for case in cases:
        if case.exhaustive or case.expect_empty or case.id not in by_name:
            continue
        old, new = by_name[case.id]
        for side, these, others, grades in (
            ("after", new, old, after.grades),
            ("before", old if after.knows_irrelevant else [], new, before.grades),
        ):
            for rank, location in enumerate(these, 1):
                if location not in others and (case.id, rank) not in grades:
                    yield UnjudgedHit(case=case.id, query=case.query, rank=rank, location=location, side=side)


def _cases(one: ComparedRuns, metric: Metric, cases: Sequence[Case]) -> tuple[CaseResult, ...]:
    """Return the compared queries, the largest change first within each kind of change."""
    comparison, by_id = one.comparison, {case.id: case for case in cases}
    label, queries = metric.label, comparison.after.queries.to_list()
    before, after = (scores.columns[label].values for scores in (comparison.before, comparison.after))
    gain = before - after if metric.less_is_better else after - before
    order = {Change.REGRESSED: 0, Change.IMPROVED: 1, Change.UNCHANGED: 2}

    def change(at: int) -> Change:
        if abs(gain[at]) <= _TIE:
            return Change.UNCHANGED
        return Change.IMPROVED if gain[at] > 0 else Change.REGRESSED

    rows = np.flatnonzero(comparison.counted(label, comparison.shared)).tolist()
    answered = comparison.answered
    rows.sort(key=lambda at: (order[change(at)], not answered[at], -abs(gain[at]), queries[at]))
    changed = {kind: [queries[at] for at in rows if change(at) is kind] for kind in order}
    known = {*changed[Change.REGRESSED][:DETAILED], *changed[Change.IMPROVED][:DETAILED]}
    hits = [read_hits(run, known, max(DEPTH, metric.needs_hits(DEPTH))) for run in one.runs]
    errors = [error_texts(run) for run in one.runs]
    found = []
    for at in rows:
        name = queries[at]
        case = by_id[name]
        old, new = (side.get(name, []) for side in hits)
        failed = [
            f"{system}: {texts[name].partition(chr(10))[0]}"
            for system, texts in zip(one.names, errors, strict=True)
            if name in texts
        ]
        found.append(
            CaseResult(
                name=name,
                query=case.query,
                where=short_where(case.where),
                state=CaseState.PASSED if answered[at] else CaseState.ERROR,
                change=change(at),
                error="; ".join(failed),
                values=values_at(comparison.after.columns, at),
                before=values_at(comparison.before.columns, at),
                rank=int(comparison.first_after[at]) or None,
                rank_before=int(comparison.first_before[at]) or None,
                returned=len(new) if name in known else DEPTH,
                targets=_targets(name, comparison) if name in known else (),
                hits=_hits(new, comparison.hits_after, {hit.identity: hit.rank for hit in reversed(old)}),
                hits_before=_hits(old, comparison.hits_before, {}),
                category=case.category or "",
                tags=tuple(sorted(case.tags)),
                filters=dict(case.filters),
                weight=case.weight,
            )
        )
    return tuple(found)


def _targets(name: str, comparison: Comparison) -> tuple[ShownTarget, ...]:
    before, after = comparison.hits_before.ranks, comparison.hits_after.ranks
    return tuple(
        ShownTarget(
            location=location_text(row["id"], row["path"], row["start"], row["end"]) or "answer",
            grade=float(row["grade"]),
            rank=after.get((name, int(row["target"]))),
            before=before.get((name, int(row["target"]))),
            group=row["group"] or "",
        )
        for row in comparison.hits_after.targets.get(name, ())
    )


def _hits(
    rows: Sequence[HitRow], judged: JudgedHits, before: Mapping[tuple[object, ...], int]
) -> tuple[ShownHit, ...]:
    return tuple(
        ShownHit(
            rank=row.rank,
            location=row.location or "",
            grade=judged.grades.get((row.query, row.rank)),
            targets=tuple(judged.reached.get((row.query, row.rank), ())),
            before=before.get(row.identity),
        )
        for row in rows
    )


# --- texts -----------------------------------------------------------------------------------------------


def measured_text(value: float, unit: str = "") -> str:
    """Write a value; a time that is not 0 is not written as 0."""
    return figure(value, unit) if unit == "ms" else value_text(value, unit)


def signed_text(value: float | None, unit: str = "") -> str:
    """Write a difference with its sign.

    >>> signed_text(-0.25), signed_text(12.0, "ms"), signed_text(None)
    ('−0.250', '+12.0 ms', '–')
    """
    return NOTHING if value is None else f"{'−' if value < 0 else '+'}{measured_text(abs(value), unit)}"


def interval_text(low: float | None, high: float | None, unit: str = "") -> str:
    """Write the 95 % interval of a difference.

    >>> interval_text(-0.25, 0.0), interval_text(None, None)
    ('−0.250 to +0.000', '–')
    """
    return (
        NOTHING if low is None or high is None else f"{signed_text(low, unit)} to {signed_text(high, unit)}"
    )


def p_text(p: float, *, exact: bool) -> str:
    """Write a p value, with ≈ if it is estimated.

    >>> p_text(0.25, exact=True), p_text(0.0412, exact=False), p_text(0.0001, exact=False)
    ('0.250', '≈0.041', '< 0.001')
    """
    if p < _SMALLEST_P:
        return f"< {_SMALLEST_P}"
    return f"{p:.3f}" if exact else f"≈{p:.3f}"


def finding_text(metric: ComparedMetric) -> str:
    """Return the finding of a metric: a significant difference is claimed for the first one only."""
    if metric.finding not in (Finding.BETTER, Finding.WORSE):
        return str(metric.finding)
    return f"significantly {metric.finding}" if metric.primary else f"{metric.finding} (secondary metric)"


def figures(metric: ComparedMetric) -> tuple[str, ...]:
    """Return before, after, difference, interval, p, wins, losses and ties as texts."""
    sign, unit = ESTIMATED if metric.estimated else "", metric.unit
    p = metric.p if metric.holm is None else metric.holm
    return (
        *(f"{sign}{measured_text(value, unit)}" for value in (metric.before, metric.after)),
        sign + signed_text(metric.difference, unit),
        interval_text(metric.low, metric.high, unit),
        p_text(p, exact=metric.exact),
        *(f"{count:,}" for count in (metric.wins, metric.losses, metric.ties)),
    )


def errors_text(pair: ComparedPair) -> Iterator[str]:
    """Return how many queries each system did not answer, with the most frequent messages."""
    for one in pair.errors:
        shown = "; ".join(f"{text[:120]} ({count:,})" for text, count in one.messages)
        ended = f"{one.count:,} of {many(pair.queries, 'query', 'queries')} ended in an error in {one.system}"
        yield f"{ended} and count as 0" + (f": {shown}" if shown else "")
