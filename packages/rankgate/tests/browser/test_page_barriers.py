"""axe-core finds nothing on any page, narrow or wide, light or dark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.axe import barriers
from support.odd_pages import bare, hostile, nothing, odd
from support.page_samples import usual
from support.state_pages import STATES, state_pages
from support.widths import by_width
from support.written_pages import written

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rankgate.reports.page.model import ReportPage
    from support.chromium import Browser

pytestmark = [pytest.mark.once, pytest.mark.xdist_group("browser")]
SAMPLES: dict[str, Callable[[], ReportPage]] = {
    "usual": usual,
    "nothing": nothing,
    "bare": bare,
    "odd": odd,
    "hostile": hostile,
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return state_pages(tmp_path_factory.mktemp("states"))


def found_on(
    browser: Browser, place: Path | str, width: int, ready: str = "html", panel: str = ""
) -> list[str]:
    """List what axe finds in both themes."""
    tab = browser.open(place, viewport={"width": width, "height": 844}, reducedMotion="reduce")
    tab.wait(ready)
    if panel and tab.count(panel):
        tab.click(panel)
        tab.wait("#panel")
    found = barriers(tab)
    tab.act(["emulateMedia", {"colorScheme": "dark"}])
    found += barriers(tab)
    tab.shut()
    return found


@pytest.mark.parametrize(("state", "width"), by_width(STATES))
def test_no_state_of_a_verdict_has_a_barrier(
    browser: Browser, pages: dict[str, Path], state: str, width: int
) -> None:
    assert found_on(browser, pages[state], width, "#verdict") == []


@pytest.mark.parametrize(("name", "width"), by_width(SAMPLES))
def test_no_odd_page_has_a_barrier(browser: Browser, tmp_path: Path, name: str, width: int) -> None:
    path = written(tmp_path, SAMPLES[name]())
    assert found_on(browser, path, width) == []
    if name in ("usual", "bare", "odd"):
        assert found_on(browser, path, width, panel=".grid-body .grid-row") == []


def test_a_barrier_is_found_where_there_is_one(browser: Browser, tmp_path: Path) -> None:
    tab = browser.open(written(tmp_path, usual(3)))
    tab.run("document.querySelector('#filter').removeAttribute('aria-label')")
    tab.run("document.querySelector('#filter').removeAttribute('placeholder')")
    assert [text.split()[0] for text in barriers(tab)] == ["label"]
    tab.shut()
