"""``rankgate view`` in a real browser: from the list to a report, and to two of them compared."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from chromium import Browser, browser_or_skip
from commands import rankgate
from projects import write_project
from rankgate.reports.page.assets_folder import own_assets
from rankgate.web.catalogue import Catalogue
from rankgate.web.server import Server, Site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [pytest.mark.once, pytest.mark.xdist_group("browser")]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browser_or_skip() as found:
        yield found


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    folder = write_project(tmp_path / "project")
    monkeypatch.chdir(folder)
    assert rankgate("test").code == 1
    app = (folder / "app.py").read_text()
    (folder / "app.py").write_text(app.replace("return PLACES[:k]", "return good(query, k)"))
    assert rankgate("test").code == 0
    with Server(Site(Catalogue.of(folder), own_assets())) as found:
        thread = threading.Thread(target=found.serve_forever)
        thread.start()
        yield found
        found.shutdown()
        thread.join()


def test_the_list_leads_to_a_report_and_to_two_compared_and_back(browser: Browser, server: Server) -> None:
    tab = browser.open(server.url)
    assert tab.text("h1") == "Evaluations"
    assert tab.count(".index-pair tbody tr") == 2
    tab.click(".index-latest")
    tab.wait("#verdict")
    assert tab.text("h1") == "Passed"
    tab.click(".brand")
    tab.wait(".index-pair")
    for row in (1, 2):
        tab.click(f".index-pair tbody tr:nth-child({row}) input")
    tab.click(".compare")
    tab.wait("#comparison .statistics")
    assert tab.count(".moved-shown .moves") == 1
    assert any(text.startswith("+") for text in tab.texts(".statistics .strong"))
    seen = tab.seen()
    assert (seen["console"], seen["errors"], seen["refused"]) == ([], [], [])
    assert all(url.startswith((server.url, "data:")) for url in seen["requests"])
    tab.shut()
