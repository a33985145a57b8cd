"""MCP servers as systems: how they are asked, how their answers are read, and how they fail."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.errors import InputError, RetriableError, SystemFailedError
from rankgate.io.typed import read_options
from rankgate.locations import Lines
from rankgate.model import Hit, Navigator, Query
from rankgate.plugins import exchange_with
from rankgate.runs.asking.ask import CaseQuery
from rankgate.runs.asking.execute import execute
from rankgate.runs.asking.pace import Pace
from rankgate.runs.asking.workers import open_instances
from rankgate.runs.store.manifest import Manifest
from rankgate.systems.adapter.failures import TimedOutError
from rankgate.systems.mcp.navigation import NavigableMcpSystem
from rankgate.systems.mcp.opener import open_mcp
from rankgate.systems.mcp.system import McpOptions
from rankgate.testing import check_system
from support.http_servers import eventually, free_port
from support.mcp_handbook_server import PAGES
from support.repository import ROOT, SUPPORT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rankgate.systems.mcp.system import McpSystem

SERVER = SUPPORT / "mcp_handbook_server.py"
COMMAND = [sys.executable, str(SERVER)]
FIELDS = {"path": "path", "start": "line", "score": "score"}
QUERY = Query("rotate a key", k=2)
ROTATION = Hit(path="keys.md", lines=Lines(5, 5), score=3.0)
REVOCATION = Hit(path="keys.md", lines=Lines(9, 9), score=2.0)
TOKEN = "t0k3n-0123456789"

if TYPE_CHECKING:
    Opener = Callable[..., McpSystem]


def options(tool: str = "search", **more: Any) -> dict[str, Any]:
    return {"command": COMMAND, "tool": tool, "arguments": {"query": "{query}"}, "hits": "hits", **more}


@pytest.fixture(scope="module")
def handbook() -> Iterator[McpSystem]:
    arguments = {"query": "{query}", "k": "{k}", "language": "{filters.language}"}
    system = open_mcp("handbook", options(arguments=arguments, fields=FIELDS, command=[*COMMAND, "--noise"]))
    yield system
    system.close()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    port = free_port()
    log = subprocess.DEVNULL
    with subprocess.Popen([*COMMAND, "--http", str(port)], stdout=log, stderr=log) as server:
        try:
            assert eventually(lambda: _listens(port), 60)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            server.kill()


def _listens(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def remote(address: str) -> Iterator[Callable[..., McpSystem]]:
    """Open the server behind the URL, which costs no start."""
    made: list[McpSystem] = []

    def open_remote(tool: str, **more: Any) -> McpSystem:
        given = {name: value for name, value in options(tool, **more).items() if name != "command"}
        made.append(open_mcp("remote", {**given, "url": address}))
        return made[-1]

    yield open_remote
    for system in made:
        system.close()


def test_structured_content_becomes_hits(handbook: McpSystem) -> None:
    assert handbook.search(QUERY).hits == (ROTATION, REVOCATION)
    assert handbook.version == "1.2.3"


def test_noise_before_serving_is_skipped_and_counted(handbook: McpSystem) -> None:
    handbook.search(QUERY)
    assert handbook.noise_lines == 4


def test_an_exchange_shows_the_call_and_the_answer(handbook: McpSystem) -> None:
    exchange = handbook.exchange(Query("rotate", k=1, filters={"language": "en"}))
    assert exchange.request.endswith('\nsearch {"query": "rotate", "k": 1, "language": "en"}')
    assert json.loads(exchange.raw)["language"] == "en"
    assert exchange.ranking.hits[0].path == "keys.md"


def test_filters_that_the_tool_does_not_take_are_not_lost_in_silence(handbook: McpSystem) -> None:
    with pytest.raises(SystemFailedError, match="found filters version"):
        handbook.search(Query("a", filters={"version": "2"}))


@pytest.mark.parametrize(
    ("tool", "more"),
    [
        ("search_list", {"hits": "result", "fields": FIELDS}),
        ("search_json", {"output": "json", "hits": "@", "fields": FIELDS}),
        ("search_list", {"output": "json", "hits": "@", "fields": FIELDS}),
    ],
)
def test_lists_and_text_that_is_json_become_hits(remote: Opener, tool: str, more: dict[str, Any]) -> None:
    assert remote(tool, **more).search(QUERY).hits == (ROTATION, REVOCATION)


def test_lines_of_text_become_hits(remote: Opener) -> None:
    pattern = r"^(?P<path>[^:]+):(?P<start>\d+): "
    found = remote("search_lines", hits="@", output="lines", pattern=pattern).search(QUERY).hits
    assert [(hit.path, hit.lines) for hit in found] == [("keys.md", Lines(5, 5)), ("keys.md", Lines(9, 9))]


def test_text_where_structured_content_is_expected_is_told(remote: Opener) -> None:
    with pytest.raises(SystemFailedError, match=r"no structured content.*output = 'json'"):
        remote("search_json").search(QUERY)


def test_an_error_of_the_tool_is_told(remote: Opener) -> None:
    with pytest.raises(SystemFailedError, match=r"an error of the tool \(Error executing tool fail"):
        remote("fail").search(QUERY)


def test_an_answer_that_is_too_large_is_an_error(remote: Opener) -> None:
    system = remote("large", max_output=1_000_000, timeout=10)
    # The first generation of the SDK keeps to itself why a response ended.
    said = "no answer after 10 s" if version("mcp").startswith("1.") else "more than 1,000,000 bytes"
    with pytest.raises(SystemFailedError, match=said):
        system.search(Query("x" * 10))
    assert system.search(Query("")).hits[0].id == "id "
    program = open_mcp("handbook", options("large", max_output=1_000_000))
    with pytest.raises(SystemFailedError, match=r"a line of more than 1,000,000 bytes.*raise max_output"):
        program.search(Query("x" * 10))
    program.close()


def test_calls_of_several_threads_run_in_one_session(handbook: McpSystem) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(handbook.search, [QUERY] * 40))
    assert {ranking.hits for ranking in found} == {(ROTATION, REVOCATION)}


def test_calls_of_several_threads_are_under_way_at_once_and_each_gets_its_own_answer() -> None:
    # None of the first eight is answered before all of them have come.
    system = open_mcp("handbook", options("together", arguments={"query": "{query}", "others": 8}))
    questions = [CaseQuery(f"q{number}", Query(f"word{number}", k=1)) for number in range(48)]
    with open_instances(system, 8) as systems:
        run = execute(questions, systems, manifest=Manifest("handbook"), pace=Pace(concurrency=8))
    system.close()
    (shard,) = run.shards()
    assert set(shard.queries["status"]) == {"ok"}
    assert dict(shard.scan_hits(["query", "path"]).collect().rows()) == {
        f"q{number}": f"word{number}.md" for number in range(48)
    }


def test_wrong_options_are_told_before_a_server_starts() -> None:
    wrongs: list[tuple[dict[str, Any], str]] = [
        ({"url": "http://127.0.0.1/"}, "expected one of command and url"),
        ({"command": []}, "expected one of command and url"),
        ({"arguments": {"q": "x"}}, "no {query}"),
        ({"timeout": 0}, "timeout: expected a number of seconds"),
        ({"env": ["NO_SUCH_VARIABLE"]}, "env 'NO_SUCH_VARIABLE': found not set"),
        ({"tols": "x"}, "Did you mean `tool`?"),
        ({"headers": {"A": "b"}}, "headers with a url"),
        (
            {"output": "xml"},
            "expected `structured`, `json`, `jsonl`, `lines`, `text`,",
        ),
    ]
    for wrong, said in wrongs:
        with pytest.raises(InputError) as caught:
            open_mcp("handbook", options(**wrong))
        assert said in str(caught.value)


def test_a_tool_that_is_not_there_is_told_with_those_that_are() -> None:
    with pytest.raises(
        InputError, match=r"found 'serch', expected a tool of the server: .*search_lines.*did you"
    ):
        open_mcp("handbook", options("serch"))


def test_arguments_are_compared_with_what_the_tool_takes() -> None:
    with pytest.raises(InputError) as caught:
        open_mcp("handbook", options("search", arguments={"quary": "{query}", "k": "{k}"}))
    assert "arguments.quary: found what search does not take" in str(caught.value)
    assert "did you mean query?" in str(caught.value)
    assert "found no query, expected what search requires" in str(caught.value)


def test_only_named_variables_reach_the_server_and_their_values_are_not_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HANDBOOK_TOKEN", TOKEN)
    monkeypatch.setenv("OTHER_TOKEN", "other-0123456789")
    system = open_mcp("handbook", options("environment", env=["HANDBOOK_TOKEN"], fields={"text": "text"}))
    found = exchange_with(system, Query("TOKEN"))
    assert [hit.text for hit in found.ranking.hits] == ["HANDBOOK_TOKEN=***"]
    assert TOKEN not in str(found)
    assert TOKEN not in str(system.describe())
    system.close()
    failing = open_mcp("handbook", options("crash", env=["HANDBOOK_TOKEN"]))
    with pytest.raises(RetriableError) as caught:
        failing.search(QUERY)
    assert "exit code 7; " in str(caught.value)
    assert "out of memory at ***" in str(caught.value)
    failing.close()


def test_a_server_that_dies_is_started_again_by_the_next_query() -> None:
    system = open_mcp("handbook", options("crash", timeout=30))
    assert [hit.id for hit in system.search(Query("well")).hits] == ["alive"]
    for _ in range(2):
        with pytest.raises(RetriableError, match=r"a server that is gone \(exit code 7"):
            system.search(QUERY)
    assert [hit.id for hit in system.search(Query("well")).hits] == ["alive"]
    system.close()


def test_a_tool_that_never_answers_is_a_time_out_and_close_ends_the_server() -> None:
    system = open_mcp("handbook", options("slow", timeout=0.5))
    number = int(json.loads(system.call("pid", {"query": "x"}, "structured"))["hits"][0])
    for _ in range(2):
        start = time.monotonic()
        with pytest.raises(TimedOutError, match=r"no answer after 0\.5 s"):
            system.search(QUERY)
        assert time.monotonic() - start < 10
    start = time.monotonic()
    system.close()
    system.close()
    assert time.monotonic() - start < 15
    assert eventually(lambda: not _lives(number))
    with pytest.raises(SystemFailedError, match="a system that is closed"):
        system.search(QUERY)


def _lives(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]


def test_a_server_behind_a_url_is_asked_alike(remote: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANDBOOK_TOKEN", TOKEN)
    headers = {"Authorization": "Bearer ${HANDBOOK_TOKEN}"}
    system = remote("search", fields=FIELDS, arguments={"query": "{query}", "k": "{k}"}, headers=headers)
    assert system.search(QUERY).hits == (ROTATION, REVOCATION)
    assert system.version == "1.2.3"
    assert system.describe()["headers"] == {"Authorization": "***"}
    check_system(system, ("rotate a key", "hook"), secrets=(TOKEN,))


def test_a_server_that_nobody_runs_is_an_error_when_it_is_opened() -> None:
    given = options(url=f"http://127.0.0.1:{free_port()}/mcp")
    del given["command"]
    with pytest.raises(RetriableError, match="a server that is gone"):
        open_mcp("remote", given)


def test_a_program_keeps_the_contract() -> None:
    system = open_mcp("handbook", options(fields=FIELDS, arguments={"query": "{query}", "k": "{k}"}))
    check_system(system, ("rotate a key", "hook"))


NAVIGATION = {
    "documents": {"tool": "list_documents", "nodes": "documents", "fields": {"id": "id", "title": "name"}},
    "tree": {
        "tool": "get_tree",
        "arguments": {"document": "{document}"},
        "nodes": "nodes",
        "fields": {"id": "id", "title": "title", "path": "path", "start": "start", "parent": "parent"},
    },
    "read": {"tool": "get_text", "arguments": {"node": "{node}"}},
    "subtree": {"tool": "get_text", "arguments": {"node": "{node}", "below": True}},
}


def test_documents_are_walked_by_mapped_tools() -> None:
    system = open_mcp("handbook", options(navigate=NAVIGATION))
    assert isinstance(system, NavigableMcpSystem)
    assert isinstance(system, Navigator)
    assert [(node.id, node.title) for node in system.documents()] == [
        ("keys.md", "Keys"),
        ("hooks.md", "Hooks"),
    ]
    tree = system.tree("keys.md")
    assert [(node.title, str(node.location), node.parent) for node in tree] == [
        ("Keys", "keys.md:1-1", None),
        ("Rotation", "keys.md:3-3", "keys.md@1"),
        ("Revocation", "keys.md:7-7", "keys.md@1"),
    ]
    assert system.read("keys.md@3") == "## Rotation\n\nRotate a key after 90 days.\n"
    assert system.subtree("keys.md@1") == PAGES["keys.md"]
    with pytest.raises(SystemFailedError, match="an error of the tool"):
        system.read("no-such.md@1")
    system.close()


def test_navigation_that_is_wrong_is_told() -> None:
    for wrong, said in [
        ({**NAVIGATION, "leaves": {"tool": "x"}}, "found leaves"),
        ({"documents": NAVIGATION["documents"]}, "found no tree"),
        ({**NAVIGATION, "tree": {"tool": "get_tree"}}, "found no id"),
        ({**NAVIGATION, "read": {"tool": "get_txt", "arguments": {}}}, "did you mean get_text?"),
        ({**NAVIGATION, "read": {"tool": "get_text", "arguments": {}}}, "found no node"),
    ]:
        with pytest.raises(InputError) as caught:
            open_mcp("handbook", options(navigate=wrong))
        assert said in str(caught.value)


def test_a_search_without_navigation_is_no_navigator(handbook: McpSystem) -> None:
    assert not isinstance(handbook, Navigator)


def test_without_the_sdk_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [
        name
        for name in sys.modules
        if name.startswith(("mcp.", "rankgate.systems.mcp.connection", "rankgate.systems.mcp.transports"))
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)
    with pytest.raises(InputError, match=r"needs an extra; pip install 'rankgate\[mcp\]'"):
        open_mcp("handbook", options())


def test_every_option_is_documented() -> None:
    text = (ROOT / "docs/systems.md").read_text()
    section = text.split("## An MCP server\n")[1].split("\n## ")[0]
    rows = "".join(line.split("|")[1] for line in section.splitlines() if line.startswith("| `"))
    assert [one.name for one in fields(McpOptions) if f"`{one.name}`" not in rows] == []


def test_the_documented_configuration_can_be_read() -> None:
    text = (ROOT / "docs/systems.md").read_text()
    section = text.split("## An MCP server\n")[1].split("\n## ")[0]
    lines = [line[4:] for line in section.splitlines() if line.startswith("    ") and "pip" not in line]
    for name, table in tomllib.loads("\n".join(lines))["systems"].items():
        assert table.pop("kind") == "mcp"
        read_options(McpOptions, table, name)
