"""The table was 25 tabs away, arrows in the filter did nothing, and print parted a head from its body."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING

import pytest
from pypdf import PdfReader

from support.page_samples import usual
from support.written_pages import written

if TYPE_CHECKING:
    from pathlib import Path

    from support.chromium import Browser

pytestmark = [pytest.mark.once, pytest.mark.xdist_group("browser")]
PAGE = usual()


def test_two_tabs_lead_to_the_filter_and_arrows_from_there_into_the_table(
    browser: Browser, tmp_path: Path
) -> None:
    tab = browser.open(written(tmp_path, PAGE), viewport={"width": 1280, "height": 800})
    tab.press("Tab", "Tab", "Enter")
    assert tab.run("document.activeElement.id") == "filter"
    tab.act(["keyboard"], ["type", "option"])
    names = tab.texts(".grid-body .cell-query .cell-query")
    tab.press("ArrowDown", "ArrowDown")
    assert tab.act(["getAttribute", "#filter", "aria-activedescendant"]) == "row-1"
    tab.press("Enter")
    tab.wait("#panel")
    assert tab.text("#panel h2") == names[1]
    tab.shut()


def test_enter_in_the_filter_opens_the_first_query(browser: Browser, tmp_path: Path) -> None:
    tab = browser.open(written(tmp_path, PAGE), viewport={"width": 1280, "height": 800})
    tab.press("/", "Enter")
    tab.wait("#panel")
    assert tab.text("#panel h2") == tab.text(".grid-body .cell-query .cell-query")
    tab.shut()


def test_print_keeps_the_head_of_a_query_with_its_reasons_and_targets(
    browser: Browser, tmp_path: Path
) -> None:
    tab = browser.open(written(tmp_path, PAGE))
    tab.act(["emulateMedia", {"media": "print"}])
    tab.wait("#printed article")
    printed = tab.run(PRINTED)
    document = PdfReader(io.BytesIO(base64.b64decode(tab.act(["pdf", {"format": "A4"}]))))
    sheets = ["".join(sheet.extract_text().split()) for sheet in document.pages]
    assert len(printed) > 10
    for head, body in printed:
        assert any("".join(head.split()) in sheet and "".join(body.split()) in sheet for sheet in sheets), (
            head
        )
    tab.shut()


# The head of each query, and the last words of what must stand with it: its first target.
PRINTED = """[...document.querySelectorAll("#printed article")].map((one) =>
  [".detail-case", ".targets .place"].map((name) => one.querySelector(name).textContent))"""
