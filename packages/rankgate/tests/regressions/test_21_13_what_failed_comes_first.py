"""The comparison stood at 2,089 px, what to try next at 3,440, and 390 px had no navigation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.page_samples import usual
from support.written_pages import written

if TYPE_CHECKING:
    from pathlib import Path

    from support.chromium import Browser

pytestmark = [pytest.mark.once, pytest.mark.xdist_group("browser")]
PAGE = usual()
TOPS = """['verdict', 'gates', 'advice', 'comparison', 'slices', 'queries', 'latency', 'provenance']
  .map((id) => document.getElementById(id).getBoundingClientRect().top)"""


def test_the_order_is_verdict_failed_gates_next_step_comparison(browser: Browser, tmp_path: Path) -> None:
    tab = browser.open(written(tmp_path, PAGE), viewport={"width": 1280, "height": 800})
    tops = tab.run(TOPS)
    assert tops == sorted(tops)
    open_gates = [row for row in PAGE.report.verdicts if row.mark != "✅"]
    assert tab.count(".verdict") == len(open_gates)
    assert (
        tab.text(".gates-passed summary").strip()
        == f"{len(PAGE.report.verdicts) - len(open_gates)} gates passed"
    )
    assert not tab.act(["locator", ".gates-passed table"], ["isVisible"])
    tab.click(".gates-passed summary")
    assert tab.count(".gates-passed tbody tr") == len(PAGE.report.verdicts) - len(open_gates)
    tab.shut()


def test_a_narrow_screen_has_navigation(browser: Browser, tmp_path: Path) -> None:
    tab = browser.open(
        written(tmp_path, PAGE), viewport={"width": 390, "height": 844}, reducedMotion="reduce"
    )
    tab.act(["locator", ".bar nav a"], ["filter", {"hasText": "Queries"}], ["click"])
    assert 0 <= tab.run("document.getElementById('queries').getBoundingClientRect().top") < 200
    assert tab.run("document.activeElement.id") == "queries-title"
    tab.shut()
