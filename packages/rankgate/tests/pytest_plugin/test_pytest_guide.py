"""What docs/pytest.md shows is what a reader gets."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import pytest

from rankgate.evaluation.session.explanations import MOST_LINES
from support.pytest_sessions import run_pytest
from support.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

GUIDE = (ROOT / "docs" / "pytest.md").read_text(encoding="utf-8")
APP = "ANSWERS = {answers!r}\n\ndef search(query, k):\n    return ANSWERS.get(query, [])[:k]\n"
GOOD = {"rotate a key": ["keys"], "sign in": ["login"]}


def block(language: str) -> str:
    (found,) = re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)
    return str(found)


def write(folder: Path, answers: Mapping[str, list[str]]) -> None:
    """Write the files of the guide, each under the name in its first line."""
    for language in ("yaml", "ini", "python"):
        text = block(language)
        name = re.match(r"# (\S+)\n", text)
        assert name is not None
        (folder / name[1]).write_text(text, encoding="utf-8")
    (folder / "app.py").write_text(APP.format(answers=dict(answers)))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, GOOD)
    return tmp_path


def test_the_commands_work(folder: Path) -> None:
    commands = re.findall(r"^\$ pytest (.*)$", block("console"), re.MULTILINE)
    # The first one names the system; the others take it from the configuration.
    counts = [run_pytest(folder, *shlex.split(commands[0])).counts()]
    (folder / "rankgate.toml").write_text('[systems.app]\nfunction = "./app.py:search"\n')
    counts += [run_pytest(folder, *shlex.split(command)).counts() for command in commands[1:]]
    assert counts == [{"passed": 3}, {"passed": 1}, {"passed": 1, "deselected": 2}]


def test_the_settings_and_the_test_work(folder: Path) -> None:
    (folder / "rankgate.toml").write_text('[systems.app]\nfunction = "./app.py:search"\n')
    (folder / "pytest.ini").write_text(block("ini") + "pythonpath = .\n", encoding="utf-8")
    assert run_pytest(folder).counts() == {"passed": 4}


def test_a_failure_reads_as_shown(folder: Path) -> None:
    write(folder, {"rotate a key": ["login"], "sign in": ["keys", "login"]})
    (folder / "pytest.ini").write_text("[pytest]\npythonpath = .\n")
    test = (folder / "test_search.py").read_text(encoding="utf-8")
    first = "    assert results.ndcg(10) >= 0.8\n"
    assert first in test
    (folder / "test_search.py").write_text(test.replace(first, "    assert results.rr() >= 0.8\n"))
    printed = run_pytest(folder, "test_search.py", env={"COLUMNS": "80"}).out
    shown = block("text")
    start = printed.index("E       assert")
    assert re.sub(r"\n\ntest_search.py:\d+: AssertionError\n", "\n", printed[start:]).startswith(shown)


def test_the_limit_is_the_one_that_is_named() -> None:
    assert f"at most {MOST_LINES} lines" in GUIDE
