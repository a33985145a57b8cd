"""The report of a sample page: its verdicts, metrics, slices, probes and comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.gates.checks import CheckResult
from rankgate.model import Counts, ExitCode, Status
from rankgate.reports.comparison.rankings import MovedQuery, Unjudged
from rankgate.reports.comparison.report import ComparisonReport
from rankgate.reports.comparison.rows import ComparedNumbers, ComparedRow
from rankgate.reports.evaluation.probes import ProbeReport, ProbeRow
from rankgate.reports.evaluation.recommendations import Recommendation
from rankgate.reports.evaluation.report import EvaluationReport, KnownMiss
from rankgate.reports.evaluation.rows import Breakdown, MetricRow, SliceRow, VerdictRow
from rankgate.reports.evaluation.summary.causes import CauseKind, NextStep
from rankgate.reports.evaluation.summary.queries import QueryKind, QueryLine
from rankgate.reports.evaluation.summary.states import ReportState
from rankgate.reports.evaluation.summary.summary import Summary
from rankgate.reports.page.model import PageMetric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.reports.page.model import PageQuery
    from rankgate.reports.text.marks import Mark

METRICS = (
    PageMetric("ndcg@10", ""),
    PageMetric("rr", ""),
    PageMetric("hit@3", ""),
    PageMetric("r@10", ""),
)


def shown(values: Sequence[float | None]) -> tuple[str, ...]:
    """Write values for people."""
    return tuple("–" if value is None else f"{value:.3f}" for value in values)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _column(queries: Sequence[PageQuery], at: int, *, before: bool = False) -> list[float]:
    rows = [query.before.values if before and query.before else query.values for query in queries]
    return [row[at] or 0.0 for row in rows]


def slices(queries: Sequence[PageQuery]) -> Breakdown:
    names = list(dict.fromkeys(query.category for query in queries if query.category))
    rows = []
    for name in names:
        own = [query for query in queries if query.category == name]
        numbers = tuple(_mean(_column(own, at)) for at in range(len(METRICS)))
        rows.append(SliceRow(name, len(own), shown(numbers), "⚠️" if len(own) < 5 else "", numbers))
    note = "⚠️ too few queries (fewer than 5)" if any(row.mark for row in rows) else ""
    return Breakdown(tuple(metric.name for metric in METRICS), tuple(rows), note)


def _verdicts(queries: Sequence[PageQuery]) -> tuple[VerdictRow, ...]:
    ndcg, hit = _mean(_column(queries, 0)), _mean(_column(queries, 2))
    counts = Counts(len(queries))
    return (
        VerdictRow(
            "❌",
            Status.FAILED,
            "ndcg@10 >= 0.80",
            f"{ndcg:.3f}",
            f"{ndcg:.3f} < 0.80: 0.03 below the bar",
            "below the bar, over 48 queries",
            "search.yaml:3:5",
            ndcg,
            0.8,
            counts,
        ),
        VerdictRow(
            "✅",
            Status.PASSED,
            "hit@3 >= 70 %",
            f"{100 * hit:.1f} %",
            "passes",
            f"over {len(queries)} queries",
            "search.yaml:4:5",
            hit,
            0.7,
            counts,
        ),
        VerdictRow(
            "✅",
            Status.PASSED,
            "latency p95 <= 60 ms",
            "44.1 ms",
            "44.1 ms ≤ 60 ms",
            "over all answers",
            "search.yaml:5:5",
            44.1,
            60.0,
            counts,
        ),
        VerdictRow(
            "⚠️",
            Status.INCONCLUSIVE,
            "ndcg@10 >= baseline - 0.02",
            "−0.021",
            "the interval spans the bar",
            "95 % interval −0.061 to +0.019 spans the bar: too few queries to tell",
            "search.yaml:6:5",
            -0.021,
            -0.02,
            counts,
        ),
        VerdictRow(
            "✅",
            Status.PASSED,
            "scenarios = 100 %",
            "100.0 %",
            "all succeeded",
            "3 of 3 succeeded",
            "search.yaml:7:5",
            1.0,
            1.0,
            None,
        ),
    )


def report(queries: Sequence[PageQuery], *, compared: bool) -> EvaluationReport:
    short = [query for query in queries if query.mark != "✅"]
    known = [query for query in queries if query.ended == "known"]
    means = [_mean(_column(queries, at)) for at in range(len(METRICS))]
    return EvaluationReport(
        title="Command line docs",
        mark="❌",
        status=f"1 of 5 gates failed; {len(short)} of {len(queries):,} queries below the value of a gate",
        exit_code=ExitCode.GATE_FAILED,
        header=(("time", "2026-03-01 14:05 UTC"),),
        verdicts=_verdicts(queries),
        metrics=tuple(
            MetricRow(
                "❌" if not at else "✅" if at == 2 else "",
                metric.name,
                f"{mean:.3f}",
                Counts(len(queries)),
                f"{len(queries):,} queries",
                mean,
            )
            for at, (metric, mean) in enumerate(zip(METRICS, means, strict=True))
        ),
        slices=slices(queries),
        failures=(),
        known=tuple(
            KnownMiss(one.case, one.query, "2026-06-30", "synonyms are on the way", passes=False)
            for one in known
        ),
        cases=(),
        recommendations=(
            Recommendation(
                "5 queries expect parameters.md, of which the target is not returned for its own text",
                "Check that parameters.md is in the index that the system searches.",
                tuple(query.query for query in short[:3]),
                "and 2 more",
                "Asked for the text of parameters.md, the system does not return it in the top 100.",
                "costs 0.0412 of ndcg@10",
                "not-returned",
            ),
            Recommendation(
                "1 query has one letter wrong in a word, and with it right the target is found",
                "Fuzzy matching at distance 1 would reach these.",
                ("enviroment variable (enviroment → environment)",),
                "",
            ),
        ),
        provenance=(
            ("suite", f"Command line docs 3f9a1c20be77, {len(queries):,} queries"),
            ("corpus", "sdist click==8.3.2 0c41b9d2aa10"),
            ("system", "docs-search (http) 2.4.1"),
            ("run", "docs-search 91d0f4e2c6ab"),
            ("rankgate", "0.1.0"),
            ("python", "3.11.9"),
        ),
        notes=("3 targets are unreviewed",),
        timings=(("asking", "1.94 s"), ("scoring", "0.03 s"), ("comparing", "0.21 s")),
        probes=_probes(),
        comparison=_comparison(queries) if compared else None,
        system="docs-search",
        summary=_summary(queries),
    )


def _summary(queries: Sequence[PageQuery]) -> Summary:
    lost = [query for query in queries if query.before and query.targets[0].before and not query.values[1]]
    lines = tuple(
        QueryLine(
            QueryKind.LOST,
            query.query,
            query.case,
            query.where,
            was=query.targets[0].before,
            ranks=f"rank {query.targets[0].before} → not in the top 10",
            expected=query.targets[0].location,
            first=query.hits[0].location,
        )
        for query in lost
    )
    return Summary(
        state=ReportState.FAILED,
        cause=CauseKind.FAILED,
        headline=f"{len(lost)} queries no longer find their page",
        reason="1 of 5 gates failed: ndcg@10 is 0.697.",
        gates="1 of 5 gates failed",
        steps=(NextStep("see one", "rankgate query docs-search --case api-001"),),
        broken=lines[:100],
        broken_count=len(lost),
        lost_count=len(lost),
        fine=len(queries) - len(lost),
        changed="Compared with main: ndcg@10 down by 0.006 (no clear change).",
    )


def _probes() -> ProbeReport:
    def row(name: str, mark: Mark, *reasons: str, cost: str = "") -> ProbeRow:
        result = CheckResult.PASSED if mark == "✅" else CheckResult.FAILED
        return ProbeRow(
            name,
            mark,
            result,
            False,
            reasons,
            reasons[0] if reasons else "",
            cost=cost,
            file="search.yaml",
            line=212,
        )

    return ProbeReport(
        scenarios=(
            row(
                "find how options are declared, then the class behind them",
                "✅",
                cost="4 calls, ≈1,210 tokens (estimated)",
            ),
            row(
                "read the section on testing from its heading", "✅", cost="2 calls, ≈640 tokens (estimated)"
            ),
        ),
        invariants=(
            row("case does not matter", "✅"),
            row(
                "a trailing space changes nothing",
                "⚠️",
                "'progress bar ' finds docs/utils.md at rank 3, without the space at rank 1",
            ),
        ),
        succeeded="2 of 2 succeeded; tokens are estimated",
        held="1 of 2 hold",
    )


def _comparison(queries: Sequence[PageQuery]) -> ComparisonReport:
    rows = []
    for at, metric in enumerate(METRICS):
        then, now = _column(queries, at, before=True), _column(queries, at)
        apart = [after - before for before, after in zip(then, now, strict=True)]
        mean = _mean(apart)
        spread = 2 * (_mean([(one - mean) ** 2 for one in apart]) / max(1, len(apart))) ** 0.5
        worse, better = sum(one < 0 for one in apart), sum(one > 0 for one in apart)
        sure = abs(mean) > spread > 0
        numbers = ComparedNumbers(
            _mean(then), _mean(now), mean, mean - spread, mean + spread, 0.31, -0.1, 0.06
        )
        rows.append(
            ComparedRow(
                ("❌" if mean < 0 else "✅") if sure else "",
                metric.name,
                f"{_mean(then):.3f}",
                f"{_mean(now):.3f}",
                f"{mean:+.3f}".replace("-", "−"),
                f"{mean - spread:+.3f} to {mean + spread:+.3f}".replace("-", "−"),
                "0.31",
                worse,
                better,
                len(apart) - worse - better,
                f"{'worse' if mean < 0 else 'better'} (significant)" if sure else "no clear change",
                "0.060",
                numbers,
            )
        )
    moved = sorted(
        (query for query in queries if query.before and query.values[0] != query.before.values[0]),
        key=lambda query: (query.values[0] or 0) - ((query.before and query.before.values[0]) or 0),
    )
    shown = [*moved[:4], *moved[-3:]] if len(moved) > 7 else moved
    return ComparisonReport(
        "main (7c1e0d4)",
        "docs-search",
        f"{len(queries):,} queries in both",
        tuple(rows),
        "top 10 unchanged in 8 of 10 queries; RBO 0.860, overlap@10 0.910",
        tuple(
            MovedQuery(
                "❌" if query.before.differences[0].startswith("−") else "✅",
                query.case,
                query.query,
                query.before.shown[0],
                query.shown[0],
                query.before.differences[0],
                query.before.first,
                (),
            )
            for query in shown
            if query.before
        ),
        f"{len(moved) - len(shown)} more changed in ndcg@10" if len(moved) > len(shown) else "",
        tuple(Unjudged(query.case, query.query, 2, query.hits[1].location) for query in queries[:4]),
        (),
    )
