"""Small reports, made by hand, one per way in which a test can end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rankgate.report import (
    CaseResult,
    CaseState,
    Change,
    ComparisonResult,
    GateResult,
    GateState,
    KnownMiss,
    MetricResult,
    NotGating,
    ProbeReport,
    Recommendation,
    Report,
    ShownCheck,
    ShownHit,
    ShownTarget,
    SliceResult,
    State,
)

FILES = {"report": ".rankgate/report.html"}
QUERIES = ("rotate an API key", "undo a deploy", "export invoices", "retry failed webhooks")


def passed_case(number: int, **fields: Any) -> CaseResult:
    """Return a case with its target at rank 1, as in the baseline."""
    hit = ShownHit(rank=1, location=f"docs/{number}.md:1-9", title="Page", targets=(0,), grade=1.0, before=1)
    case = CaseResult(
        name=f"query-{number}",
        query=f"query {number}",
        where=f"search.yaml:{number + 5}",
        change=Change.UNCHANGED,
        values={"ndcg@10": 1.0},
        before={"ndcg@10": 1.0},
        rank=1,
        rank_before=1,
        returned=1,
        targets=(ShownTarget(location=f"docs/{number}.md", rank=1, before=1),),
        hits=(hit,),
    )
    return replace(case, **fields)


def regressed_case(number: int = 0, **fields: Any) -> CaseResult:
    """Return a case with its target at rank 1 in the baseline, and at rank 4 now."""
    hits = (
        ShownHit(rank=1, location="billing/keys.md:3-9", title="License keys"),
        ShownHit(rank=2, location="auth/tokens.md:1-8", title="Tokens", before=2),
        ShownHit(rank=3, location="auth/roles.md:1-8", title="Roles", before=4),
        ShownHit(rank=4, location="auth/keys.md:10-24", title="Rotation", targets=(0,), grade=1.0, before=1),
    )
    before = (
        ShownHit(rank=1, location="auth/keys.md:10-24", title="Rotation", targets=(0,), grade=1.0),
        ShownHit(rank=2, location="auth/tokens.md:1-8", title="Tokens"),
        ShownHit(rank=3, location="auth/old.md:1-8", title="Old keys"),
        ShownHit(rank=4, location="auth/roles.md:1-8", title="Roles"),
    )
    query = QUERIES[number] if number < len(QUERIES) else f"question {number}"
    case = CaseResult(
        name=query.lower().replace(" ", "-"),
        query=query,
        where=f"search.yaml:{number + 14}",
        change=Change.REGRESSED,
        values={"ndcg@10": 0.431},
        before={"ndcg@10": 1.0},
        rank=4,
        rank_before=1,
        returned=4,
        targets=(ShownTarget(location="auth/keys.md:10-24", title="Rotation", rank=4, before=1),),
        hits=hits,
        hits_before=before,
    )
    return replace(case, **fields)


def green(count: int = 20, **fields: Any) -> Report:
    """Return a test that passed, with a baseline and nothing to see."""
    report = Report(
        suite="search",
        system="app:search",
        path="search.yaml",
        state=State.PASSED,
        exit_code=0,
        primary="ndcg@10",
        total=count,
        metrics=(MetricResult(metric="ndcg@10", value=0.812, before=0.809, count=count),),
        gates=(
            GateResult(
                gate="drop(ndcg@10) <= 0.01",
                state=GateState.PASSED,
                text="drop(ndcg@10) = -0.003 (at most 0.01)",
                value=-0.003,
                threshold=0.01,
                count=count,
                where="search.yaml:3",
            ),
        ),
        cases=tuple(passed_case(number) for number in range(count)),
        comparison=ComparisonResult(name="baseline", unchanged=count),
        seconds=2.41,
        files=FILES,
    )
    return replace(report, **fields)


def with_regressed(count: int = 3) -> Report:
    """Return a test that passed with regressed queries."""
    changed = tuple(regressed_case(number) for number in range(count))
    rest = tuple(passed_case(number) for number in range(20 - count))
    return green(
        cases=(*changed, *rest),
        attention=tuple(case.name for case in changed),
        comparison=ComparisonResult(name="baseline", regressed=count, unchanged=20 - count),
    )


def red() -> Report:
    """Return a test that failed because one query of 20 regressed."""
    case = regressed_case(
        state=CaseState.FAILED,
        rank=None,
        reasons=("lost@10 = 1 (required: 0)", "never: billing/keys.md: rank 1"),
    )
    case = replace(
        case, targets=(replace(case.targets[0], rank=None),), hits=case.hits[:3], values={"ndcg@10": 0.0}
    )
    gates = (
        GateResult(
            gate="drop(ndcg@10) <= 0.02",
            state=GateState.FAILED,
            text="drop(ndcg@10) = 0.050 (at most 0.02)",
            value=0.05,
            threshold=0.02,
            count=20,
            queries=(case.name,),
            where="search.yaml:3",
        ),
        GateResult(
            gate="lost@10 = 0",
            state=GateState.FAILED,
            text="lost@10 = 1 (required: 0)",
            value=1.0,
            unit="count",
            threshold=0.0,
            count=20,
            queries=(case.name,),
            default=True,
        ),
    )
    return green(
        state=State.FAILED,
        exit_code=1,
        causes=("failed",),
        cases=(case, *(passed_case(number, category="how") for number in range(19))),
        attention=(case.name,),
        gates=gates,
        metrics=(MetricResult(metric="ndcg@10", value=0.762, before=0.812, count=20),),
        comparison=ComparisonResult(name="baseline", regressed=1, unchanged=19),
        next=("rankgate query app:search --case rotate-an-api-key --explain",),
        slices=(
            SliceResult(
                key="category",
                name="how",
                count=19,
                values={"ndcg@10": 0.9},
                before={"ndcg@10": 0.9},
            ),
        ),
        recommendations=(
            Recommendation(
                fact="1 query returns the right document, but other lines.",
                action="Check the size of the chunks.",
                queries=(case.name,),
            ),
        ),
        notes=("2 results without a location were dropped",),
        provenance={"rankgate": "0.3.0", "commit": "1a2b3c"},
        time="2026-11-19T15:00:00Z",
    )


def no_gates() -> Report:
    """Return a first test: no gate and no baseline."""
    cases = tuple(passed_case(number, change=None, before={}, rank_before=None) for number in range(20))
    return green(
        state=State.NO_GATES,
        gates=(),
        cases=cases,
        comparison=None,
        metrics=(MetricResult(metric="ndcg@10", value=0.684, count=20),),
        next=("rankgate baseline set",),
    )


def level_failed() -> Report:
    """Return a test without a baseline, with a level that is not reached."""
    low = regressed_case(change=None, before={}, rank_before=None, hits_before=())
    low = replace(low, targets=(replace(low.targets[0], before=None),))
    gate = GateResult(
        gate="ndcg@10 >= 0.8",
        state=GateState.FAILED,
        text="ndcg@10 = 0.684 (at least 0.8)",
        value=0.684,
        threshold=0.8,
        goal=0.9,
        count=20,
        queries=(low.name,),
        where="search.yaml:3",
    )
    report = no_gates()
    return replace(
        report,
        state=State.FAILED,
        exit_code=1,
        causes=("failed",),
        gates=(gate,),
        cases=(low, *report.cases[1:]),
        next=("rankgate query app:search --case rotate-an-api-key --explain",),
    )


def missing_targets() -> Report:
    """Return a test with two missing targets and a failed gate: exit code 2."""
    report = red()
    gone = ShownTarget(location="auth/gone.md#Keys", missing="Its text is not in the documents.")
    cases = [
        replace(case, targets=(*case.targets, gone)) if at in (1, 2) else case
        for at, case in enumerate(report.cases)
    ]
    return replace(
        report,
        state=State.INVALID,
        exit_code=2,
        causes=("2 missing targets", "failed"),
        problems=tuple(
            f"search.yaml:{line}: the target 'auth/gone.md#Keys' is not in the documents: its text is gone."
            for line in (5, 6)
        ),
        cases=tuple(cases),
        next=("rankgate suite fix",),
    )


def unlocated() -> Report:
    """Return a test whose hits could not be located: exit code 3."""
    return green(
        state=State.SYSTEM_FAILED,
        exit_code=3,
        causes=("hits could not be located",),
        problems=(
            "38 of 40 results look like pages of a site: /keys/#rotation → keys.md#rotation",
            "add to search.yaml:\n  map: pages",
        ),
        gates=(),
        comparison=None,
    )


def system_failed() -> Report:
    """Return a test with a query that ended in an error."""
    case = passed_case(0, state=CaseState.ERROR, error="time-out after 30 s", hits=(), returned=0, rank=None)
    report = green(
        state=State.SYSTEM_FAILED,
        exit_code=3,
        causes=("the system failed on 1 of 20 queries",),
        attention=("query-0",),
    )
    return replace(report, cases=(case, *report.cases[1:]))


def inconclusive() -> Report:
    """Return a test with an inconclusive gate: exit code 4."""
    gate = GateResult(
        gate="drop(ndcg@10) <= 0.01",
        state=GateState.INCONCLUSIVE,
        text="drop(ndcg@10) = 0.001 (at most 0.01)",
        reason="8 results of the baseline can't be located in the documents.",
        count=20,
    )
    return green(state=State.INCONCLUSIVE, exit_code=4, causes=("inconclusive",), gates=(gate,))


def selection() -> Report:
    """Return a test of 2 of 20 queries."""
    report = green(2, total=20, selected=2)
    return replace(
        report,
        gates=(
            replace(
                report.gates[0],
                state=GateState.NOT_ENFORCED,
                reason="Only some queries of the suite were run.",
            ),
        ),
    )


def pooled() -> Report:
    """Return a failed test of a pooled suite, with unknown queries."""
    unknown = regressed_case(change=Change.UNKNOWN, unjudged=8, top=10)
    report = red()
    return replace(
        report,
        total=20_000,
        cases=(unknown, *report.cases[1:]),
        comparison=ComparisonResult(name="baseline", regressed=412, unknown=371, unchanged=19_588),
        next=("rankgate judge --changed 50",),
    )


def everything() -> Report:
    """Return a green test with every fact that must be seen."""
    known = KnownMiss(reason="no synonyms yet", until="2027-01-31")
    return green(
        metrics=(
            MetricResult(metric="ndcg@10", value=0.812, before=0.809, count=17, new=0.631, new_count=2),
            MetricResult(metric="latency.p95", value=142.31, unit="ms", count=19, less_is_better=True),
        ),
        cases=(
            regressed_case(),
            passed_case(1, known=known, state=CaseState.FAILED, change=None),
            passed_case(2, known=replace(known, passes=True), change=None),
            passed_case(3, state=CaseState.ERROR, error="time-out", hits=(), returned=0, rank=None),
            passed_case(4, change=Change.NEW),
            passed_case(5, change=Change.NEW),
            passed_case(6, change=Change.IMPROVED, rank_before=3),
            passed_case(
                7, checks=(ShownCheck(check="top: docs/7.md within 3", passed=True, found="rank 1"),)
            ),
            *(passed_case(number, tags=("x",), filters={"lang": "en"}) for number in range(8, 20)),
        ),
        attention=("query-3", "rotate-an-api-key"),
        comparison=ComparisonResult(
            name="baseline",
            regressed=1,
            improved=1,
            unchanged=14,
            new=("query-4", "query-5"),
            removed=("old query", "older query"),
            unstable=("query-9",),
            unlocated=2,
            length=54.2,
        ),
        scenarios=(ProbeReport(name="browse", state=CaseState.PASSED, calls=3),),
        invariants=(
            ProbeReport(name="typing errors", state=CaseState.FAILED, reasons=("2 differ",), known=known),
        ),
        not_gating=(NotGating(metric="ndcg@10", value=0.61, count=40, sources=("estimated",)),),
        moved=(("keys.md#Rotation", "keys.md#Rotate a key"),),
    )


def not_tested() -> Report:
    """Return a test that was skipped."""
    return Report(
        suite="search",
        system="app:search",
        state=State.NOT_TESTED,
        exit_code=0,
        causes=("needs EMBEDDING_KEY",),
    )


def crashed() -> Report:
    """Return a test in which rankgate crashed."""
    return Report(
        suite="search",
        system="app:search",
        state=State.CRASHED,
        exit_code=70,
        causes=("rankgate crashed",),
        problems=("KeyError: 'x'. Report it at https://example.com/issues.",),
    )


def every_report() -> dict[str, Report]:
    """Return all of these reports by name."""
    return {
        make.__name__: make()
        for make in (
            green,
            with_regressed,
            red,
            no_gates,
            level_failed,
            missing_targets,
            unlocated,
            system_failed,
            inconclusive,
            selection,
            pooled,
            everything,
            not_tested,
            crashed,
        )
    }
