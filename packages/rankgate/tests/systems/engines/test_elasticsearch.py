"""Elasticsearch, a server of the generation in RANKGATE_ELASTICSEARCH; see ``just test-elasticsearch``."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.errors import InputError, RankgateError, RetriableError, SystemFailedError
from rankgate.model import Query
from rankgate.plugins import exchange_with
from rankgate.systems.adapter.failures import TimedOutError
from rankgate.systems.engines.elastic.system import SearchSystem
from rankgate.systems.registry import open_system
from rankgate.testing import check_system
from support.elasticsearch_server import Server
from support.http_servers import free_port, serving
from support.search_engines import (
    MATCH,
    check_own_body,
    check_ranks_as_the_server,
    have_goods,
    ids,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


pytestmark = pytest.mark.xdist_group("elasticsearch")

GENERATION = int(os.environ.get("RANKGATE_ELASTICSEARCH", "9"))

GOODS = (
    {"sku": 1, "name": "Red shoes", "body": "Shoes for running", "colour": "red", "kind": "shoe"},
    {"sku": 2, "name": "Laces", "body": "Laces for red shoes and blue shoes", "colour": "white", "kind": "x"},
    {"sku": 3, "name": "Blue shoes", "body": "To walk AND run", "colour": "it's blue", "kind": "shoe"},
)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """One node, with an index that somebody has."""
    with Server(GENERATION) as started:
        have_goods(started, GOODS, "line")
        yield started


@pytest.fixture
def opened(server: Server) -> Iterator[Callable[..., SearchSystem]]:
    """Open systems, and close them all at the end."""
    systems = []

    def open_one(**options: Any) -> SearchSystem:
        described = {"kind": "elasticsearch", "hosts": [server.url], **options}
        system = open_system("shop", described)
        assert isinstance(system, SearchSystem)
        systems.append(system)
        return system

    yield open_one
    for system in systems:
        system.close()


def test_an_index_of_elasticsearch_keeps_the_contract(opened: Callable[..., SearchSystem]) -> None:
    system = opened(index="goods", body=MATCH)
    # Of 8 and 9 the module that answers GET / is not published.
    assert system.version == ("elasticsearch 7.10.2" if GENERATION == 7 else None)
    check_system(system, ("shoes", "red shoes"))


def test_elasticsearch_ranks_as_the_server_does(server: Server, opened: Callable[..., SearchSystem]) -> None:
    check_ranks_as_the_server(server, opened)


def test_ones_own_body_is_asked_of_elasticsearch_with_everything_bound(
    server: Server, opened: Callable[..., SearchSystem], tmp_path: Path
) -> None:
    check_own_body(server, opened, tmp_path, "line")


def test_parameters_of_a_search_go_into_the_address_of_elasticsearch(
    opened: Callable[..., SearchSystem],
) -> None:
    body = {"query": {"match": {"name": "{query}"}}}
    params = {"size": "{k}", "search_type": "dfs_query_then_fetch", "request_cache": False, "timeout": "9s"}
    system = opened(index="goo*", body=body, params=params)
    assert set(ids(system, "shoes")) == {"1", "3"}
    assert '"hits"' in exchange_with(system, Query("shoes", 1)).raw


def test_an_answer_that_lacks_shards_of_elasticsearch_is_an_error(
    server: Server, opened: Callable[..., SearchSystem]
) -> None:
    halves = {"number_of_shards": 2, "number_of_replicas": 0, "routing.allocation.total_shards_per_node": 1}
    server.ask("PUT", "/halves?wait_for_active_shards=0", {"settings": halves})
    server.ask("GET", "/_cluster/health/halves?wait_for_active_shards=1&timeout=30s")
    with pytest.raises(RetriableError, match=r"1 of 2 shards without an answer"):
        opened(index="halves", body=MATCH).search(Query("shoes"))
    assert opened(index="halves", body=MATCH, partial=True).search(Query("shoes")).hits == ()
    server.ask("DELETE", "/halves")


def test_a_server_that_misbehaves_costs_elasticsearch_an_error_in_words(
    opened: Callable[..., SearchSystem],
) -> None:
    busy, late, wrong = RetriableError, TimedOutError, RankgateError
    deeds: dict[str, tuple[type[RankgateError], str | None]] = {
        "drop": (busy, None),
        "reset": (busy, None),
        "truncated": (busy, None),
        "limited": (busy, "status 429"),
        "status/503": (busy, "status 503 .out of order"),
        "status/500": (wrong, "status 500 .out of order"),
        "stall": (late, "no answer after 0.5 s"),
        "drip": (late, "no answer after 0.5 s"),
        "no-json": (wrong, None),
        "deep": (wrong, None),
        "garbage": (wrong, None),
        "endless": (wrong, "more than 10,000,000 bytes"),
        "bomb": (wrong, "more than 10,000,000 bytes"),
    }
    with serving() as other:
        for deed, (kind, said) in deeds.items():
            start = time.monotonic()
            with pytest.raises(kind, match=said):
                opened(
                    hosts=[f"{other.url}/{deed}"],
                    index="goods",
                    body=MATCH,
                    timeout=0.5 if kind is late else 10,
                )
            assert time.monotonic() - start < 5, deed
            # Each is asked once: a run counts what is asked again.
            assert len(other.asked) == 1, deed
            other.asked.clear()
    with pytest.raises(RetriableError, match="could not connect"):
        opened(hosts=[f"http://127.0.0.1:{free_port()}"], index="goods", body=MATCH)


def test_wrong_options_of_elasticsearch_are_told_when_it_is_opened(
    opened: Callable[..., SearchSystem], tmp_path: Path
) -> None:
    goods = {"index": "goods"}
    wrong: tuple[tuple[dict[str, object], str], ...] = (
        ({"index": "nothing", "body": MATCH}, "no such index"),
        ({**goods, "body": {"size": "{k}", "query": {"mach": {"name": "{query}"}}}}, "unknown query .mach"),
        ({**goods}, "no {query}"),
        ({**goods, "body": {"query": MATCH["query"]}}, "no {k}"),
        ({**goods, "body": MATCH, "params": {"no_such": 1}}, "unrecognized parameter"),
        ({**goods, "hosts": ["localhost:9200"]}, "http://host"),
        ({**goods, "api_key": "${NO_SUCH_KEY}"}, "which is not set"),
        ({**goods, "ca_file": "nowhere.pem"}, "certificates"),
        ({"index": "goods", "bodi": {}}, "Did you mean `body`"),
    )
    for options, said in wrong:
        with pytest.raises(InputError, match=said):
            opened(root=str(tmp_path), **options)


def test_no_secret_of_elasticsearch_is_shown_and_each_is_sent(
    server: Server, opened: Callable[..., SearchSystem], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_PASSWORD", "s3cr3t-word")
    monkeypatch.setenv("SHOP_URL", server.url)
    ways: tuple[dict[str, object], ...] = (
        {"username": "me", "password": "${SHOP_PASSWORD}"},
        {"api_key": "${SHOP_PASSWORD}"},
        {"headers": {"X-Shop": "${SHOP_PASSWORD}"}},
        {"hosts": [server.url.replace("//", "//me:${SHOP_PASSWORD}@")]},
    )
    for way in ways:
        system = opened(**{"hosts": ["${SHOP_URL}"], "index": "goods", "body": MATCH, **way})
        check_system(system, ("shoes",), secrets=("s3cr3t-word",))
    with serving() as other:
        for way in ways[:3]:
            with pytest.raises(SystemFailedError) as raised:
                opened(**{"hosts": [f"{other.url}/status/500"], "index": "goods", "body": MATCH, **way})
            assert "s3cr3t" not in str(raised.value)
        sent = [{key.lower(): value for key, value in one["headers"].items()} for one in other.asked]
    assert sent[0]["authorization"] == "Basic bWU6czNjcjN0LXdvcmQ="
    assert sent[1]["authorization"] == "ApiKey s3cr3t-word"
    assert sent[2]["x-shop"] == "s3cr3t-word"
