"""The page that every test leaves, and where commands put it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from support.commands import rankgate
from support.projects import SUITE, write_project
from support.written_pages import page_data

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = write_project(tmp_path / "project")
    monkeypatch.chdir(folder)
    return folder


def _data(path: Path) -> Any:
    return page_data(path.read_text(encoding="utf-8"))


def test_a_test_leaves_a_page_with_every_query_and_the_texts_of_the_corpus(project: Path) -> None:
    rankgate("test")
    page = _data(project / ".rankgate/search/app/report.html")
    assert [query["query"] for query in page["queries"]] == [
        "revoke a leaked key", "what happens to failed deliveries", "blockchain",
    ]  # fmt: skip
    hit = page["queries"][0]["hits"][1]
    assert hit["location"] == "keys.md:6-7"
    assert hit["marked"] == [[6, 7]]
    text = page["texts"][hit["text"]]
    assert (text["text"], text["first"]) == ("## Revocation\nEnd a leaked key at once.", 6)
    assert text["tokens"] == [[13, "h"], [26, ""]]
    assert page["command"] == "rankgate test search.yaml --system app"
    assert page["queries"][2]["ask"] == "rankgate query app --case blockchain"


def test_a_test_says_where_its_page_is_from_here(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "other.yaml").write_text(SUITE)
    docs = project / "docs"
    for here in (project, docs):
        monkeypatch.chdir(here)
        done = rankgate("test", project / "search.yaml", project / "other.yaml")
        pages = re.findall(r"^page +(.+)$", done.out, re.MULTILINE)
        up = "" if here == project else "../"
        assert pages == [f"{up}.rankgate/{suite}/app/report.html" for suite in ("search", "other")]
        assert [_data(here / page)["report"]["title"] for page in pages] == ["search", "other"]
    assert "report.html" not in rankgate("report").out


def test_equal_tests_give_equal_pages_but_for_header_times_and_history(project: Path) -> None:
    pages = []
    for _ in range(2):
        rankgate("test")
        page = _data(project / ".rankgate/search/app/report.html")
        assert set(page["report"]["header"]) == {"time"}
        del page["report"]["header"], page["trend"]
        for query in page["queries"]:
            del query["ms"]
        pages.append(page)
    assert pages[0] == pages[1]


def test_the_page_is_copied_to_where_it_is_wanted(project: Path) -> None:
    rankgate("test", "--report", "html=out/page.html", "--report", "json=out/report.json")
    kept = (project / ".rankgate/search/app/report.html").read_bytes()
    assert (project / "out/page.html").read_bytes() == kept
    assert (project / "out/report.json").is_file()


def test_several_suites_need_a_name_each(project: Path) -> None:
    (project / "other.yaml").write_text(SUITE)
    told = rankgate("test", "search.yaml", "other.yaml", "--report", "html=page.html").refused()
    assert "html=reports/{suite}.html" in told
    rankgate("test", "search.yaml", "other.yaml", "--report", "html=out/{suite}.html")
    assert [_data(project / f"out/{name}.html")["report"]["title"] for name in ("search", "other")] == [
        "search", "other",
    ]  # fmt: skip


def test_a_kept_page_is_laid_out_again(project: Path) -> None:
    rankgate("test")
    rankgate("report", "--format", "html", "-o", "again.html").printed()
    kept = project / ".rankgate/search/app/report.html"
    assert (project / "again.html").read_bytes() == kept.read_bytes()
    rankgate("test", "--system", "good")
    places = (".rankgate/search/app", ".rankgate/search/good")
    assert "2 reports" in rankgate("report", *places, "--format", "html").refused()
    kept.unlink()
    assert "run `rankgate test`" in rankgate("report", places[0], "--format", "html").refused()
