"""A stored run is tested only if it is whole, unchanged, and has the results of today's queries."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from verdicts.examples import state_of
from verdicts.observed import run_command
from verdicts.project import SUITE, write_project

CONFIGURATION = """
[systems.stored]
run = "whole"

[systems.script]
command = ["sh", "-c", "cat results.json", "{query}"]
env = ["INDEX"]
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_project(tmp_path, state_of(now="1 2 3", gates="hit@10 >= 50%", cases={"q3": "b!"}))
    suite = (tmp_path / SUITE).read_text(encoding="utf-8").replace("gone-b.md", "a.md")
    (tmp_path / SUITE).write_text(suite, encoding="utf-8")
    (tmp_path / "results.json").write_text(json.dumps(["a"]), encoding="utf-8")
    with (tmp_path / "rankgate.toml").open("a", encoding="utf-8") as file:
        file.write(CONFIGURATION)
    return tmp_path


def run(project: Path, *arguments: str) -> int:
    code, output = run_command(project, *arguments)
    print(output)  # noqa: T201
    return code


def stored_run_code(project: Path) -> int:
    return run(project, "test", SUITE, "--system", "stored")


def replace_text(path: Path, old: str, new: str) -> None:
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def edit_query(project: Path) -> None:
    replace_text(project / SUITE, '"query": "q1"', '"query": "another query"')


def edit_document(project: Path) -> None:
    replace_text(project / "docs" / "a.md", "The", "A new line.\nThe")


def unfinish(project: Path) -> None:
    path = project / "whole" / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"finished": None}), encoding="utf-8")


def deepen(project: Path) -> None:
    replace_text(project / SUITE, "ndcg@10", "ndcg@20")


@pytest.mark.parametrize("change", [edit_query, edit_document, unfinish, deepen])
def test_stored_run_after_a_change_is_an_error(project: Path, change: Callable[[Path], None]) -> None:
    assert run(project, "run", SUITE, "--system", "app", "-o", "whole") == 0
    assert stored_run_code(project) == 0
    change(project)
    assert stored_run_code(project) == 2


def test_part_of_a_run_is_an_error(project: Path) -> None:
    assert run(project, "run", SUITE, "--system", "app", "-o", "whole", "--shard", "1/2") == 0
    assert stored_run_code(project) == 2


def test_merge_of_two_states_of_a_system_is_an_error(project: Path) -> None:
    for part in ("1", "2"):
        assert run(project, "run", SUITE, "--system", "app", "-o", part, "--shard", f"{part}/2") == 0
        replace_text(project / "app.py", "import json", "# changed\nimport json")
    assert run(project, "runs", "merge", "1", "2", "-o", "whole") == 2


def test_resume_after_a_change_of_the_system_is_an_error(project: Path) -> None:
    assert run(project, "run", SUITE, "--system", "app", "-o", "whole") == 0
    replace_text(project / "app.py", "import json", "# changed\nimport json")
    assert run(project, "run", SUITE, "--system", "app", "-o", "whole", "--resume") == 2


def test_resume_with_another_variable_is_an_error(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INDEX", "one")
    assert run(project, "run", SUITE, "--system", "script", "-o", "whole") == 0
    monkeypatch.setenv("INDEX", "two")
    assert run(project, "run", SUITE, "--system", "script", "-o", "whole", "--resume") == 2
