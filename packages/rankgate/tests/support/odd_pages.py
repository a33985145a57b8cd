"""What a page must bear: nothing to show, one query, hostile names, long ones, other scripts."""

from __future__ import annotations

from dataclasses import replace
from itertools import count as numbers
from typing import TYPE_CHECKING

from rankgate.model import ExitCode, Status
from rankgate.reports.evaluation.probes import ProbeReport
from rankgate.reports.evaluation.report import EvaluationReport, KnownMiss
from rankgate.reports.evaluation.rows import Breakdown
from rankgate.reports.evaluation.summary.states import ReportState
from rankgate.reports.evaluation.summary.summary import Summary
from rankgate.reports.page.model import PageHit, PageQuery, PageText, ReportPage
from rankgate.reports.text.printable import Block
from support.page_samples import usual, values_at
from support.sample_reports import shown, slices

if TYPE_CHECKING:
    from collections.abc import Callable


def passing(count: int = 12) -> ReportPage:
    """Make a page on which nothing failed, without a baseline."""
    page = usual(count, compared=False, seed=3)
    queries = tuple(
        replace(query, mark="✅", ended="passed", reasons=(), values=values_at(1), shown=shown(values_at(1)))
        for query in page.queries
    )
    verdicts = tuple(
        replace(row, mark="✅", status=Status.PASSED, value="1.000", number=1.0)
        for row in page.report.verdicts[:2]
    )
    report = replace(
        page.report,
        mark="✅",
        status="2 gates passed",
        verdicts=verdicts,
        known=(),
        recommendations=(),
        exit_code=ExitCode.PASSED,
        slices=slices(queries),
        probes=ProbeReport(),
        notes=(),
        summary=Summary(ReportState.PASSED, headline="2 gates passed", gates="2 gates passed", fine=count),
    )
    return replace(page, queries=queries, report=report, notes=())


def single() -> ReportPage:
    """Make a page of one query."""
    page = usual(1)
    return replace(
        page,
        report=replace(page.report, verdicts=page.report.verdicts[:1], known=(), status="1 of 1 gate failed"),
    )


def nothing() -> ReportPage:
    """Make a page without queries, gates, metrics, categories or times."""
    report = EvaluationReport(
        title="Empty",
        mark="⚠️",
        status="measured, not judged (no gates)",
        exit_code=ExitCode.PASSED,
        header=(),
        verdicts=(),
        metrics=(),
        slices=Breakdown((), (), ""),
        failures=(),
        known=(),
        cases=(),
        recommendations=(),
        provenance=(),
        notes=(),
        timings=(),
    )
    return ReportPage(report=report, metrics=(), queries=())


def bare(count: int = 5) -> ReportPage:
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
    return replace(page, queries=queries, report=report, texts=(), command="")


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


def hostile() -> ReportPage:
    """Make a page on which every text is markup or a script."""
    page = usual(len(HOSTILE) * 2)
    turn = numbers()

    def text(_: str) -> str:
        return HOSTILE[next(turn) % len(HOSTILE)]

    return _with_texts(page, text)


def _with_texts(page: ReportPage, take: Callable[[str], str]) -> ReportPage:
    """Replace every text that comes from suite, corpus or system."""

    def hit(one: PageHit) -> PageHit:
        return replace(one, location=take(one.location), score=take(one.score), grade=take(one.grade))

    def query(number: int, one: PageQuery) -> PageQuery:
        before = one.before and replace(one.before, hits=tuple(map(hit, one.before.hits)), first=take(""))
        return replace(
            one,
            case=f"{take(one.case)} {number}",
            query=take(one.query),
            category=take(one.category),
            tags=(take(""), take("")),
            where=take(one.where),
            filters=take(""),
            reasons=(take(""), take("")),
            targets=tuple(
                replace(each, location=take(each.location), ended=take("")) for each in one.targets
            ),
            hits=tuple(map(hit, one.hits)),
            returned=take(""),
            before=before,
            ask=take(""),
        )

    queries = tuple(query(number, one) for number, one in enumerate(page.queries))
    report = page.report
    comparison = report.comparison and replace(
        report.comparison,
        before=take(""),
        after=take(""),
        compared=take(""),
        agreement=take(""),
        notes=(take(""),),
        moved=tuple(
            replace(row, case=one.case, query=one.query, first=take(""))
            for row, one in zip(report.comparison.moved, queries, strict=False)
        ),
        unjudged=tuple(replace(row, query=take(""), location=take("")) for row in report.comparison.unjudged),
        rows=tuple(replace(row, finding=take("")) for row in report.comparison.rows),
    )
    report = replace(
        report,
        summary=replace(
            report.summary,
            headline=take(""),
            reason=take(""),
            changed=take(""),
            steps=tuple(replace(one, label=take(""), command=take("")) for one in report.summary.steps),
            broken=tuple(
                replace(one, query=take(""), case=take(""), ranks=take(""), expected=take(""), first=take(""))
                for one in report.summary.broken
            ),
        ),
        title=take(""),
        system=take(""),
        status=take(""),
        comparison=comparison,
        header=(("time", take("")),),
        notes=(take(""), take("")),
        provenance=((take(""), take("")),),
        verdicts=tuple(
            replace(row, gate=take(""), detail=take(""), where=take("")) for row in report.verdicts
        ),
        slices=replace(slices(queries), note=take("")),
        recommendations=tuple(
            replace(row, finding=take(""), advice=take(""), examples=(take(""),), evidence=take(""))
            for row in report.recommendations
        ),
        known=(KnownMiss(queries[0].case, take(""), take(""), take(""), passes=True),),
        probes=replace(
            report.probes,
            scenarios=tuple(
                replace(row, name=take(""), reasons=(take(""),), file=take(""))
                for row in report.probes.scenarios
            ),
        ),
    )
    return replace(
        page,
        report=report,
        queries=queries,
        command=take(""),
        notes=(take(""),),
        texts=tuple(
            replace(one, text=Block(f"{take('')}\n{take('')}\n"), tokens=((5, "k"), (9, "s")))
            for one in page.texts
        ),
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


def odd() -> ReportPage:
    """Make a page of long names, right-to-left text and emoji."""
    page = usual(len(ODD) * 2)
    long = (
        "src/"
        + "a_rather_long_folder_name/" * 6
        + "and_a_file_name_that_is_longer_than_most_of_its_kind_in_the_tree.py:100-180"
    )

    def query(number: int, one: PageQuery) -> PageQuery:
        text = ODD[number % len(ODD)]
        hits = tuple(
            replace(hit, location=long if at == 1 else hit.location) for at, hit in enumerate(one.hits)
        )
        targets = tuple(replace(target, location=long) for target in one.targets)
        category = ("תיעוד", "🔥 hot", "a category with a name that is much longer than usual, as some are")[
            number % 3
        ]
        return replace(one, query=text, hits=hits, targets=targets, category=category)

    queries = tuple(query(number, one) for number, one in enumerate(page.queries))
    title = (
        "A suite whose name is long enough to need more than one line on a narrow screen, with عربي and 🔥"
    )
    texts = (PageText(Block("النص من اليمين إلى اليسار\n" * 3), None), *page.texts[1:])
    return replace(
        page, queries=queries, texts=texts, report=replace(page.report, title=title, slices=slices(queries))
    )
