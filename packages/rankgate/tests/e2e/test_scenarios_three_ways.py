"""The same scenarios through an object in this process, an MCP server over stdio, and one over HTTP."""

from __future__ import annotations

import socket
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.evaluation.flow import Stopwatch, run_evaluation
from rankgate.model import ExitCode, Navigator
from rankgate.project.settings import Settings
from rankgate.reports.evaluation import terminal
from rankgate.suites.formats import load_suite
from rankgate.systems.function.system import function_system
from rankgate.systems.mcp.opener import open_mcp
from support.http_servers import eventually, free_port
from support.mcp_handbook_server import PAGES
from support.navigators import MarkdownNavigator
from support.repository import SUPPORT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rankgate.model import System

COMMAND = [sys.executable, str(SUPPORT / "mcp_handbook_server.py")]
SEARCH: dict[str, Any] = {
    "tool": "search",
    "arguments": {"query": "{query}", "k": "{k}"},
    "hits": "hits",
    "fields": {"path": "path", "start": "line", "score": "score"},
}
NODES = {"id": "id", "title": "title", "path": "path", "start": "start", "parent": "parent"}
NAVIGATE = {
    "documents": {"tool": "list_documents", "nodes": "documents", "fields": {"id": "id", "title": "name"}},
    "tree": {"tool": "get_tree", "arguments": {"document": "{document}"}, "nodes": "nodes", "fields": NODES},
    "read": {"tool": "get_text", "arguments": {"node": "{node}"}},
    "subtree": {"tool": "get_text", "arguments": {"node": "{node}", "below": True}},
}
SUITE = """name: handbook
corpus: docs/
metrics: [rr]
gates: [rr >= 0.5, scenarios = 100%, invariants = 100%]
cases:
  - {query: rotate a key, at: keys.md#Rotation}
scenarios:
  - name: rotate a key
    steps:
      - {search: rotate a key, k: 3, finds: keys.md#Rotation}
      - tree: keys.md
        has: [Keys, Rotation, Revocation]
        under: {Rotation: Keys, Revocation: Keys}
      - read: keys.md#Keys/Rotation
        contains: [90 days]
        excludes: leaked
      - {subtree: keys.md#Keys, complete: true, contains: leaked}
  - name: read a page
    steps:
      - {subtree: hooks.md, contains: sent again, complete: true}
invariants:
  - {same-results: [rotate, Rotate]}
  - {stable: key}
  - {monotone: key, k: [1, 3, 9]}
  - {empty: blockchain}
  - {single-term-no-bonus: rotate, beside: xqzvk}
  - {ranks-above: rotate a key, above: keys.md#Rotation, below: keys.md#Revocation}
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("handbook")
    (folder / "docs").mkdir()
    for name, text in PAGES.items():
        (folder / "docs" / name).write_text(text)
    (folder / "rankgate.toml").write_text("")
    (folder / "search.yaml").write_text(SUITE)
    return folder


@pytest.fixture(scope="module", params=["object", "stdio", "http"])
def system(request: pytest.FixtureRequest, project: Path) -> Iterator[System]:
    if request.param == "object":
        yield function_system(MarkdownNavigator.over(project / "docs"))
        return
    if request.param == "stdio":
        program = open_mcp("handbook", {**SEARCH, "command": COMMAND, "navigate": NAVIGATE})
        yield program
        program.close()
        return
    port, log = free_port(), subprocess.DEVNULL
    with subprocess.Popen([*COMMAND, "--http", str(port)], stdout=log, stderr=log) as server:
        try:
            assert eventually(lambda: _listens(port), 60)
            url = f"http://127.0.0.1:{port}/mcp"
            remote = open_mcp("handbook", {**SEARCH, "url": url, "navigate": NAVIGATE})
            yield remote
            remote.close()
        finally:
            server.kill()


def _listens(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def test_the_same_scenarios_pass_however_the_documents_are_reached(project: Path, system: System) -> None:
    assert isinstance(system, Navigator)
    suite = load_suite(project / "search.yaml")
    report = run_evaluation(suite, system, Settings(), Stopwatch()).report
    shown = terminal.render(report, width=120, details=True)
    assert report.exit_code is ExitCode.PASSED, shown
    # The server's search returns no text here, and its trees have the same titles: the calls are the same.
    assert [row.calls for row in report.probes.scenarios] == ["5", "2"]
    assert "2 of 2 succeeded; tokens are estimated" in shown
    assert "6 of 6 hold" in shown
