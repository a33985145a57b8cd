"""Where a project says which suites and which systems it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.errors import FormatError, InputError
from rankgate.model import GateText
from rankgate.project.configuration import find_configuration

if TYPE_CHECKING:
    from pathlib import Path

GOOD = """\
suites = ["search.yaml"]
system = "app"

[systems.app]
function = "app.search:search"
gates = ["ndcg@10 >= 0.7"]
max_errors = 2

[systems.tool]
command = ["./tool", "{query}"]
output = "lines"
gate = false
"""


def test_it_is_found_upwards_and_says_what_each_system_is(tmp_path: Path) -> None:
    (tmp_path / "rankgate.toml").write_text(GOOD)
    (tmp_path / "deep/down").mkdir(parents=True)
    found = find_configuration(tmp_path / "deep/down")
    assert (found.root, found.suites, found.system) == (tmp_path, ("search.yaml",), "app")
    app, tool = found.entry(None), found.entry("tool")
    assert (app.source, app.target, app.gates, app.max_errors) == (
        "function",
        "app.search:search",
        (GateText("ndcg@10 >= 0.7"),),
        2,
    )
    assert (tool.source, tool.target, tool.options, tool.gate) == (
        "command",
        ["./tool", "{query}"],
        {"output": "lines"},
        False,
    )


def test_the_same_schema_stands_in_pyproject(tmp_path: Path) -> None:
    table = GOOD.replace("[systems", "[tool.rankgate.systems")
    (tmp_path / "pyproject.toml").write_text("[tool.rankgate]\n" + table)
    assert find_configuration(tmp_path).entry("app").target == "app.search:search"


def test_both_in_one_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "rankgate.toml").write_text(GOOD)
    (tmp_path / "pyproject.toml").write_text("[tool.rankgate]\n")
    with pytest.raises(FormatError, match="one of the two"):
        find_configuration(tmp_path)


def test_every_mistake_is_told_at_once(tmp_path: Path) -> None:
    systems = '[systems.a]\n[systems.b]\nfunction = "x:y"\ncommand = ["z"]\nmax_errors = "no"\n'
    (tmp_path / "rankgate.toml").write_text('suits = []\nsystem = "other"\n' + systems)
    with pytest.raises(FormatError) as error:
        find_configuration(tmp_path)
    said = str(error.value)
    assert "suits: found an unknown key" in said
    assert "did you mean suites?" in said
    assert "systems.a: found none of them, expected one of function, command, run, kind" in said
    assert "systems.b: found function and command" in said
    assert "system: found 'other'" in said


def test_toml_that_cannot_be_read_names_its_file(tmp_path: Path) -> None:
    (tmp_path / "rankgate.toml").write_text("suites = [")
    with pytest.raises(FormatError, match=r"rankgate\.toml: found what is not TOML"):
        find_configuration(tmp_path)


def test_without_a_file_the_repository_is_the_root(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "sub").mkdir()
    found = find_configuration(tmp_path / "sub")
    assert (found.root, found.path) == (tmp_path, None)


def test_a_misspelt_system_is_refused_with_what_is_near(tmp_path: Path) -> None:
    (tmp_path / "rankgate.toml").write_text(GOOD)
    with pytest.raises(InputError, match="did you mean tool"):
        find_configuration(tmp_path).entry("toll")
