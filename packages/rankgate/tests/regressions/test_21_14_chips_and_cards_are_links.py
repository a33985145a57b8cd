"""Query chips and gate cards led nowhere, and chips did not add up: 51 = 50 + 1 with 14 errors inside."""

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
ROWS = ".grid-body .grid-row"


def test_results_add_up_to_all_queries(browser: Browser, tmp_path: Path) -> None:
    page = usual()
    errored = [replace(query, mark="❌", ended="error") for query in page.queries[:14]]
    tab = browser.open(written(tmp_path, replace(page, queries=(*errored, *page.queries[14:]))))
    counts = [int(text) for text in tab.texts("[aria-label=Result] .chip-count")]
    assert counts[0] == len(page.queries) == sum(counts[1:])
    assert tab.text("[data-chip=errors]") == "Errors14"
    tab.shut()


def test_a_gate_leads_to_its_queries_and_an_example_opens(browser: Browser, tmp_path: Path) -> None:
    page = usual()
    tab = browser.open(written(tmp_path, page), viewport={"width": 1280, "height": 2600})
    tab.click(".verdict a")
    values = [float(text) for text in tab.texts(f"{ROWS} .cell-m0")]
    assert values == sorted(values)
    assert tab.run("document.activeElement.id") == "queries-title"
    wanted = tab.text(".advice button.tag")
    tab.click(".advice button.tag")
    tab.wait("#panel")
    assert tab.text("#panel h2") == wanted
    tab.shut()
