"""One suite on the reference system: in process, over MCP stdio and over HTTP, told apart by TOML alone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from reference_support import handbook
from support.flows import shown

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SUITE = """\
name: handbook
corpus: docs/
metrics: [rr, ndcg@10]
gates: [rr >= 0.8, scenarios = 100%, invariants = 100%]
cases:
  - {query: rotate a key, at: auth/keys.md#Rotation}
  - {query: how are passwords hashed, at: auth/login.md#Passwords}
  - {query: rotate_key, at: "src/client.py::Client.rotate_key"}
  - {query: failed deliveries, at: hooks.md#Retries}
scenarios:
  - name: rotate a key
    steps:
      - {search: rotating keys, k: 3, finds: auth/keys.md#Rotation}
      - tree: auth/keys.md
        has: [Rotation, Grace period, Revocation]
        under: {Grace period: Rotation, Rotation: API keys}
      - read: auth/keys.md#API keys/Rotation
        contains: ["90 days", "grace_period=3600"]
        excludes: [leaked, For an hour]
      - {subtree: auth/keys.md#API keys, complete: true, contains: [leaked, For an hour]}
  - name: from a method to its class
    steps:
      - {search: send a request, k: 3, finds: "src/client.py::Client.send"}
      - {tree: src/client.py, has: [Client, send, rotate_key, sendAll], under: {send: Client}}
      - {read: "src/client.py::Client.send", contains: self.transport.deliver, excludes: Make a new key}
      - {subtree: "src/client.py::Client", complete: true, contains: [timeout = 30, Make a new key]}
  - name: a whole page
    steps:
      - {subtree: hooks.md, complete: true, contains: five times}
invariants:
  - {same-results: [rotate, Rotate, rotation]}
  - {stable: key}
  - {monotone: key, k: [1, 3, 9]}
  - {empty: blockchain}
  - {single-term-no-bonus: rotate, beside: xqzvk}
  - {ranks-above: rotate a key, above: auth/keys.md#Rotation, below: auth/keys.md#Revocation}
  - {filter-only: key, filters: {language: python}, only: "**/*.py"}
"""
OVER_MCP = """\
tool = "search_documents"
arguments = {query = "{query}", k = "{k}", filters = "{filters}"}
hits = "hits"
fields = {id = "id", path = "path", start = "start", end = "end", score = "score"}
"""
NAVIGATE = """\
documents = {tool = "list_documents", arguments = {limit = 10000}, nodes = "documents", fields = {id = "id", title = "title", path = "path"}}
tree = {tool = "get_tree", arguments = {document = "{document}", depth = 100, budget = 250000}, nodes = "nodes", fields = {id = "id", title = "title", path = "path", start = "start", end = "end", parent = "parent"}}
read = {tool = "get_node_content", arguments = {ids = ["{node}"], budget = 250000}, text = "nodes[0].text"}
subtree = {tool = "navigate_tree", arguments = {node = "{node}", budget = 250000}, text = "text"}
"""  # noqa: E501 - a table of TOML stands on one line


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("project")
    docs = handbook.write(folder / "docs")
    (folder / "search.yaml").write_text(SUITE)
    with handbook.over_http(docs, folder / "http") as url:
        (folder / "rankgate.toml").write_text(
            f"""\
suites = ["search.yaml"]

[systems.process]
kind = "rankgate_reference.system:open_reference"
root = {json.dumps(str(docs))}
cache = {json.dumps(str(folder / "process"))}

[systems.stdio]
kind = "mcp"
command = {json.dumps(handbook.command(docs, folder / "stdio"))}
{OVER_MCP}
[systems.stdio.navigate]
{NAVIGATE}
[systems.http]
kind = "mcp"
url = {json.dumps(url)}
{OVER_MCP}
[systems.http.navigate]
{NAVIGATE}"""
        )
        yield folder


def test_the_same_suite_passes_however_the_system_is_reached(project: Path) -> None:
    hits = {}
    for system in ("process", "stdio", "http"):
        text = shown(project, f"rankgate test --system {system}")
        assert text.endswith("exit 0\n\n"), text
        report = json.loads((project / ".rankgate/search" / system / "report.json").read_text())
        assert [probe["state"] for probe in report["scenarios"]] == ["passed"] * 3
        assert [probe["state"] for probe in report["invariants"]] == ["passed"] * 7
        run = project / ".rankgate/search" / system / "run"
        hits[system] = _answers(run)
    assert hits["process"]
    assert hits["process"] == hits["stdio"] == hits["http"]


def _answers(run: Path) -> list[object]:
    import polars as pl

    kept = sorted(run.rglob("*.parquet"))
    assert kept, sorted(run.rglob("*"))
    frames = [pl.read_parquet(file) for file in kept if "hits" in file.name]
    wanted = ["path", "start", "end"]
    return [frame.select([name for name in wanted if name in frame.columns]).rows() for frame in frames]
