"""Systems that need files and variables, and suites that are tested with several systems."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate
from support.topics import SYSTEM, topics_project

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project with a system that needs a folder and a variable."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("TOPICS_KEY", raising=False)
    topics_project(tmp_path, 3, "ndcg@10 >= 0.5")
    with (tmp_path / "rankgate.toml").open("a") as file:
        file.write('needs = ["index/", "${TOPICS_KEY}"]\n')
    return tmp_path


def test_test_with_missing_needs_is_skipped(project: Path) -> None:
    done = rankgate("test", "--report", "json=report.json", "--report", "junit=report.xml")
    assert done.code == 0
    assert done.out.splitlines()[0] == "– search · app · not tested: needs index/, TOPICS_KEY"
    assert done.err == "warning: search · app: not tested: needs index/, TOPICS_KEY\n"
    report = json.loads((project / "report.json").read_text())
    assert (report["state"], report["exit_code"]) == ("not tested", 0)
    assert (
        '<skipped message="not tested: needs index/, TOPICS_KEY" />' in (project / "report.xml").read_text()
    )


def test_test_with_missing_needs_fails_in_ci(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "yes")
    (project / "index").mkdir()
    monkeypatch.setenv("TOPICS_KEY", "")  # GitHub sets a secret that is missing to this
    done = rankgate("test")
    assert done.code == 3
    assert "systems.app.needs: missing: TOPICS_KEY. Set it up in CI" in done.err


def test_skip_missing_skips_in_ci(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("CI", "yes")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    assert project == tmp_path
    assert rankgate("test", "--skip-missing").code == 0
    assert "not tested: needs index/, TOPICS" in summary.read_text()


def test_skipped_test_replaces_the_former_report(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "index").mkdir()
    monkeypatch.setenv("TOPICS_KEY", "k")
    assert "3 queries passed" in rankgate("test").printed()
    monkeypatch.delenv("TOPICS_KEY")
    rankgate("test")
    assert '"state": "not tested"' in (project / ".rankgate/search/app/report.json").read_text()


def test_baseline_set_with_missing_needs_fails(project: Path) -> None:
    done = rankgate("baseline", "set")
    assert (done.code, (project / "baselines").exists()) == (3, False)
    assert "systems.app.needs: missing: index/, TOPICS_KEY. Set it up." in done.err


def test_suite_is_tested_with_the_systems_of_its_entries(project: Path) -> None:
    entries = [
        '"search.yaml"',
        '{file = "search.yaml", system = "a", gates = ["rr >= 0.5"]}',
        '{file = "search.yaml", system = "b", gates = ["rr >= 0.9 where tag = none"]}',
    ]
    systems = "".join(SYSTEM.format(name=name) for name in ("a", "b"))
    (project / "rankgate.toml").write_text(f"suites = [{', '.join(entries)}]\n{systems}")
    done = rankgate("test", "--report", "json=report.json")
    assert done.code == 2
    found = [
        (one["system"], one["exit_code"], [gate["gate"] for gate in one["gates"]])
        for one in json.loads((project / "report.json").read_text())["reports"]
    ]
    assert found == [
        ("a", 0, ["ndcg@10 >= 0.5", "rr >= 0.5"]),
        ("b", 2, ["ndcg@10 >= 0.5", "rr >= 0.9 where tag = none"]),
    ]
