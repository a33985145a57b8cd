"""The same pages in Chromium, Firefox and WebKit, narrow and wide, light and dark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.axe import barriers
from support.compared_pages import compared_page
from support.every_browser import BROWSERS, SCHEMES, started
from support.keyboard import backwards, idle, walk, wanted
from support.page_samples import usual
from support.repository import ROOT
from support.written_pages import written

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.every_browser import Opener
    from support.scripted_page import ScriptedPage

pytestmark = [pytest.mark.long, pytest.mark.once, pytest.mark.xdist_group("browser")]
PAGE = usual(48)
PICTURES = ROOT / ".benchmarks" / "browsers"
WIDTHS = (390, 1280)
NAMES = ("report", "comparison")
ROWS = ".grid-body .grid-row"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    return {
        "report": written(folder, PAGE),
        "comparison": compared_page(folder),
    }


@pytest.fixture(
    scope="module",
    params=[(name, scheme) for name in BROWSERS for scheme in SCHEMES],
    ids="-".join,
)
def opener(request: pytest.FixtureRequest) -> Iterator[Opener]:
    with started(*request.param) as found:
        yield found


@pytest.fixture
def look(request: pytest.FixtureRequest) -> str:
    """The name of the browser and its theme."""
    name: str = "-".join(request.node.callspec.params["opener"])
    return name


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", NAMES)
def test_the_first_screen_is_there_and_axe_finds_nothing(
    opener: Opener, pages: dict[str, Path], look: str, name: str, width: int
) -> None:
    page = opener.open(pages[name], width=width)
    assert page.run("document.documentElement.scrollWidth <= innerWidth")
    assert page.run("document.querySelector('h1').getBoundingClientRect().bottom") < 700
    dark = page.run("matchMedia('(prefers-color-scheme: dark)').matches")
    assert dark == look.endswith("dark")
    light = page.run("getComputedStyle(document.body).backgroundColor.match(/[0-9.]+/g).map(Number)[0]")
    assert (light < 128) == dark
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.picture(PICTURES / f"{name}-{look}-{width}.png")
    if name == "report":
        assert page.text("h1") == PAGE.report.summary.headline
    assert barriers(page) == []
    page.shut()


def type_slowly(page: ScriptedPage, text: str) -> None:
    """Press a key for each letter."""
    page.press(*("Space" if letter == " " else letter for letter in text))


def test_the_filter_narrows_and_arrows_and_enter_open_a_row(opener: Opener, pages: dict[str, Path]) -> None:
    page = opener.open(pages["report"], width=1280)
    page.press("/")
    type_slowly(page, "option")
    wanted_count = sum("option" in haystack(query) for query in PAGE.queries)
    assert page.text(".count") == f"{wanted_count} of {len(PAGE.queries)}"
    names = page.texts(f"{ROWS} .cell-query .cell-query")
    page.press("ArrowDown", "ArrowDown", "Enter")
    page.wait("#panel h2")
    assert page.text("#panel h2") == names[1]
    page.press("Escape")
    assert page.run("document.getElementById('panel').hidden")
    page.shut()


def haystack(query: object) -> str:
    """Everything of a query that the filter looks at."""
    fields = (query.query, query.case, query.category, query.where, *query.tags)  # type: ignore[attr-defined]
    places = (one.location for one in (*query.targets, *query.hits))  # type: ignore[attr-defined]
    return "\n".join([*fields, *places]).lower()


def test_an_address_leads_to_its_query(opener: Opener, pages: dict[str, Path]) -> None:
    query = PAGE.queries[5]
    page = opener.open(pages["report"], f"#q={query.case}", width=1280)
    assert page.text("#panel h2") == " ".join(query.query.split())
    page.shut()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_tab_reaches_every_control_once_in_reading_order_and_it_is_seen(
    opener: Opener, pages: dict[str, Path], name: str, width: int
) -> None:
    page = opener.open(pages[name], width=width)
    stops = walk(page)
    assert {stop.at: stop.name for stop in stops} == wanted(page)
    assert len({stop.at for stop in stops}) == len(stops) > 5
    assert [stop.at for stop in stops] == sorted(stop.at for stop in stops)
    assert backwards(stops) == []
    assert [stop.name for stop in stops if not stop.shown] == []
    page.shut()


@pytest.mark.parametrize("name", NAMES)
def test_every_kind_of_control_acts(opener: Opener, pages: dict[str, Path], look: str, name: str) -> None:
    if look.endswith("dark"):
        pytest.skip("keys do the same in the dark")
    page = opener.open(pages[name], width=1280)
    kinds = dict.fromkeys(stop.kind for stop in walk(page))
    page.shut()
    dead = []
    for kind in kinds:
        page = opener.open(pages[name], width=1280)
        if idle(page, kind):
            dead.append(kind)
        page.shut()
    assert dead == []
