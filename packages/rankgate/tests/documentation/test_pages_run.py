"""Tutorials, guides and concepts: every command is run in an empty folder, and prints what the page shows."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from support.repository import FIXTURES, ROOT
from support.transcripts import blocks, environment, run_page

if TYPE_CHECKING:
    from pathlib import Path

PAGES = [
    path
    for pattern in ("tutorials/*.md", "guides/*.md", "concepts/*.md", "troubleshooting.md")
    for path in sorted((ROOT / "docs").glob(pattern))
    if "OPENSEARCH_URL"
    not in path.read_text(encoding="utf-8")  # run in tests/systems/engines/test_opensearch.py
    and any(
        block.language == "console" and not block.fragment
        for block in blocks(path.read_text(encoding="utf-8"))
    )
]


def variables(text: str, folder: Path) -> dict[str, str]:
    """Return the variables of a reader who installed what a page asks for."""
    if "langchain" in text:
        python = FIXTURES / "frameworks-venv" / "bin" / "python"
        if not python.is_file():
            missing("just frameworks")
        return environment(folder, python)
    found = environment(folder)
    if "mkdocs build" in text:
        program = FIXTURES / "site-venv" / "bin" / "mkdocs"
        lunr = next((FIXTURES / "site-venv").glob("lib/python3*/site-packages/lunr"), None)
        if lunr is None:
            missing("just site")
        assert lunr is not None
        (folder / "library").mkdir()
        # Of that environment the one package alone, so that it changes no library of rankgate's.
        (folder / "library" / "lunr").symlink_to(lunr)
        (folder / "tools" / "mkdocs").symlink_to(program)
        found["PYTHONPATH"] += f":{folder / 'library'}"
    return found


def missing(recipe: str) -> None:
    """Skip a page at home for what is missing, and fail it in CI."""
    (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(f"{recipe} was not run")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_page_comes_out_as_it_is_printed(path: Path, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    wrong = run_page(text, tmp_path / "project", variables(text, tmp_path))
    assert not wrong, "\n\n".join(wrong)
