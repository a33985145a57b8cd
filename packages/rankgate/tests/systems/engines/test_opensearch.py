from __future__ import annotations

import json
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.errors import InputError, RetriableError, SystemFailedError
from rankgate.model import Query
from rankgate.plugins import exchange_with
from rankgate.systems.adapter.failures import StatusError, TimedOutError
from rankgate.systems.engines.elastic.system import SearchSystem
from rankgate.systems.registry import open_system
from rankgate.testing import check_system
from support.http_servers import free_port, serving
from support.opensearch_server import Cluster
from support.repository import ROOT
from support.search_engines import (
    MATCH,
    check_own_body,
    check_ranks_as_the_server,
    have_goods,
    ids,
)
from support.transcripts import environment, run_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.xdist_group("opensearch")

GOODS = (
    {"sku": 1, "name": "Red shoes", "body": "Shoes for running", "colour": "red", "kind": "shoe"},
    {"sku": 2, "name": "Laces", "body": "Laces for red shoes and blue shoes", "colour": "white", "kind": "x"},
    {
        "sku": 3,
        "name": "Blue shoes",
        "body": "For walking AND running",
        "colour": "it's blue",
        "kind": "shoe",
    },
)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """One node, with an index that somebody has."""
    with Cluster() as started:
        have_goods(started, GOODS, "at.line")
        yield started


@pytest.fixture
def opened(cluster: Cluster) -> Iterator[Callable[..., SearchSystem]]:
    """Open systems, and close them all at the end."""
    systems = []

    def open_one(**options: Any) -> SearchSystem:
        system = open_system("shop", {"kind": "opensearch", "hosts": cluster.urls, **options})
        assert isinstance(system, SearchSystem)
        systems.append(system)
        return system

    yield open_one
    for system in systems:
        system.close()


def test_an_index_of_opensearch_keeps_the_contract(opened: Callable[..., SearchSystem]) -> None:
    system = opened(index="goods", body=MATCH)
    assert system.version == "opensearch 2.19.1"
    check_system(system, ("shoes", "red shoes"))


def test_opensearch_ranks_as_the_server_does(cluster: Cluster, opened: Callable[..., SearchSystem]) -> None:
    check_ranks_as_the_server(cluster, opened)


def test_ones_own_body_is_asked_with_everything_bound(
    cluster: Cluster, opened: Callable[..., SearchSystem], tmp_path: Path
) -> None:
    check_own_body(cluster, opened, tmp_path, "at.line")


def test_a_query_without_a_filter_leaves_its_clause_out_and_never_asks_for_half_of_one(
    opened: Callable[..., SearchSystem],
) -> None:
    match = {"match": {"name": "{query}"}}
    clause = {"term": {"colour": "{filters.tint}"}}
    for body in (
        {"size": "{k}", "query": {"bool": {"must": match, "filter": clause}}},
        {"size": "{k}", "query": {"bool": {"must": match}}, "post_filter": clause},
        {"size": "{k}", "query": {"bool": {"must": [match], "filter": [{"bool": {"should": [clause]}}]}}},
    ):
        system = opened(index="goods", body=body)
        assert set(ids(system, "shoes")) == {"1", "3"}
        assert ids(system, "shoes", tint="red") == ["1"]
    needs = {"size": "{k}", "query": {"dis_max": {"queries": [match]}}, "rescore": {"query": clause}}
    with pytest.raises(SystemFailedError, match="every filter that the body needs"):
        opened(index="goods", body=needs).search(Query("shoes"))


def test_parameters_of_a_search_go_into_its_address(opened: Callable[..., SearchSystem]) -> None:
    body = {"query": {"match": {"name": "{query}"}}}
    params = {"size": "{k}", "search_type": "dfs_query_then_fetch", "request_cache": False}
    system = opened(index="goo*", body=body, params={**params, "routing": "{filters.shop}", "timeout": "9s"})
    assert set(ids(system, "shoes")) == {"1", "3"}
    assert len(ids(system, "shoes", shop="a")) <= 2
    shown = exchange_with(system, Query("shoes", 1))
    assert shown.request.startswith("POST /goo*/_search?size=1&search_type=dfs_query_then_fetch&")
    assert '"hits"' in shown.raw
    assert (
        opened(index="goods", params={"q": "name:{query}", "size": "{k}"}).search(Query("laces")).hits[0].id
        == "2"
    )
    with pytest.raises(SystemFailedError, match="maybe"):
        opened(index="goods", body=MATCH, params={"request_cache": "{filters.cached}"}).search(
            Query("shoes", filters={"cached": "maybe"})
        )


def test_part_of_an_answer_is_no_answer(cluster: Cluster, opened: Callable[..., SearchSystem]) -> None:
    halves = {"number_of_shards": 2, "number_of_replicas": 0, "routing.allocation.total_shards_per_node": 1}
    cluster.ask("PUT", "/halves?wait_for_active_shards=0", {"settings": halves})
    cluster.ask("GET", "/_cluster/health/halves?wait_for_active_shards=1&timeout=30s")
    with pytest.raises(RetriableError, match=r"1 of 2 shards without an answer \(no copy"):
        opened(index="halves", body=MATCH).search(Query("shoes"))
    assert opened(index="halves", body=MATCH, partial=True).search(Query("shoes")).hits == ()
    cluster.ask("DELETE", "/halves")

    script = "if (doc['sku'].value == 2) { throw new Exception('broken') } return 1"
    thrown = {"size": "{k}", "query": {"bool": {"must": {"match": {"body": "{query}"}}}}}
    thrown["query"] = {"script_score": {"query": thrown["query"], "script": {"source": script}}}
    cluster.ask("PUT", "/more", {"settings": {"number_of_replicas": 0}, "mappings": {}})
    with pytest.raises(RetriableError, match=r"1 of 2 shards without an answer \(script_exception: "):
        opened(index="goods,more", body=thrown).search(Query("red"))
    cluster.ask("DELETE", "/more")


def test_a_server_that_misbehaves_costs_an_error_in_words(opened: Callable[..., SearchSystem]) -> None:
    busy, late, wrong = RetriableError, TimedOutError, SystemFailedError
    deeds = {
        "drop": (busy, None),
        "reset": (busy, None),
        "truncated": (busy, None),
        "limited": (busy, "status 429"),
        "status/503": (busy, "status 503 .*out of order"),
        "status/500": (wrong, "status 500 .*out of order"),
        "stall": (late, "no answer after 0.5 s"),
        "drip": (late, "no answer after 0.5 s"),
        "no-json": (wrong, "expected"),
        "deep": (wrong, "expected"),
        "garbage": (wrong, "no HTTP"),
        "endless": (wrong, "more than 10,000,000 bytes"),
        "bomb": (wrong, "more than 10,000,000 bytes"),
    }
    with serving() as server:
        for deed, (kind, said) in deeds.items():
            start = time.monotonic()
            with pytest.raises(kind, match=said):
                opened(
                    hosts=[f"{server.url}/{deed}"],
                    index="goods",
                    body=MATCH,
                    timeout=0.5 if kind is late else 10,
                )
            assert time.monotonic() - start < 5
            # Each is asked once: a run counts what is asked again.
            assert len(server.asked) == 1, deed
            server.asked.clear()
    with pytest.raises(RetriableError, match="could not connect"):
        opened(hosts=[f"http://127.0.0.1:{free_port()}"], index="goods", body=MATCH)


def test_a_node_that_is_lost_on_the_way_can_be_asked_again(opened: Callable[..., SearchSystem]) -> None:
    cause = {"type": "node_not_connected_exception", "reason": "[Node 1][127.0.0.1:9300] Node not connected"}
    error = {"root_cause": [], "type": "search_phase_execution_exception", "reason": "", "caused_by": cause}
    said: dict[str, object] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps({"error": said, "status": 500}).encode()
            self.send_response(500)
            self.send_header("Content-Type", "application/json; charset=UTF-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        for found, kind in ((error, RetriableError), ({**error, "caused_by": {"type": "x"}}, StatusError)):
            said.clear()
            said.update(found)
            with pytest.raises(kind, match=r"status 500 .search_phase_execution_exception"):
                opened(hosts=[f"http://127.0.0.1:{server.server_address[1]}"], index="goods", body=MATCH)
        server.shutdown()


def test_nodes_that_are_gone_cost_an_error_each_and_are_left_out_then(
    cluster: Cluster, opened: Callable[..., SearchSystem]
) -> None:
    hosts = [f"http://127.0.0.1:{free_port()}", f"http://127.0.0.1:{free_port()}", *cluster.urls]
    for _ in range(5):
        # Which one is asked first is drawn.
        system = opened(hosts=hosts, index="goods", body=MATCH)
        answered = lost = 0
        for _ in range(20):
            try:
                answered += len(ids(system, "laces"))
            except RetriableError:
                lost += 1
        assert (lost <= 2, answered) == (True, 20 - lost)


def test_wrong_options_of_opensearch_are_told_when_it_is_opened(
    opened: Callable[..., SearchSystem], tmp_path: Path
) -> None:
    (tmp_path / "half.json").write_text('{"query": ', encoding="utf-8")
    (tmp_path / "list.json").write_text('["{query}", "{k}"]', encoding="utf-8")
    goods = {"index": "goods"}
    wrong: tuple[tuple[dict[str, object], str], ...] = (
        ({"index": "nothing", "body": MATCH}, "no such index"),
        ({**goods, "body": {"size": "{k}", "query": {"mach": {"name": "{query}"}}}}, "unknown query .mach"),
        ({**goods, "body": {**MATCH, "sizes": 3}}, "sizes"),
        ({**goods}, "no {query}"),
        ({**goods, "body": {"size": "{k}"}}, "no {query}"),
        ({**goods, "body": {"query": MATCH["query"]}}, "no {k}"),
        ({**goods, "body": MATCH, "body_file": "x"}, "one of the two"),
        ({"body": MATCH}, "needs the key `index`"),
        ({**goods, "body_file": "nowhere.json"}, "nowhere.json"),
        ({**goods, "body_file": "half.json"}, "half.json .* expected JSON"),
        ({**goods, "body_file": "list.json"}, "a JSON object"),
        ({**goods, "body": MATCH, "params": {"no_such": 1}}, "unrecognized parameter"),
        ({**goods, "body": MATCH, "fields": {"name": "_id"}}, "unknown field `name`"),
        ({**goods, "timeout": 0}, "timeout"),
        ({"index": "", "body": MATCH}, "the index to search"),
        ({**goods, "hosts": []}, "at least one"),
        ({**goods, "hosts": ["localhost:9200"]}, "http://host"),
        ({**goods, "username": "me"}, "both"),
        ({**goods, "username": "me", "password": "x", "api_key": "x"}, "one of the two"),
        ({**goods, "api_key": "${NO_SUCH_KEY}"}, "which is not set"),
        ({**goods, "ca_file": "nowhere.pem"}, "certificates"),
        ({"index": "goods", "bodi": {}}, "Did you mean `body`"),
    )
    for options, said in wrong:
        with pytest.raises(InputError, match=said):
            opened(root=str(tmp_path), **options)


def test_a_field_that_hits_do_not_have_is_told_by_ask(opened: Callable[..., SearchSystem]) -> None:
    system = opened(index="goods", body=MATCH, fields={"id": "_id", "path": "_source.file"})
    assert exchange_with(system, Query("shoes")).unmatched_rules == ("fields.path",)
    over = opened(index="goods", body={**MATCH, "size": 3, "stats": ["asked for {k}"]})
    assert (len(over.search(Query("shoes", 1)).hits), over.dropped) == (1, 1)


def test_no_secret_of_opensearch_is_shown(
    cluster: Cluster, opened: Callable[..., SearchSystem], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_PASSWORD", "s3cr3t-word")
    monkeypatch.setenv("SHOP_URL", cluster.urls[0])
    ways: tuple[dict[str, object], ...] = (
        {"username": "me", "password": "${SHOP_PASSWORD}"},
        {"api_key": "${SHOP_PASSWORD}"},
        {"headers": {"X-Shop": "${SHOP_PASSWORD}"}},
        {"hosts": [cluster.urls[0].replace("//", "//me:${SHOP_PASSWORD}@")]},
    )
    for way in ways:
        system = opened(**{"hosts": ["${SHOP_URL}"], "index": "goods", "body": MATCH, **way})
        check_system(system, ("shoes",), secrets=("s3cr3t-word",))
    sent = []
    with serving() as server:
        for way in ways[:3]:
            with pytest.raises(SystemFailedError) as raised:
                opened(**{"hosts": [f"{server.url}/status/500"], "index": "goods", "body": MATCH, **way})
            assert "s3cr3t" not in str(raised.value)
        sent = [{key.lower(): value for key, value in one["headers"].items()} for one in server.asked]
    assert sent[0]["authorization"] == "Basic bWU6czNjcjN0LXdvcmQ="
    assert sent[1]["authorization"] == "ApiKey s3cr3t-word"
    assert sent[2]["x-shop"] == "s3cr3t-word"


def test_the_tutorial_comes_out_as_it_is_printed(cluster: Cluster, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "tutorials" / "opensearch.md").read_text(encoding="utf-8")
    variables = {**environment(tmp_path), "OPENSEARCH_URL": cluster.urls[0]}
    wrong = run_page(page, tmp_path / "project", variables)
    assert not wrong, "\n\n".join(wrong)
