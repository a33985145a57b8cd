"""The search of the documentation site, as a browser runs it: gated, and a lost page turns it red."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate, rankgate_alone
from support.repository import ROOT

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = ROOT / "tools" / "site_search"
BUILT = ROOT / ".site" / "html"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the gate beside the documents, so that nothing is left in the repository."""
    folder = tmp_path / "tools" / "site_search"
    shutil.copytree(SOURCE, folder, ignore=shutil.ignore_patterns(".rankgate", "__pycache__"))
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    monkeypatch.chdir(folder)
    return folder


def _site(folder: Path, without: str = "") -> dict[str, str]:
    """Return the variables for the built site, without the pages of a folder."""
    if not (BUILT / "search.json").is_file() or shutil.which("node") is None:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)("just site was not run")
    index = json.loads((BUILT / "search.json").read_text(encoding="utf-8"))
    for item in index["items"]:
        if without and item["location"].startswith(without):
            item.update(title="", text="", path=[])
    folder.mkdir()
    (folder / "assets").symlink_to(BUILT / "assets")
    (folder / "search.json").write_text(json.dumps(index), encoding="utf-8")
    return {"SITE": str(folder), "CI": ""}


def test_every_target_is_in_the_documents(project: Path) -> None:
    assert rankgate("suite", "lint").code == 0


def test_the_site_answers_newcomers(project: Path, tmp_path: Path) -> None:
    done = rankgate_alone("test", env=_site(tmp_path / "site"))
    assert done.code == 0, done.out + done.err


def test_a_site_that_lost_its_guides_turns_the_gate_red(project: Path, tmp_path: Path) -> None:
    done = rankgate_alone("test", env=_site(tmp_path / "site", without="guides/"))
    assert done.code == 1, done.out + done.err


def test_programs_and_logs_are_not_searched(tmp_path: Path) -> None:
    _site(tmp_path / "site")
    index = json.loads((BUILT / "search.json").read_text(encoding="utf-8"))
    assert {item["location"].partition("/")[0] for item in index["items"]} >= {"guides", "concepts"}
    assert [item["location"] for item in index["items"] if item["location"].startswith("repository/")] == []
