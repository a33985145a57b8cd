"""Which suites a command takes: those that are named, or else those of the configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate
from support.projects import CONFIGURATION, write_project

if TYPE_CHECKING:
    from pathlib import Path

SEVERAL = (
    ("test",),
    ("baseline", "set"),
    ("baseline", "show"),
    ("plan",),
    ("suite", "lint"),
    ("suite", "anchor"),
)
JUST_ONE = (("compare", "app", "good"), ("suite", "update"))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (write_project(tmp_path) / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    return tmp_path


def configure(project: Path, suites: str) -> None:
    (project / "rankgate.toml").write_text(CONFIGURATION.replace('["search.yaml"]', suites))


@pytest.mark.parametrize("command", [*SEVERAL, *JUST_ONE])
def test_a_project_without_suites_needs_one_that_is_named(project: Path, command: tuple[str, ...]) -> None:
    configure(project, "[]")
    (project / "search.yaml").rename(project / "search.kept")
    said = rankgate(*command).refused()
    assert "no suite" in said
    assert "name a suite, list suites in rankgate.toml, or let `rankgate init` propose one" in said


@pytest.mark.parametrize("command", [*SEVERAL, *JUST_ONE])
def test_a_suite_that_lies_there_is_named_and_not_taken(
    project: Path, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(project, "[]")
    (project / "compose.yaml").write_text("services: {test: {cases: 3}}\n")
    (project / "broken.yml").write_bytes(b"\xff\xfe")
    below = rankgate(*command).refused()
    assert f"no suite is named; {project / 'search.yaml'} is in the project; name it, or add suites" in below
    monkeypatch.chdir(project)
    said = rankgate(*command).refused()
    assert 'search.yaml is here; name it, or add suites = ["search.yaml"] to rankgate.toml' in said
    assert "compose" not in said


def test_the_next_step_is_the_test_of_the_suite_that_lies_there(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(project, "[]")
    monkeypatch.chdir(project)
    assert rankgate("test").refused().endswith("test it  rankgate test search.yaml\n")
    assert "→ rankgate doctor search.yaml" in rankgate("doctor").out
    (project / "search.yaml").unlink()
    assert rankgate("test").refused().endswith("start one  rankgate init\n")
    assert "→ rankgate init" in rankgate("doctor").out


@pytest.mark.parametrize("command", JUST_ONE)
def test_what_takes_one_suite_wants_it_named_where_there_are_several(
    project: Path, command: tuple[str, ...]
) -> None:
    (project / "other.yaml").write_text((project / "search.yaml").read_text())
    configure(project, '["search.yaml", "other.yaml"]')
    said = rankgate(*command).refused()
    assert "2 suites" in said
    assert f"name one: {project / 'search.yaml'}, {project / 'other.yaml'}" in said


def test_the_suites_of_the_configuration_are_found_from_any_folder_below(project: Path) -> None:
    (project / "other.yaml").write_text((project / "search.yaml").read_text())
    configure(project, '["search.yaml", "other.yaml"]')
    assert "in 6 cases of 2 suites" in rankgate("suite", "lint").out
    assert [part for part in ("search", "other") if f"❌ failed · {part} · " in rankgate("test").out] == [
        "search",
        "other",
    ]
    assert "in 3 cases of 1 suite" in rankgate("suite", "lint", project / "other.yaml").out


def test_one_query_is_asked_beside_the_one_suite_of_the_project(project: Path) -> None:
    asked = ("ask", "good", "revoke a leaked key")
    beside = rankgate(*asked).printed()
    assert "keys.md:6-7" in beside
    configure(project, '["search.yaml", "search.yaml"]')
    assert rankgate(*asked).printed() != beside
    configure(project, '["gone.yaml"]')
    assert rankgate(*asked).printed() != beside
