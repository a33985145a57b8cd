"""What the tests of OpenSearch and Elasticsearch share: an index that somebody has, what holds of both."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol
from urllib.error import HTTPError

import pytest

from rankgate.errors import SystemFailedError
from rankgate.model import Query
from rankgate.testing import check_system
from support.engine_material import functions, queries

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from rankgate.systems.engines.elastic.system import SearchSystem

    Opened = Callable[..., SearchSystem]

BODY = {
    "size": "{k}",
    "query": {
        "bool": {
            "must": [{"multi_match": {"query": "{query}", "fields": ["name^2", "body"]}}],
            "filter": [{"terms": {"colour": ["{filters.tint}"]}}, {"term": {"kind": "{filters.kind}"}}],
        }
    },
    "sort": ["_score", "sku"],
}
CLICK = {
    "size": "{k}",
    "query": {"match": {"all": "{query}"}},
    "sort": ["_score", "id"],
    "_source": False,
    "docvalue_fields": ["id"],
}
MATCH = {"size": "{k}", "query": {"match": {"name": "{query}"}}}


class Server(Protocol):
    """A server that answers what is sent to it, with no client in between."""

    def ask(self, method: str, path: str, body: object = None) -> Any: ...


def have_goods(server: Server, goods: Sequence[Mapping[str, object]], line: str) -> None:
    """Fill the index that somebody has; `line` is the field that says where a thing lies."""
    keyword = {"type": "keyword"}
    kinds = {"sku": {"type": "integer"}, "colour": keyword, "kind": keyword}
    made = {"settings": {"number_of_replicas": 0}, "mappings": {"properties": kinds}}
    server.ask("PUT", "/goods", made)
    for row in goods:
        where = {"doc": {"file": f"shop/{row['sku']}.md"}, line: [row["sku"]]}
        server.ask("PUT", f"/goods/_doc/{row['sku']}?refresh=true", {**row, **where})


def have_click(server: Server, *, shards: int = 1, replicas: int = 0) -> None:
    """Fill an index `click` with the functions of click, unless it is there."""
    with suppress(HTTPError):
        server.ask("GET", "/click/_count")
        return
    kinds = {"id": {"type": "keyword"}, "all": {"type": "text"}}
    settings = {"number_of_shards": shards, "number_of_replicas": replicas}
    server.ask("PUT", "/click", {"settings": settings, "mappings": {"properties": kinds}})
    rows: list[dict[str, object]] = []
    for one in functions():
        rows += [{"index": {}}, {"id": one.id, "all": f"{one.title}\n{one.text}"}]
    lines = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    assert server.ask("POST", "/click/_bulk?refresh=true", lines)["errors"] is False


def ids(system: Any, text: str, **filters: str | tuple[str, ...]) -> list[str | None]:
    return [hit.id for hit in system.search(Query(text, 10, filters)).hits]


def check_ranks_as_the_server(server: Server, opened: Opened) -> None:
    """Compare every hit and score with those of the server."""
    have_click(server)
    system = opened(index="click", body=CLICK, fields={"id": "fields.id"})

    def ask(text: str) -> list[tuple[str, float]]:
        body = {**CLICK, "size": 10, "query": {"match": {"all": text}}}
        found = server.ask("POST", "/click/_search", body)["hits"]["hits"]
        return [(hit["fields"]["id"][0], hit["_score"]) for hit in found]

    count = 0
    for text in queries():
        hits, expected = system.search(Query(text, 10)).hits, ask(text)
        assert [(hit.id, hit.score) for hit in hits] == expected, text
        count += len(hits)
    assert count > 1500


def check_own_body(server: Server, opened: Opened, folder: Path, line: str) -> None:
    """Ask the index that somebody has with their own body: every value is bound, whatever it holds."""
    (folder / "query.json").write_text(json.dumps(BODY), encoding="utf-8")
    fields = {"id": "_id", "path": "_source.doc.file", "start": f"_source.{line}", "text": "_source.name"}
    system = opened(index="goods", body_file="query.json", fields=fields, root=str(folder))
    plain = {
        "size": 10,
        "query": {"multi_match": {"query": "red shoes", "fields": ["name^2", "body"]}},
        "sort": ["_score", "sku"],
    }
    found = server.ask("POST", "/goods/_search", plain)["hits"]["hits"]
    hits = system.search(Query("red shoes", 10)).hits
    assert [(hit.id, hit.score) for hit in hits] == [(hit["_id"], hit["_score"]) for hit in found] != []
    assert (hits[0].path, str(hits[0].lines), hits[0].text) == ("shop/1.md", "1-1", "Red shoes")
    assert ids(system, "shoes", tint="it's blue") == ["3"]
    assert set(ids(system, "shoes", tint=("it's blue", "red"))) == {"1", "3"}
    assert ids(system, "shoes", tint=("it's blue", "white"), kind="shoe") == ["3"]
    assert ids(system, "shoes", tint='"]}}, {"match_all": {}}') == []
    assert ids(system, '"}}]}}, "query": {"match_all": {}}, "x": {"{k}') == []
    assert ids(system, "shoes", tint="{query}") == []
    with pytest.raises(SystemFailedError, match="filters colour"):
        system.search(Query("shoes", filters={"colour": "red"}))
    check_system(system, ("shoes", "red shoes"))
