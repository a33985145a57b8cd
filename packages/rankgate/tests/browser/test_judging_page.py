"""The page on which passages are judged, in Chromium: by keys, mouse and touch, and when things go wrong."""

from __future__ import annotations

import random
import statistics
import time
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.judging.session.documents import NoDocuments
from rankgate.judging.units import JudgingUnit
from rankgate.truth.judgments.labels import read_labels
from support.axe import barriers
from support.judging_hands import TIMER, judge, judge_all, shown
from support.judging_pages import handbook_units, served, session_in
from support.keyboard import backwards, walk, wanted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from rankgate.truth.judgments.labels import Label
    from rankgate.web.server import Server
    from support.chromium import Browser, Tab

pytestmark = [pytest.mark.once, pytest.mark.xdist_group("browser")]
UNITS = handbook_units(60)
SIZES = {390: 844, 768: 1024, 1440: 900}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with served(session_in(tmp_path, UNITS)) as found:
        yield found


@pytest.fixture
def opened(browser: Browser, server: Server) -> Iterator[Callable[..., Tab]]:
    """Open the page, and see at its end that nothing was refused, logged or fetched from elsewhere."""
    tabs: list[Tab] = []

    def open_page(width: int = 1440, **options: Any) -> Tab:
        size = {"width": width, "height": SIZES[width]}
        tabs.append(browser.open(server.url, viewport=size, **options))
        return tabs[-1]

    yield open_page
    for tab in tabs:
        seen = tab.seen()
        assert (seen["console"], seen["errors"], seen["refused"], seen["dialogs"]) == ([], [], [], [])
        assert all(url.startswith((server.access.address, "data:")) for url in seen["requests"])
        tab.shut()


def labels(folder: Path) -> dict[tuple[str, str], Label]:
    return {label.unit: label for label in read_labels(folder / "handbook.yaml").each}


@pytest.mark.parametrize(("way", "width"), [("keys", 1440), ("mouse", 768), ("touch", 390)])
def test_fifty_judgments_are_made_and_each_is_written(
    opened: Callable[..., Tab], tmp_path: Path, way: str, width: int
) -> None:
    tab = opened(width, hasTouch=way == "touch")
    drawn = random.Random(width)
    grades = [drawn.randrange(4) for _ in range(50)]
    numbers = judge_all(tab, grades, way)
    found = labels(tmp_path)
    assert {UNITS[int(number)].key: grade for number, grade in zip(numbers, grades, strict=True)} == {
        unit: label.grade for unit, label in found.items()
    }
    assert tab.text(".progress b") == "50 judged"
    assert tab.run("document.documentElement.scrollWidth <= innerWidth")


def test_the_next_passage_is_there_at_once_with_a_pool_of_ten_thousand(
    browser: Browser, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    with served(session_in(tmp_path, handbook_units(10_000))) as server:
        tab = browser.open(server.url)
        tab.load(TIMER)
        judge_all(tab, [1, 2, 0, 3, 0] * 6, "keys")
        took = sorted(tab.run("took"))
        tab.shut()
    median, most = statistics.median(took), took[-1]
    text = f"median {median:.0f} ms, 95 % {took[int(0.95 * len(took))]:.0f} ms, most {most:.0f} ms"
    record_property("figures", f"key to next passage, pool of 10,000, {len(took)} judgments: {text}")
    assert len(took) == 30
    assert median < 150


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1440, "dark")])
def test_axe_finds_no_barrier_in_any_state(opened: Callable[..., Tab], width: int, scheme: str) -> None:
    tab = opened(width, colorScheme=scheme)
    found = {"first": barriers(tab)}
    for grade in (2, 0, 3):
        judge(tab, grade)
    tab.press("Shift+ArrowDown", "c", "x", "Enter")
    found["selected, commented"] = barriers(tab)
    tab.press("b")
    tab.wait(".earlier")
    found["back"] = barriers(tab)
    tab.press("?")
    tab.wait(".help[open]")
    found["help"] = barriers(tab)
    assert [(state, each) for state, each in found.items() if each] == []


def test_tab_reaches_every_control_in_reading_order(opened: Callable[..., Tab]) -> None:
    tab = opened(390)
    judge(tab, 3)
    stops = walk(tab)
    assert {stop.at: stop.name for stop in stops} == wanted(tab)
    assert len(stops) > 8
    assert [stop.name for stop in stops if not stop.shown] == []
    assert backwards(stops) == []


def test_the_next_passage_has_the_focus_and_is_announced(opened: Callable[..., Tab]) -> None:
    tab = opened()
    number = int(judge(tab, 2))
    assert tab.run("document.activeElement.id") == "lines"
    said = tab.run("document.getElementById('said').textContent")
    assert said.startswith(f"Grade 2. Query: {UNITS[number].query}. {UNITS[number].location}")
    active = tab.run("document.getElementById('lines').getAttribute('aria-activedescendant')")
    assert active == f"line-{UNITS[number].start}"
    box = f"document.getElementById('{active}').getBoundingClientRect()"
    in_sight = f"(({{ top, bottom }}) => top >= 0 && bottom < innerHeight)({box})"
    assert tab.run(in_sight)
    assert tab.run("document.querySelector('#query').getBoundingClientRect().top") > 0


def test_unsure_skip_back_and_comments_by_keys_alone(opened: Callable[..., Tab], tmp_path: Path) -> None:
    tab = opened()
    tab.press("u")
    shown_after(tab, "1")
    tab.press("s")
    shown_after(tab, "2")
    tab.press("c")
    tab.act(["keyboard"], ["type", "3 is what u would say"])
    tab.press("Enter", "1")
    shown_after(tab, "3")
    tab.press("b")
    shown_after(tab, "2")
    assert tab.text(".earlier").startswith("An earlier judgment:\ngrade 1, “3 is what u would say”")
    assert tab.run("document.getElementById('comment').value") == "3 is what u would say"
    assert tab.run("document.querySelector('.grade-button[aria-pressed=true]').dataset.grade") == "1"
    tab.press("b", "b")
    shown_after(tab, "0")
    tab.press("3")
    shown_after(tab, "3")
    found = labels(tmp_path)
    assert [(found[unit.key].said, found[unit.key].grade) for unit in UNITS[:3]] == [
        ("grade", 3.0), ("skip", None), ("grade", 1.0),
    ]  # fmt: skip
    tab.press("b")
    shown_after(tab, "2")
    tab.press("Escape")
    shown_after(tab, "3")
    assert len(labels(tmp_path)) == 3


def shown_after(tab: Tab, number: str) -> None:
    """Wait until a passage is shown."""
    deadline = time.monotonic() + 10
    while (now := shown(tab)) != number:
        assert time.monotonic() < deadline, f"passage {now} is shown, not {number}"


def test_single_keys_can_be_turned_off(opened: Callable[..., Tab], tmp_path: Path) -> None:
    tab = opened()
    tab.press("?")
    tab.click("#single-keys")
    tab.press("Escape", "2", "u", "s")
    assert shown(tab) == "0"
    assert judge(tab, 2, "mouse") == "1"
    assert len(labels(tmp_path)) == 1


def _of_lines(tab: Tab, least: int) -> JudgingUnit:
    """Grade until a passage has some lines, and return it."""
    while True:
        unit = UNITS[int(shown(tab))]
        if (unit.end or 0) - (unit.start or 0) >= least:
            return unit
        judge(tab, 0)


def test_a_better_location_is_selected_by_keys(opened: Callable[..., Tab], tmp_path: Path) -> None:
    tab = opened()
    unit = _of_lines(tab, 4)
    start = unit.start or 0
    tab.press("ArrowDown", "Shift+ArrowDown", "Shift+ArrowDown")
    assert tab.text(".chosen") == f"Lines {start + 1} to {start + 3} are the better location; grade it"
    assert tab.count("[role=option][aria-selected=true]") == 3
    tab.press("Escape")
    assert tab.count("[role=option][aria-selected=true]") == 0
    tab.press("Shift+ArrowUp")
    judge(tab, 2)
    assert labels(tmp_path)[unit.key].better == f"{unit.path}:{start + 2}-{start + 3}"


def test_a_better_location_is_selected_by_mouse_and_by_touch(
    opened: Callable[..., Tab], tmp_path: Path
) -> None:
    tab = opened()
    unit = _of_lines(tab, 4)
    start = unit.start or 0
    first, last = (f"#line-{start + at} .line-number" for at in (1, 3))
    tab.act(["locator", first], ["hover"])
    tab.act(["mouse"], ["down"])
    tab.act(["locator", last], ["hover"])
    tab.act(["mouse"], ["up"])
    judge(tab, 2, "mouse")
    assert labels(tmp_path)[unit.key].better == f"{unit.path}:{start + 1}-{start + 3}"
    touched = opened(390, hasTouch=True)
    unit = _of_lines(touched, 3)
    start = unit.start or 0
    touched.act(["tap", f"#line-{start} .line-number"])
    touched.act(["tap", f"#line-{start + 2} .line-number"])
    judge(touched, 1, "touch")
    assert labels(tmp_path)[unit.key].better == f"{unit.path}:{start}-{start + 2}"


def test_the_context_grows_to_the_whole_file_and_the_outline_leads_through_it(
    opened: Callable[..., Tab],
) -> None:
    tab = opened()
    total = tab.count("[role=option]")
    tab.press("[")
    tab.wait(f"#line-{(UNITS[0].start or 0) - 12}", "attached")
    for way in ("above", "below"):
        if tab.run(f"!document.querySelector('.more-{way}').hidden"):
            tab.click(f".more-{way} button:last-child")
            tab.wait(f".more-{way}", "hidden")
    numbers = tab.run("[...document.querySelectorAll('[role=option]')].map((one) => Number(one.dataset.n))")
    assert numbers == [*range(1, len(numbers) + 1)]
    assert len(numbers) > total
    tab.click(".contents li:last-child button")
    assert tab.count(".line-active") == 1


def test_alternatives_are_grouped(opened: Callable[..., Tab], tmp_path: Path) -> None:
    tab = opened()
    first: JudgingUnit | None = None
    while True:
        unit = UNITS[int(shown(tab))]
        if first is not None and unit.case == first.case:
            break
        judge(tab, 2 if first is None else 0)
        first = first or unit
    tab.press("a")
    assert tab.run("document.activeElement.id") == "alternative"
    tab.act(["selectOption", "#alternative", first.location])
    tab.press("Escape", "3")
    judge(tab, 0)
    found = labels(tmp_path)
    assert (found[first.key].group, found[unit.key].group) == ("a", "a")


def test_what_is_not_graded_alike_is_told(browser: Browser, tmp_path: Path) -> None:
    path, text = "api/errors.md", "# Errors\n"
    units = [
        JudgingUnit(case, case.replace("-", " "), f"{path}:1-4", path, 1, 4, text)
        for case in ("summer-clock-change", "crontab", "retry", "other")
    ]
    with served(session_in(tmp_path, units)) as server:
        tab = browser.open(server.url)
        judge(tab, 3)
        assert tab.count(".related") == 0
        judge(tab, 1)
        tab.wait(".related-off")
        assert tab.text(".related-off h2") == "Not graded alike"
        tab.act(["setViewportSize", {"width": 390, "height": 844}])
        assert tab.text(".strip").startswith("Not graded alike: 1, and 3 for “summer clock change”")
        assert tab.text(".related li.off") == "3\nsummer clock change\nsame group"
        assert "Not graded alike" in tab.run("document.getElementById('said').textContent")
        assert barriers(tab) == []
        judge(tab, 0)
        tab.wait(".related:not(.related-off)")
        assert tab.texts(".related li") == ["1\ncrontab", "3\nsummer clock change"]
        assert judge(tab, 0) == "end"
        assert tab.text(".end h1") == "All judged"
        assert barriers(tab) == []
        tab.shut()


def test_what_was_skipped_can_be_seen_again_at_the_end(browser: Browser, tmp_path: Path) -> None:
    with served(session_in(tmp_path, UNITS[:2])) as server:
        tab = browser.open(server.url)
        tab.press("s")
        shown_after(tab, "1")
        assert judge(tab, 1) == "end"
        tab.click(".end-actions button:last-child")
        shown_after(tab, "0")
        assert judge(tab, 2) == "end"
        assert {label.grade for label in labels(tmp_path).values()} == {1.0, 2.0}
        tab.shut()


def test_a_failed_write_is_told_loudly_and_the_judgment_kept_until_it_is_written(
    browser: Browser, server: Server, tmp_path: Path
) -> None:
    tab = browser.open(server.url)
    (tmp_path / "judgments").write_text("a file where the folder should be")
    tab.press("3")
    tab.wait(".trouble")
    alert = tab.text("#alert")
    assert "Your judgment is not written: the log cannot be written: " in alert
    assert f"It is kept here: grade 3 for “{UNITS[0].query}”, {UNITS[0].location}." in alert
    assert barriers(tab) == []
    # Nothing else is taken meanwhile: at most one judgment is ever at risk.
    tab.press("1", "2")
    (tmp_path / "judgments").unlink()
    tab.click(".trouble button")
    assert shown(tab) == "1"
    assert tab.count(".trouble") == 0
    assert {unit: label.grade for unit, label in labels(tmp_path).items()} == {UNITS[0].key: 3.0}
    tab.shut()


def test_a_server_that_is_gone_is_told(browser: Browser, tmp_path: Path) -> None:
    with served(session_in(tmp_path, UNITS)) as server:
        tab = browser.open(server.url)
    server.server_close()
    tab.press("3")
    tab.wait(".trouble")
    assert "the server does not answer: is `rankgate judge` still running?" in tab.text("#alert")
    tab.shut()


HOSTILE = "<script>document.title='ran'</script><img src=x onerror=\"document.title='ran'\">\x1b[31m\u202egnp"


def test_hostile_texts_are_text_and_nothing_else(browser: Browser, tmp_path: Path) -> None:
    text = (
        f"{HOSTILE}\n{'x' * 200_000}\n</script><style>*{{display:none}}</style>\n[a](javascript:alert(1))\n"
    )
    guidelines = (
        f"# {HOSTILE}\n\n- 1: {HOSTILE}\n\n| 2 | <b>bold</b> |\n|---|---|\n[link](javascript:alert(1))\n"
    )
    units = [
        JudgingUnit(f"{name}", HOSTILE, f"{HOSTILE}{name}:1-4", f"{HOSTILE}{name}", 1, 4, text, (HOSTILE,))
        for name in ("a.html", "b.md", "c.py")
    ]
    session = session_in(tmp_path, units, documents=NoDocuments(), guidelines=guidelines)
    with served(session) as server:
        tab = browser.open(server.url, viewport={"width": 390, "height": 844})
        for _ in units:
            assert tab.run("document.title") == "Judge handbook"
            assert "<script>" in tab.text("#query")
            assert "\\x1b[31m\\u202egnp" in tab.text("#query")
            assert tab.count("main :is(script, img, style, a, b)") == 0
            assert tab.run("document.documentElement.scrollWidth <= innerWidth")
            assert tab.text(".line-cut").strip() == "… 198000 more characters"
            judge(tab, 0)
        seen = tab.seen()
        assert (seen["console"], seen["errors"], seen["dialogs"]) == ([], [], [])
        tab.shut()
