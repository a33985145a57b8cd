"""Commands that only read leave no folder of results behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate
from support.projects import write_project

if TYPE_CHECKING:
    from pathlib import Path

READING = (
    ("baseline", "show"),
    ("baseline", "set"),
    ("compare", "app", "good"),
    ("compare", "baseline", "app"),
    ("compare", "app", "good", "--ask"),
    ("suite", "update"),
    ("suite", "lint"),
    ("report",),
    ("query", "good", "revoke a leaked key"),
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(write_project(tmp_path))
    return tmp_path


@pytest.mark.parametrize("command", READING, ids=" ".join)
def test_a_project_that_was_never_tested_stays_as_it_is(project: Path, command: tuple[str, ...]) -> None:
    rankgate(*command)
    assert not (project / ".rankgate").exists()


def test_a_system_that_was_never_tested_gets_no_folder_beside_the_others(project: Path) -> None:
    rankgate("test")
    kept = project / ".rankgate"
    assert (kept / ".gitignore").read_text() == "*\n"
    for command in READING[:6]:
        rankgate(*command)
    rankgate("baseline", "set", "--system", "good").printed()
    assert [path.name for path in (kept / "search").iterdir()] == ["app"]
