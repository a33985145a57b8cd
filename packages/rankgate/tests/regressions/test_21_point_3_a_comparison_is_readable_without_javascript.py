"""Without JavaScript the page of a comparison said only that scripts must be allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.model import Answer, Case
from rankgate.reports.comparison_page.content import page_of_pages
from rankgate.reports.comparison_page.model import render_comparison
from rankgate.reports.page.content import page_of
from rankgate.reports.page.document import own_assets
from support.chromium import Tab
from support.evaluations import evaluated, target

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.reports.comparison_page.model import ComparisonPage
    from rankgate.reports.page.model import ReportPage
    from support.chromium import Browser

pytestmark = [pytest.mark.once, pytest.mark.xdist_group("browser")]
HOSTILE = "<script>alert(1)</script><b>&amp;"
CASES = [
    Case(f"q{at}", f"question {at} {HOSTILE}", (target("x"), target("w", -1.0)), category=f"c{at % 3}")
    for at in range(30)
]


def _answered(lost: range, errored: range = range(0)) -> ReportPage:
    answers: dict[str, list[str] | Answer] = {
        f"q{at}": Answer.ERROR if at in errored else ["y", "z"] if at in lost else ["x", "y"]
        for at in range(len(CASES))
    }
    made = evaluated(CASES, answers)
    return page_of(made.scored(), made.report())


def _read(browser: Browser, folder: Path, page: ComparisonPage) -> Tab:
    path = folder / "compare.html"
    path.write_text(render_comparison(page, own_assets()), encoding="utf-8")
    options = {"viewport": {"width": 1280, "height": 800}, "javaScriptEnabled": False}
    tab = Tab(browser, browser.ask("open", options=options))
    tab.act(["goto", path.as_uri()])
    return tab


def test_the_sentence_the_table_and_the_losses_are_text(browser: Browser, tmp_path: Path) -> None:
    page = page_of_pages([_answered(range(2)), _answered(range(3, 14), range(20, 24))], ["old", "new"])
    (report,) = page.reports
    tab = _read(browser, tmp_path, page)
    assert tab.text("h1") == "new compared with old"
    text = tab.text("main")
    assert report.errors is not None
    wanted = [report.headline, report.errors.words, *page.open]
    rows = [*report.rows, *report.errors.rows]
    wanted += [
        part for row in rows for part in (row.metric, row.before, row.after, row.difference, row.finding)
    ]
    assert {one.mark for one in report.moved} == {"❌", "✅"}
    wanted += [part for one in report.moved for part in (one.query, one.first, one.difference)]
    wanted += [hit.after for one in report.moved for hit in one.hits]
    assert [part for part in wanted if part not in text] == []
    assert HOSTILE in text
    assert tab.count("main script, main b") == 0
    assert not tab.act(["locator", "#waiting"], ["isVisible"])
    tab.shut()


def test_several_systems_have_their_table_first(browser: Browser, tmp_path: Path) -> None:
    pages = [_answered(range(4)), _answered(range(8)), _answered(range(0))]
    page = page_of_pages(pages, ["base", "worse", "better"])
    tab = _read(browser, tmp_path, page)
    assert [line.split("\t")[0] for line in tab.texts("main table:first-of-type tbody tr")][:3] == [
        "better", "base", "worse",
    ]  # fmt: skip
    assert [report.headline in tab.text("main") for report in page.reports] == [True, True]
    tab.shut()
