"""Several systems in one test: all of them are tested, and the worst exit code counts in any order."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate
from support.projects import write_project

if TYPE_CHECKING:
    from pathlib import Path

ORDERS = [("app", "good"), ("good", "app")]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project whose system `app` fails its gates and whose system `good` passes."""
    monkeypatch.chdir(tmp_path)
    return write_project(tmp_path)


@pytest.mark.parametrize("order", ORDERS)
def test_the_worst_exit_code_counts_in_any_order(project: Path, order: tuple[str, str]) -> None:
    done = rankgate("test", "-s", order[0], "-s", order[1])
    assert done.code == 1
    assert done.out.index(f"search · {order[0]}") < done.out.index(f"search · {order[1]}")
    assert "❌ failed · search · app " in done.out
    assert "✅ passed · search · good\n" in done.out


@pytest.mark.parametrize("order", ORDERS)
def test_reports_hold_every_system(project: Path, order: tuple[str, str]) -> None:
    reports = ("-o", "json=all.json", "-o", "junit=all.xml", "-o", "html={suite}/{system}.html")
    assert rankgate("test", "-s", order[0], "-s", order[1], *reports).code == 1
    found = json.loads((project / "all.json").read_text())
    assert [report["system"] for report in found] == list(order)
    junit = (project / "all.xml").read_text()
    assert '<testsuite name="search, app"' in junit
    assert '<testsuite name="search, good"' in junit
    assert {path.name for path in (project / "search").iterdir()} == {"app.html", "good.html"}


def test_a_page_of_several_systems_needs_their_names(project: Path) -> None:
    said = rankgate("test", "-s", "app", "-s", "good", "-o", "html=page.html").refused()
    assert "{system} in FILE" in said


@pytest.mark.parametrize("order", [("gone", "app"), ("app", "gone")])
def test_a_system_that_cannot_be_opened_leaves_the_others_tested(
    project: Path, order: tuple[str, str]
) -> None:
    with (project / "rankgate.toml").open("a") as file:
        file.write('[systems.gone]\nfunction = "./gone.py:search"\n')
    done = rankgate("test", "-s", order[0], "-s", order[1], "-o", "json=all.json")
    assert done.code == 2
    assert "gone.py" in done.err
    assert "search · app " in done.out
    assert (project / "all.json").exists()


def test_one_system_named_twice_is_tested_once(project: Path) -> None:
    assert rankgate("test", "-s", "good", "-s", "good").printed().count("✅ passed · search") == 1
