from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
from opensearchpy import OpenSearch

from rankgate.errors import InputError, RetriableError, SystemFailedError
from rankgate.model.search import Document, Indexer, Query
from rankgate.model.systems import exchange_with
from rankgate.systems.adapter.failures import StatusError, TimedOutError
from rankgate.systems.engines.elastic.system import SearchSystem
from rankgate.systems.registry import open_system
from rankgate.testing import check_system
from support.engine_material import queries
from support.http_servers import free_port, serving
from support.opensearch_server import Cluster
from support.repository import ROOT
from support.search_engines import (
    MATCH,
    built_indexes,
    check_explained,
    check_own_body,
    check_places,
    check_ranks_as_bare,
    have_goods,
    ids,
    on_click,
    scifact_figures,
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


@pytest.fixture
def bare(cluster: Cluster) -> Iterator[OpenSearch]:
    client = OpenSearch(cluster.urls)
    yield client
    client.close()


def test_an_index_of_opensearch_keeps_the_contract(opened: Callable[..., SearchSystem]) -> None:
    system = on_click(opened)
    assert system.version == "opensearch 2.19.1"
    check_system(system, queries()[:5])


def test_opensearch_ranks_as_the_bare_client_does(
    cluster: Cluster, opened: Callable[..., SearchSystem], bare: OpenSearch, record_property: Any
) -> None:
    record_property("figures", check_ranks_as_bare(cluster, opened, bare))


def test_hits_of_a_built_index_of_opensearch_say_where_they_lie(opened: Callable[..., SearchSystem]) -> None:
    check_places(opened)


def test_ones_own_body_is_asked_with_everything_bound(
    opened: Callable[..., SearchSystem], bare: OpenSearch, tmp_path: Path
) -> None:
    check_own_body(opened, bare, tmp_path, "at.line")


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


def test_facets_of_a_built_index_of_opensearch_filter_whatever_they_are_called(
    opened: Callable[..., SearchSystem],
) -> None:
    long = "x" * 40_000
    facets = ({"lang": "py", "a.b": 'x"\ny'}, {"lang": "go", "it's": "Ünï"}, {"lang": "python", "long": long})
    system = opened()
    assert system.build([Document(str(number), "word", one) for number, one in enumerate(facets)], "three")
    assert ids(system, "word", lang="py") == ["0"]
    assert ids(system, "word", **{"a.b": 'x"\ny'}) == ["0"]
    assert ids(system, "word", **{"it's": ("no", "Ünï")}) == ["1"]
    assert ids(system, "word", lang=("py", "python")) == ["0", "2"]
    assert ids(system, "word", long=long) == ["2"]
    assert ids(system, "word", long=long + "x") == ids(system, "word", lang="c") == []
    again = opened()
    assert not again.build([], "three")
    for one in (system, again):
        with pytest.raises(SystemFailedError, match=r"filters other.*the facets a\.b, it's, lang, long"):
            ids(one, "word", other="x", lang="py")
    bare = opened()
    assert bare.build([Document("0", "word")], "without-facets")
    with pytest.raises(SystemFailedError, match="no facets"):
        ids(bare, "word", lang="py")


def test_any_word_counts_and_operators_of_opensearch_are_words(opened: Callable[..., SearchSystem]) -> None:
    system = opened()
    texts = {
        "1": "rotate the key",
        "2": "windows open",
        "3": r"it's a path\name, 'quoted'",
        "4": "a\0b \ud800",
    }
    assert system.build([Document(name, text) for name, text in texts.items()], "odd")
    assert set(ids(system, "rotating window* && !keys || +( title:x")) == {"1", "2"}
    assert ids(system, r"path\name") == ids(system, "'quoted'") == ["3"]
    assert ids(system, "the of and") == ids(system, "") == []
    with pytest.raises(SystemFailedError, match="maxClauseCount"):
        system.search(Query(" ".join(map(str, range(20_000)))))


def test_a_built_index_of_opensearch_is_kept_and_a_half_built_one_never_used(
    cluster: Cluster, opened: Callable[..., SearchSystem]
) -> None:
    system = opened()
    assert isinstance(system, Indexer)
    before = built_indexes(cluster)

    def broken() -> Any:
        yield from (Document(str(number), "word " * 200) for number in range(10_000))
        assert len(built_indexes(cluster)) == len(before) + 1
        raise KeyError

    with pytest.raises(KeyError):
        system.build(broken(), "docs")
    assert built_indexes(cluster) == before
    assert system.build([Document("1", "words")], "docs")
    assert not system.build(broken(), "docs")
    assert ids(system, "word") == ["1"]
    assert opened(analyzer="standard").build([Document("1", "words")], "docs")
    with pytest.raises(SystemFailedError, match=r"1 documents refused .*immense"):
        system.build([Document("1", "a"), Document("x" * 40_000, "b")], "refused")
    others = [opened() for _ in range(3)]
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda one: one.build([Document("1", "word")], "at-once"), others))
    assert all(ids(one, "word") == ["1"] for one in others)
    found = [aliases for name, aliases in built_indexes(cluster).items() if name not in before]
    assert sorted(map(len, found)) == [1, 1, 1]


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

    on_click(opened)
    work = "double x = 0; for (int i = 0; i < 60000; i++) { x += Math.sin(i) } return Math.abs(x)"
    slow = {"script_score": {"query": {"match": {"all": "{query}"}}, "script": {"source": work}}}
    system = opened(index="rankgate-*", body={"size": "{k}", "timeout": "1ms", "query": slow}, partial=True)
    assert system.search(Query("click")) is not None
    with pytest.raises(TimedOutError, match="timed_out"):
        opened(index="rankgate-*", body={"size": "{k}", "timeout": "1ms", "query": slow}).search(
            Query("self click")
        )


def test_a_server_that_misbehaves_costs_an_error_in_words(opened: Callable[..., SearchSystem]) -> None:
    busy, late, wrong = RetriableError, TimedOutError, SystemFailedError
    deeds = {
        "drop": (busy, "a server that answers"),
        "reset": (busy, "a server that answers"),
        "truncated": (busy, "a server that answers"),
        "limited": (busy, "status 429"),
        "status/503": (busy, "status 503 .*out of order"),
        "status/500": (wrong, "status 500 .*out of order"),
        "stall": (late, "no answer after 0.5 s"),
        "drip": (late, "no answer after 0.5 s"),
        "drip-headers": (late, "no answer after 0.5 s"),
        "no-json": (wrong, "expected"),
        "deep": (wrong, "expected"),
        "garbage": (wrong, "expected"),
        "endless": (wrong, "more than 10,000,000 bytes"),
        "bomb": (wrong, "more than 10,000,000 bytes"),
    }
    with serving() as server:
        for deed, (kind, said) in deeds.items():
            start = time.monotonic()
            with pytest.raises(kind, match=said):
                opened(hosts=[f"{server.url}/{deed}"], timeout=0.5 if kind is late else 10)
            assert time.monotonic() - start < 5
            # Each is asked once: a run counts what is asked again.
            assert len(server.asked) == 1, deed
            server.asked.clear()
    with pytest.raises(RetriableError, match="a server that answers"):
        opened(hosts=[f"http://127.0.0.1:{free_port()}"])


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
                opened(hosts=[f"http://127.0.0.1:{server.server_address[1]}"])
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
        ({"body": MATCH}, "the index that they search"),
        ({**goods, "body_file": "nowhere.json"}, "nowhere.json"),
        ({**goods, "body_file": "half.json"}, "half.json .* expected JSON"),
        ({**goods, "body_file": "list.json"}, "a JSON object"),
        ({**goods, "body": MATCH, "params": {"no_such": 1}}, "unrecognized parameter"),
        ({**goods, "body": MATCH, "fields": {"name": "_id"}}, "an unknown field"),
        ({"timeout": 0}, "timeout"),
        ({"shards": 0, "k1": -1, "b": 2}, "shards"),
        ({"prefix": "Upper"}, "small letters"),
        ({"hosts": []}, "at least one"),
        ({"hosts": ["localhost:9200"]}, "http://host"),
        ({"username": "me"}, "both"),
        ({"username": "me", "password": "x", "api_key": "x"}, "one of the two"),
        ({"api_key": "${NO_SUCH_KEY}"}, "which is not set"),
        ({"ca_file": "nowhere.pem"}, "certificates"),
        ({"index": "goods", "bodi": {}}, "did you mean body"),
    )
    for options, said in wrong:
        with pytest.raises(InputError, match=said):
            opened(root=str(tmp_path), **options)
    with pytest.raises(InputError, match="take index out"):
        opened(**goods, body=MATCH).build([], "x")
    with pytest.raises(SystemFailedError, match="one that was built"):
        opened().search(Query("a"))
    with pytest.raises(SystemFailedError, match=r"analyzer .nowhere. has not been configured"):
        opened(analyzer="nowhere").build([], "x")


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


@pytest.mark.once
@pytest.mark.long
def test_opensearch_ranks_scifact_as_published(
    opened: Callable[..., SearchSystem], shared_data: Path, record_property: Any
) -> None:
    figures, told = scifact_figures(opened, shared_data)
    record_property("figures", told)
    assert figures[0.9, 0.4, 1] == pytest.approx(0.6789, abs=0.01)
    assert figures[1.2, 0.75, 1] == pytest.approx(0.6789, abs=0.02)
    # Rarity is counted over all shards, so that how many there are changes nothing.
    assert figures[0.9, 0.4, 3] == pytest.approx(figures[0.9, 0.4, 1], abs=1e-9)


def test_words_without_spaces_are_found_in_a_built_index(opened: Callable[..., SearchSystem]) -> None:
    system = opened()
    texts = {
        "zh": "旧的密钥会被撤销",
        "ja": "サーバーに接続する",
        "ko": "고객이 결제를 마치면",
        "en": "Rotate keys",
    }
    system.build([Document(name, text) for name, text in texts.items()], "unspaced")
    for query, name in {"撤销": "zh", "接続": "ja", "サー": "ja", "결제": "ko", "rotating": "en"}.items():
        assert [hit.id for hit in system.search(Query(query)).hits] == [name]


def test_opensearch_says_how_each_score_comes_about(
    opened: Callable[..., SearchSystem], cluster: Cluster
) -> None:
    check_explained(opened, cluster)


def test_the_tutorial_comes_out_as_it_is_printed(cluster: Cluster, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "tutorials" / "opensearch.md").read_text(encoding="utf-8")
    variables = {**environment(tmp_path), "OPENSEARCH_URL": cluster.urls[0]}
    wrong = run_page(page, tmp_path / "project", variables)
    assert not wrong, "\n\n".join(wrong)
