"""The page of a comparison in a real browser: what it says first, and what opens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.reports.comparison_page.content import page_of_pages
from support.axe import barriers
from support.compared_pages import CASES, COUNT, compared_page, three
from support.odd_pages import hostile

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.chromium import Browser, Tab

pytestmark = [pytest.mark.once, pytest.mark.xdist_group("browser")]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compared_page(tmp_path_factory.mktemp("compare"))


@pytest.fixture
def tab(browser: Browser, written: Path) -> Iterator[Tab]:
    found = browser.open(written)
    yield found
    found.shut()


def test_errors_and_the_sentence_stand_in_the_first_screen(tab: Tab) -> None:
    report = three().reports[0]
    assert report.errors is not None
    assert report.errors.words in tab.text("#difference .note-doubt")
    assert tab.text(".compared-headline") == f"{report.headline}."
    assert tab.run("document.querySelector('.compared-headline').getBoundingClientRect().bottom") < 900


def test_the_figures_are_shown_with_and_without_errors(tab: Tab) -> None:
    report = three().reports[0]
    assert report.errors is not None
    shown = "#difference tbody .strong"
    assert tab.texts(shown) == [row.difference for row in report.rows]
    tab.click("#difference .choice button:nth-child(2)")
    assert tab.texts(shown) == [row.difference for row in report.errors.rows]


def test_a_cell_of_the_matrix_opens_its_queries_and_a_query_its_rankings(tab: Tab) -> None:
    matrix = three().reports[0].transitions
    (lost,) = [cell for cell in matrix.cells if (cell.before, cell.after) == ("1", "absent")]
    tab.click("#ranks button[aria-label*='from 1 to absent']")
    assert len(tab.texts("#ranks .query-list button")) == lost.count
    tab.click("#ranks .query-list button")
    tab.wait("#query .moves")
    assert tab.text("#query .card > h3") in {case.query for case in CASES if case.id in lost.cases}


def test_a_query_of_the_heat_map_opens_and_its_address_leads_back(
    tab: Tab, browser: Browser, written: Path
) -> None:
    tab.type("#compared-find", "question 21")
    assert tab.texts(".compared-heat tbody th") == ["question 21"]
    assert [text.split() for text in tab.texts(".compared-heat tbody td")] == [
        ["0.0000", "not", "found"], ["0.0000", "not", "found"], ["1.0000", "rank", "1"],
    ]  # fmt: skip
    tab.click(".compared-heat tbody button")
    assert tab.text("#query .card > h3") == "question 21"
    again = browser.open(written, tab.run("location.hash"))
    assert again.text("#query .card > h3") == "question 21"
    again.shut()


def test_another_system_is_chosen_and_stands_in_the_address(tab: Tab) -> None:
    tab.click("main > .choice button:nth-child(2)")
    assert tab.text(".compared-headline") == f"{three().reports[1].headline}."
    assert tab.run("location.hash") == "#with=2"


def test_all_queries_are_reached(tab: Tab) -> None:
    assert tab.count(".compared-heat tbody tr") == 50
    tab.click(".compared-foot button")
    assert tab.count(".compared-heat tbody tr") == COUNT


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_screen(
    browser: Browser, written: Path, width: int, scheme: str
) -> None:
    tab = browser.open(written, "#q=q21", viewport={"width": width, "height": 844}, colorScheme=scheme)
    tab.click("#ranks td button")
    assert tab.run("document.documentElement.scrollWidth") == width
    assert barriers(tab) == []
    tab.shut()


def test_two_tabs_or_a_slash_lead_to_the_filter(tab: Tab) -> None:
    tab.press("Tab", "Tab", "Enter")
    assert tab.run("document.activeElement.id") == "compared-find"
    tab.run("document.activeElement.blur()")
    tab.press("/", "2", "1")
    assert tab.texts(".compared-heat tbody th") == ["question 21"]


def test_hostile_text_stays_text_and_nothing_is_fetched(browser: Browser, tmp_path: Path) -> None:
    page = hostile()
    names = ["<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>"]
    path = compared_page(tmp_path, page_of_pages([page, page], names))
    tab = browser.open(path)
    assert names[1] in tab.text("h1")
    assert tab.count(".compared-heat tbody tr") > 0
    tab.click(".compared-heat tbody button")
    tab.wait("#query")
    seen = tab.seen()
    assert [url for url in seen["requests"] if not url.startswith("data:")] == [path.as_uri()]
    assert (seen["console"], seen["errors"], seen["dialogs"]) == ([], [], [])
    tab.shut()
