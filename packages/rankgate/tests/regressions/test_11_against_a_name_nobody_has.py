"""A gate against a system that is not there would wait for its baseline for ever."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate
from support.pytest_sessions import run_pytest
from support.topics import SYSTEM, topics_project

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project whose gate misspells the system `main`."""
    monkeypatch.chdir(tmp_path)
    topics_project(tmp_path, 6, "'drop(ndcg@10) < 0.1 against mian'")
    with (tmp_path / "rankgate.toml").open("a") as file:
        file.write(SYSTEM.format(name="main"))
    return tmp_path


def test_a_name_that_nobody_has_is_refused_with_the_one_that_was_meant(project: Path) -> None:
    said = rankgate("test", "-s", "app").refused()
    assert "found against mian, which is no system and has no baseline, expected one of app, main" in said
    assert "did you mean main?" in said
    assert not (project / ".rankgate" / "search" / "app" / "run").exists()


def test_no_command_is_named_that_would_be_refused_as_well(project: Path) -> None:
    suite = project / "search.yaml"
    suite.write_text(suite.read_text().replace("mian", "production"))
    said = rankgate("test", "-s", "app").refused()
    assert said.splitlines()[1].endswith(
        "expected one of app, main; correct the name, or set up a system of it [unknown-system]"
    )
    assert rankgate("baseline", "set", "-s", "production").code == 2


def test_pytest_says_so_too(project: Path) -> None:
    configuration = (project / "rankgate.toml").read_text()
    (project / "rankgate.toml").write_text(f'system = "app"\n{configuration}')
    done = run_pytest(project, "search.yaml")
    assert done.code != 0
    assert "did you mean main?" in done.out


def test_a_system_without_a_baseline_is_waited_for(project: Path) -> None:
    suite = project / "search.yaml"
    suite.write_text(suite.read_text().replace("mian", "main"))
    assert "no baseline yet" in rankgate("test", "-s", "app").printed()


def test_a_baseline_of_a_system_that_is_gone_is_still_one(project: Path) -> None:
    assert rankgate("test", "-s", "main").code == 2
    suite = project / "search.yaml"
    suite.write_text(suite.read_text().replace("mian", "main"))
    assert rankgate("test", "-s", "main").code == 0
    rankgate("baseline", "set", "-s", "main").printed()
    configuration = (project / "rankgate.toml").read_text().replace(SYSTEM.format(name="main"), "")
    (project / "rankgate.toml").write_text(configuration.replace("require_baseline = true", ""))
    assert rankgate("test", "-s", "app").code == 0
