"""Charts had no question, labels met at 390 px, bars had no scale, and 42 queries were one dot."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest

from support.index_samples import listed
from support.page_samples import usual
from support.past_samples import remembered
from support.written_pages import written

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.reports.page.model import PageIndex, ReportPage
    from support.chromium import Browser, Tab

pytestmark = [pytest.mark.once, pytest.mark.xdist_group("browser")]

# Every text that a chart writes, with the box that it takes, in pixels of the page.
DRAWN = """(async () => {
  const told = [];
  const own = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
    const turned = this.getTransform();
    const [wide, ratio] = [this.measureText(text).width, devicePixelRatio];
    const tall = parseFloat(/([\\d.]+)px/.exec(this.font)[1]);
    const before = { center: wide / 2, right: wide, end: wide }[this.textAlign] || 0;
    const left = x - before;
    const top = y - (this.textBaseline === "middle" ? tall / 2 : this.textBaseline === "top" ? 0 : tall);
    const box = [left, top, left + wide, top + tall].map((one) => one / ratio);
    told.push({ canvas: this.canvas, text: String(text), upright: Math.abs(turned.b) < 0.5, box });
    return own.call(this, text, x, y, ...rest);
  };
  redraw();
  // It draws when what was changed is settled.
  await new Promise((done) => setTimeout(done, 100));
  CanvasRenderingContext2D.prototype.fillText = own;
  return [...drawn].filter(({ held }) => held.box.isConnected).map(({ held, chart }) => {
    const figure = held.box.closest("figure") || held.box.closest("section");
    const ratio = devicePixelRatio;
    const { left, top, width, height } = chart.bbox;
    return {
      about: held.box.getAttribute("aria-label"),
      title: (figure.querySelector("figcaption") || figure.querySelector("h2")).textContent,
      tables: figure.querySelectorAll(".chart-table").length,
      axes: chart.axes.map((axis) => axis.label || ""),
      wide: chart.width,
      plot: [left, top, left + width, top + height].map((one) => one / ratio),
      texts: told.filter((one) => one.canvas === chart.ctx.canvas)
        .map(({ text, box, upright }) => ({ text, box, upright })),
    };
  });
})()"""

BESIDE = "[...document.querySelectorAll('%s')].map((one) => one.parentElement.innerText)"


def _open(browser: Browser, folder: Path, page: ReportPage | PageIndex, width: int, scheme: str) -> Tab:
    size = {"width": width, "height": 900}
    return browser.open(written(folder, page), viewport=size, colorScheme=scheme)


def _charts(tab: Tab) -> list[dict[str, Any]]:
    """Draw every chart and say what each has."""
    tab.run("drawPending()")
    tab.run("new Promise((done) => setTimeout(done, 300))")
    found: list[dict[str, Any]] = tab.run(DRAWN)
    return found


def _overlaps(one: list[float], other: list[float]) -> bool:
    return all(one[at] < other[at + 2] - 0.5 and other[at] < one[at + 2] - 0.5 for at in (0, 1))


def _ticks(chart: dict[str, Any]) -> list[dict[str, Any]]:
    left, _, _, bottom = chart["plot"]
    return [
        one
        for one in chart["texts"]
        if one["upright"] and one["text"] and (one["box"][1] >= bottom - 1 or one["box"][2] <= left + 1)
    ]


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1280, "dark")])
def test_every_chart_has_question_units_table_and_labels_with_room(
    browser: Browser, tmp_path: Path, width: int, scheme: str
) -> None:
    tab = _open(browser, tmp_path, remembered(usual()), width, scheme)
    charts = _charts(tab)
    # Before against now, what changed, metrics over time, latency.
    assert len(charts) == tab.count(".chart") == 4
    for chart in charts:
        assert "?" in chart["title"]
        assert chart["about"]
        assert chart["tables"] == 1
        assert all(chart["axes"]), chart["title"]
        ticks = _ticks(chart)
        assert len(ticks) >= 4, chart["title"]
        hidden = [one["text"] for one in ticks if one["box"][0] < -1 or one["box"][2] > chart["wide"] + 1]
        assert hidden == [], chart["title"]
        met = [
            (one["text"], other["text"])
            for one, other in combinations(ticks, 2)
            if _overlaps(one["box"], other["box"])
        ]
        assert met == [], chart["title"]
    tab.shut()


def test_the_line_of_view_is_the_same_chart(browser: Browser, tmp_path: Path) -> None:
    tab = _open(browser, tmp_path, listed(), 390, "light")
    tab.click(".index-suite th button")
    (chart,) = _charts(tab)
    assert "?" in chart["title"]
    box = tab.run("document.querySelector('.chart').getBoundingClientRect().toJSON()")
    assert box["left"] >= 0
    assert box["right"] <= 390
    # All of it is seen, and no part of it is scrolled away.
    assert tab.run(
        "(() => { const held = document.querySelector('.records .scrolled').getBoundingClientRect();"
        "return document.querySelector('.chart').getBoundingClientRect().bottom <= held.bottom; })()"
    )
    assert all(chart["axes"])
    assert any(one["text"].startswith("gate ") for one in chart["texts"])
    assert not any(_overlaps(one["box"], two["box"]) for one, two in combinations(_ticks(chart), 2))
    tab.shut()


def test_equal_queries_are_one_dot_with_their_number(browser: Browser, tmp_path: Path) -> None:
    page = usual()
    first = next(query for query in page.queries if query.before)
    same = tuple(replace(first, case=f"same-{at}") for at in range(42))
    tab = _open(browser, tmp_path, replace(page, queries=(*same, *page.queries[:3])), 1280, "light")
    scatter = next(chart for chart in _charts(tab) if "score before and now" in chart["title"])
    left, top, right, bottom = scatter["plot"]
    inside = [
        int(one["text"])
        for one in scatter["texts"]
        if left < one["box"][0] and one["box"][2] < right and top < one["box"][1] and one["box"][3] < bottom
    ]
    assert max(inside) >= 42
    tab.shut()


def test_every_bar_stands_beside_its_figure_and_under_its_scale(browser: Browser, tmp_path: Path) -> None:
    page = remembered(usual())
    tab = _open(browser, tmp_path, page, 1280, "light")
    tracks = tab.run("""[...document.querySelectorAll('.slice-track')].map((one) => [
      one.closest('table').querySelector('thead tr').children[one.closest('td').cellIndex].textContent,
      one.closest('tr').innerText])""")
    assert len(tracks) == len(page.report.slices.rows[:10]) + len(page.coverage.folders)  # type: ignore[union-attr]
    for scale, words in tracks:
        assert scale in ("0 to 1", "0 to 100 %")
        assert any(letter.isdigit() for letter in words)
    intervals = tab.run(
        "[...document.querySelectorAll('.interval')].map((one) => one.parentElement.innerText.trim())"
    )
    comparison = page.report.comparison
    assert comparison is not None
    assert intervals == [row.interval for row in comparison.rows]
    for selector, word in ((".gauge", "gate"), (".tally-bar", "worse")):
        words = tab.run(BESIDE % selector)
        assert words
        assert all(word in text for text in words)
    tab.shut()
