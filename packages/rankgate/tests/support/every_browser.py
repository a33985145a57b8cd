"""Chromium, Firefox and WebKit behind the same few verbs."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from support.chromium import Browser, Tab, browser_or_skip, skip
from support.repository import ROOT
from support.scripted_page import ScriptedPage
from support.webdriver import PROGRAMS, browser_program, webkit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BROWSERS = ("chromium", "firefox", "webkit")
SCHEMES = ("light", "dark")
PACKAGES = ROOT / ".fixtures" / "browsers"


class Opener(Protocol):
    """A browser with one theme."""

    def open(self, place: Path | str, address: str = "", *, width: int, touch: bool = False) -> ScriptedPage:
        """Open a file or an address in a window of a width, or the narrowest that there is."""


class _DrivenPage(ScriptedPage):
    """A page of Chromium or Firefox, by what their drivers have in common."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab

    def run(self, script: str) -> Any:
        return self._tab.run(script)

    def load(self, script: str) -> None:
        self._tab.load(script)

    def press(self, *keys: str) -> None:
        self._tab.press(*keys)

    def click(self, selector: str) -> None:
        self._tab.act(["click", selector])

    def tap(self, selector: str) -> None:
        self._tab.act(["tap", selector])

    def picture(self, path: Path) -> None:
        self._tab.picture(path)

    def shut(self) -> None:
        self._tab.shut()


class _Driven:
    """Chromium or Firefox."""

    def __init__(self, browser: Browser, scheme: str) -> None:
        self._browser, self._scheme = browser, scheme

    def open(self, place: Path | str, address: str = "", *, width: int, touch: bool = False) -> ScriptedPage:
        # Firefox reads from the window whether it is touched, Chromium beside it.
        size = {"width": width, "height": 844, "hasTouch": touch}
        options = {
            "viewport": size,
            "hasTouch": touch,
            "colorScheme": self._scheme,
            "reducedMotion": "reduce",
        }
        page = _DrivenPage(Tab(self._browser, self._browser.ask("open", options=options)))
        page._tab.act(["goto", (place if isinstance(place, str) else place.as_uri()) + address])
        page.wait("html[data-ready]")
        return page


@contextmanager
def started(name: str, scheme: str) -> Iterator[Opener]:
    """Start a browser with a theme, where it is on this machine."""
    if name == "chromium":
        with browser_or_skip() as browser:
            yield _Driven(browser, scheme)
    elif name == "firefox":
        program = shutil.which("firefox-esr") or shutil.which("firefox")
        if not program or not (PACKAGES / "node_modules").is_dir():
            skip("Firefox or what drives it is missing: `just browsers` fetches them")
        with Browser(str(program), PACKAGES, "firefox", scheme) as browser:
            yield _Driven(browser, scheme)
    else:
        if not all(map(shutil.which, PROGRAMS)) or not browser_program():
            skip("WebKit or what drives it is missing: `just browsers` fetches them")
        with webkit(scheme) as found:
            yield found
