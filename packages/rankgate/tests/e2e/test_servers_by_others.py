"""MCP servers that others made, set up by configuration alone."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate
from support.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CODE_INDEX = ROOT / ".fixtures/mcp-venv/bin/code-index-mcp"
FILES = ROOT / ".fixtures/npm/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"
SUITE = """\
corpus: docs/
gates: [hit@10 >= 1, errors = 0]
cases:
  - {query: %s, at: %s}
  - {query: %s, at: %s}
"""


def needed(path: Path) -> str:
    """Name a server that is there; elsewhere a skip, in CI a failure."""
    if not path.is_file() or (path.suffix == ".js" and shutil.which("node") is None):
        missing = f"{path.relative_to(ROOT)} is not there; run `just mcp-servers`"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    return json.dumps(str(path))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    docs = tmp_path / "docs"
    (docs / "auth").mkdir(parents=True)
    (docs / "auth/keys.md").write_text("# Keys\n\n## Rotation\n\nRotate a key after 90 days.\n")
    (docs / "hooks.md").write_text("# Hooks\n\nA failed hook is sent again.\n")
    (docs / "store.py").write_text("def rotate_key(age):\n    return age > 90\n")
    monkeypatch.chdir(tmp_path)
    # The index of code-index-mcp goes below the folder for temporary files.
    monkeypatch.setenv("TMPDIR", str(tmp_path))

    def write(configuration: str, suite: str) -> None:
        (tmp_path / "rankgate.toml").write_text(f'suites = ["search.yaml"]\n[systems.other]\n{configuration}')
        (tmp_path / "search.yaml").write_text(suite)

    return write


def test_code_index_is_asked(project: Callable[[str, str], None]) -> None:
    project(
        f"""\
kind = "mcp"
command = [{needed(CODE_INDEX)}, "--project-path", "docs"]
tool = "search_code_advanced"
arguments = {{ pattern = "{{query}}", max_results = "{{k}}", case_sensitive = false }}
hits = "results"
fields = {{ path = "file", start = "line", text = "text" }}
""",
        SUITE % ("rotate_key", "store.py::rotate_key", "age > 90", "store.py:2"),
    )
    done = rankgate("test")
    assert done.code == 0, done.out + done.err
    assert "1  store.py:1" in rankgate("query", "other", "rotate_key").printed()


def test_the_file_server_is_asked(project: Callable[[str, str], None]) -> None:
    project(
        f"""\
kind = "mcp"
command = ["node", {needed(FILES)}, "docs"]
tool = "search_files"
arguments = {{ path = ".", pattern = "**/*{{query}}*" }}
output = "lines"
pattern = 'docs/(?P<path>.+)$'
empty = '^No matches found'
""",
        SUITE % ("keys", "auth/keys.md", "hook", "hooks.md") + "  - {query: blockchain, expect: empty}\n",
    )
    done = rankgate("test")
    assert done.code == 0, done.out + done.err
    assert "no rule matched" not in done.out
    assert "1  auth/keys.md" in rankgate("query", "other", "keys").printed()
