"""42 queries were one dot, labels collided at 390 px, bars had no scale, and counts were filled bars."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from support.page_samples import usual
from support.written_pages import written

if TYPE_CHECKING:
    from pathlib import Path

    from support.chromium import Browser

pytestmark = [pytest.mark.once, pytest.mark.xdist_group("browser")]
NEAR = "document.querySelector('#comparison > .pair').scrollIntoView()"


def test_every_chart_has_a_question_and_a_table(browser: Browser, tmp_path: Path) -> None:
    page = usual()
    tab = browser.open(written(tmp_path, page), viewport={"width": 390, "height": 844})
    tab.run(NEAR)
    tab.wait("#comparison figure:nth-of-type(2) canvas")
    titles = tab.texts("figcaption, #latency h2, #slices h2, #comparison h2")
    assert len(titles) == 5
    assert all("?" in title for title in titles)
    tab.click("#latency .chart-table summary")
    tab.wait("#latency .chart-table tbody tr")
    counts = [int(text) for text in tab.texts("#latency .chart-table tbody td")]
    assert counts == list(page.latency.counts)
    tab.click("#comparison figure:nth-of-type(2) .chart-table summary")
    tab.wait("#comparison figure:nth-of-type(2) .chart-table tbody tr")
    changed = [one for one in page.queries if one.before and one.before.values[0] != one.values[0]]
    assert tab.count("#comparison figure:nth-of-type(2) .chart-table tbody tr") == len(changed)
    tab.shut()


def test_only_shares_have_a_scale_with_the_gates_value(browser: Browser, tmp_path: Path) -> None:
    page = usual()
    first = page.report.verdicts[0]
    rows = (
        first,
        replace(first, gate="errors = 0", number=14.0, bar=0.0),
        replace(first, gate="lost(10 -> absent@10) = 0", number=4.0, bar=0.0),
    )
    tab = browser.open(written(tmp_path, replace(page, report=replace(page.report, verdicts=rows))))
    assert tab.count(".verdict") == 3
    assert tab.count(".gauge") == 1
    assert tab.texts(".gauge-scale span") == ["0", "gate 0.8", "1"]
    tab.shut()
