"""``rankgate view`` in a real browser: from the list to a report, and to two of them compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.reports.page.document import own_assets
from support.projects import twice_tested, viewed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rankgate.web.server import Server
    from support.chromium import Browser

pytestmark = [pytest.mark.once, pytest.mark.xdist_group("browser")]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with viewed(twice_tested(tmp_path / "project"), own_assets()) as found:
        yield found


def test_the_list_leads_to_a_report_and_to_two_compared_and_back(browser: Browser, server: Server) -> None:
    tab = browser.open(server.url)
    assert tab.text("h1") == "Evaluations"
    assert tab.count(".index-pair tbody tr") == 2
    tab.click(".index-latest")
    tab.wait("#verdict")
    assert tab.text("h1") == "Passed"
    tab.click(".brand")
    tab.wait(".index-pair")
    for row in (1, 2):
        tab.click(f".index-pair tbody tr:nth-child({row}) input")
    tab.click(".compare")
    tab.wait("#comparison .statistics")
    assert tab.count(".moved-shown .moves") == 1
    assert any(text.startswith("+") for text in tab.texts(".statistics .strong"))
    seen = tab.seen()
    assert (seen["console"], seen["errors"], seen["refused"]) == ([], [], [])
    assert all(url.startswith((server.url, "data:")) for url in seen["requests"])
    tab.shut()
