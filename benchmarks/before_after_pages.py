"""The pages of `just before-after` in Chromium: what two versions show, in what order, by how many keys."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.error import URLError
from urllib.request import urlopen

from support.http_servers import free_port

if TYPE_CHECKING:
    from before_after_projects import Tree
    from support.chromium import Browser, Tab

PICTURES = Path(__file__).parents[1] / "docs" / "images" / "before-after"
WIDE, NARROW = {"width": 1280, "height": 860}, {"width": 390, "height": 844}
_MEASURES = (Path(__file__).parent / "first_screens" / "measures.js").read_text(encoding="utf-8")


def opened(browser: Browser, page: Path, viewport: dict[str, int]) -> Tab:
    """Open a page with what is measured on it."""
    tab = browser.open(page, viewport=viewport, reducedMotion="reduce")
    tab.load(_MEASURES)
    return tab


def seen(browser: Browser, tree: Tree, folder: Path) -> tuple[dict[int, str], set[int]]:
    """Return what is measured on the pages of one version, and which numbers have pictures."""
    texts = {}
    book = folder / "handbook" / "page.html"
    tab = opened(browser, book, WIDE)
    texts[13] = tab.run("measured.order()")
    texts[14] = tab.run("measured.links()")
    texts[17] = tab.run("measured.categories()")
    picture(tab, PICTURES / f"18-{tree.name}.png", "#comparison .pair")
    tab.shut()
    texts[20] = by_keys(browser, book)
    tab = opened(browser, folder / "topics" / "page.html", NARROW)
    texts[15] = tab.run("measured.rows()")
    tab.shut()
    tab = opened(browser, folder / "topics" / "page.html", WIDE)
    picture(tab, PICTURES / f"05-{tree.name}.png", ".moved-shown")
    tab.shut()
    tab = browser.open(folder / "topics" / "page.html", "#q=how-does-billing-handle-topic-0", viewport=WIDE)
    texts[4] = f"on the page: {tab.text('#panel .command code')}\nasked by the test with: lang=en"
    tab.shut()
    listed(browser, tree, folder / "topics", PICTURES / f"10-{tree.name}.png")
    return texts, {5, 10, 18}


def picture(tab: Tab, path: Path, selector: str) -> None:
    """Take a picture of one element."""
    tab.act(["locator", selector], ["first"], ["scrollIntoViewIfNeeded"])
    tab.act(["waitForTimeout", 400])
    tab.act(["locator", selector], ["first"], ["screenshot", {"path": str(path)}])


def by_keys(browser: Browser, page: Path) -> str:
    """Count the keys to the table, with the links that skip where there are any, and try arrow and Enter."""
    tab = opened(browser, page, WIDE)
    tabs = 0
    while not tab.run("measured.inTable()") and tabs < 200:
        tab.press("Tab")
        tabs += 1
    tab.shut()
    tab = opened(browser, page, WIDE)
    skips = tab.count(".skip")
    tab.press(*["Tab"] * skips, "Enter")
    skipped = skips + 1 if tab.run("measured.inTable()") else None
    tab.run("document.getElementById('filter').focus()")
    tab.press("ArrowDown", "Enter")
    tab.act(["waitForTimeout", 300])
    opens = tab.run("measured.opened()")
    tab.shut()
    return (
        f"tabs to the table: {tabs}\n"
        f"keys by the links that skip: {skipped or 'they do not lead to it'}\n"
        f"arrow and Enter in the filter open a query: {'yes' if opens else 'no'}"
    )


def listed(browser: Browser, tree: Tree, project: Path, path: Path) -> None:
    """Take a picture of `rankgate view` of a version, with every system of the list ticked."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "rankgate", "view", "--no-browser", "--port", str(port)],
        cwd=project,
        env=tree.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        address = f"http://127.0.0.1:{port}/"
        for _ in range(300):
            try:
                urlopen(address, timeout=5).close()
                break
            except (URLError, ConnectionError):
                time.sleep(0.2)
        tab = browser.open(address, viewport=WIDE)
        for number in range(min(3, tab.count("input[type=checkbox]"))):
            tab.act(["locator", "input[type=checkbox]"], ["nth", number], ["click"])
        tab.act(["screenshot", {"path": str(path)}])
        tab.shut()
    finally:
        process.terminate()
        process.wait()
