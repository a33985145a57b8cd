"""Reference pages: every block of code is read by what would read it, or says why not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from generated_reference import PAGES

from support.read_blocks import page_blocks, unread
from support.repository import ROOT
from support.transcripts import blocks

if TYPE_CHECKING:
    from pathlib import Path

DOCS = ROOT / "docs"
ELSEWHERE = {
    "troubleshooting.md": "test_pages_run.py runs it",
    **dict.fromkeys(PAGES, "written by the program, whose docstrings are run"),
}
"""Pages whose blocks are run by other tests."""
REFERENCE = [
    path for path in sorted([*DOCS.glob("*.md"), *DOCS.glob("engines/*.md")]) if path.name not in ELSEWHERE
]


@pytest.mark.parametrize("path", REFERENCE, ids=lambda path: path.stem)
def test_every_block_is_read_or_says_why_not(path: Path, tmp_path: Path) -> None:
    assert unread(path.read_text(encoding="utf-8"), tmp_path) == []


@pytest.mark.parametrize("part", ["tutorials", "guides", "concepts"])
def test_pages_that_are_run_have_no_indented_block_which_nothing_would_run(part: str) -> None:
    for path in sorted((DOCS / part).glob("*.md")):
        text = path.read_text(encoding="utf-8")
        assert len([*page_blocks(text)]) == len(blocks(text)), path


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("```yaml\ncases: [{query: a, att: x}]\n```\n", "unknown key `att`"),
        (
            "```toml\n[systems.app]\nfunction = 3\nconcurency = 1\nrate = 'x'\n```\n",
            "unknown key `concurency`",
        ),
        ("```json\n{\n```\n", "JSONDecodeError"),
        ("```python\ndef f(:\n```\n", "SyntaxError"),
        ("Text\n\n    rankgate test --nosuch\n", "--nosuch"),
        ("Text\n\n    rankgate nosuch\n", "nosuch"),
        ("Text\n\n    anything else\n", "not read: anything else"),
        ("<!-- fragment: a reason -->\n```console\n$ rankgate test --nosuch\n```\n", "--nosuch"),
    ],
)
def test_a_block_that_is_wrong_is_named(page: str, said: str, tmp_path: Path) -> None:
    (problem,) = unread(page, tmp_path)
    assert said in problem


def test_a_fragment_with_a_reason_is_left_alone(tmp_path: Path) -> None:
    page = "<!-- fragment: a line of a report -->\n\n    anything\n\nText\n\n    rankgate test --limit 5\n"
    assert unread(page, tmp_path) == []
    assert len(unread(page.replace(": a line of a report", ":"), tmp_path)) == 1
    assert unread("<!-- fragments: reports -->\n\nText\n\n    anything\n", tmp_path) == []
