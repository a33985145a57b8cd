"""The judging page in Chromium, Firefox and WebKit: 50 judgments by keys, mouse and touch at three widths."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from rankgate.truth.judgments.labels import read_labels
from support.axe import barriers
from support.every_browser import BROWSERS, SCHEMES, started
from support.judging_hands import TIMER, WAYS, judge_all, shown
from support.judging_pages import handbook_units, served, session_in
from support.keyboard import walk, wanted
from support.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from support.every_browser import Opener

pytestmark = [pytest.mark.long, pytest.mark.once, pytest.mark.xdist_group("browser")]
PICTURES = ROOT / ".benchmarks" / "browsers"
WIDTHS = (390, 768, 1440)


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
@pytest.mark.parametrize("way", WAYS)
def test_fifty_judgments_are_made_and_each_is_written(
    opener: Opener, tmp_path: Path, look: str, way: str, width: int
) -> None:
    if look.endswith("dark"):
        pytest.skip("hands do the same in the dark")
    units = handbook_units(60)
    drawn = random.Random(f"{way} {width}")
    grades = [drawn.randrange(4) for _ in range(50)]
    with served(session_in(tmp_path, units)) as server:
        page = opener.open(server.url, width=width, touch=way == "touch")
        numbers = judge_all(page, grades, way)
        assert page.run("document.documentElement.scrollWidth <= innerWidth")
        assert page.text(".progress b") == "50 judged"
        page.shut()
    found = {label.unit: label.grade for label in read_labels(tmp_path / "handbook.yaml").each}
    assert found == {units[int(number)].key: grade for number, grade in zip(numbers, grades, strict=True)}


@pytest.mark.parametrize("width", WIDTHS)
def test_axe_finds_nothing_and_tab_reaches_every_control(
    opener: Opener, tmp_path: Path, look: str, width: int
) -> None:
    with served(session_in(tmp_path, handbook_units(60))) as server:
        page = opener.open(server.url, width=width)
        judge_all(page, [3, 1, 2], "keys")
        dark = page.run("matchMedia('(prefers-color-scheme: dark)').matches")
        light = page.run("getComputedStyle(document.body).backgroundColor.match(/[0-9.]+/g).map(Number)[0]")
        assert (light < 128) == dark == look.endswith("dark")
        PICTURES.mkdir(parents=True, exist_ok=True)
        page.picture(PICTURES / f"judge-{look}-{width}.png")
        stops = walk(page)
        assert {stop.at: stop.name for stop in stops} == wanted(page)
        assert [stop.name for stop in stops if not stop.shown] == []
        assert barriers(page) == []
        page.press("b")
        page.wait(".earlier")
        assert barriers(page) == []
        page.shut()


def test_the_next_passage_is_there_in_150_ms_with_a_pool_of_ten_thousand(
    opener: Opener, tmp_path: Path, look: str, record_property: Callable[[str, object], None]
) -> None:
    if look.endswith("dark"):
        pytest.skip("it is as fast in the dark")
    with served(session_in(tmp_path, handbook_units(10_000))) as server:
        page = opener.open(server.url, width=1440)
        page.load(TIMER)
        judge_all(page, [1, 2, 0, 3, 0] * 20, "keys")
        took = sorted(page.run("took"))
        assert shown(page)
        page.shut()
    text = f"median {took[50]:.0f} ms, 95 % {took[95]:.0f} ms, most {took[-1]:.0f} ms"
    record_property(
        "figures", f"key to next passage in {look}, pool of 10,000, {len(took)} judgments: {text}"
    )
    assert len(took) == 100
    assert took[95] < 150
