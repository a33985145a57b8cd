"""Modules of the working folder: none runs unless the configuration names it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.commands import Done, rankgate_alone

if TYPE_CHECKING:
    from pathlib import Path

MODULES = ("json", "click", "polars", "yaml", "rich", "sitecustomize", "usercustomize", "conftest")
PLAIN = "cases: [{query: a, id: a}]\n"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a working folder in which every module that could be taken for a library leaves a mark."""
    for name in MODULES:
        mark = tmp_path / f"{name}-was-run"
        (tmp_path / f"{name}.py").write_text(f"open({str(mark)!r}, 'w').close()\n")
    for name in ("PYTHONPATH", "PYTHONSAFEPATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("RANKGATE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def marks(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*-was-run"))


def test_python_m_imports_nothing_from_the_working_folder(checkout: Path) -> None:
    (checkout / "search.yaml").write_text(PLAIN)
    done = rankgate_alone("suite", "lint", "search.yaml")
    assert marks(checkout) == []
    assert (done.code, done.err) == (0, "")


def done_test(checkout: Path, system: str) -> Done:
    (checkout / "search.yaml").write_text(PLAIN)
    (checkout / "rankgate.toml").write_text(f"[systems.app]\n{system}\n")
    return rankgate_alone("test", "search.yaml", "--system", "app")


def named(checkout: Path) -> str:
    """Write a function into a folder of its own, and return the table that names it."""
    (checkout / "lib").mkdir()
    (checkout / "lib" / "app.py").write_text("def search(query, k):\n    return ['a']\n")
    return 'kind = "function"\ntarget = "app:search"\nroot = "lib"'


def test_function_imports_from_its_root_only(
    checkout: Path,
) -> None:
    done = done_test(checkout, named(checkout))
    assert marks(checkout) == []
    assert done.code == 0, done.err
