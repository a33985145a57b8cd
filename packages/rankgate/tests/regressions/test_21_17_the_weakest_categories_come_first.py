"""Forty categories stood in suite order beside an empty box, without the gate's value or a difference."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from support.page_samples import usual
from support.sample_reports import slices
from support.written_pages import written

if TYPE_CHECKING:
    from pathlib import Path

    from support.chromium import Browser

pytestmark = [pytest.mark.once, pytest.mark.xdist_group("browser")]


def test_ten_of_forty_the_worst_first_with_the_gates_value(browser: Browser, tmp_path: Path) -> None:
    page = usual(400)
    queries = tuple(replace(one, category=f"part {at % 40:02}") for at, one in enumerate(page.queries))
    report = replace(page.report, slices=slices(queries))
    numbers = sorted(row.numbers[0] or 0.0 for row in report.slices.rows)
    tab = browser.open(written(tmp_path, replace(page, queries=queries, report=report)))
    assert tab.texts(".slices .slice-value") == [f"{number:.3f}" for number in numbers[:10]]
    assert tab.texts(".slices thead th") == ["Category", "0 to 1", "ndcg@10", "Gate", "n"]
    assert {text.split("\t")[-2] for text in tab.texts(".slices tbody tr")} == {"0.8"}
    tab.click(".slices-more")
    assert tab.texts(".slices .slice-value") == [f"{number:.3f}" for number in numbers]
    tab.shut()
