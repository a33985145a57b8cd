"""What a function is made of: the Python files of the project."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankgate.systems.function.system import FunctionOptions, FunctionSystem


def search(query: str, k: int, more: int = 0) -> list[str]:
    return [query] * k


def system(root: Path, target: object) -> FunctionSystem:
    return FunctionSystem(target, FunctionOptions(root=str(root)))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = ("app_own.py", "ranking/weights.py", ".venv/lib/x.py", "env/lib/y.py", "node_modules/z.py")
    for name in (*files, "env/pyvenv.cfg", "docs/a.md"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("def search(query, k): return []\n" if name == "app_own.py" else "")
    return tmp_path


def test_python_files_of_the_project_count_and_environments_do_not(root: Path) -> None:
    found = system(root, "./app_own.py:search")
    assert set(found.contents()) == {"Python", "app_own.py", "ranking/weights.py"}


def test_changed_file_changes_its_digest_alone(root: Path) -> None:
    before = system(root, "./app_own.py:search").contents()
    (root / "ranking/weights.py").write_text("boost = 2\n")
    after = system(root, "./app_own.py:search").contents()
    assert {name for name in after if after[name] != before[name]} == {"ranking/weights.py"}


def test_many_files_have_one_digest(root: Path) -> None:
    for number in range(100):
        (root / f"part_{number}.py").touch()
    before = system(root, "./app_own.py:search").contents()
    assert set(before) == {"Python", "*.py"}
    (root / "part_7.py").write_text("changed = True\n")
    assert system(root, "./app_own.py:search").contents() != before


def test_function_outside_the_project_counts_with_its_file(root: Path) -> None:
    assert Path(__file__).name in system(root, search).contents()


def test_system_adds_what_it_says_itself(root: Path) -> None:
    assert system(root, Search).contents()["weights"] == "3"


class Search:
    def search(self, query: str, k: int) -> list[str]:
        return [query] * k

    def contents(self) -> dict[str, str]:
        return {"weights": "3"}
