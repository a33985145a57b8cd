"""Issue 20, found 2: a section under a new heading, its text kept, is followed there, and not to lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

BODY = """Handles GZip responses for any request that includes gzip in the header.

The middleware will handle both standard and streaming responses.

    app = Starlette(routes=routes, middleware=middleware)

The following arguments are supported:

* minimum_size - do not compress responses that are smaller.
* compresslevel - a number from 1 to 9.
"""
PAGE = f"# Middleware\n\nSeveral classes.\n\n## GZipMiddleware\n\n{BODY}\n## Other\n\nWrite your own.\n"
SUITE = """name: docs
corpus: docs
cases:
  - name: gzip
    query: compress responses
    at: middleware.md#GZipMiddleware   # read by Ann
"""


def test_the_new_heading_is_written_and_the_comment_stays(tmp_path: Path) -> None:
    page, suite = tmp_path / "docs" / "middleware.md", tmp_path / "search.yaml"
    page.parent.mkdir()
    page.write_text(PAGE, encoding="utf-8")
    suite.write_text(SUITE, encoding="utf-8")
    assert rankgate("suite", "fix", suite, "--yes").code == 0
    page.write_text(PAGE.replace("## GZipMiddleware", "## Compression"), encoding="utf-8")
    shown = rankgate("suite", "fix", suite)
    assert shown.code == 1
    assert "→ middleware.md#Compression" in shown.out
    assert suite.read_text(encoding="utf-8") == SUITE
    assert rankgate("suite", "fix", suite, "--yes").code == 0
    assert suite.read_text(encoding="utf-8") == SUITE.replace("#GZipMiddleware", "#Compression")
    assert rankgate("suite", "lint", suite).code == 0
    assert rankgate("suite", "fix", suite).code == 0
