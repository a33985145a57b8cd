"""The example that people copy: green as it is, and pleasant to read where the search gets worse."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.pytest_sessions import run_pytest
from support.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

EXAMPLE = ROOT / "examples" / "docs_search"

WORSE = {
    "TITLE = 3": "TITLE = 0",
    '[re.sub(r"(ing|ed|es|s|e)$", "", word) for word in found if word not in STOP]': "found",
    "    best = sorted": "    fallback = scored[:3]  # never show an empty page\n    best = sorted",
    "in best[:k]]": "in (best or fallback)[:k]]",
}
"""Words in headings count for nothing, words are as they are, and there is always something to show."""


@pytest.fixture
def example(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EXAMPLE, tmp_path / "docs_search"))


def test_the_example_is_green(example: Path) -> None:
    done = run_pytest(example)
    assert done.code == 0, done.out
    assert done.counts() == {"passed": 18, "xfailed": 1}


def test_the_commands_of_its_readme_work(example: Path) -> None:
    readme = (example / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^    pytest(.*)$", readme, re.MULTILINE)
    assert len(commands) == 2
    for command in commands:
        assert run_pytest(example, *command.split()).code == 0
    app = (example / "app.py").read_text(encoding="utf-8")
    assert "TITLE = 3" in app
    (example / "app.py").write_text(app.replace("TITLE = 3", "TITLE = 0"), encoding="utf-8")
    assert run_pytest(example).code == 1


def test_a_worse_search_is_told_as_people_would(example: Path, golden: Callable[[str, str], None]) -> None:
    app = (example / "app.py").read_text(encoding="utf-8")
    for good, bad in WORSE.items():
        assert good in app
        app = app.replace(good, bad)
    (example / "app.py").write_text(app, encoding="utf-8")
    done = run_pytest(example, "-p", "no:cacheprovider")
    assert done.code == 1
    assert done.err == ""
    golden("pytest_docs_search", re.sub(r"in \d+\.\d+s =+", "in 0.00s ===", done.out))
