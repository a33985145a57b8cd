"""``rankgate view`` in a real browser: from the list to a report, and to two of them compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.reports.page.document import own_assets
from support.projects import three_systems, twice_tested, viewed

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
    assert tab.count(".index-suite .system-row") == 1
    tab.click(".system-row a")
    tab.wait("#verdict")
    assert (tab.text(".hero-state"), tab.text("h1")) == ("Passed", "3 gates passed")
    tab.click(".brand")
    tab.wait(".index-suite")
    tab.click(".system-row input")
    tab.click(".system-row th button")
    tab.click(".record-row input")
    tab.click(".compare")
    tab.wait("#difference .statistics")
    assert tab.count("#losses .moves") >= 1
    assert any(text.startswith("+") for text in tab.texts("#difference .strong"))
    seen = tab.seen()
    assert (seen["console"], seen["errors"], seen["refused"]) == ([], [], [])
    assert all(url.startswith((server.access.address, "data:")) for url in seen["requests"])
    tab.shut()


def test_three_systems_of_one_run_each_are_selected_and_compared_on_a_page_of_their_own(
    browser: Browser, tmp_path: Path
) -> None:
    with viewed(three_systems(tmp_path / "project"), own_assets()) as server:
        tab = browser.open(server.url)
        assert tab.texts(".system-row th") == ["best", "middle", "worst"]
        assert tab.act(["getAttribute", ".compare", "aria-disabled"]) == "true"
        # By keyboard alone: Space selects, Enter follows the link.
        for name in ("worst", "best", "middle"):
            tab.run(f"document.querySelector('input[aria-label^=\"Select {name}\"]').focus()")
            tab.press("Space")
        assert tab.text(".compare-line [role=status]") == "best, middle compared with worst"
        tab.run("document.querySelector('.compare').focus()")
        tab.press("Enter")
        tab.wait("#difference .statistics")
        assert tab.text("h1") == "best, middle compared with worst"
        # One answer: no verdict and no other comparison on the page, the difference in the first screen.
        assert tab.count("#verdict") == 0
        assert tab.count("#difference") == 1
        assert tab.run("document.querySelector('#difference').getBoundingClientRect().top") < 800
        assert [text.split()[0] for text in tab.texts("#board tbody th")] == ["best", "middle", "worst"]
        tab.shut()
