"""Targets whose outline needs an extra that is not installed."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from rankgate.outline import code
from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

SUITE = """\
corpus: docs
cases:
  - {query: parse, at: "lib.rs::parse"}
  - {query: print, at: ["lib.rs::print", "other.rs::print"]}
  - {query: rotate, at: "keys.rst#Rotation"}
  - {query: gone, at: gone.md}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a project with Rust and reStructuredText files, and hide the libraries that outline them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    for name in ("lib.rs", "other.rs"):
        (tmp_path / "docs" / name).write_text("fn parse() {}\nfn print() {}\n")
    (tmp_path / "docs" / "keys.rst").write_text("Keys\n====\n\nRotation\n--------\n\nText.\n")
    (tmp_path / "search.yaml").write_text(SUITE)
    (tmp_path / "app.py").write_text("def search(query, k):\n    open('called', 'w')\n    return []\n")
    (tmp_path / "rankgate.toml").write_text('[systems.app]\nfunction = "./app.py:search"\n')
    hidden = {"tree_sitter", "tree_sitter_rust"}
    monkeypatch.setattr(code, "find_spec", lambda name: None if name in hidden else find_spec(name))
    monkeypatch.setitem(sys.modules, "docutils", None)
    return tmp_path


def test_test_without_extras_names_them_and_no_target(project: Path) -> None:
    done = rankgate("test", "search.yaml")
    text = " ".join((done.out + done.err).split())
    assert done.code == 2
    assert "search.yaml: the outline of Rust files needs an extra (3 targets)" in text
    assert "pip install 'rankgate[code]'" in text
    assert "the outline of reStructuredText files needs an extra (1 target)" in text
    assert "pip install 'rankgate[rst]'" in text
    assert "missing target" not in text
    assert "gone.md" not in text
    assert not (project / "called").exists()


@pytest.mark.usefixtures("project")
def test_lint_without_extras_names_them() -> None:
    done = rankgate("suite", "lint", "search.yaml")
    text = " ".join((done.out + done.err).split())
    assert "pip install 'rankgate[code]'" in text
    assert "suite fix search.yaml to follow" not in text
