"""Every decision is held by tests that exist, and stands in the index."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from support.repository import ROOT

if TYPE_CHECKING:
    from pathlib import Path

DECISIONS = sorted((ROOT / "docs" / "decisions").glob("0*.md"))
HEADINGS = ["Context", "Ruling", "Example", "Consequences", "Held by"]


@pytest.mark.parametrize("path", DECISIONS, ids=lambda path: path.stem)
def test_a_decision_has_its_headings_in_order(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == HEADINGS
    assert text.startswith(f"# {int(path.name[:4])}. ")
    assert re.search(r"^Status: \w", text, re.MULTILINE)


@pytest.mark.parametrize("path", DECISIONS, ids=lambda path: path.stem)
def test_the_tests_that_hold_a_decision_exist(path: Path) -> None:
    _, _, held = path.read_text(encoding="utf-8").partition("## Held by")
    named = re.findall(r"tests/[\w/]+\.py", held)
    packages = [ROOT / "packages" / "rankgate", ROOT / "packages" / "rankgate-reference"]
    assert [name for name in named if not any((package / name).is_file() for package in packages)] == []
    assert named or re.search(r"No test yet|just|import-linter", held)


def test_every_decision_stands_in_the_index() -> None:
    index = (ROOT / "docs" / "decisions" / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"\((0\d+-[\w-]+\.md)\)", index) == [path.name for path in DECISIONS]
