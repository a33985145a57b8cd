"""Every control of every page by keys alone: reached once, in reading order, seen, and acting."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.compared_pages import compared_page
from support.keyboard import backwards, idle, walk, wanted
from support.page_samples import usual
from support.widths import by_width
from support.written_pages import written

if TYPE_CHECKING:
    from pathlib import Path

    from support.chromium import Browser, Tab

pytestmark = [pytest.mark.once, pytest.mark.xdist_group("browser")]
PAGE = usual(12)
CASE = PAGE.queries[0].case
ADDRESSES = {"report": "", "query": f"#q={CASE}", "comparison": "#q=q21"}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    report = written(folder, PAGE)
    comparison = compared_page(folder)
    return {
        "report": report,
        "query": report,
        "comparison": comparison,
    }


def opened(browser: Browser, pages: dict[str, Path], name: str, width: int = 1280) -> Tab:
    return browser.open(
        pages[name], ADDRESSES[name], viewport={"width": width, "height": 844}, reducedMotion="reduce"
    )


@pytest.mark.parametrize(("name", "width"), by_width(ADDRESSES))
def test_tab_reaches_every_control_once_in_reading_order_and_it_is_seen(
    browser: Browser, pages: dict[str, Path], name: str, width: int
) -> None:
    tab = opened(browser, pages, name, width)
    stops = walk(tab)
    assert {stop.at: stop.name for stop in stops} == wanted(tab)
    assert len({stop.at for stop in stops}) == len(stops) > 5
    assert [stop.at for stop in stops] == sorted(stop.at for stop in stops)
    assert backwards(stops) == []
    assert [stop.name for stop in stops if not stop.shown] == []
    tab.shut()


# The page of a report has most kinds of controls; the others take a minute each.
_ACTING = [pytest.param(name, marks=[] if name == "report" else pytest.mark.long) for name in ADDRESSES]


@pytest.mark.parametrize("name", _ACTING)
def test_every_kind_of_control_acts(browser: Browser, pages: dict[str, Path], name: str) -> None:
    tab = opened(browser, pages, name)
    kinds = dict.fromkeys(stop.kind for stop in walk(tab))
    tab.shut()
    dead = []
    for kind in kinds:
        tab = opened(browser, pages, name)
        if idle(tab, kind):
            dead.append(kind)
        tab.shut()
    assert dead == []


def test_a_query_has_an_address_of_its_own_and_is_copied_as_markdown_by_keys(
    browser: Browser, pages: dict[str, Path]
) -> None:
    tab = browser.open(pages["report"], f"#q={CASE}", permissions=["clipboard-read", "clipboard-write"])
    assert tab.text("#panel .detail-case").startswith(CASE)
    tab.run("document.querySelector('#panel .copy-markdown button').focus()")
    tab.press("Enter")
    tab.wait("#panel .copy-markdown .copied:not(:empty)")
    lines = tab.run("navigator.clipboard.readText()").splitlines()
    query = PAGE.queries[0]
    assert lines[0].replace("\\", "").startswith(f"**{query.query}**")
    assert f"`{CASE}`" in lines[2]
    assert any(line.startswith(f"- `{query.targets[0].location}`") for line in lines)
    assert [line for line in lines if line.startswith("1. ")] == [
        line for line in lines if query.hits[0].location in line and line.startswith("1. ")
    ]
    assert lines[-1] == f"`{query.ask}`"
    tab.shut()
