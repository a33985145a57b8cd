"""Which suites a command takes: those that are named, or else those of the configuration."""

from __future__ import annotations

import json
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
    ("suite", "lint"),
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
    assert "name a suite, list suites in rankgate.toml, or let `rankgate init` write one" in said


@pytest.mark.parametrize("command", [*SEVERAL, *JUST_ONE, ("doctor",)])
def test_the_only_suite_beside_the_configuration_is_taken_as_if_it_were_named(
    project: Path, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(project, "[]")
    (project / "compose.yaml").write_text("services: {test: {cases: 3}}\n")
    (project / "broken.yml").write_bytes(b"\xff\xfe")
    monkeypatch.chdir(project)
    suite = ("-u", "search.yaml") if command[0] == "compare" else ("search.yaml",)
    named, taken = rankgate(*command, *suite), rankgate(*command)
    assert taken.err.splitlines()[0] == "search.yaml, the only suite here"
    assert (taken.code, taken.err.splitlines()[1:]) == (named.code, named.err.splitlines())
    assert "no suite" not in taken.out + taken.err
    assert "the only suite" not in named.err
    monkeypatch.chdir(project / "below")
    assert f"{project / 'search.yaml'}, the only suite of the project\n" in rankgate(*command).err


@pytest.mark.parametrize("other", ["other.yaml", "large.suite.jsonl"])
@pytest.mark.parametrize("command", [*SEVERAL, *JUST_ONE])
def test_of_several_suites_that_lie_there_none_is_taken_and_all_are_named(
    project: Path, command: tuple[str, ...], other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(project, "[]")
    (project / other).write_text((project / "search.yaml").read_text())
    monkeypatch.chdir(project)
    said = rankgate(*command).refused()
    assert f"no suite is named; {other} and search.yaml are here; name one" in said
    assert f'or add suites = ["{other}", "search.yaml"] to rankgate.toml' in said


def test_a_suite_of_the_folder_one_is_in_keeps_that_of_the_project_from_being_taken(project: Path) -> None:
    configure(project, "[]")
    (project / "below" / "other.yaml").write_text((project / "search.yaml").read_text())
    assert "no suite is named; other.yaml is here" in rankgate("test").refused()


def test_without_a_configuration_a_suite_that_lies_there_is_named_and_not_taken(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "rankgate.toml").unlink()
    monkeypatch.chdir(project)
    said = rankgate("test", "--system", "./app.py:search").refused()
    assert "no suite is named; search.yaml is here; name it" in said


def test_doctor_without_a_suite_names_init(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(project, "[]")
    monkeypatch.chdir(project)
    (project / "search.yaml").unlink()
    assert "→ rankgate init" in rankgate("doctor").out


def test_a_yaml_file_among_what_is_compared_is_the_suite(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(project, "[]")
    (project / "other.yaml").write_text((project / "search.yaml").read_text())
    monkeypatch.chdir(project)
    rankgate("test", "search.yaml", "--system", "app", "--system", "good")
    by_option = rankgate("compare", "app", "good", "-u", "search.yaml")
    assert by_option.code == 0
    assert rankgate("compare", "app", "good", "search.yaml") == by_option
    assert rankgate("compare", "app", "search.yaml", "good") == by_option
    said = rankgate("compare", "app", "good", "search.yaml", "-u", "other.yaml").refused()
    assert "2 suites (other.yaml and search.yaml)" in said


@pytest.mark.parametrize("names", [("search.yaml",), ("other.yaml", "search.yaml")])
def test_init_for_ci_lists_the_suites_so_that_its_workflow_has_one(
    project: Path, names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = CONFIGURATION.replace('suites = ["search.yaml"]\n', "")
    assert "suites" not in text
    (project / "rankgate.toml").write_text(text)
    for name in names:
        (project / name).write_text((project / "search.yaml").read_text())
    monkeypatch.chdir(project)
    said = rankgate("init", "--ci", "github").printed()
    listed = json.dumps([*names])
    assert f"wrote  suites = {listed} into rankgate.toml" in said
    assert f"suites = {listed}\n" in (project / "rankgate.toml").read_text()
    assert "suites" not in rankgate("init", "--ci", "github").printed()
    done = rankgate("test")
    assert "no suite" not in done.out + done.err
    assert "the only suite" not in done.err


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
    assert [part for part in ("search", "other") if f"✗ {part} · " in rankgate("test").out] == [
        "search",
        "other",
    ]
    assert "in 3 cases of 1 suite" in rankgate("suite", "lint", project / "other.yaml").out


def test_one_query_is_asked_beside_the_one_suite_of_the_project(project: Path) -> None:
    asked = ("query", "good", "revoke a leaked key")
    beside = rankgate(*asked).printed()
    assert "keys.md:6-7" in beside
    (project / "other.yaml").write_text((project / "search.yaml").read_text())
    configure(project, '["search.yaml", "other.yaml"]')
    assert rankgate(*asked).printed() != beside
    configure(project, '["gone.yaml"]')
    assert rankgate(*asked).printed() != beside
