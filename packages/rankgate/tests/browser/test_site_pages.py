"""The documentation site on a phone and a desktop, light and dark: no serious barrier, and pages that fit."""

from __future__ import annotations

import functools
import http.server
import os
import threading
from typing import TYPE_CHECKING

import pytest

from support.axe import barriers
from support.chromium import Tab, browser_or_skip
from support.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.chromium import Browser

BUILT = ROOT / ".site" / "html"
PAGES = ("", "guides/gate-a-pull-request/", "concepts/metrics/", "suites/", "tutorials/site-search/")


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        """Print nothing."""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    if not (BUILT / "index.html").is_file():
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)("just site was not run")
    handler = functools.partial(_Quiet, directory=str(BUILT))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browser_or_skip() as found:
        yield found


@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (390, "light"),
        (1280, "dark"),
        pytest.param(390, "dark", marks=pytest.mark.long),
        pytest.param(1280, "light", marks=pytest.mark.long),
    ],
)
def test_pages_have_no_serious_barrier_and_fit(site: str, browser: Browser, width: int, scheme: str) -> None:
    settings = {"viewport": {"width": width, "height": 900}, "colorScheme": scheme}
    for page in PAGES:
        tab = Tab(browser, browser.ask("open", options=settings))
        tab.act(["goto", site + page])
        tab.act(["waitForSelector", "article"])
        serious = [one for one in barriers(tab) if "(serious)" in one or "(critical)" in one]
        assert serious == [], page
        root = "document.documentElement"
        assert tab.run(f"{root}.scrollWidth <= {root}.clientWidth"), page
        tab.shut()
