"""Servers with a JSON API: what they are sent, how their answers are read, and what is never shown."""

from __future__ import annotations

import json
import sys
import tomllib
from dataclasses import fields
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.errors import InputError, RetriableError, SystemFailedError
from rankgate.io.typed import read_options
from rankgate.model import Hit, Query
from rankgate.plugins import exchange_with
from rankgate.systems.http.system import HttpOptions, HttpSystem, open_http
from rankgate.testing import check_system
from support.http_servers import ANSWER, Server, free_port, serving
from support.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

QUERY = Query("rotate a key", k=5)
RULES: dict[str, Any] = {"hits": "found", "fields": {"id": "doc.name", "score": "s"}}
TOKEN = "t0k3n-0123456789"


@pytest.fixture(scope="module")
def shared() -> Iterator[Server]:
    with serving() as found:
        yield found


@pytest.fixture
def server(shared: Server) -> Server:
    shared.answer = dict(ANSWER)
    shared.asked.clear()
    return shared


def opened(server: Server, path: str = "/search", **options: Any) -> HttpSystem:
    return HttpSystem(HttpOptions(f"{server.url}{path}", **{**RULES, **options}), name="api")


def refused(**options: Any) -> str:
    with pytest.raises(InputError) as caught:
        open_http("api", {"url": "http://127.0.0.1:9/?q={query}", **options})
    return str(caught.value)


def test_hits_come_by_the_rules(server: Server) -> None:
    system = opened(server, "/search?q={query}&n={k}")
    assert system.search(QUERY).hits == (Hit(id="a", score=2.0), Hit(id="b", score=1.0))
    assert system.search(Query("x", k=1)).hits == (Hit(id="a", score=2.0),)
    assert system.dropped == 1
    assert server.asked[0]["method"] == "GET"
    assert server.asked[0]["params"] == {"q": ["rotate a key"], "n": ["5"]}
    assert server.asked[0]["body"] is None


@given(text=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40))
def test_any_query_arrives_as_it_is(shared: Server, text: str) -> None:
    system = opened(
        shared,
        "/find/{query}",
        params={"q": "{query}", "t": "title:{query}"},
        body={"q": "{query}", "m": "<{query}>"},
    )
    system.search(Query(text, k=3))
    asked = shared.asked[-1]
    assert asked["path"] == f"/find/{text}"
    assert asked["params"] == {"q": [text], "t": [f"title:{text}"]}
    assert asked["body"] == {"q": text, "m": f"<{text}>"}


def test_a_body_binds_values_and_never_splices_them(server: Server) -> None:
    system = opened(
        server,
        body={
            "query": {"match": {"text": "{query}"}},
            "size": "{k}",
            "note": "{k} of {query}",
            "filter": "{filters}",
            "only": {"language": "{filters.language}", "tags": ["{filters.tag}", "all"]},
            "exact": True,
            "weights": [1, 2.5, None],
            "braces": "{ {other} }",
        },
    )
    system.search(Query('"}, "x": "{k}', k=5, filters={"language": ("go", "c")}))
    assert server.asked[-1]["method"] == "POST"
    assert server.asked[-1]["headers"]["Content-Type"] == "application/json"
    assert server.asked[-1]["body"] == {
        "query": {"match": {"text": '"}, "x": "{k}'}},
        "size": 5,
        "note": '5 of "}, "x": "{k}',
        "filter": {"language": ["go", "c"]},
        "only": {"language": ["go", "c"], "tags": ["all"]},
        "exact": True,
        "weights": [1, 2.5, None],
        "braces": "{ {other} }",
    }


def test_a_filter_that_a_query_does_not_have_leaves_its_parameter_out(server: Server) -> None:
    system = opened(server, params={"q": "{query}", "lang": "{filters.language}", "size": "{k}"})
    system.search(QUERY)
    assert server.asked[-1]["params"] == {"q": ["rotate a key"], "size": ["5"]}
    system.search(Query("x", filters={"language": ("go", "c")}))
    assert server.asked[-1]["params"]["lang"] == ["go", "c"]


def test_filters_that_have_no_place_are_not_lost_in_silence(server: Server) -> None:
    with pytest.raises(
        SystemFailedError, match=r"found filters language, expected a request that takes them"
    ):
        opened(server, "/?q={query}").search(Query("a", filters={"language": "go"}))
    with pytest.raises(SystemFailedError, match=r"found filters none, expected the filter language"):
        opened(server, "/?q={query} in:{filters.language}".replace(" ", "+")).search(Query("a"))
    assert server.asked == []


def test_a_body_may_stand_in_a_file(server: Server, tmp_path: Path) -> None:
    (tmp_path / "query.json").write_text('{"q": "{query}", "size": "{k}"}')
    system = opened(server, body_file="query.json", root=str(tmp_path))
    system.search(QUERY)
    assert server.asked[-1]["body"] == {"q": "rotate a key", "size": 5}
    (tmp_path / "query.json").write_text("{")
    with pytest.raises(InputError, match=r"body_file: found .*expected JSON"):
        opened(server, body_file="query.json", root=str(tmp_path))
    with pytest.raises(InputError, match="No such file"):
        opened(server, body_file="other.json", root=str(tmp_path))


def test_packed_answers_and_lines_are_read(server: Server) -> None:
    assert opened(server, "/packed?{query}").search(QUERY).hits[0].id == "a"
    server.answer = ["x", "y"]
    assert [hit.id for hit in opened(server, "/?{query}", hits="@", fields={}).search(QUERY).hits] == [
        "x",
        "y",
    ]


def test_text_is_read_by_a_pattern(server: Server) -> None:
    server.answer = ["1. a.md, score 2.5", "2. b.md, score 1"]
    pattern = r'"\d\. (?P<path>\S+), score (?P<score>[\d.]+)"'
    system = opened(server, "/?{query}", output="text", pattern=pattern, hits="@", fields={})
    assert system.search(QUERY).hits == (Hit(path="a.md", score=2.5), Hit(path="b.md", score=1.0))


def test_wrong_options_are_all_told() -> None:
    assert "the placeholder {index}, expected one of {query}" in refused(url="http://h/{index}/?q={query}")
    assert "api.params: found the placeholder {limit}" in refused(params={"n": "{limit}"})
    assert "found no {query}" in refused(url="http://127.0.0.1/")
    assert "expected http://host/" in refused(url="ftp://host/{query}")
    assert "expected http://host/" in refused(url="http://{query}/")
    assert "expected http://host/" in refused(url="http://[/{query}")
    assert "percent-encoded" in refused(url="http://127.0.0.1/a b?{query}")
    assert "one of the two" in refused(body={"a": "{query}"}, body_file="x.json")
    said = refused(timout=3, method="PUT")
    assert "Did you mean `timeout`?" in said
    assert "expected `GET` or `POST`" in said
    assert "timeout: expected a number of seconds from" in refused(timeout=0)
    for endless in (float("inf"), 1e10):
        assert "timeout: expected a number of seconds from 0.001 to 2,000,000" in refused(timeout=endless)
    assert "ca_file: found 'no.pem' (No such file or directory)" in refused(ca_file="no.pem")
    assert "expected what JSON can hold" in refused(body={"when": date(2026, 1, 1)})


def test_headers_are_read_from_the_environment_when_it_is_opened(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_TOKEN", TOKEN)
    system = opened(server, "/?{query}", headers={"Authorization": "Bearer ${API_TOKEN}", "X-Plain": "p"})
    monkeypatch.setenv("API_TOKEN", "another")
    system.search(QUERY)
    assert server.asked[-1]["headers"]["Authorization"] == f"Bearer {TOKEN}"
    assert server.asked[-1]["headers"]["X-Plain"] == "p"


def test_a_variable_that_is_not_set_is_named() -> None:
    said = refused(headers={"Authorization": "Bearer ${NO_SUCH_TOKEN}", "X": "${NOR_THIS}"})
    assert "api.headers.Authorization: found ${NO_SUCH_TOKEN}, which is not set" in said
    assert "api.headers.X: found ${NOR_THIS}, which is not set" in said


def test_what_no_header_can_hold_is_refused_without_showing_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_TOKEN", f"{TOKEN}\r\nX-Other: 1")
    said = refused(headers={"Authorization": "Bearer ${API_TOKEN}"})
    assert "a character that no header can hold" in said
    assert TOKEN not in said
    assert "a name that no header can have" in refused(headers={"A B": "x"})


def test_variables_in_urls_and_parameters(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_URL", server.url.replace("http://", "http://me:p%40ssw0rd@"))
    monkeypatch.setenv("API_KEY", "k&y=0123/456789")
    system = HttpSystem(
        HttpOptions("${API_URL}/in/${API_KEY}?q={query}", params={"key": "${API_KEY}"}, **RULES), name="api"
    )
    system.search(QUERY)
    asked = server.asked[-1]
    assert asked["path"] == "/in/k&y=0123/456789"
    assert asked["params"] == {"q": ["rotate a key"], "key": ["k&y=0123/456789"]}
    assert asked["headers"]["Authorization"] == "Basic bWU6cEBzc3cwcmQ="
    everything = f"{exchange_with(system, QUERY)} {system.describe()}"
    for secret in ("0123", "ssw0rd", "bWU6"):
        assert secret not in everything


def test_an_exchange_shows_everything_but_secrets(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_TOKEN", TOKEN)
    server.answer = {"found": [{"doc": {"name": f"a {TOKEN}"}}], "token": TOKEN}
    options: dict[str, Any] = {
        "headers": {"Authorization": "Bearer ${API_TOKEN}", "X-Api-Key": "literal-key", "X-Tenant": "acme"},
        "body": {"q": "{query}"},
    }
    options["fields"] = {"text": "doc.name", "score": "s"}
    system = opened(server, "/search?token=${API_TOKEN}", **options)
    exchange = exchange_with(system, QUERY)
    assert exchange.request.splitlines()[0] == f"POST {server.url}/search?token=***"
    assert "Authorization: ***" in exchange.request
    assert "X-Tenant: ***" in exchange.request
    assert exchange.request.endswith('\n\n{"q": "rotate a key"}')
    assert exchange.unmatched_rules == ("fields.score",)
    assert exchange.ranking.hits[0].text == "a ***"
    everything = f"{exchange} {system.describe()}"
    for secret in (TOKEN, "literal-key"):
        assert secret not in everything


def test_a_failing_exchange_keeps_the_request_and_tells_why(server: Server) -> None:
    exchange = opened(server, "/status/500?{query}").exchange(QUERY)
    assert exchange.request.startswith("GET ")
    assert "found status 500" in (exchange.error or "")
    assert "expected JSON" in (opened(server, "/no-json?{query}").exchange(QUERY).error or "")
    assert opened(server, "/no-json?{query}").exchange(QUERY).raw == "<html>welcome</html>"


def test_a_description_is_json_and_fits_a_manifest(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_TOKEN", TOKEN)
    described = opened(
        server, "/?{query}", headers={"X-Anything": "${API_TOKEN}", "Accept": "json"}
    ).describe()
    assert json.loads(json.dumps(described))["headers"] == {"X-Anything": "***", "Accept": "***"}
    assert described["kind"] == "http"


def test_proxies_of_the_environment_are_left_alone_unless_they_are_asked_for(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", server.url)
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    assert opened(server, "/search?{query}").search(QUERY).hits[0].id == "a"
    system = HttpSystem(HttpOptions("http://search.invalid/search?q={query}", proxy="environment", **RULES))
    assert system.search(QUERY).hits[0].id == "a"
    assert server.asked[-1]["headers"]["Host"] == "search.invalid"
    system = HttpSystem(HttpOptions("http://search.invalid/search?q={query}", timeout=5, **RULES))
    with pytest.raises(SystemFailedError, match=r"could not connect|no answer"):
        system.search(QUERY)


@pytest.fixture
def through(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], HttpSystem]:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)

    def opened_through(proxy: str) -> HttpSystem:
        monkeypatch.setenv("http_proxy", proxy)
        return HttpSystem(HttpOptions("http://a.invalid/?q={query}", proxy="environment", **RULES))

    return opened_through


def test_a_proxy_is_sent_its_credentials_which_are_shown_nowhere(
    server: Server, through: Callable[[str], HttpSystem]
) -> None:
    system = through(server.url.replace("//", "//me:p%40ssw0rd@"))
    sent = []

    def answer(asked: dict[str, Any]) -> Any:
        sent.append(asked["headers"]["Proxy-Authorization"])
        return {"found": [{"doc": {"name": sent[-1]}}]}

    server.answer = answer
    system.search(QUERY)
    assert sent == ["Basic bWU6cEBzc3cwcmQ="]
    assert "bWU6cEBzc3cwcmQ" not in exchange_with(system, QUERY).raw


def test_a_proxy_that_is_not_there_may_be_there_later(through: Callable[[str], HttpSystem]) -> None:
    with pytest.raises(RetriableError, match=r"could not connect to the proxy \(Connection refused\)"):
        through(f"http://127.0.0.1:{free_port()}").search(QUERY)


@pytest.mark.parametrize("proxy", ["proxy:3128", "socks5://me:hunter2@proxy", "me:hunter2@proxy", "http://["])
def test_what_is_no_proxy_is_refused_by_the_name_of_its_variable(
    proxy: str, through: Callable[[str], HttpSystem]
) -> None:
    with pytest.raises(InputError, match=r"HTTP_PROXY: found '.*', expected http://host:port or") as caught:
        through(proxy)
    assert "hunter2" not in str(caught.value)


def test_no_proxy_may_name_a_host_with_its_port(
    server: Server, through: Callable[[str], HttpSystem], monkeypatch: pytest.MonkeyPatch
) -> None:
    through(f"http://127.0.0.1:{free_port()}")
    monkeypatch.setenv("no_proxy", server.url.removeprefix("http://"))
    assert opened(server, "/search?{query}", proxy="environment").search(QUERY).hits[0].id == "a"


def test_connections_are_kept_between_queries(server: Server) -> None:
    system = opened(server, "/search?{query}")
    for _ in range(5):
        system.search(QUERY)
    pool = system._client._pool.pools
    assert [pool[key].num_connections for key in pool.keys()] == [1]  # noqa: SIM118 - it is no dict
    system.close()
    assert system.search(QUERY).hits


def test_it_keeps_the_contract(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_TOKEN", TOKEN)
    server.answer = lambda asked: {
        "found": [{"doc": {"name": word}} for word in str(asked["body"]["q"]).split()[: asked["body"]["k"]]],
        "you": asked["headers"],
    }
    system = opened(
        server,
        body={"q": "{query}", "k": "{k}"},
        fields={"id": "doc.name"},
        headers={"Authorization": "Bearer ${API_TOKEN}"},
    )
    check_system(system, ("rotate a key", "hook"), secrets=(TOKEN,))


def test_without_urllib3_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [
        name for name in sys.modules if name.startswith(("urllib3", "rankgate.systems.http.client"))
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "urllib3", None)
    assert "needs an extra; pip install 'rankgate[http]'" in refused()


def test_every_option_is_documented() -> None:
    text = (ROOT / "docs/systems.md").read_text()
    section = text.split("## A JSON API\n")[1].split("\n## ")[0]
    rows = "".join(line.split("|")[1] for line in section.splitlines() if line.startswith("| `"))
    assert [one.name for one in fields(HttpOptions) if f"`{one.name}`" not in rows] == []


def test_the_documented_configuration_can_be_read() -> None:
    text = (ROOT / "docs/systems.md").read_text()
    section = text.split("## A JSON API\n")[1].split("\n## ")[0]
    lines = [line[4:] for line in section.splitlines() if line.startswith("    ") and "pip" not in line]
    for name, table in tomllib.loads("\n".join(lines))["systems"].items():
        assert table.pop("kind") == "http"
        read_options(HttpOptions, table, name)
