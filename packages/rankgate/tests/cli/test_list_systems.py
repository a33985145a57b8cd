"""``rankgate list systems``: what this project has, what could be configured, and what was tested."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

import pytest

from rankgate.plugins import listed
from rankgate.systems.registry import GROUP, SystemKind, kind_of
from support.commands import rankgate
from support.repository import ROOT

if TYPE_CHECKING:
    from pathlib import Path


def test_every_kind_is_listed_with_what_it_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said = rankgate("list", "systems").printed()
    named = [line.split()[0] for line in said.splitlines() if not line.startswith(" ")]
    assert named == sorted(listed(GROUP))
    for name in named:
        assert kind_of(name).about in said


def test_the_systems_of_the_project_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (
        "system = 'app'\n[systems.app]\ncommand = ['./search', '{query}']\n"
        "[systems.plain]\nkind = 'sqlite'\ndatabase = 'a.db'\nsql = 'SELECT 1'\n"
    )
    (tmp_path / "rankgate.toml").write_text(text)
    lines = rankgate("list", "systems").printed().splitlines()
    assert lines[0].split(maxsplit=1) == ["app", "command ./search {query} (asked where none is named)"]
    assert lines[1].split(maxsplit=1) == ["plain", "kind sqlite"]


def test_both_generations_of_the_mcp_sdk_that_are_said_to_be_tested_are() -> None:
    first = (ROOT / "requirements" / "mcp1.in").read_text(encoding="utf-8").rpartition("mcp==")[2]
    said = [".".join(one.split(".")[:2]) for one in (first, version("mcp"))]
    assert kind_of("mcp").tested == f"tested with the MCP SDK {' and '.join(said)}"


def test_what_is_not_here_is_told_with_how_to_install_it() -> None:
    kind = SystemKind("An engine", library="no_such_engine", extra="engine")
    assert not kind.installed
    assert kind.install == "to install: pip install 'rankgate[engine]'"
    assert not SystemKind(program="no-such-program", extra="program").installed
    assert SystemKind().installed
