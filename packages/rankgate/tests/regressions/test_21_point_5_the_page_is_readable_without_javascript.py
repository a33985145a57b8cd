"""Without JavaScript the page said only that scripts must be allowed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from support.chromium import Tab
from support.index_samples import listed
from support.page_samples import usual
from support.written_pages import written

if TYPE_CHECKING:
    from pathlib import Path

    from support.chromium import Browser

pytestmark = [pytest.mark.once, pytest.mark.xdist_group("browser")]
PAGE = usual()


def read(browser: Browser, path: Path) -> Tab:
    options = {"viewport": {"width": 1280, "height": 800}, "javaScriptEnabled": False}
    tab = Tab(browser, browser.ask("open", options=options))
    tab.act(["goto", path.as_uri()])
    return tab


def test_the_list_of_evaluations_is_there_with_links_to_reports(browser: Browser, tmp_path: Path) -> None:
    index = listed()
    pair = index.suites[0]
    hostile = replace(pair, system="<b>bold</b>", records=(replace(pair.records[0], key="a/b?c"),))
    shown = replace(index, suites=(hostile, *index.suites))
    tab = read(browser, written(tmp_path, shown, "view"))
    text = tab.text("main")
    wanted = [part for one in shown.suites for part in (one.suite, one.system, one.records[0].status)]
    wanted += [value for one in shown.suites for value in one.records[0].shown]
    assert [part for part in wanted if part not in text] == []
    links = tab.run("[...document.querySelectorAll('main a')].map((one) => one.getAttribute('href'))")
    assert links[0] == "/page/a%2Fb%3Fc"
    assert len(links) == sum(one.records[0].kept for one in shown.suites)
    tab.shut()


def test_verdict_gates_failures_and_next_steps_are_there(browser: Browser, tmp_path: Path) -> None:
    tab = read(browser, written(tmp_path, PAGE))
    text = tab.text("main")
    summary = PAGE.report.summary
    assert tab.text("h1") == summary.headline
    failed = [query for query in PAGE.queries if query.mark == "❌"]
    gates = [(row.gate, row.value, row.detail) for row in PAGE.report.verdicts]
    wanted = [summary.reason, summary.changed, *(part for row in gates for part in row)]
    wanted += [part for query in failed for part in (query.query, *query.reasons, query.targets[0].location)]
    wanted += [step.command for step in summary.steps]
    assert [part for part in wanted if part not in text] == []
    assert not tab.act(["locator", "#waiting"], ["isVisible"])
    tab.shut()
