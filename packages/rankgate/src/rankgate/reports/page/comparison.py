"""Two kept pages compared: the later one, with the earlier as its baseline.

Each query keeps the figures that it was given then. Those whose text, facets or targets are others are left
out, so that what is shown as a change of the system is one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankgate.model.wording import many
from rankgate.reports.comparison.rankings import (
    AFTER,
    BEFORE,
    DEPTH,
    MovedDetails,
    MovedQuery,
    ScoredQuery,
    Unjudged,
    agreement,
    moved_queries,
)
from rankgate.reports.comparison.report import (
    ComparedRow,
    ComparisonReport,
    compared_row,
    finding,
    not_compared,
)
from rankgate.reports.comparison.unjudged import to_judge
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

    from rankgate.reports.page.model import PageMetric, PageQuery, PageSlice, ReportPage

_FACTS = {
    "corpus": "another corpus, whose lines may be others",
    "suite": "another suite",
    "k": "another depth, so that one may have more hits",
}
_TOLD = ("system", "time", "scored", "commit", "corpus", "k")


def compare_pages(before: ReportPage, after: ReportPage, names: tuple[str, str]) -> ReportPage:
    """Return the later page with the earlier one as what it is compared with."""
    columns = [_column(metric, before.metrics) for metric in after.metrics]
    old = {query.case: query for query in before.queries}
    queries = tuple(_query(old.get(query.case), query, columns, after.metrics) for query in after.queries)
    shared = [query for query in queries if query.before is not None]
    sides = None
    if after.top_grade is not None and before.top_grade is not None and shared:
        top = max(after.top_grade, before.top_grade)
        sides = PageSides([old[query.case] for query in shared], shared, top)
    rows: list[ComparedRow] = []
    refused: list[str] = []
    claimed = False
    for at, metric in enumerate(after.metrics):
        if metric.unit == "ms" or columns[at] is None:
            continue
        # The first metric decides, also where it is refused; what the others say is exploratory.
        exploratory, claimed = claimed, True
        if alone := _alone(at, shared):
            refused.append(not_compared(metric.name, alone))
        elif (row := _row(metric, at, shared, sides, exploratory=exploratory)) is not None:
            rows.append(row)
    words = f"{many(len(shared), 'query', 'queries')} compared"
    if left := len(queries) - len(shared):
        words += (
            f", {left:,} left out (not asked before, asked otherwise, or with other or estimated targets)"
        )
    unlike = [at for at in range(len(after.metrics)) if _alone(at, shared)]
    moved, more = _moved(after.metrics, shared, unlike)
    unjudged = tuple(_unjudged(shared, both=sides is not None))
    report = ComparisonReport(
        before=names[0],
        after=names[1],
        compared=words,
        rows=tuple(rows),
        agreement=agreement(
            [(_first(query.before.hits), _first(query.hits)) for query in shared if query.before]
        ),
        moved=moved,
        unmoved=more,
        unjudged=unjudged,
        comparable=to_judge((row.finding for row in rows), len(unjudged), ""),
        notes=(*_notes(before, after), *refused),
    )
    heat = _heat(after.metrics, queries, unlike)
    return replace(after, report=replace(after.report, comparison=report), queries=queries, heat=heat)


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
            first=went(_first_rank(before), _first_rank(after)),
            differences=differences(values, after.values, [metric.unit for metric in metrics]),
        ),
    )


def _first_rank(query: PageQuery) -> int:
    ranks = [target.rank for target in query.targets if target.rank is not None and target.mark == GOOD]
    return min(ranks, default=0)


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


def _row(
    metric: PageMetric,
    at: int,
    shared: Sequence[PageQuery],
    sides: PageSides | None,
    *,
    exploratory: bool,
) -> ComparedRow | None:
    rows = np.array([_both(query, at) is not None for query in shared], dtype=bool)
    counted = [(query, both) for query in shared if (both := _both(query, at)) is not None]
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
    effect = None if sides is None else sides.effect(metric, rows)
    doubt = effect, metric.unit
    found = finding(result, result.p, _worse(metric), 1, exploratory=exploratory, doubt=doubt)
    return compared_row((metric.name, metric.unit, metric.less), means, result, found, result.p, effect)


def _worse(metric: PageMetric) -> float:
    return 1.0 if metric.less else -1.0


def _moved(
    metrics: Sequence[PageMetric], shared: Sequence[PageQuery], unlike: Sequence[int]
) -> tuple[tuple[MovedQuery, ...], str]:
    at = next((at for at, one in enumerate(metrics) if one.unit != "ms" and at not in unlike), None)
    if at is None:
        return (), ""
    metric = metrics[at]

    def tell(number: int) -> MovedDetails:
        query = shared[number]
        first, old = (query.before.first, query.before.hits) if query.before else ("", ())
        before, after = ([(hit.location, hit.mark) for hit in hits] for hits in (old, query.hits))
        return MovedDetails(query.query, first, before, after)

    scored = [
        ScoredQuery(number, query.case, *both)
        for number, query in enumerate(shared)
        if (both := _both(query, at)) is not None
    ]
    return moved_queries((metric.name, metric.unit), _worse(metric), scored, tell)


def _notes(before: ReportPage, after: ReportPage) -> list[str]:
    """Return what else differs between the two than the answers."""
    facts = [dict(page.report.provenance) for page in (before, after)]
    said = [
        f"the two have {words}: {facts[0].get(name, 'none')} and {facts[1].get(name, 'none')}"
        for name, words in _FACTS.items()
        if facts[0].get(name) != facts[1].get(name)
    ]
    told = [
        f"{when}: " + ", ".join(f"{name} {fact}" for name in _TOLD if (fact := _facts(page).get(name)))
        for when, page in (("before", before), ("after", after))
    ]
    return [*said, *told, "latency is not compared: the two were not asked in turn"]


def _facts(page: ReportPage) -> dict[str, str]:
    return {**dict(page.report.header), **dict(page.report.provenance)}
