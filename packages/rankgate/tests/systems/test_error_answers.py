"""Answers with a top-level `error`, and answers in which the rule for hits finds nothing."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.errors import SystemFailedError
from rankgate.model import Query
from rankgate.systems.adapter.mapping import Mapper, MappingRules
from rankgate.systems.command import CommandOptions, CommandSystem
from rankgate.systems.http.system import HttpOptions, HttpSystem
from rankgate.systems.mcp.system import McpOptions, McpSystem
from support.commands import rankgate
from support.http_servers import Server, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ANSWER = {"error": "the index is missing", "results": []}
SUITE = """\
cases:
  - {query: blockchain, expect: empty}
  - {query: rotate, at: keys.md}
"""
MCP = """\
try:
    from mcp.server.mcpserver import MCPServer
except ModuleNotFoundError:
    from mcp.server.fastmcp import FastMCP as MCPServer
server = MCPServer("search")
@server.tool()
def search(query: str) -> dict[str, object]:
    return {"error": "the index is missing", "results": []}
server.run()
"""


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as found:
        yield found


def mapped(answer: object, **rules: Any) -> list[str | None]:
    raw = json.dumps(answer).encode()
    return [hit.id for hit in Mapper(MappingRules(**rules), "app").mapped(raw, 5).ranking.hits]


@pytest.mark.parametrize("error", [None, False, 0, "", [], {}])
def test_answer_with_an_empty_error_is_no_error(error: object) -> None:
    assert mapped({"error": error, "results": ["a"]}, hits="results") == ["a"]


@pytest.mark.parametrize(
    ("error", "text"),
    [
        ("no\nindex", "no index"),
        (True, "true"),
        (503, "503"),
        ({"code": 7, "message": "no index"}, "no index"),
        (["a", "b"], '["a", "b"]'),
        ("x" * 500, "x" * 119 + "…"),
    ],
)
def test_answer_with_an_error_is_an_error(error: object, text: str) -> None:
    with pytest.raises(SystemFailedError) as caught:
        mapped({"error": error, "results": ["a"]}, hits="results")
    assert str(caught.value) == f"the answer has an error: {text}"


def test_error_below_the_top_level_is_no_error() -> None:
    assert mapped([{"id": "a", "error": "x"}], fields={"id": "id"}) == ["a"]


def test_http_answer_with_an_error_fails_with_status_200(server: Server) -> None:
    server.answer = dict(ANSWER)
    system = HttpSystem(HttpOptions(f"{server.url}/search?q={{query}}", hits="results"), name="api")
    with pytest.raises(SystemFailedError, match="the answer has an error: the index is missing"):
        system.search(Query("x", k=5))


def test_command_answer_with_an_error_fails() -> None:
    command = (sys.executable, "-c", f"print({json.dumps(ANSWER)!r})", "{query}")
    system = CommandSystem(CommandOptions(command, hits="results"))
    with pytest.raises(SystemFailedError, match="the answer has an error: the index is missing"):
        system.search(Query("x", k=5))


@pytest.mark.parametrize("output", ["structured", "json"])
def test_mcp_answer_with_an_error_fails(tmp_path: Path, output: Any) -> None:
    (tmp_path / "serve.py").write_text(MCP)
    command = (sys.executable, str(tmp_path / "serve.py"))
    system = McpSystem(McpOptions("search", {"query": "{query}"}, command, output=output, hits="results"))
    try:
        with pytest.raises(SystemFailedError, match="the answer has an error: the index is missing"):
            system.search(Query("x", k=5))
    finally:
        system.close()


def outcome(folder: Path, monkeypatch: pytest.MonkeyPatch, server: Server, suite: str) -> tuple[object, str]:
    monkeypatch.chdir(folder)
    (folder / "search.yaml").write_text(suite)
    (folder / "rankgate.toml").write_text(
        f'[systems.app]\nkind = "http"\nurl = "{server.url}/search?q={{query}}"\nhits = "found[].id"\n'
    )
    done = rankgate("test", "search.yaml")
    return done.code, done.out + done.err


def test_test_with_an_error_in_every_answer_is_exit_code_3(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Server
) -> None:
    server.answer = {"error": "the index is missing", "found": []}
    code, text = outcome(tmp_path, monkeypatch, server, SUITE)
    assert code == 3
    assert "the answer has an error: the index is missing" in text


def test_test_without_results_names_the_rule_for_hits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Server
) -> None:
    server.answer = {"found": [{"name": "a"}]}
    code, text = outcome(tmp_path, monkeypatch, server, SUITE)
    assert code == 3
    assert "`hits` found nothing in 2 of 2 answers" in " ".join(text.split())


def test_test_with_empty_answers_names_no_rule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Server
) -> None:
    server.answer = {"found": []}
    code, text = outcome(tmp_path, monkeypatch, server, SUITE)
    assert code == 3
    assert "no result for any of 2 queries" in " ".join(text.split())
    assert "`hits`" not in text
