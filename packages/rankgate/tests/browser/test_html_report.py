"""The HTML report in a browser: filter, keyboard, links, both themes, every width."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rankgate.report import Report
from rankgate.reports import compare_formats
from rankgate.reports.html.page import render
from support import page_reports
from support.axe import barriers
from support.chromium import Browser, Tab
from support.keyboard import backwards, walk, wanted
from support.reports import everything, missing_targets

pytestmark = [pytest.mark.once, pytest.mark.xdist_group("browser")]
REPORTS: dict[str, Report] = {
    "failed": page_reports.failed(),
    "passed": page_reports.passed(),
    "no baseline": page_reports.no_baseline(),
    "products": page_reports.products(),
    "invalid": page_reports.invalid(),
    "system failed": page_reports.refused(),
    "everything": everything(),
    "missing targets": missing_targets(),
    "long": page_reports.failed(210),
    "2,000 queries": page_reports.failed(2000),
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    found = {}
    for name, report in REPORTS.items():
        found[name] = folder / f"{name.replace(' ', '-')}.html"
        found[name].write_text(render(report), encoding="utf-8")
    found["compare"] = folder / "compare.html"
    found["compare"].write_text(compare_formats.render(page_reports.compared(), "html"), encoding="utf-8")
    return found


@pytest.fixture
def tab(browser: Browser, pages: dict[str, Path]) -> Iterator[Tab]:
    found = browser.open(pages["failed"], reducedMotion="reduce")
    yield found
    found.shut()


def shown(tab: Tab) -> list[str]:
    return tab.texts("#rows > li:not([hidden]) .name > bdi")


def test_filter_finds_queries_by_text_state_and_category(tab: Tab) -> None:
    tab.click("#all > summary")
    assert len(shown(tab)) == 20
    tab.type("#search", "OPTION value")
    assert shown(tab) == ["add an option with a default value"]
    assert tab.text("#shown") == "1 of 20 queries"
    tab.type("#search", "pager.md")
    assert shown(tab) == ["page long output"]
    tab.type("#search", "")
    tab.act(["selectOption", "#state", "failed"])
    assert shown(tab) == ["progress bar in a long loop", "prompt for a password twice"]
    tab.act(["selectOption", "#category", "errors"])
    assert shown(tab) == ["prompt for a password twice"]


def test_slice_links_to_its_queries(tab: Tab) -> None:
    tab.click("#slices-category > summary")
    tab.click("#slices-category [data-find=concepts]")
    tab.wait("#all[open]")
    assert tab.text("#shown") == "4 of 20 queries"


def test_link_opens_a_query_that_is_folded_or_filtered(browser: Browser, pages: dict[str, Path]) -> None:
    tab = browser.open(pages["failed"], "#q-page-long-output", reducedMotion="reduce")
    target = "document.getElementById('q-page-long-output')"
    tab.wait("#q-page-long-output[open] > summary:focus")
    assert tab.run(f"{target}.checkVisibility()")
    tab.type("#search", "nothing has this")
    assert shown(tab) == []
    tab.run("location.hash = 'q-rename-a-command'")
    tab.wait("#q-rename-a-command .ranking")
    assert len(shown(tab)) == 20
    tab.run("location.hash = 'q-progress-bar-in-a-long-loop'")
    tab.wait("article#q-progress-bar-in-a-long-loop:focus")
    tab.shut()


def test_row_of_a_long_list_gets_its_content_when_opened(browser: Browser, pages: dict[str, Path]) -> None:
    tab = browser.open(pages["long"], "#q-page-long-output", reducedMotion="reduce")
    tab.wait("#q-page-long-output .ranking")
    assert tab.count("#rows .ranking") == 1
    assert tab.seen()["console"] == tab.seen()["errors"] == []
    tab.shut()


def test_slash_goes_to_the_search_field(tab: Tab) -> None:
    tab.press("/")
    assert tab.run("document.activeElement.id") == "search"
    tab.press("/")
    assert tab.run("document.activeElement.value") == "/"


def test_command_is_copied(browser: Browser, pages: dict[str, Path]) -> None:
    tab = browser.open(pages["failed"], permissions=["clipboard-read", "clipboard-write"])
    tab.click(".commands button")
    tab.wait("text=Copied")
    assert tab.run("navigator.clipboard.readText()") == REPORTS["failed"].next[0]
    tab.shut()


@pytest.mark.parametrize("width", [412, 1280])
def test_tab_reaches_every_control_once_in_reading_order(
    browser: Browser, pages: dict[str, Path], width: int
) -> None:
    tab = browser.open(pages["failed"], viewport={"width": width, "height": 844}, reducedMotion="reduce")
    stops = walk(tab)
    assert {stop.at: stop.name for stop in stops} == wanted(tab)
    assert [stop.at for stop in stops] == sorted({stop.at for stop in stops})
    assert backwards(stops) == []
    assert [stop.name for stop in stops if not stop.shown] == []
    tab.shut()


@pytest.mark.parametrize("width", [412, 1280])
@pytest.mark.parametrize("name", [*REPORTS, "compare"])
def test_page_has_no_barrier_and_does_not_scroll_sideways(
    browser: Browser, pages: dict[str, Path], name: str, width: int
) -> None:
    tab = browser.open(pages[name], viewport={"width": width, "height": 844}, reducedMotion="reduce")
    assert tab.run("document.documentElement.scrollWidth") <= width
    # Opening hundreds of queries shows axe nothing new.
    tab.run("document.querySelectorAll('#rows > li:nth-child(n + 12)').forEach((row) => row.remove())")
    assert barriers(tab) == []
    assert tab.run("document.documentElement.scrollWidth") <= width
    tab.act(["emulateMedia", {"colorScheme": "dark"}])
    assert barriers(tab) == []
    seen = tab.seen()
    assert seen["console"] == seen["errors"] == []
    assert [url for url in seen["requests"] if not url.startswith("data:")] == [pages[name].as_uri()]
    tab.shut()


def test_failed_page_of_20_queries_is_at_most_3500_pixels(browser: Browser, pages: dict[str, Path]) -> None:
    tab = browser.open(pages["failed"], viewport={"width": 1280, "height": 900})
    assert tab.run("document.documentElement.scrollHeight") <= 3500
    tab.shut()


def test_page_of_2000_queries_opens_within_a_second(browser: Browser, pages: dict[str, Path]) -> None:
    seconds = []
    for _ in range(5):
        tab = browser.open(pages["2,000 queries"], viewport={"width": 1280, "height": 900})
        seconds.append(tab.run("performance.getEntriesByType('navigation')[0].loadEventEnd") / 1000)
        tab.shut()
    assert min(seconds) <= 1, seconds
