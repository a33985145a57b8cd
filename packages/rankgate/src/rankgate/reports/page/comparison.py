"""Two kept pages compared: the later one, with the earlier as its baseline.

Each query keeps the figures that it was given then. Those whose text, facets or targets are others are left
out, so that what is shown as a change of the system is one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankgate.model.wording import many
from rankgate.reports.comparison.errored import ENDS, ErroredQueries, errored_words
from rankgate.reports.comparison.rankings import (
    AFTER,
    BEFORE,
    DEPTH,
    MovedDetails,
    ScoredQuery,
    Unjudged,
    agreement,
)
from rankgate.reports.comparison.report import Claims, ComparisonReport, not_compared, with_queries
from rankgate.reports.comparison.rows import compared_row
from rankgate.reports.comparison.transitions import FirstRanks, transitions_of
from rankgate.reports.comparison.unjudged import to_judge
from rankgate.reports.comparison.wording import finding
from rankgate.reports.page.figures import differences
from rankgate.reports.page.heat import HeatFigures, heat_of
from rankgate.reports.page.model import PageBefore, PageHit
from rankgate.reports.page.unjudged import PageSides
from rankgate.reports.text.marks import ESTIMATED, GOOD, moved_from, went
from rankgate.scoring.comparison import SEED
from rankgate.scoring.matches import Column
from rankgate.scoring.metric import aggregate
from rankgate.scoring.paired.compare import compare_paired

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.reports.comparison.rows import ComparedRow
    from rankgate.reports.page.model import PageMetric, PageQuery, PageSlice, PageTarget, ReportPage
    from rankgate.scoring.matches import Bools

_FACTS = {
    "corpus": "the documents changed since the baseline was set",
    "suite": "another suite",
    "k": "another depth, so that one may have more hits",
}
_TOLD = ("system", "time", "scored", "commit", "corpus", "k")


def compare_pages(
    before: ReportPage,
    after: ReportPage,
    names: tuple[str, str],
    claims: Claims = Claims(),  # noqa: B008 - frozen
) -> ReportPage:
    """Return the later page with the earlier one as what it is compared with."""
    columns = [_column(metric, before.metrics) for metric in after.metrics]
    old = {query.case: query for query in before.queries}
    queries = tuple(_query(old.get(query.case), query, columns, after.metrics) for query in after.queries)
    shared = [query for query in queries if query.before is not None]
    sides = None
    if after.top_grade is not None and before.top_grade is not None and shared:
        top = max(after.top_grade, before.top_grade)
        sides = PageSides([old[query.case] for query in shared], shared, top)
    measured = [at for at, one in enumerate(after.metrics) if one.unit != "ms" and columns[at] is not None]
    unlike = {at: alone for at in range(len(after.metrics)) if (alone := _alone(at, shared))}
    compared = _Compared(after.metrics, measured, tuple(unlike), shared, sides)
    everything = np.ones(len(shared), dtype=bool)
    rows = compared.rows(everything, claims.number, claims.p)
    words = f"{many(len(shared), 'query', 'queries')} compared"
    if left := len(queries) - len(shared):
        words += (
            f", {left:,} left out (not asked before, asked otherwise, or with other or estimated targets)"
        )
    unjudged = tuple(_unjudged(shared, both=sides is not None))
    ended = tuple(Counter(_messages(side)) for side in ([old[query.case] for query in shared], shared))
    answered = np.array([_answered(old[query.case]) and _answered(query) for query in shared], dtype=bool)
    errors = None
    if not answered.all():
        without = compared.rows(answered, claims.number, claims.answered)
        said = errored_words(names, (ended[0], ended[1]), len(shared))
        errors = ErroredQueries(said, ended[0].total(), ended[1].total(), without)
    first = [(first_rank(old[query.case]), first_rank(query)) for query in shared]
    ranks = [
        FirstRanks(query.case, *both, not kept)
        for query, both, kept in zip(shared, first, answered.tolist(), strict=True)
        if any(_relevant(target) for target in query.targets)
    ]
    report = ComparisonReport(
        before=names[0],
        after=names[1],
        compared=words,
        rows=rows,
        agreement=agreement(
            [(_first(query.before.hits), _first(query.hits)) for query in shared if query.before]
        ),
        unjudged=unjudged,
        comparable=to_judge((row.finding for row in rows), len(unjudged), ""),
        notes=(
            *_notes(before, after, names),
            *(not_compared(after.metrics[at].name, unlike[at]) for at in measured if at in unlike),
        ),
        transitions=transitions_of(ranks),
        errors=errors,
    )
    report = _with_queries(report, compared, first, answered)
    heat = _heat(after.metrics, queries, compared.unlike)
    return replace(after, report=replace(after.report, comparison=report), queries=queries, heat=heat)


@dataclass(frozen=True, slots=True)
class _Compared:
    """The queries that two pages have in common."""

    metrics: Sequence[PageMetric]
    """The columns of the later page."""
    measured: Sequence[int]
    """Those that both have and that are compared."""
    unlike: Sequence[int]
    """Those that some queries have a value of on one side alone."""
    shared: Sequence[PageQuery]
    """The queries."""
    sides: PageSides | None
    """The unjudged hits of both."""

    def rows(self, mask: Bools, claims: int, adjusted: float | None) -> tuple[ComparedRow, ...]:
        """Compare every metric over some queries; the first decides, also where it is refused."""
        found = (
            self._row(at, mask, claims, None if number else adjusted, exploratory=number > 0)
            for number, at in enumerate(self.measured)
            if at not in self.unlike
        )
        return tuple(row for row in found if row is not None)

    def _row(
        self, at: int, mask: Bools, claims: int, adjusted: float | None, *, exploratory: bool
    ) -> ComparedRow | None:
        metric, values = self.metrics[at], [_both(query, at) for query in self.shared]
        rows = mask & np.array([both is not None for both in values], dtype=bool)
        counted = [
            (query, both)
            for query, both, wanted in zip(self.shared, values, mask.tolist(), strict=True)
            if wanted and both is not None
        ]
        if not counted:
            return None
        weights = np.array([query.weight for query, _ in counted])
        before, after = (np.array([both[side] for _, both in counted]) for side in (0, 1))
        result = compare_paired(
            after - before,
            weights,
            [f"group {query.group}" if query.group else f"query {query.case}" for query, _ in counted],
            seed=SEED,
            scale=metric.scale,
        )
        means = (aggregate(before, weights, "mean") or 0.0, aggregate(after, weights, "mean") or 0.0)
        effect = None if self.sides is None else self.sides.effect(metric, rows)
        p, doubt = result.p if adjusted is None else adjusted, (effect, metric.unit)
        found = finding(result, p, _worse(metric), claims, exploratory=exploratory, doubt=doubt)
        return compared_row((metric.name, metric.unit, metric.less), means, result, found, p, effect)


def _answered(query: PageQuery) -> bool:
    return query.ended not in ENDS


def _messages(queries: Sequence[PageQuery]) -> list[str]:
    """Return why each query that was not answered was not."""
    return [next(iter(query.reasons), "") for query in queries if not _answered(query)]


def _column(metric: PageMetric, known: Sequence[PageMetric]) -> int | None:
    return next(
        (at for at, one in enumerate(known) if (one.name, one.unit) == (metric.name, metric.unit)), None
    )


def _same(before: PageQuery, after: PageQuery) -> bool:
    """Return whether the two were asked the same and should find the same."""
    asked = [
        (one.query, one.filters, {(target.location, target.grade) for target in one.targets})
        for one in (before, after)
    ]
    # An estimated label has no grade: it was made of the texts of its own run.
    return asked[0] == asked[1] and all(target.grade for target in after.targets)


def _query(
    before: PageQuery | None, after: PageQuery, columns: Sequence[int | None], metrics: Sequence[PageMetric]
) -> PageQuery:
    if before is None or not _same(before, after):
        bare = tuple(replace(hit, move="") for hit in after.hits)
        return replace(after, before=None, hits=bare)
    old = [hit.location for hit in before.hits]
    values = tuple(
        before.values[at] if at is not None and at < len(before.values) else None for at in columns
    )
    shown = tuple(before.shown[at] if at is not None and at < len(before.shown) else "" for at in columns)
    ranks = {(target.location, target.grade): target.rank for target in before.targets}
    return replace(
        after,
        hits=tuple(
            replace(hit, move=moved_from(hit.location, rank, old)) for rank, hit in enumerate(after.hits, 1)
        ),
        targets=tuple(
            replace(target, before=ranks.get((target.location, target.grade))) for target in after.targets
        ),
        before=PageBefore(
            values=values,
            shown=shown,
            hits=tuple(PageHit(hit.location, hit.mark) for hit in before.hits),
            first=went(first_rank(before), first_rank(after)),
            differences=differences(values, after.values, [metric.unit for metric in metrics]),
        ),
    )


def first_rank(query: PageQuery) -> int:
    """Return the rank of the first relevant hit of a query; 0 where there is none."""
    ranks = [target.rank for target in query.targets if target.rank is not None and target.mark == GOOD]
    return min(ranks, default=0)


def _relevant(target: PageTarget) -> bool:
    return not target.grade.startswith("-") and target.grade.strip("0.") != ""


def _first(hits: Sequence[PageHit]) -> list[str]:
    return [hit.location for hit in hits[:DEPTH]]


def _both(query: PageQuery, at: int) -> tuple[float, float] | None:
    """Return the value of a metric before and after, where both have one."""
    if query.before is None or at >= len(query.values) or at >= len(query.before.values):
        return None
    was, now = query.before.values[at], query.values[at]
    return None if was is None or now is None else (was, now)


def _unjudged(shared: Sequence[PageQuery], *, both: bool) -> Iterator[Unjudged]:
    """List what only one page has among the first hits and nobody has judged; of the later, or of both."""
    for query in shared:
        old = query.before.hits if query.before else ()
        for side, these, others in ((AFTER, query.hits, old), (BEFORE, old if both else (), query.hits)):
            known = {hit.location for hit in others[:DEPTH]}
            for rank, hit in enumerate(these[:DEPTH], 1):
                if hit.location not in known and not hit.mark:
                    yield Unjudged(query.case, query.query, rank, hit.location, side)


def _alone(at: int, shared: Sequence[PageQuery]) -> str:
    """Return how many queries have a value on one side alone, in words; empty where none has."""
    counts = {"before alone": 0, "after alone": 0}
    for query in shared:
        was, now = (values[at] if at < len(values) else None for values in (_before(query), query.values))
        if (was is None) != (now is None):
            counts["after alone" if was is None else "before alone"] += 1
    return ", ".join(f"{many(count, 'query', 'queries')} {when}" for when, count in counts.items() if count)


def _before(query: PageQuery) -> tuple[float | None, ...]:
    return query.before.values if query.before else ()


def _heat(
    metrics: Sequence[PageMetric], queries: Sequence[PageQuery], unlike: Sequence[int]
) -> tuple[PageSlice, ...]:
    """Work the slices out of the queries of a page, with what has changed against the other page."""
    cases = pl.DataFrame(
        {
            "category": [query.category or None for query in queries],
            "group": [query.group or None for query in queries],
            "tags": [list(query.tags) for query in queries],
        },
        schema={"category": pl.String, "group": pl.String, "tags": pl.List(pl.String)},
    )
    figures = []
    for at, metric in enumerate(metrics):
        before = None if at in unlike else _values([_before(query) for query in queries], at)
        estimated = np.array([at < len(one.shown) and one.shown[at].startswith(ESTIMATED) for one in queries])
        now = _values([query.values for query in queries], at)
        figures.append(HeatFigures(metric, now, before, estimated.astype(bool)))
    return heat_of(cases, np.array([query.weight for query in queries]), figures)


def _values(rows: Sequence[tuple[float | None, ...]], at: int) -> Column:
    found = [row[at] if at < len(row) else None for row in rows]
    values = np.array([np.nan if value is None else value for value in found], dtype=np.float64)
    return Column(np.nan_to_num(values), ~np.isnan(values))


def _worse(metric: PageMetric) -> float:
    return 1.0 if metric.less else -1.0


def _with_queries(
    report: ComparisonReport, compared: _Compared, first: Sequence[tuple[int, int]], answered: Bools
) -> ComparisonReport:
    shared = compared.shared
    usable = (at for at, one in enumerate(compared.metrics) if one.unit != "ms" and at not in compared.unlike)
    at = next(usable, None)
    if at is None:
        return report
    metric = compared.metrics[at]

    def tell(number: int) -> MovedDetails:
        query = shared[number]
        went_to, old = (query.before.first, query.before.hits) if query.before else ("", ())
        before, after = ([(hit.location, hit.mark) for hit in hits] for hits in (old, query.hits))
        return MovedDetails(query.query, went_to, before, after)

    scored = [
        ScoredQuery(number, query.case, *both, query.weight, first[number], not answered[number])
        for number, query in enumerate(shared)
        if (both := _both(query, at)) is not None
    ]
    return with_queries(report, (metric.name, metric.unit), _worse(metric), scored, tell)


def _notes(before: ReportPage, after: ReportPage, names: tuple[str, str]) -> list[str]:
    """Return what else differs between the two than the answers."""
    facts = [dict(page.report.provenance) for page in (before, after)]
    said = [
        f"the two have {words}: {facts[0].get(name, 'none')} and {facts[1].get(name, 'none')}"
        for name, words in _FACTS.items()
        if facts[0].get(name) != facts[1].get(name)
    ]
    told = [
        f"{named}: " + ", ".join(f"{name} {fact}" for name in _TOLD if (fact := _facts(page).get(name)))
        for named, page in zip(names, (before, after), strict=True)
    ]
    return [*said, *told, "latency is not compared: the two were not asked in turn"]


def _facts(page: ReportPage) -> dict[str, str]:
    return {**dict(page.report.header), **dict(page.report.provenance)}
