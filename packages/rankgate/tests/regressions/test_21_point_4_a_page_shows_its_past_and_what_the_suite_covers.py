"""No page said how quality went over time, what had changed with it, or which pages no query asks for."""

from __future__ import annotations

from contextlib import chdir
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.web.catalogue import Catalogue
from support.commands import rankgate
from support.pages import small
from support.past_samples import remembered
from support.written_pages import page_data, written

if TYPE_CHECKING:
    from pathlib import Path

    from support.chromium import Browser

SUITE = """\
corpus: docs/
metrics: [rr]
gates: [rr >= {bar}]
cases:
  - {{query: rotate a key, at: auth/keys.md}}
  - {{query: retry a hook, at: hooks.md}}
  - {{query: nothing, expect: empty}}
"""
ANSWERS = ["auth/keys.md", "hooks.md", "auth/sso.md"]


def _test(project: Path, order: str, bar: str = "0.2") -> None:
    (project / "search.yaml").write_text(SUITE.format(bar=bar), encoding="utf-8")
    source = f"def search(query, k):\n    return [] if query == 'nothing' else {ANSWERS!r}[{order}]\n"
    (project / "app.py").write_text(source, encoding="utf-8")
    with chdir(project):
        rankgate("test", "search.yaml", "--system", "app.py:search")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that was tested four times: better hidden, then with another gate, then another document."""
    folder = tmp_path_factory.mktemp("past") / "project"
    (folder / "docs" / "auth").mkdir(parents=True)
    for name in ANSWERS:
        (folder / "docs" / name).write_text(f"# {name}\n\nAbout it.\n", encoding="utf-8")
    _test(folder, ":")
    _test(folder, "::-1")
    _test(folder, "::-1", bar="0.9")
    (folder / "docs" / "hooks.md").write_text("# Hooks\n\nRetried twice.\n", encoding="utf-8")
    _test(folder, "::-1", bar="0.9")
    return folder


@pytest.fixture(scope="module")
def page(project: Path) -> Any:
    (path,) = project.glob(".rankgate/*/*/report.html")
    return page_data(path.read_text(encoding="utf-8"))


def test_each_point_has_its_value_its_gate_and_what_changed(page: Any) -> None:
    points = page["trend"]["points"]
    # keys.md and hooks.md stand at ranks 1 and 2, then at 3 and 2.
    expected = [(1 + 1 / 2) / 2, *[(1 / 3 + 1 / 2) / 2] * 3]
    assert [point["values"][0] for point in points] == pytest.approx(expected)
    assert [point["gates"][0]["bar"] for point in points] == [0.2, 0.2, 0.9, 0.9]
    assert [point["changed"] for point in points] == [[], ["system"], ["suite"], ["corpus"]]
    assert [point["mark"] for point in points] == ["✅", "✅", "❌", "❌"]


def test_each_query_has_a_cell_for_each_run(page: Any) -> None:
    cells = {query["query"]: query["ranks"] for query in page["queries"]}
    assert cells == {"rotate a key": [1, 3, 3, 3], "retry a hook": [2] * 4, "nothing": [-2] * 4}
    assert [row["query"] for row in page["trend"]["moved"]] == ["rotate a key"]


def test_the_pages_that_no_query_asks_for_are_listed(page: Any) -> None:
    assert page["coverage"]["words"] == "2 of 3 pages are asked for; no query asks for 1"
    assert [(row["folder"], row["unasked"]) for row in page["coverage"]["folders"]] == [
        ("auth", ["auth/sso.md"]), ("(top)", []),
    ]  # fmt: skip


def test_view_has_the_same_line(project: Path, page: Any) -> None:
    (pair,) = Catalogue.of(project).index().suites
    kept = [(list(point.values), list(point.changed)) for point in pair.trend.points]
    assert kept == [(point["values"], point["changed"]) for point in page["trend"]["points"]]


def test_a_damaged_file_of_ranks_does_not_stop_a_test(project: Path, tmp_path: Path) -> None:
    import shutil

    copied = tmp_path / "project"
    shutil.copytree(project, copied)
    (ranks,) = copied.glob(".rankgate/*/*/ranks.json.gz")
    ranks.write_bytes(b"\x1f\x8b broken")
    with chdir(copied):
        assert rankgate("test", "search.yaml", "--system", "app.py:search").code == 1
    (path,) = copied.glob(".rankgate/*/*/report.html")
    assert page_data(path.read_text(encoding="utf-8"))["trend"]["runs"] == []


@pytest.mark.once
@pytest.mark.xdist_group("browser")
def test_the_page_lays_out_trend_strips_and_folders(browser: Browser, tmp_path: Path) -> None:
    page = remembered(small(hostile="<b>&</b>"))
    tab = browser.open(written(tmp_path, page), viewport={"width": 390, "height": 844})
    tab.run("document.querySelector('#past').scrollIntoView()")
    tab.wait("#past canvas")
    tab.click("#past .chart-table summary")
    tab.wait("#past .chart-table tbody tr")
    rows = tab.texts("#past .chart-table tbody tr")
    assert len(rows) == len(page.trend.points)
    for row, point in zip(rows, reversed(page.trend.points), strict=True):
        assert point.name in row
        assert ", ".join(point.changed) in row
    first = page.trend.moved[0]
    signs = {0: "✕", -1: "!", -2: "·", None: ""}
    cells = tab.texts(".strips tbody tr:first-child td")
    assert cells == [signs.get(rank, str(rank)) for rank in first.ranks]
    assert tab.texts("#coverage tbody .place") == [row.folder for row in page.coverage.folders]  # type: ignore[union-attr]
    tab.click("#coverage summary")
    tab.wait("#coverage .unasked .place")
    listed = [text.replace("\n", "") for text in tab.texts("#coverage .unasked .place")]
    assert listed == list(page.coverage.folders[0].unasked)  # type: ignore[union-attr]
    tab.click(".strips tbody button")
    assert tab.text("#panel h2") == first.query
    assert tab.count("#panel .strip .rank-cell") == len(first.ranks)
    assert tab.run("document.documentElement.scrollWidth") == 390
    tab.shut()
