"""The table of queries in a real browser: sorted, filtered, walked by keys, and never whole in the DOM."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from support.page_samples import usual
from support.pages import large
from support.written_pages import written

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.chromium import Browser, Tab

pytestmark = [pytest.mark.once, pytest.mark.xdist_group("browser")]
ROWS = ".grid-body .grid-row"
PAGE = usual()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("page"), PAGE)


@pytest.fixture
def tab(browser: Browser, report: Path) -> Iterator[Tab]:
    found = browser.open(report, viewport={"width": 1440, "height": 2600})
    yield found
    found.shut()


def column(tab: Tab, name: str) -> list[str]:
    return tab.texts(f"{ROWS} .cell-{name}")


def test_what_failed_stands_first(tab: Tab) -> None:
    words = [text.strip() for text in column(tab, "mark")]
    assert words[0] == "Failed"
    assert words.index("Passed") == sum(query.mark != "✅" for query in PAGE.queries)
    assert "Failed" not in words[words.index("Passed") :]


def test_a_click_on_a_heading_sorts_a_second_turns_round_and_a_third_gives_up(tab: Tab) -> None:
    heading = ".grid-head .cell-ms button"
    tab.click(heading)
    up = [float(text) for text in column(tab, "ms")]
    assert up == sorted(up)
    assert tab.act(["getAttribute", ".grid-head .cell-ms", "aria-sort"]) == "ascending"
    tab.click(heading)
    down = [float(text) for text in column(tab, "ms")]
    assert down == sorted(down, reverse=True)
    assert tab.act(["getAttribute", ".grid-head .cell-ms", "aria-sort"]) == "descending"
    tab.click(heading)
    assert tab.act(["getAttribute", ".grid-head .cell-mark", "aria-sort"]) == "ascending"


def test_no_time_is_shown_as_none(browser: Browser, tmp_path: Path) -> None:
    times = (None, 0.004, 0.03, 2.34, 56.7)
    queries = tuple(replace(query, ms=time) for query, time in zip(PAGE.queries, times, strict=False))
    tab = browser.open(written(tmp_path, replace(PAGE, queries=queries)))
    assert sorted(column(tab, "ms")) == ["", "0.03", "2.3", "57", "<0.01"]
    tab.shut()


def test_headings_are_reached_and_pressed_by_keys(tab: Tab) -> None:
    tab.act(["focus", ".grid-head .cell-query button"])
    tab.press("Enter")
    names = column(tab, "query .cell-query")
    assert names == sorted(names, key=str.lower)


def test_the_filter_looks_in_query_id_category_and_path(tab: Tab) -> None:
    for text in ("Password TWICE", PAGE.queries[7].case, "upgrading", "shell_completion"):
        tab.type("#filter", text)
        wanted = {
            query.case
            for query in PAGE.queries
            if all(
                word
                in "\n".join(
                    [
                        query.query,
                        query.case,
                        query.category,
                        *(one.location for one in query.targets),
                        *(hit.location for hit in query.hits),
                    ]
                ).lower()
                for word in text.lower().split()
            )
        }
        shown = set(tab.run(f"[...document.querySelectorAll('{ROWS}')].map((row) => row.dataset.case)"))
        assert shown == wanted
        assert tab.text(".count") == f"{len(wanted)} of {len(PAGE.queries)}"


def test_a_filter_that_nothing_matches_says_so(tab: Tab) -> None:
    tab.type("#filter", "no query is like this")
    assert tab.text(".grid-none") == "No query matches."
    assert tab.count(ROWS) == 0


@pytest.mark.parametrize(
    ("chip", "holds"),
    [
        ("failed", lambda query: query.mark == "❌"),
        ("known", lambda query: query.ended == "known"),
        ("moved", lambda query: query.before.values != query.values),
    ],
)
def test_chips_show_only_their_queries(tab: Tab, chip: str, holds: Any) -> None:
    tab.click(f"[data-chip={chip}]")
    assert tab.count(ROWS) == sum(map(holds, PAGE.queries))
    assert tab.act(["getAttribute", f"[data-chip={chip}]", "aria-pressed"]) == "true"
    tab.click(f"[data-chip={chip}]")
    assert tab.count(ROWS) == len(PAGE.queries)


def test_a_category_shows_its_queries(tab: Tab) -> None:
    rows = [row for row in PAGE.report.slices.rows if not row.mark]
    name = sorted(rows, key=lambda row: row.numbers[0] or 0.0)[1].name
    tab.click(".slice:nth-child(2) .slice-row")
    assert set(column(tab, "category .cell-category")) == {name}
    assert tab.act(["getAttribute", f"[data-category={name}]", "aria-pressed"]) == "true"


def test_arrows_move_enter_opens_escape_closes_and_focus_returns(tab: Tab) -> None:
    tab.act(["focus", ".grid"])
    tab.press("ArrowDown", "ArrowDown", "ArrowUp", "ArrowDown")
    active = tab.act(["getAttribute", ".grid", "aria-activedescendant"])
    assert tab.act(["getAttribute", f"#{active}", "aria-rowindex"]) == "3"
    tab.press("Enter")
    tab.wait("#panel")
    assert tab.text("#panel h2") == column(tab, "query .cell-query")[1]
    assert tab.run("document.activeElement === document.querySelector('#panel h2')")
    tab.press("Escape")
    tab.wait("#panel", "hidden")
    assert tab.run("document.activeElement.className") == "grid"
    tab.press("End")
    active = tab.act(["getAttribute", ".grid", "aria-activedescendant"])
    assert active == f"row-{len(PAGE.queries) - 1}"


def test_a_slash_leads_to_the_filter_and_is_not_typed(tab: Tab) -> None:
    tab.press("/", "a", "/")
    assert tab.run("document.activeElement.id") == "filter"
    assert tab.run("document.activeElement.value") == "a/"


def test_the_address_keeps_query_filter_order_and_chip(browser: Browser, report: Path, tab: Tab) -> None:
    tab.type("#filter", "option")
    tab.click("[data-chip=moved]")
    tab.click(".grid-head .cell-ms button")
    tab.click(f"{ROWS}:first-child")
    before = column(tab, "query .cell-query"), tab.text("#panel h2")
    again = browser.open(report, tab.run("location.hash"), viewport={"width": 1440, "height": 2600})
    assert (column(again, "query .cell-query"), again.text("#panel h2")) == before
    again.shut()
    tab.act(["goBack"])
    tab.wait("#panel", "hidden")
    assert tab.run("document.getElementById('filter').value") == "option"


def test_the_grid_tells_how_many_rows_and_columns_it_has(tab: Tab) -> None:
    assert tab.act(["getAttribute", ".grid", "aria-rowcount"]) == str(len(PAGE.queries) + 1)
    assert tab.act(["getAttribute", ".grid", "aria-colcount"]) == str(
        tab.count(".grid-head [role=columnheader]")
    )


def test_ten_thousand_queries_never_have_200_rows_in_the_dom(
    browser: Browser, tmp_path: Path, record_property: Any
) -> None:
    record_property("figures", check_large(browser, written(tmp_path, usual(10_000))))


@pytest.mark.long
def test_ten_thousand_queries_with_as_many_texts_as_a_page_holds_are_as_quick(
    browser: Browser, tmp_path: Path, record_property: Any
) -> None:
    record_property("figures", check_large(browser, written(tmp_path, large())))


def check_large(browser: Browser, path: Path) -> str:
    """Scroll, filter and sort a page of 10,000 queries, and say what it took."""
    tab = browser.open(path)
    most = 0
    for part in range(0, 101, 4):
        most = max(most, *tab.run(SCROLL % (part / 100)))
    assert 10 <= most < 200
    assert tab.text(f"{ROWS}:last-child .cell-query .cell-query")
    paint = tab.run("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    ready = tab.run("performance.getEntriesByName('rankgate-ready')[0].startTime")
    first, *others = (tab.run(FILTER % text) for text in ("password", "loop", "option 77", "zzz", ""))
    sort = tab.run(SORT)
    assert ready < 8000
    assert max(first, sort, *others) < 1500
    size = path.stat().st_size / 1e6
    assert size < 6
    tab.shut()
    return (
        f"10,000 queries, {size:.1f} MB: first paint {paint:.0f} ms, all there {ready:.0f} ms, "
        f"at most {most} rows in the DOM; "
        f"first filter {first:.0f} ms, later ones {max(others):.0f} ms at most, sorting {sort:.0f} ms"
    )


SCROLL = """new Promise((done) => {
  const grid = document.querySelector(".grid");
  grid.scrollTop = %f * (grid.scrollHeight - grid.clientHeight);
  const count = () => grid.querySelectorAll("[role=row]").length;
  const at = count();
  requestAnimationFrame(() => requestAnimationFrame(() => done([at, count()])));
})"""
FILTER = """new Promise((done) => {
  const box = document.getElementById("filter");
  const from = performance.now();
  box.value = "%s";
  box.dispatchEvent(new Event("input"));
  requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - from)));
})"""
SORT = """new Promise((done) => {
  const from = performance.now();
  document.querySelector(".grid-head .cell-query button").click();
  requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - from)));
})"""
