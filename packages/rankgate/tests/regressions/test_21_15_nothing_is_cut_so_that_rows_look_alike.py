"""Five rows read "how does billing handle …", long paths broke in mid-name, and the command was clipped."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from support.page_samples import usual
from support.written_pages import written

if TYPE_CHECKING:
    from pathlib import Path

    from support.chromium import Browser

pytestmark = [pytest.mark.once, pytest.mark.xdist_group("browser")]
START = (
    "how does billing handle a customer who has more than one contract in several countries "
    "and currencies, and "
)
ENDS = ("pays late", "moves away", "splits an invoice", "asks for a refund", "changes the plan")
SEEN = """[...document.querySelectorAll('.grid-body .cell-query .cell-query')]
  .filter((one) => one.scrollHeight <= one.clientHeight + 1).map((one) => one.innerText)"""


@pytest.mark.parametrize("width", [390, 1280])
def test_long_queries_that_begin_alike_are_told_apart(browser: Browser, tmp_path: Path, width: int) -> None:
    page = usual(len(ENDS))
    queries = tuple(replace(one, query=START + end) for one, end in zip(page.queries, ENDS, strict=True))
    tab = browser.open(
        written(tmp_path, replace(page, queries=queries)), viewport={"width": width, "height": 900}
    )
    shown = tab.run(SEEN)
    assert len(set(shown)) == len(ENDS)
    assert {next(end for end in ENDS if text.endswith(end)) for text in shown} == set(ENDS)
    tab.shut()


def test_a_long_command_is_shown_whole(browser: Browser, tmp_path: Path) -> None:
    page = replace(
        usual(2), command="rankgate test suites/search.yaml --system search " + "--option value " * 30
    )
    tab = browser.open(written(tmp_path, page), viewport={"width": 390, "height": 844})
    sizes = tab.run(
        "((one) => [one.scrollWidth, one.clientWidth])(document.querySelector('#provenance .command code'))"
    )
    assert sizes[0] <= sizes[1]
    assert tab.text("#provenance code").rstrip() == page.command.rstrip()
    tab.shut()


def test_both_rankings_keep_the_beginning_of_a_file_name(browser: Browser, tmp_path: Path) -> None:
    page = usual()
    query = next(one for one in page.queries if one.before)
    tab = browser.open(written(tmp_path, page), f"#q={query.case}", viewport={"width": 1280, "height": 900})
    # A name that goes on in a second line would show only its end: the box is one line high.
    heights = tab.run(
        "[...document.querySelectorAll('#panel .moves .place-name')].map((one) => one.offsetHeight)"
    )
    assert len(heights) > 10
    assert max(heights) < 30
    tab.shut()
