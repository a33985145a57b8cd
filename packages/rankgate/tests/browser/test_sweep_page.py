"""The page of a sweep in a real browser: sorted, filtered, opened by mouse and keys, in every look."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.axe import barriers
from support.swept_pages import HOSTILE, QUERIES, hostile, sample, swept_page
from support.widths import by_width

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.chromium import Browser, Tab

pytestmark = [pytest.mark.once, pytest.mark.xdist_group("browser")]
NAMES = "#board tbody th bdi"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return swept_page(tmp_path_factory.mktemp("sweep"))


@pytest.fixture
def tab(browser: Browser, written: Path) -> Iterator[Tab]:
    found = browser.open(written)
    yield found
    found.shut()


def test_the_sentence_stands_first_and_the_table_has_the_order_of_the_report(tab: Tab) -> None:
    report = sample().report
    assert tab.text("h1") == report.headline
    assert tab.texts(NAMES) == [row.name for row in report.rows][:20]
    tab.click("#board .compared-foot button")
    assert tab.texts(NAMES) == [row.name for row in report.rows]


def test_a_title_sorts_and_sorts_the_other_way(tab: Tab) -> None:
    tab.click("#board .compared-foot button")
    rows = [row for row in sample().report.rows if row.numbers.difference is not None]
    tab.click("#board thead th:nth-child(2) button")
    assert tab.texts(NAMES) == sorted(row.name for row in sample().report.rows)
    tab.click("#board thead th:nth-child(5) button")
    assert tab.run("document.querySelector('#board thead th:nth-child(5)').ariaSort") == "descending"
    tab.click("#board thead th:nth-child(5) button")
    lowest = min(rows, key=lambda row: row.numbers.difference or 0.0)
    assert tab.texts(NAMES)[0] == lowest.name
    # What has no difference is last, either way.
    assert tab.texts(NAMES)[-1] == "v000"


def test_a_filter_leaves_what_has_its_words(tab: Tab) -> None:
    tab.type("#variant-find", "same options")
    assert tab.texts(NAMES) == ["again"]
    tab.type("#variant-find", "nothing like it")
    assert tab.texts(NAMES) == []


def test_a_query_opens_in_two_variants_which_are_chosen_and_stand_in_the_address(
    tab: Tab, browser: Browser, written: Path
) -> None:
    page = sample()
    query = next(one for one in page.asked if one.only is not None)
    tab.type("#sweep-find", query.query)
    tab.click("#queries tbody button")
    assert tab.text("#query .card > h3") == query.query
    titles = tab.texts("#query .moves h4")
    assert titles[0] == page.columns[page.base]
    # The one that alone finds it is the best beside the one in use.
    assert titles[1] == page.columns[query.only or 0]
    assert len(tab.texts("#query .strip li")) == len(page.columns)
    chosen = next(at for at in range(len(page.columns)) if at not in (page.base, query.only))
    tab.act(["selectOption", "#query .side:nth-child(1) select", str(chosen)])
    assert tab.texts("#query .moves h4")[0] == page.columns[chosen]
    again = browser.open(written, tab.run("location.hash"))
    assert again.texts("#query .moves h4")[0] == page.columns[chosen]
    again.shut()


def test_what_one_alone_finds_and_what_nobody_answers_is_listed_and_opens(tab: Tab) -> None:
    page = sample()
    alone = {page.columns[at] for at, number in enumerate(page.alone) if number}
    assert set(tab.texts("#alone tbody th")) == alone
    missed = [one.query for one in page.asked if max(one.first) <= 0]
    assert tab.texts("#missed tbody th") == missed
    tab.click("#missed tbody button")
    assert tab.text("#query .card > h3") == missed[0]


def test_a_cell_of_the_heat_map_opens_its_query_in_its_variant(tab: Tab) -> None:
    tab.run("document.querySelector('#heat canvas').scrollIntoView()")
    wide = tab.run("document.querySelector('#heat canvas').clientWidth")
    # The last column of the first row below the numbers.
    tab.act(["click", "#heat canvas", {"position": {"x": wide - 8, "y": 30}}])
    tab.wait("#query")
    assert tab.texts("#query .moves h4")[1] == sample().columns[-1]


def test_every_chart_has_its_figures_as_a_table(tab: Tab) -> None:
    figures = tab.count("figure")
    # Intervals, two costs and the heat map.
    assert figures == tab.count("figure .chart-table") == 4
    tab.run("document.querySelectorAll('.chart-table').forEach((one) => { one.open = true; })")
    tab.wait("#cost-latency .chart-table tbody tr")
    assert tab.count("#cost-latency .chart-table tbody tr") == len(sample().costs[0].points)
    fronts = [text for text in tab.texts("#cost-latency .chart-table td:last-child") if text]
    assert len(fronts) == sum(point.front for point in sample().costs[0].points)


@pytest.mark.parametrize(("scheme", "width"), by_width(("light", "dark")))
def test_axe_finds_nothing_and_nothing_is_wider_than_the_screen(
    browser: Browser, written: Path, scheme: str, width: int
) -> None:
    case = sample().asked[0].case
    tab = browser.open(written, f"#q={case}", viewport={"width": width, "height": 844}, colorScheme=scheme)
    tab.wait("#query")
    assert tab.run("document.documentElement.scrollWidth") == width
    assert barriers(tab) == []
    tab.shut()


def test_two_tabs_or_a_slash_lead_to_the_filter(tab: Tab) -> None:
    tab.press("Tab", "Tab", "Enter")
    assert tab.run("document.activeElement.id") == "sweep-find"
    tab.run("document.activeElement.blur()")
    tab.press("/", "2", "1")
    assert "how do I use topic 21" in tab.texts("#queries tbody th")
    assert tab.count("#queries tbody tr") < QUERIES


def test_hostile_text_stays_text_and_nothing_is_fetched(browser: Browser, tmp_path: Path) -> None:
    path = swept_page(tmp_path, hostile())
    tab = browser.open(path)
    assert HOSTILE[1] in tab.texts(NAMES)
    tab.click("#queries tbody button")
    tab.wait("#query")
    tab.click("#theme")
    tab.act(["emulateMedia", {"media": "print"}])
    seen = tab.seen()
    assert [url for url in seen["requests"] if not url.startswith("data:")] == [path.as_uri()]
    assert (seen["console"], seen["errors"], seen["dialogs"]) == ([], [], [])
    tab.shut()


def test_two_suites_are_chosen_from(browser: Browser, tmp_path: Path) -> None:
    tab = browser.open(swept_page(tmp_path, sample(), hostile()))
    tab.click("main > .choice button:nth-child(2)")
    assert HOSTILE[1] in tab.texts(NAMES)
    assert tab.run("location.hash") == "#suite=2"
    tab.shut()
