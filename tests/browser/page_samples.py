"""Pages made by hand: usual ones, and what a page must bear."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import accumulate
from random import Random
from typing import TYPE_CHECKING

from rankgate.gates.checks import CheckResult
from rankgate.model import Counts, ExitCode, Status
from rankgate.reports.breakdown import Breakdown, SliceRow
from rankgate.reports.comparison import (
    ComparedNumbers,
    ComparedRow,
    ComparisonReport,
    MovedQuery,
    Unjudged,
)
from rankgate.reports.evaluation import EvaluationReport, KnownMiss, MetricRow, VerdictRow
from rankgate.reports.page.model import (
    Latency,
    Page,
    PageBefore,
    PageHit,
    PageMetric,
    PageQuery,
    PageTarget,
    PageText,
)
from rankgate.reports.probes import ProbeReport, ProbeRow
from rankgate.reports.recommendations import Recommendation
from rankgate.reports.typed_json import Block
from sample_words import CATEGORIES, FILES, QUERIES, SNIPPETS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.reports.failures import Mark, Unmarked

METRICS = (
    PageMetric("ndcg@10", ""),
    PageMetric("rr", ""),
    PageMetric("hit@3", ""),
    PageMetric("r@10", ""),
)
DEPTH = 8


def texts() -> tuple[PageText, ...]:
    """Give some texts in colour."""
    from pygments.lexers import PythonLexer
    from pygments.token import Comment, Keyword, Name, Number, String

    kinds = {Keyword: "k", String: "s", Comment: "c", Number: "d", Name.Function: "n", Name.Class: "n"}
    found = []
    for first, text in SNIPPETS:
        tokens = []
        for kind, part in PythonLexer(stripnl=False).get_tokens(text):
            name = next((letter for parent, letter in kinds.items() if kind in parent), "")
            if tokens and tokens[-1][1] == name:
                tokens[-1] = (tokens[-1][0] + len(part), name)
            else:
                tokens.append((len(part), name))
        found.append(PageText(Block(text), first, tuple(tokens)))
    return tuple(found)


def _hit(drawn: Random, place: str, mark: Mark | Unmarked, at: int, move: str = "") -> PageHit:
    number = drawn.randrange(len(SNIPPETS))
    first, text = SNIPPETS[number]
    lines = text.count("\n")
    marked = ((first + 2, first + min(6, lines)),) if mark == "✅" else ()
    return PageHit(
        place=f"{place}:{first}-{first + lines}",
        mark=mark,
        grade="2" if mark == "✅" else "",
        targets=(0,) if mark == "✅" else (),
        score=f"{14.2 - 1.3 * at:.2f}",
        text=number,
        marked=marked,
        move=move,
    )


def _values(rank: int | None) -> tuple[float | None, ...]:
    if rank is None:
        return (0.0, 0.0, 0.0, 0.0)
    return (1 / math.log2(rank + 1), 1 / rank, float(rank <= 3), 1.0)


def _shown(values: Sequence[float | None]) -> tuple[str, ...]:
    return tuple("–" if value is None else f"{value:.3f}" for value in values)


def _ranking(drawn: Random, right: str, rank: int | None, pool: Sequence[str]) -> list[tuple[str, str]]:
    others = [place for place in pool if place != right][:DEPTH]
    places = others[: DEPTH if rank is None else DEPTH - 1]
    marks = ["❌" if drawn.random() < 0.08 else "" for _ in places]
    found = list(zip(places, marks, strict=True))
    if rank is not None:
        found.insert(rank - 1, (right, "✅"))
    return found


def _query(number: int, drawn: Random, *, compared: bool) -> PageQuery:
    text, category = QUERIES[number % len(QUERIES)], CATEGORIES[number % len(CATEGORIES)]
    if number >= len(QUERIES):
        text = f"{text} ({number})"
    right = FILES[number % len(FILES)]
    pool = drawn.sample(FILES, len(FILES))
    now = drawn.choices([1, 2, 3, 5, 7, None], [55, 15, 8, 6, 4, 12])[0]
    then = now if drawn.random() < 0.55 else drawn.choices([1, 2, 4, 6, None], [40, 25, 15, 8, 12])[0]
    ended = "passed" if now is not None and now <= 3 else "failed" if now is None else "short"
    if ended == "short" and number % 2:
        ended = "known"
    mark: Mark = {"passed": "✅", "failed": "❌"}.get(ended, "⚠️")  # type: ignore[assignment]
    before_places = _ranking(drawn, right, then, pool)
    swapped = pool[:]
    swapped[1], swapped[4] = swapped[4], swapped[1]
    after_places = _ranking(drawn, right, now, swapped)
    old = [place for place, _ in before_places]
    values, was = _values(now), _values(then)
    return PageQuery(
        case=f"{category}-{number:03d}",
        query=text,
        mark=mark,
        ended=ended,
        category=category,
        tags=("smoke",) if number % 9 == 0 else (),
        where=f"search.yaml:{12 + 6 * number}",
        filters="language=python" if number % 11 == 0 else "",
        reasons=_reasons(now, right) if ended != "passed" else (),
        ms=round(drawn.lognormvariate(2.9, 0.5), 3),
        values=values,
        shown=_shown(values),
        targets=(
            PageTarget(right, "2", now, _ended(now), "❌" if now is None else "✅", before=then),
            *([PageTarget("docs/why.md#history", "1", None, "not in the first 8", "❌")] * (number % 5 == 0)),
        ),
        hits=tuple(
            _hit(drawn, place, mark, at, _move(place, at, old) if compared else "")  # type: ignore[arg-type]
            for at, (place, mark) in enumerate(after_places)
        ),
        returned=f"{DEPTH} hits",
        before=_before(was, values, before_places, now, then, drawn) if compared else None,
        ask=f"rankgate ask docs-search '{text}' -S search.yaml",
    )


def _before(
    was: tuple[float | None, ...],
    values: tuple[float | None, ...],
    places: Sequence[tuple[str, str]],
    now: int | None,
    then: int | None,
    drawn: Random,
) -> PageBefore:
    seeded = Random(1)
    return PageBefore(
        was,
        _shown(was),
        tuple(
            replace(_hit(seeded, place, mark, at), text=None)  # type: ignore[arg-type]
            for at, (place, mark) in enumerate(places)
        ),
        f"first relevant hit {_rank(then)} before, {_rank(now)} now",
        tuple(
            f"{after - before:+.3f}".replace("-", "−")
            for before, after in zip(was, values, strict=True)
            if before is not None and after is not None
        ),
    )


def _rank(rank: int | None) -> str:
    return "none" if rank is None else f"at rank {rank}"


def _ended(rank: int | None) -> str:
    return f"not in the first {DEPTH}" if rank is None else f"rank {rank}"


def _move(place: str, at: int, old: Sequence[str]) -> str:
    if place not in old:
        return "new"
    apart = old.index(place) - at
    return "=" if not apart else f"{'↑' if apart > 0 else '↓'}{abs(apart)}"


def _reasons(rank: int | None, right: str) -> tuple[str, ...]:
    if rank is None:
        return (f"{right} is not among the first {DEPTH} hits", "hit@3 is 0, and it must be 1")
    return (f"{right} stands at rank {rank}, and it must be among the first 3",)


def usual(count: int = 48, *, compared: bool = True, seed: int = 7) -> Page:
    """Make a page of so many queries, some of which fail."""
    drawn = Random(seed)
    queries = tuple(_query(number, drawn, compared=compared) for number in range(count))
    # Two hits of one place and text must agree between the rankings: places carry the lines of their file.
    queries = tuple(_settled(query) for query in queries)
    return Page(
        report=_report(queries, compared=compared),
        metrics=METRICS,
        queries=queries,
        texts=texts(),
        latency=_latency([query.ms for query in queries if query.ms is not None]),
        command="rankgate test search.yaml --system docs-search --baseline main --html report.html",
        notes=("texts of 12 hits are cut to 4,000 characters",) if count > 1 else (),
    )


def _settled(query: PageQuery) -> PageQuery:
    def settle(hit: PageHit) -> PageHit:
        name = hit.place.rpartition(":")[0]
        number = FILES.index(name) % len(SNIPPETS)
        first, text = SNIPPETS[number]
        lines = text.count("\n")
        return replace(
            hit,
            place=f"{name}:{first}-{first + lines}",
            text=number if hit.text is not None else None,
            marked=((first + 1, first + min(5, lines)),) if hit.mark == "✅" else (),
        )

    before = query.before
    return replace(
        query,
        hits=tuple(map(settle, query.hits)),
        before=None if before is None else replace(before, hits=tuple(map(settle, before.hits))),
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _column(queries: Sequence[PageQuery], at: int, *, before: bool = False) -> list[float]:
    rows = [query.before.values if before and query.before else query.values for query in queries]
    return [row[at] or 0.0 for row in rows]


def _slices(queries: Sequence[PageQuery]) -> Breakdown:
    names = list(dict.fromkeys(query.category for query in queries if query.category))
    rows = []
    for name in names:
        own = [query for query in queries if query.category == name]
        numbers = tuple(_mean(_column(own, at)) for at in range(len(METRICS)))
        rows.append(
            SliceRow(name, len(own), _shown(numbers), "⚠️" if len(own) < 5 else "", numbers)
        )
    note = "⚠️ fewer than 5 scored: too few to judge by" if any(row.mark for row in rows) else ""
    return Breakdown(tuple(metric.name for metric in METRICS), tuple(rows), note)


def _latency(times: list[float]) -> Latency:
    if not times:
        return Latency()
    top = math.ceil(max(times) / 5) * 5
    edges = tuple(round(top * at / 20, 2) for at in range(21))
    counts = [0] * 20
    for time in times:
        counts[min(19, int(20 * time / top))] += 1
    ordered = sorted(times)
    p50, p95, p99 = (ordered[min(len(ordered) - 1, int(len(ordered) * share))] for share in (0.5, 0.95, 0.99))
    shown = (("p50", f"{p50:.1f} ms"), ("p95", f"{p95:.1f} ms"), ("p99", f"{p99:.1f} ms"), ("longest", f"{ordered[-1]:.1f} ms"))
    return Latency(edges, tuple(counts), shown, (("p50", p50), ("p95", p95)))


def _verdicts(queries: Sequence[PageQuery]) -> tuple[VerdictRow, ...]:
    ndcg, hit = _mean(_column(queries, 0)), _mean(_column(queries, 2))
    counts = Counts(len(queries))
    return (
        VerdictRow("❌", Status.FAILED, "ndcg@10 >= 0.80", f"{ndcg:.3f}", f"{ndcg:.3f} < 0.80: 0.03 below the bar", "below the bar, over 48 queries", "search.yaml:3:5", ndcg, 0.8, counts),
        VerdictRow("✅", Status.PASSED, "hit@3 >= 70 %", f"{100 * hit:.1f} %", "passes", f"over {len(queries)} queries", "search.yaml:4:5", hit, 0.7, counts),
        VerdictRow("✅", Status.PASSED, "latency p95 <= 60 ms", "44.1 ms", "44.1 ms ≤ 60 ms", "over all answers", "search.yaml:5:5", 44.1, 60.0, counts),
        VerdictRow("⚠️", Status.INCONCLUSIVE, "ndcg@10 >= baseline - 0.02", "−0.021", "the interval spans the bar", "95 % interval −0.061 to +0.019 spans the bar: too few queries to tell", "search.yaml:6:5", -0.021, -0.02, counts),
        VerdictRow("✅", Status.PASSED, "scenarios = 100 %", "100.0 %", "all succeeded", "3 of 3 succeeded", "search.yaml:7:5", 1.0, 1.0, None),
    )


def _report(queries: Sequence[PageQuery], *, compared: bool) -> EvaluationReport:
    short = [query for query in queries if query.mark != "✅"]
    known = [query for query in queries if query.ended == "known"]
    means = [_mean(_column(queries, at)) for at in range(len(METRICS))]
    return EvaluationReport(
        title="Command line docs",
        mark="❌",
        status=f"1 of 5 gates failed; {len(short)} of {len(queries):,} queries fell short",
        exit_code=ExitCode.GATE_FAILED,
        header=(("time", "2026-03-01 14:05 UTC"),),
        verdicts=_verdicts(queries),
        metrics=tuple(
            MetricRow("❌" if not at else "✅" if at == 2 else "", metric.name, f"{mean:.3f}", Counts(len(queries)), f"{len(queries):,} scored", mean)
            for at, (metric, mean) in enumerate(zip(METRICS, means, strict=True))
        ),
        slices=_slices(queries),
        failures=(),
        known=tuple(
            KnownMiss(one.case, one.query, "2026-06-30", "synonyms are on the way", passes=False)
            for one in known
        ),
        cases=(),
        recommendations=(
            Recommendation("5 queries found nothing right", "See that the places are indexed; then look at synonyms, stemming and how words are split.", tuple(query.query for query in short[:3]), "and 2 more"),
            Recommendation("2 queries may be misspelt", "Typo tolerance (fuzzy matching at distance 1) would reach these.", ("enviroment variable → environment",), ""),
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
    )


def _probes() -> ProbeReport:
    def row(name: str, mark: Mark, *reasons: str, cost: str = "") -> ProbeRow:
        result = CheckResult.PASSED if mark == "✅" else CheckResult.FAILED
        return ProbeRow(name, mark, result, False, reasons, reasons[0] if reasons else "", cost=cost, file="search.yaml", line=212)  # noqa: FBT003

    return ProbeReport(
        scenarios=(
            row("find how options are declared, then the class behind them", "✅", cost="4 calls, ≈1,210 tokens (estimated)"),
            row("read the section on testing from its heading", "✅", cost="2 calls, ≈640 tokens (estimated)"),
        ),
        invariants=(
            row("case does not matter", "✅"),
            row("a trailing space changes nothing", "⚠️", "'progress bar ' finds docs/utils.md at rank 3, without the space at rank 1"),
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
        numbers = ComparedNumbers(_mean(then), _mean(now), mean, mean - spread, mean + spread, 0.31, -0.1, 0.06)
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
                "beyond chance" if sure else "chance may be all there is",
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
        "The first 10 hits overlap by 0.91 on average; rank-biased overlap 0.86.",
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
        f"… and {len(moved) - len(shown)} queries more moved in ndcg@10" if len(moved) > len(shown) else "",
        tuple(Unjudged(query.case, query.query, 2, query.hits[1].place) for query in queries[:4]),
        (),
    )


def passing(count: int = 12) -> Page:
    """Make a page on which nothing failed, without a baseline."""
    page = usual(count, compared=False, seed=3)
    queries = tuple(
        replace(query, mark="✅", ended="passed", reasons=(), values=_values(1), shown=_shown(_values(1)))
        for query in page.queries
    )
    verdicts = tuple(
        replace(row, mark="✅", status=Status.PASSED, value="1.000", number=1.0)
        for row in page.report.verdicts[:2]
    )
    report = replace(
        page.report, mark="✅", status="all 2 gates passed", verdicts=verdicts, known=(), recommendations=(),
        exit_code=ExitCode.PASSED, slices=_slices(queries), probes=ProbeReport(), notes=(),
    )
    return replace(page, queries=queries, report=report, notes=())


def single() -> Page:
    """Make a page of one query."""
    page = usual(1)
    return replace(page, report=replace(page.report, verdicts=page.report.verdicts[:1], known=(), status="1 of 1 gate failed"))


def nothing() -> Page:
    """Make a page without queries, gates, metrics, categories or times."""
    report = EvaluationReport(
        title="Empty", mark="⚠️", status="measured, not judged (no gates)", exit_code=ExitCode.PASSED, header=(),
        verdicts=(), metrics=(), slices=Breakdown((), (), ""), failures=(), known=(), cases=(),
        recommendations=(), provenance=(), notes=(), timings=(),
    )
    return Page(report=report, metrics=(), queries=())


def bare(count: int = 5) -> Page:
    """Make a page of queries without gates, categories, times, texts or targets, some of which errored."""
    page = usual(count, compared=False)
    queries = tuple(
        replace(
            query,
            category="",
            ms=None,
            ask="",
            hits=() if at == 0 else tuple(replace(hit, text=None, marked=()) for hit in query.hits),
            targets=(),
            mark="❌" if at == 0 else query.mark,
            ended="error" if at == 0 else query.ended,
            reasons=("the system failed: connection refused",) if at == 0 else query.reasons,
            values=() if at == 0 else (None, *query.values[1:]),
            shown=() if at == 0 else ("–", *query.shown[1:]),
        )
        for at, query in enumerate(page.queries)
    )
    report = replace(page.report, verdicts=(), slices=Breakdown(page.report.slices.metrics, (), ""), known=())
    return replace(page, queries=queries, report=report, texts=(), latency=Latency(), command="")


HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    "\"'><svg onload=alert(3)>",
    "</script><script>alert(4)</script>",
    "<!-- <script> {{data}} ${alert(5)} -->",
    "javascript:alert(6)",
    "</style><style>*{display:none}</style>",
    "&lt;b&gt;bold&lt;/b&gt;",
)


def hostile() -> Page:
    """Make a page on which every text is markup or a script."""
    from rankgate.reports.typed_json import encoded

    page = usual(len(HOSTILE) * 2)
    turn = accumulate(iter(lambda: 1, 0))

    def text(_: str) -> str:
        return HOSTILE[next(turn) % len(HOSTILE)]

    assert encoded(page, Page)
    return _with_texts(page, text)


def _with_texts(page: Page, text: object) -> Page:
    """Replace every text that comes from suite, corpus or system."""
    take = text if callable(text) else (lambda old: old)

    def hit(one: PageHit) -> PageHit:
        return replace(one, place=take(one.place), score=take(one.score), grade=take(one.grade))

    def query(number: int, one: PageQuery) -> PageQuery:
        before = one.before and replace(one.before, hits=tuple(map(hit, one.before.hits)), first=take(""))
        return replace(
            one, case=f"{take(one.case)} {number}", query=take(one.query), category=take(one.category),
            tags=(take(""), take("")), where=take(one.where), filters=take(""), reasons=(take(""), take("")),
            targets=tuple(replace(each, place=take(each.place), ended=take("")) for each in one.targets),
            hits=tuple(map(hit, one.hits)), returned=take(""), before=before, ask=take(""),
        )

    queries = tuple(query(number, one) for number, one in enumerate(page.queries))
    report = page.report
    comparison = report.comparison and replace(
        report.comparison, before=take(""), after=take(""), compared=take(""), agreement=take(""), notes=(take(""),),
        moved=tuple(replace(row, case=one.case, query=one.query, first=take("")) for row, one in zip(report.comparison.moved, queries, strict=False)),
        unjudged=tuple(replace(row, query=take(""), place=take("")) for row in report.comparison.unjudged),
        rows=tuple(replace(row, finding=take("")) for row in report.comparison.rows),
    )
    report = replace(
        report, title=take(""), system=take(""), status=take(""), comparison=comparison,
        header=(("time", take("")),), notes=(take(""), take("")), provenance=((take(""), take("")),),
        verdicts=tuple(replace(row, gate=take(""), detail=take(""), where=take("")) for row in report.verdicts),
        slices=replace(_slices(queries), note=take("")),
        recommendations=tuple(replace(row, finding=take(""), advice=take(""), examples=(take(""),)) for row in report.recommendations),
        known=(KnownMiss(queries[0].case, take(""), take(""), take(""), passes=True),),
        probes=replace(report.probes, scenarios=tuple(replace(row, name=take(""), reasons=(take(""),), file=take("")) for row in report.probes.scenarios)),
    )
    return replace(
        page, report=report, queries=queries, command=take(""), notes=(take(""),),
        texts=tuple(replace(one, text=Block(f"{take('')}\n{take('')}\n"), tokens=((5, "k"), (9, "s"))) for one in page.texts),
    )


ODD = (
    "كيف أقرأ متغيرات البيئة في سطر الأوامر؟",
    "איך מוסיפים אפשרות לפקודה",
    "🔥 progress bar 🚀 with emoji 👩‍👩‍👧‍👦 family",
    "a very long query that goes on and on " * 12,
    "averyveryverylongwordwithoutanyspaceatall" * 8,
    "コマンドラインの引数を検証する方法",
    "mixed عربي and English in one query",
    "  leading and   inner   spaces\tand tabs ",
)


def odd() -> Page:
    """Make a page of long names, right-to-left text and emoji."""
    page = usual(len(ODD) * 2)
    long = "src/" + "a_rather_long_folder_name/" * 6 + "and_a_file_name_that_is_longer_than_most_of_its_kind_in_the_tree.py:100-180"

    def query(number: int, one: PageQuery) -> PageQuery:
        text = ODD[number % len(ODD)]
        hits = tuple(replace(hit, place=long if at == 1 else hit.place) for at, hit in enumerate(one.hits))
        targets = tuple(replace(target, place=long) for target in one.targets)
        category = ("תיעוד", "🔥 hot", "a category with a name that is much longer than usual, as some are")[number % 3]
        return replace(one, query=text, hits=hits, targets=targets, category=category)

    queries = tuple(query(number, one) for number, one in enumerate(page.queries))
    title = "A suite whose name is long enough to need more than one line on a narrow screen, with عربي and 🔥"
    texts = (PageText(Block("النص من اليمين إلى اليسار\n" * 3), None), *page.texts[1:])
    return replace(page, queries=queries, texts=texts, report=replace(page.report, title=title, slices=_slices(queries)))
