"""``${NAME}`` in a configuration: where it is read, when, and that what was read is shown nowhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.errors import InputError, SystemFailedError
from rankgate.model import Query
from rankgate.plugins import exchange_with
from rankgate.systems.http.system import HttpOptions, HttpSystem, open_http
from rankgate.systems.mcp.navigation import NavigableMcpSystem
from rankgate.systems.mcp.opener import open_mcp
from support.http_servers import ANSWER, Server, eventually, free_port, serving
from support.repository import SUPPORT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rankgate.systems.mcp.system import McpSystem

QUERY = Query("rotate a key", k=5)
RULES: dict[str, Any] = {"hits": "found", "fields": {"id": "doc.name", "score": "s"}}
KEY = "k3y-0123456789"
HANDBOOK = SUPPORT / "mcp_handbook_server.py"


@pytest.fixture(scope="module")
def shared() -> Iterator[Server]:
    with serving() as found:
        yield found


@pytest.fixture
def server(shared: Server) -> Server:
    shared.answer = dict(ANSWER)
    shared.asked.clear()
    return shared


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    port = free_port()
    log = subprocess.DEVNULL
    with subprocess.Popen(
        [sys.executable, str(HANDBOOK), "--http", str(port)], stdout=log, stderr=log
    ) as run:
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            run.kill()


def remote(url: str, tool: str = "search", **more: Any) -> McpSystem:
    arguments = {"query": "{query}"}
    return open_mcp("remote", {"url": url, "tool": tool, "arguments": arguments, "hits": "hits", **more})


def reached(url: str, **more: Any) -> McpSystem:
    """Open a server that may still be starting."""
    made: list[McpSystem] = []

    def tried() -> bool:
        try:
            made.append(remote(url, **more))
        except SystemFailedError:
            return False
        return True

    assert eventually(tried, 60)
    return made[0]


def opened(url: str, **options: Any) -> HttpSystem:
    return HttpSystem(HttpOptions(url, **{**RULES, **options}), name="api")


def test_of_an_address_only_scheme_host_and_port_are_shown(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOOK", f"{server.url}/broken/T0SECRET%2BPATH/x?team=Q7SECRETTEAM&BARE77SECRET")
    system = opened("${HOOK}", params={"q": "{query}"})
    with pytest.raises(SystemFailedError) as caught:
        system.search(QUERY)
    assert str(caught.value).startswith(f"GET {server.url}***: found status 500")
    exchange = exchange_with(system, QUERY)
    assert exchange.request.splitlines()[0] == f"GET {server.url}***?***&q=rotate+a+key"
    assert server.asked[-1]["path"] == "/broken/T0SECRET+PATH/x"
    assert server.asked[-1]["params"]["team"] == ["Q7SECRETTEAM"]
    assert "SECRET" not in f"{exchange} {system.describe()} {caught.value}"


def test_credentials_of_an_address_are_hidden_wherever_they_are_sent_back(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_URL", server.url.replace("http://", "http://t0k3n-as-name@"))
    server.answer = {"found": [], "you": "t0k3n-as-name"}
    system = opened("${API_URL}/search?{query}")
    assert "t0k3n" not in str(exchange_with(system, QUERY))
    assert server.asked[-1]["headers"]["Authorization"] == "Basic dDBrM24tYXMtbmFtZTo="


@pytest.mark.parametrize("in_a_file", [False, True])
def test_variables_in_a_body_are_read_at_any_depth_and_never_shown(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, in_a_file: bool
) -> None:
    monkeypatch.setenv("MYKEY", KEY)
    monkeypatch.setenv("TENANT", 'a "größe" {k} ${MYKEY}')
    body = {"q": "{query}", "api_key": "${MYKEY}", "in": [{"tenant": "<${TENANT}>", "n": "{k}"}], "x": "$x"}
    (tmp_path / "body.json").write_text(json.dumps(body))
    how: dict[str, Any] = {"body_file": "body.json", "root": str(tmp_path)} if in_a_file else {"body": body}
    system = opened(f"{server.url}/search", **how)
    monkeypatch.setenv("MYKEY", "another")
    system.search(QUERY)
    assert server.asked[-1]["body"] == {
        "q": "rotate a key",
        "api_key": KEY,
        "in": [{"tenant": '<a "größe" {k} ${MYKEY}>', "n": 5}],
        "x": "$x",
    }
    exchange = exchange_with(system, QUERY)
    assert exchange.request.endswith(
        '{"q": "rotate a key", "api_key": "***", "in": [{"tenant": "<***>", "n": 5}], "x": "$x"}'
    )
    assert KEY not in f"{exchange} {system.describe()}"


def test_what_a_server_sends_back_of_a_body_is_hidden(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MYKEY", KEY)
    server.answer = lambda asked: {"found": [{"doc": {"name": json.dumps(asked["body"])}}]}
    body = {"q": "{query}", "login": {"key": "${MYKEY}"}}
    system = opened(f"{server.url}/search", body=body, fields={"text": "doc.name"})
    found = exchange_with(system, QUERY).ranking.hits[0].text or ""
    assert json.loads(found) == {"q": "rotate a key", "login": {"key": "***"}}


def test_variables_in_lists_of_parameters_are_read_and_hidden_as_they_are_sent(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TENANT", "a b&c {k}")
    system = opened(f"{server.url}/search", params={"q": "{query}", "tenant": ["${TENANT}", "all"]})
    system.search(QUERY)
    assert server.asked[-1]["params"]["tenant"] == ["a b&c {k}", "all"]
    assert "tenant=***&tenant=all" in exchange_with(system, QUERY).request


@pytest.mark.parametrize("text", ["${MYKEY}", "$${MYKEY}", "{query}${MYKEY} {k}", "${HOME}"])
def test_a_query_is_never_expanded(server: Server, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYKEY", KEY)
    system = opened(
        f"{server.url}/in/{{query}}",
        params={"q": "{query}", "f": "{filters.f}", "key": "${MYKEY}"},
        body={"q": "{query}", "m": "<{query}>", "all": "{filters}", "f": "{filters.f}", "key": "${MYKEY}"},
    )
    for filters in ({"f": text}, {"f": (text, "b")}):
        system.search(Query(text, filters=filters))
        asked = server.asked[-1]
        sent = list(filters["f"]) if isinstance(filters["f"], tuple) else filters["f"]
        assert asked["path"] == f"/in/{text}"
        assert asked["params"] == {"q": [text], "f": [sent] if isinstance(sent, str) else sent, "key": [KEY]}
        assert asked["body"] == {"q": text, "m": f"<{text}>", "all": {"f": sent}, "f": sent, "key": KEY}


def test_variables_that_are_not_set_or_no_text_are_told_with_their_places(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused(**options: Any) -> str:
        with pytest.raises(InputError) as caught:
            open_http("api", {"url": "http://127.0.0.1:9/?q={query}", **options})
        return str(caught.value)

    said = refused(body={"a": {"b": ["x", "${NOT_SET}"]}, "c": "${NOR_THIS}"})
    assert "api.body.a.b[1]: found ${NOT_SET}, which is not set" in said
    assert "api.body.c: found ${NOR_THIS}, which is not set" in said
    assert "api.params.p: found ${NOT_SET}, which is not set" in refused(params={"p": "${NOT_SET}"})
    monkeypatch.setitem(os.environ, "ODD", b"ab\xffcdef".decode(errors="surrogateescape"))
    assert "api.body.a: found ${ODD}, which is not UTF-8" in refused(body={"a": "${ODD}"})
    assert "api.headers.A: found ${ODD}, which is not UTF-8" in refused(headers={"A": "${ODD}"})


def test_an_mcp_server_is_named_by_a_variable(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCP_URL", address)
    monkeypatch.setenv("MCP_KEY", KEY)
    system = reached("${MCP_URL}/mcp?key=${MCP_KEY}", tool="pid", output="structured")
    assert system.search(QUERY).hits[1].id == "rotate a key"
    exchange = exchange_with(system, QUERY)
    assert exchange.request.splitlines()[0] == f"{address}/mcp"
    assert KEY not in f"{exchange} {system.describe()}"
    system.close()


def test_an_mcp_server_that_is_not_there_is_told_without_its_path(monkeypatch: pytest.MonkeyPatch) -> None:
    port = free_port()
    monkeypatch.setenv("MCP_URL", f"http://me:p4ssw0rd@127.0.0.1:{port}/T0SECRETPATH99/mcp?a=Q7SECRET")
    with pytest.raises(SystemFailedError) as caught:
        remote("${MCP_URL}")
    assert str(caught.value).startswith(f"mcp 'http://127.0.0.1:{port}***': found ")
    assert "SECRET" not in str(caught.value)
    assert "p4ssw0rd" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("${NO_SUCH_URL}/mcp", "remote.url: found ${NO_SUCH_URL}, which is not set"),
        ("${NO_URL}/mcp", "remote.url: found '${NO_URL}/mcp', expected http://host/"),
        ("ftp://host/mcp", "remote.url: found 'ftp://host/mcp', expected http://host/"),
        ("http://[/mcp", "expected http://host/"),
        ("http://127.0.0.1/a b", "expected a URL, percent-encoded"),
    ],
)
def test_what_is_no_address_of_an_mcp_server_is_refused(
    url: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_URL", "T0SECRET")
    with pytest.raises(InputError) as caught:
        remote(url)
    assert said in str(caught.value)
    assert "T0SECRET" not in str(caught.value)


def test_variables_in_arguments_of_an_mcp_tool_are_read_and_queries_are_not(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MCP_KEY", KEY)
    arguments = {"query": "{query}", "language": "${MCP_KEY} {filters.x}"}
    system = reached(f"{address}/mcp", arguments=arguments)
    query = Query("rotate ${MCP_KEY}", filters={"x": "${MCP_KEY}"})
    sent = system.call("search", system._request(query), "structured")
    assert json.loads(sent)["language"] == f"{KEY} ${{MCP_KEY}}"
    exchange = exchange_with(system, query)
    assert exchange.request.endswith('search {"query": "rotate ${MCP_KEY}", "language": "*** ${MCP_KEY}"}')
    assert KEY not in f"{exchange} {system.describe()}"
    system.close()
    with pytest.raises(InputError, match=r"remote.arguments.k: found \$\{NOT_SET\}, which is not set"):
        remote(f"{address}/mcp", arguments={"query": "{query}", "k": "${NOT_SET}"})


def test_variables_in_arguments_of_navigation_are_read(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGE", "keys.md")
    navigate = {
        "documents": {"tool": "list_documents", "nodes": "documents", "fields": {"id": "id"}},
        "tree": {
            "tool": "get_tree",
            "arguments": {"document": "${PAGE}"},
            "nodes": "nodes",
            "fields": {"id": "id"},
        },
        "read": {"tool": "get_text", "arguments": {"node": "{node}"}},
        "subtree": {"tool": "get_text", "arguments": {"node": "{node}"}},
    }
    system = reached(f"{address}/mcp", navigate=navigate)
    assert isinstance(system, NavigableMcpSystem)
    assert [node.id for node in system.tree("x")] == ["keys.md@1", "keys.md@3", "keys.md@7"]
    with pytest.raises(SystemFailedError, match="an error of the tool"):
        system.read("${PAGE}@3")
    system.close()
