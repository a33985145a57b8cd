"""What else the page shows: one query, the comparison, both themes, paper, every width, nothing at all."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING

import pytest

from rankgate.errors import InputError, Problem
from rankgate.reports.evaluation.refused import refused_report
from rankgate.reports.page.model import ReportPage
from support.odd_pages import bare, nothing, odd, passing, single
from support.page_samples import usual
from support.written_pages import written

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.chromium import Browser, Tab

pytestmark = [pytest.mark.once, pytest.mark.xdist_group("browser")]
PAGE = usual()
FAILED = next(query for query in PAGE.queries if query.mark == "❌" and query.before)
FOUND = next(query for query in PAGE.queries if query.mark == "✅" and query.hits[0].mark == "✅")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("page"), PAGE)


@pytest.fixture
def tab(browser: Browser, report: Path) -> Iterator[Tab]:
    found = browser.open(report, permissions=["clipboard-read", "clipboard-write"])
    yield found
    found.shut()


def test_the_verdict_comes_first_and_says_why(tab: Tab) -> None:
    summary = PAGE.report.summary
    assert tab.text(".hero-state") == "Failed"
    assert tab.text("h1") == summary.headline
    assert tab.text(".hero-status") == summary.reason
    assert tab.text(".hero-changed") == summary.changed
    assert tab.texts(".broke-query") == [line.query for line in summary.broken[:4]]
    assert [text.split()[0] for text in tab.texts(".steps code")] == ["rankgate"]
    first = tab.text(".verdict:first-child")
    assert first.lower().startswith("failed")
    assert PAGE.report.verdicts[0].gate in first
    assert PAGE.report.verdicts[0].detail in first


def test_a_query_tells_why_it_failed_and_where_its_targets_ended_up(browser: Browser, report: Path) -> None:
    tab = browser.open(report, f"#q={FAILED.case}")
    assert tab.texts("#panel .why li") == list(FAILED.reasons)
    assert tab.texts("#panel .targets .ended") == [target.ended for target in FAILED.targets]
    places = [text.replace("\n", "") for text in tab.texts("#panel .ranking .place")]
    assert places == [hit.location for hit in FAILED.hits]
    tab.shut()


def test_a_hit_opens_to_its_lines_with_those_of_the_target_marked(browser: Browser, report: Path) -> None:
    tab = browser.open(report, f"#q={FOUND.case}")
    hit = FOUND.hits[0]
    assert hit.text is not None
    text = PAGE.texts[hit.text]
    opened = "#panel .hit:nth-child(1) .source"
    lines = text.text.splitlines()
    assert text.first is not None
    assert tab.run(NUMBERS % f"{opened} .line-number") == list(range(text.first, text.first + len(lines)))
    first, last = hit.marked[0]
    assert tab.run(NUMBERS % f"{opened} .line-marked .line-number") == list(range(first, last + 1))
    assert tab.run(f"document.querySelector('{opened} code').textContent").split("\n")[: len(lines)] == lines
    assert tab.count(f"{opened} .t-k") > 0
    head = "#panel .hit:nth-child(2) .hit-head"
    tab.act(["focus", head])
    tab.press("Enter")
    assert tab.act(["getAttribute", head, "aria-expanded"]) == "true"
    assert tab.count("#panel .hit:nth-child(2) .source") == 1
    tab.press("Enter")
    assert tab.count("#panel .hit:nth-child(2) .source") == 0
    tab.shut()


NUMBERS = "[...document.querySelectorAll('%s')].map((one) => Number(one.dataset.line))"


def test_tokens_count_characters_and_not_units(browser: Browser, tmp_path: Path) -> None:
    from dataclasses import replace

    from rankgate.reports.text.printable import Block

    text = replace(PAGE.texts[0], text=Block("🔥🔥if x"), tokens=((2, "c"), (2, "k"), (2, "")))
    tab = browser.open(written(tmp_path, replace(PAGE, texts=(text,) * len(PAGE.texts))), f"#q={FOUND.case}")
    assert (tab.text("#panel .source .t-c"), tab.text("#panel .source .t-k")) == ("🔥🔥", "if")
    tab.shut()


def test_the_command_is_copied(tab: Tab) -> None:
    tab.click(".grid-body .grid-row")
    tab.click("#panel .command button")
    case = tab.run("new URLSearchParams(location.hash.slice(1)).get('q')")
    wanted = next(query.ask for query in PAGE.queries if query.case == case)
    assert tab.run("navigator.clipboard.readText()") == wanted
    assert tab.text("#panel .copied") == "Copied"


def test_next_and_previous_follow_the_order_of_the_table(tab: Tab) -> None:
    names = tab.texts(".grid-body .cell-query .cell-query")
    tab.click(".grid-body .grid-row")
    tab.click("[aria-label='Next query']")
    assert tab.text("#panel h2") == names[1]
    tab.press("Enter")
    assert tab.text("#panel h2") == names[2]
    tab.click("[aria-label='Previous query']")
    assert tab.text("#panel h2") == names[1]


def test_a_dot_and_a_bar_lead_to_their_query(tab: Tab) -> None:
    tab.run(NEAR)
    for figure in (1, 2):
        chart = f"#comparison figure:nth-of-type({figure})"
        tab.wait(f"{chart} canvas")
        tab.act(["locator", chart], ["scrollIntoViewIfNeeded"])
        # What fell from 1 to 0 is in the lower right corner, and the last bar is the worst.
        left, top = tab.run(CORNER % (chart, FALLEN if figure == 1 else LAST))
        tab.act(["mouse"], ["move", left, top])
        tab.wait(f"{chart} .tip")
        tab.act(["mouse"], ["click", left, top])
        tab.wait("#panel")
        case = tab.run("new URLSearchParams(location.hash.slice(1)).get('q')")
        query = next(one for one in PAGE.queries if one.case == case)
        assert query.before
        assert (query.values[0], query.before.values[0]) == (0.0, 1.0)
        tab.press("Escape")


def test_dots_that_lie_on_one_another_open_one_after_the_other(tab: Tab) -> None:
    here = [
        query for query in PAGE.queries if query.before and query.values[0] == query.before.values[0] == 1.0
    ]
    chart = "#comparison figure:nth-of-type(1)"
    tab.run(NEAR)
    tab.wait(f"{chart} canvas")
    seen = set()
    for _ in here:
        tab.act(["locator", chart], ["scrollIntoViewIfNeeded"])
        left, top = tab.run(CORNER % (chart, KEPT))
        tab.act(["mouse"], ["move", left, top])
        assert f"and {len(here) - 1} more here" in tab.text(f"{chart} .tip")
        tab.act(["mouse"], ["click", left, top])
        tab.wait("#panel")
        seen.add(tab.run("new URLSearchParams(location.hash.slice(1)).get('q')"))
        tab.press("Escape")
    assert seen == {query.case for query in here}


# Charts are drawn when somebody comes near them.
NEAR = "document.querySelector('#comparison > .pair').scrollIntoView()"
# Where the plots put 1 and 0, as they leave 7 % of room: see span() and scatter().
FALLEN = "[box.left + box.width * 1.07 / 1.14, box.top + box.height * 1.07 / 1.14]"
KEPT = "[box.left + box.width * 1.07 / 1.14, box.top + box.height * 0.07 / 1.14]"
LAST = "[box.right - 12, box.top + box.height * 0.7]"
CORNER = """(() => {
  const box = document.querySelector("%s .u-over").getBoundingClientRect();
  return %s;
})()"""


def test_both_rankings_stand_side_by_side_with_a_line_for_each_hit_in_both(tab: Tab) -> None:
    shown = PAGE.report.comparison
    assert shown
    row = shown.moved[1]
    tab.click(".moved-list button:nth-child(2)")
    query = next(one for one in PAGE.queries if one.case == row.case)
    assert query.before
    assert tab.text(".moved-shown h3") == row.query
    kept = {hit.location for hit in query.hits} & {hit.location for hit in query.before.hits}
    assert tab.count(".moved-shown .move") == len(kept)
    found = {target.before for target in query.targets if target.rank is None}
    old = [hit for rank, hit in enumerate(query.before.hits, 1) if rank not in found]
    for side, hits in ((".moves-before", old), (".moves-now", query.hits)):
        assert [
            text.replace("\n", "") for text in tab.texts(f".moved-shown {side} li:not(.lost) .place")
        ] == [hit.location for hit in hits]
    assert tab.count(".statistics tbody tr") == len(shown.rows)
    assert tab.texts(".statistics .finding") == [one.finding for one in shown.rows]


def test_the_theme_is_the_systems_until_it_is_chosen(browser: Browser, report: Path) -> None:
    back = "getComputedStyle(document.body).backgroundColor"
    tab = browser.open(report, colorScheme="dark")
    dark = tab.run(back)
    tab.click("#theme")
    light = tab.run(back)
    assert light != dark
    tab.act(["reload"])
    tab.wait("html[data-ready]", "attached")
    assert tab.run(back) == light
    assert tab.act(["getAttribute", "#theme", "aria-label"]) == "Use the dark theme"
    tab.shut()


def test_paper_is_light_and_has_what_failed_whole_and_no_controls(browser: Browser, report: Path) -> None:
    tab = browser.open(report, colorScheme="dark")
    tab.act(["emulateMedia", {"media": "print"}])
    tab.wait("#printed article")
    short = [query for query in PAGE.queries if query.mark != "✅"]
    assert tab.count("#printed article") == min(20, len(short))
    assert tab.count("#printed .source") > 0
    for hidden in (".bar", ".controls", ".grid", ".choice", ".command button"):
        assert not tab.act(["locator", hidden], ["first"], ["isVisible"])
    assert tab.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    tab.act(["emulateMedia", {"media": "screen"}])
    tab.wait("#printed article", "detached")
    printed = base64.b64decode(tab.act(["pdf", {"format": "A4", "printBackground": True}]))
    assert printed.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) > 3
    tab.shut()


@pytest.mark.parametrize("width", [360, 768, 1024, 1280, 1600])
@pytest.mark.parametrize("sample", [usual, odd], ids=["usual", "odd"])
def test_no_width_makes_the_page_scroll_sideways(
    browser: Browser, tmp_path: Path, width: int, sample: object
) -> None:
    page = sample()  # type: ignore[operator]
    path = written(tmp_path, page)
    tab = browser.open(path, viewport={"width": width, "height": 900})
    assert tab.run("document.documentElement.scrollWidth") <= width
    tab.click(".grid-body .grid-row")
    tab.wait("#panel")
    assert tab.run("document.documentElement.scrollWidth") <= width
    assert (
        tab.run("document.getElementById('panel').scrollWidth - document.getElementById('panel').clientWidth")
        <= 0
    )
    covered = tab.run("document.getElementById('panel').getBoundingClientRect().width")
    assert (covered == width) == (width <= 1100)
    assert tab.run("document.getElementById('main').inert") == (width <= 1100)
    tab.shut()


def test_there_are_words_where_there_is_nothing(browser: Browser, tmp_path: Path) -> None:
    tab = browser.open(written(tmp_path, nothing()))
    assert tab.texts(".empty strong") == ["No gates defined", "No categories", "No queries"]
    assert tab.count("#comparison") == 0
    tab.shut()


def test_a_refused_suite_is_red_and_says_what_is_wrong(browser: Browser, tmp_path: Path) -> None:
    error = InputError(Problem("search.yaml:2:3", "slice key 'langs'", "one of lang", "did you mean lang?"))
    tab = browser.open(written(tmp_path, ReportPage(refused_report("search", "app", error), (), ())))
    assert tab.text(".hero-state") == "Suite error"
    assert "slice key 'langs'" in tab.text("#gates")
    tab.shut()


def test_a_page_on_which_all_passed_says_so(browser: Browser, tmp_path: Path) -> None:
    tab = browser.open(written(tmp_path, passing()))
    assert (tab.text(".hero-state"), tab.text("h1")) == ("Passed", "2 gates passed")
    assert tab.texts("[data-chip]") == ["All12", "Passed12"]
    tab.shut()


def test_one_query_and_queries_without_texts_times_or_targets_are_shown(
    browser: Browser, tmp_path: Path
) -> None:
    tab = browser.open(written(tmp_path, single(), "single"))
    assert tab.text(".count") == "1 query"
    tab.click(".grid-body .grid-row")
    tab.wait("#panel")
    tab.shut()
    page = bare()
    tab = browser.open(written(tmp_path, page, "bare"), f"#q={page.queries[0].case}")
    assert tab.text("#panel .detail-ended span.word-bad") == "Error"
    assert tab.texts("#panel .why li") == ["the system failed: connection refused"]
    tab.shut()


def test_what_was_clicked_stays_in_sight_when_the_panel_makes_room(tab: Tab) -> None:
    where = "document.querySelector('.grid').getBoundingClientRect().top"
    tab.run("document.getElementById('queries').scrollIntoView({ behavior: 'instant' })")
    before = tab.run(where)
    tab.click(".grid-body .grid-row")
    tab.wait("#panel")
    assert tab.run(where) == pytest.approx(before, abs=2)
    tab.press("Escape")
    assert tab.run(where) == pytest.approx(before, abs=2)


def test_damaged_data_is_told(browser: Browser, report: Path, tmp_path: Path) -> None:
    text = report.read_text(encoding="utf-8")
    at = text.index('id="data">') + 2000
    damaged = tmp_path / "damaged.html"
    damaged.write_text(text[:at] + text[at + 400 :], encoding="utf-8")
    tab = browser.open(damaged)
    assert tab.text("main") == "The data of this report is damaged. Make the report again."
    assert tab.seen()["errors"] == []
    tab.shut()
