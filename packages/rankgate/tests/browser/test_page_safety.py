"""The page reaches for nothing, runs nothing that is not its own, and can be used by everybody."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

import pytest

from rankgate.reports.page.document import own_assets
from support.chromium import PACKAGES, skip
from support.odd_pages import HOSTILE, bare, hostile, nothing, odd, passing, single
from support.page_samples import usual
from support.written_pages import written

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rankgate.reports.page.model import ReportPage
    from support.chromium import Browser

pytestmark = [pytest.mark.once, pytest.mark.xdist_group("browser")]
SAMPLES: dict[str, Callable[[], ReportPage]] = {
    "usual": usual,
    "passing": passing,
    "single": single,
    "nothing": nothing,
    "bare": bare,
    "odd": odd,
    "hostile": hostile,
}


@pytest.mark.parametrize("name", SAMPLES)
def test_no_request_leaves_the_page_and_nothing_complains(
    browser: Browser, tmp_path: Path, name: str
) -> None:
    path = written(tmp_path, SAMPLES[name]())
    tab = browser.open(path)
    for part in ("document.body.scrollHeight", "0"):
        tab.run(f"scrollTo(0, {part})")
    if tab.count(".grid-body .grid-row"):
        tab.click(".grid-body .grid-row")
        tab.wait("#panel")
    if tab.count("#panel .hit-head[aria-expanded]"):
        tab.click("#panel .hit-head[aria-expanded]")
    tab.click("#theme")
    tab.act(["emulateMedia", {"media": "print"}])
    tab.act(["waitForTimeout", 100])
    seen = tab.seen()
    assert [url for url in seen["requests"] if not url.startswith("data:")] == [path.as_uri()]
    assert (seen["console"], seen["errors"], seen["dialogs"]) == ([], [], [])
    tab.shut()


def test_what_is_not_the_pages_own_is_neither_run_nor_fetched(browser: Browser, tmp_path: Path) -> None:
    path = written(tmp_path, usual(3))
    tab = browser.open(path)
    tab.run(FOREIGN)
    tab.act(["waitForTimeout", 200])
    assert tab.run("window.ran === undefined")
    seen = tab.seen()
    assert len(seen["console"]) == 2
    assert all("Content Security Policy" in text for text in seen["console"])
    asked = [url for url in seen["requests"] if not url.startswith("data:")]
    assert [url for url in asked if url not in seen["refused"]] == [path.as_uri()]
    tab.shut()


FOREIGN = """{
  const script = document.createElement("script");
  script.textContent = "window.ran = 1";
  const image = document.createElement("img");
  image.src = "https://example.invalid/x.png";
  document.body.append(script, image);
}"""


def test_hostile_names_are_text(browser: Browser, tmp_path: Path) -> None:
    page = hostile()
    tab = browser.open(written(tmp_path, page), viewport={"width": 1440, "height": 2600})
    everything = "document.querySelectorAll('script').length + 10 * document.querySelectorAll('style').length"
    assert tab.run(everything) == 13
    assert set(tab.texts(".grid-body .cell-query .cell-query")) == {query.query for query in page.queries}
    for number in range(tab.count(".grid-body .grid-row")):
        tab.act(["locator", ".grid-body .grid-row"], ["nth", number], ["click"])
        for at in range(tab.count("#panel .hit-head[aria-expanded=false]")):
            tab.act(["locator", "#panel .hit-head[aria-expanded=false]"], ["nth", 0], ["click"])
            assert at < 50
        shown = tab.run("document.querySelector('#panel .source code').textContent")
        assert shown.split("\n")[0] in HOSTILE
    tab.act(["emulateMedia", {"media": "print"}])
    tab.wait("#printed article")
    assert tab.run(MADE) == []
    assert tab.run(everything) == 13
    seen = tab.seen()
    assert (seen["dialogs"], seen["errors"], seen["console"]) == ([], [], [])
    tab.shut()


MADE = """[...document.querySelectorAll("*")].filter((one) =>
  one.matches("img, iframe, object, embed, link:not([rel=icon]), base, form")
  || one.matches("b:not(.score-was b, .hero-state)")
  || [...one.attributes].some((each) => each.name.startsWith("on"))
  || (one.href && String(one.href).startsWith("javascript:"))).map((one) => one.outerHTML)"""


def test_the_chart_library_is_the_one_that_is_pinned() -> None:
    folder = PACKAGES / "node_modules" / "uplot"
    if not folder.is_dir():
        skip("`just browser` has not fetched uplot")
    assets = own_assets()
    assert (folder / "dist" / "uPlot.iife.min.js").read_text(encoding="utf-8").strip() in assets.script
    assert (folder / "dist" / "uPlot.min.css").read_text(encoding="utf-8").strip() in assets.style
    licence = (files("rankgate.reports.page") / "assets" / "vendor" / "uplot.LICENSE").read_text(
        encoding="utf-8"
    )
    assert licence == (folder / "LICENSE").read_text(encoding="utf-8")


def test_no_script_parses_markup() -> None:
    script = own_assets().script
    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "DOMParser",
        "eval(",
        "new Function",
    ):
        assert word not in script
