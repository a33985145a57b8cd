"""Without JavaScript the page said only that scripts must be allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.chromium import Tab
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
