"""Issue 21, found 1, 3, 6, 7, 8 and 12: the first screen of the terminal, for a project in a folder."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from support.commands import Done, rankgate

if TYPE_CHECKING:
    from pathlib import Path

PAGE = "# Page {0}\n\n## Topic {0}\n\nAll about topic {0}, in one sentence.\n"
SEARCH = """import json, pathlib
def search(query, k):
    number = int(query.split()[-1])
    if number in json.loads(pathlib.Path("broken.json").read_text()):
        {fault}
    return [f"page{{number}}.md"] + [f"page{{other}}.md" for other in range(k - 1) if other != number]
"""
LOSES = 'return ["page99.md"]'
REFUSES = 'raise ConnectionError(f"connection refused, attempt {number}")'
QUERIES = 30


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a project whose search finds every page, with a baseline and twelve gates."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RANKGATE_DETAILS", raising=False)
    (tmp_path / "docs").mkdir()
    for number in (*range(QUERIES), 99):
        (tmp_path / "docs" / f"page{number}.md").write_text(PAGE.format(number))
    gates = ", ".join(f"rr >= 0.{number:02}" for number in range(12))
    cases = "".join(f"  - {{query: topic {one}, at: page{one}.md}}\n" for one in range(QUERIES))
    (tmp_path / "s.yaml").write_text(f"corpus: docs/\ngates: [{gates}]\ncases:\n{cases}")
    (tmp_path / "rankgate.toml").write_text(
        'suites = ["s.yaml"]\n[systems.app]\nfunction = "./app.py:search"\n'
    )
    break_queries(tmp_path, LOSES)
    assert rankgate("test").code == 0
    rankgate("baseline", "set").printed()
    return tmp_path


def break_queries(project: Path, fault: str, *numbers: int) -> Done:
    """Break the search for some pages, and test it."""
    (project / "app.py").write_text(SEARCH.format(fault=fault))
    (project / "broken.json").write_text(str([*numbers]))
    return rankgate("test")


def test_a_pass_is_at_most_fifteen_lines_and_names_no_query(project: Path) -> None:
    done = rankgate("test")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[:2] == ["✅ passed · s · app", "13 gates passed"]
    assert len(lines) <= 15
    assert "topic" not in done.out


def test_a_lost_query_is_the_headline_with_its_ranks_its_target_and_what_came_first(project: Path) -> None:
    done = break_queries(project, LOSES, 3, 4)
    assert done.code == 1
    lines = done.out.splitlines()
    assert lines[:2] == ["❌ failed · s · app (exit code 1)", "2 queries no longer find their page"]
    assert "lost(10 -> absent@10) is 2" in lines[2]
    screen = lines[:25]
    assert "• topic 3  rank 1 → not in the top 1" in screen
    for words in ("expects  page3.md", "first    page99.md", "the other 28 are fine"):
        assert any(words in line for line in screen), words
    assert any(line.startswith("intended?") and "rankgate baseline set" in line for line in screen)
    offered = next(line for line in screen if line.startswith("intended?")).split()[2:]
    assert rankgate(*offered).code == 0
    assert any(line.startswith("see one") and "--case topic-3" in line for line in screen)
    assert len(lines) <= 40


def test_an_outage_is_told_once_in_the_second_line_and_compared_with_nothing(project: Path) -> None:
    done = break_queries(project, REFUSES, *range(QUERIES))
    assert done.code == 3
    lines = done.out.splitlines()
    assert lines[0] == "🔌 system error · s · app (exit code 3)"
    assert lines[1].startswith("System error on 30 of 30 queries: ")
    flat = " ".join(done.out.split())
    assert flat.count("connection refused") == 1
    assert "Compared with" not in flat
    assert "start it or correct its address, then rankgate test" in flat
    assert len(lines) <= 25


def test_details_come_on_request(project: Path) -> None:
    assert "metric" not in rankgate("test").out.splitlines()
    told = rankgate("test", "--details").out
    assert re.search(r"^metric +value", told, re.MULTILINE)
    assert told.startswith("✅ passed · s · app\n13 gates passed\n")
    assert (project / ".rankgate" / "s" / "app" / "report.html").exists()
