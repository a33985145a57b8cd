"""Documents written into an index of OpenSearch or Elasticsearch.

An index is filled under a name of its own and gets its alias last, when it is whole; only the alias is ever
searched. Whoever builds the same at the same time fills another index; the server gives the alias to one.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rankgate.errors import Code, RankgateError, SystemFailedError
from rankgate.model.fingerprints import fingerprint
from rankgate.systems.adapter.failures import StatusError
from rankgate.systems.engines.built.records import NUMBERS, PLACED, check_facets, facet_term, record_of
from rankgate.systems.engines.built.scripts import index_text, query_text
from rankgate.systems.engines.elastic.answers import check_shards, check_whole, reason_of, shown
from rankgate.systems.engines.elastic.requests import BoundRequest, encoded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rankgate.model.search import Document, Query
    from rankgate.systems.engines.elastic.client import SearchClient
    from rankgate.systems.engines.elastic.options import SearchOptions

BUILT_FIELDS = {name: f"fields.{name}" for name in PLACED}
"""Where the parts of a hit of a built index are."""
_BATCH_BYTES = 4_000_000
_WINDOW = 1_000_000
_ERRORS = {"filter_path": "errors,items.*.error"}
_NOT_FOUND = 404
# What an index holds and how it is laid out; another number is another index.
_FORMAT = 4


@dataclass(slots=True)
class _Sent:
    """What went into an index so far."""

    documents: int = 0
    facets: set[str] = field(default_factory=set)


def index_name(options: SearchOptions, name: str) -> str:
    """Return the alias of an index; with other options it is another index."""
    made_with = [_FORMAT, options.analyzer, options.k1, options.b, options.shards, options.replicas]
    return f"{options.prefix}-{fingerprint([name, made_with])[:24]}"


def build_index(
    client: SearchClient, options: SearchOptions, documents: Iterable[Document], name: str, where: str
) -> bool:
    """Build an index under the alias of a name, unless it is there.

    Returns:
        True where it was built, False where it was there.

    Raises:
        SystemFailedError: where the server does not take the index or a document, or does not have all of
            them then.
    """
    alias = index_name(options, name)
    if _holder(client, alias) is not None:
        return False
    index = f"{alias}-{secrets.token_hex(4)}"
    client.request("PUT", f"/{index}", {}, encoded(_definition(options)), patient=True)
    try:
        sent = _Sent()
        for lines in _batches(documents, index, sent):
            _check_items(client.request("POST", "/_bulk", _ERRORS, lines, patient=True), where)
        _settle(client, index, where)
        about = {"_meta": {"rankgate": {"name": name, "facets": sorted(sent.facets)}}}
        client.request("PUT", f"/{index}/_mapping", {}, encoded(about), patient=True)
        _check_count(client, index, sent.documents, where)
        _give_alias(client, index, alias)
    except BaseException:
        _remove(client, index)
        raise
    return True


def _definition(options: SearchOptions) -> dict[str, object]:
    text = {"type": "text", "analyzer": options.analyzer}
    number = {"type": "integer", "index": False}
    return {
        "settings": {
            "index": {
                "number_of_shards": options.shards,
                "number_of_replicas": options.replicas,
                "refresh_interval": "-1",
                "max_result_window": _WINDOW,
                "similarity": {"default": {"type": "BM25", "k1": options.k1, "b": options.b}},
            }
        },
        "mappings": {
            "dynamic": False,
            "properties": {
                "id": {"type": "keyword"},
                # What the two hold is one field for BM25, which can then count a document as one.
                "title": {**text, "copy_to": "all"},
                "text": {**text, "copy_to": "all"},
                "all": text,
                "path": {"type": "keyword"},
                **dict.fromkeys(NUMBERS, number),
                "facets": {"type": "keyword"},
            },
        },
    }


def _batches(documents: Iterable[Document], index: str, sent: _Sent) -> Iterator[bytes]:
    """Cut documents into pieces that a server takes at once."""
    action = encoded({"index": {"_index": index}})
    lines, size = [], 0
    for document in documents:
        record = record_of(document)
        sent.documents += 1
        sent.facets.update(record["facets"])
        facets = [facet_term(key, value) for key, value in record["facets"].items()]
        words = {column: index_text(record[column]) for column in ("title", "text")}
        line = encoded({**record, **words, "facets": facets})
        lines += [action, line]
        size += len(line)
        if size > _BATCH_BYTES:
            yield b"\n".join([*lines, b""])
            lines, size = [], 0
    if lines:
        yield b"\n".join([*lines, b""])


def _check_items(answer: Mapping[str, Any], where: str) -> None:
    if answer.get("errors") is False:
        return
    items = answer.get("items")
    listed = items if isinstance(items, list) else []
    results = [one for item in listed if isinstance(item, dict) for one in item.values()]
    failed = [one["error"] for one in results if isinstance(one, dict) and "error" in one]
    found = f"{len(failed)} documents refused ({reason_of(failed[0])})" if failed else shown(answer)
    raise SystemFailedError(Code.INDEX_FAILED(where, found, "documents that the server takes"))


def _settle(client: SearchClient, index: str, where: str) -> None:
    """Merge an index into one segment and let it be searched."""
    merging = {"max_num_segments": 1}
    check_shards(client.request("POST", f"/{index}/_forcemerge", merging, None, patient=True), where)
    settings = {"index": {"refresh_interval": None}}
    client.request("PUT", f"/{index}/_settings", {}, encoded(settings), patient=True)
    check_shards(client.request("POST", f"/{index}/_refresh", {}, None, patient=True), where)


def _check_count(client: SearchClient, index: str, sent: int, where: str) -> None:
    answer = client.request("GET", f"/{index}/_count", {}, None, patient=True)
    # To count has no time-out of its own.
    check_whole({**answer, "timed_out": False}, where)
    if (count := answer.get("count")) != sent:
        found = f"{count if isinstance(count, int) else shown(count)} of {sent} documents in the index"
        raise SystemFailedError(Code.INDEX_FAILED(where, found, "all of them"))


def _holder(client: SearchClient, alias: str) -> str | None:
    """Return the index that an alias stands for, or None."""
    try:
        found = client.request("GET", f"/_alias/{alias}", {}, None)
    except StatusError as error:
        if error.status == _NOT_FOUND:
            return None
        raise
    return next(iter(found), None)


def _give_alias(client: SearchClient, index: str, alias: str) -> None:
    """Set the alias of an index, unless another has it: of an alias' indexes only one may be written to."""
    add = {"add": {"index": index, "alias": alias, "is_write_index": True}}
    try:
        client.request("POST", "/_aliases", {}, encoded({"actions": [add]}), patient=True)
    except SystemFailedError:
        if _holder(client, alias) in (None, index):
            raise
        _remove(client, index)


def _remove(client: SearchClient, index: str) -> None:
    with suppress(RankgateError):
        client.request("DELETE", f"/{index}", {}, None, patient=True)


@dataclass(frozen=True, slots=True)
class BuiltIndex:
    """What is searched."""

    alias: str
    """Its name."""
    shards: int
    """How many it has."""
    facets: frozenset[str]
    """The names of facets that its documents have."""

    def asked(self, query: Query) -> BoundRequest:
        """Ask for any word of title and text; every filter selects by a facet.

        Equal scores are ordered by id, so that every copy of a shard gives the same answer.

        Raises:
            SystemFailedError: for a filter that no document has.
        """
        check_facets(query, self.facets)
        clauses = [
            {"terms": {"facets": [facet_term(name, one) for one in query.values(name)]}}
            for name in query.filters
        ]
        match: dict[str, object] = {"match": {"all": query_text(query.text)}}
        body = {
            "size": query.k,
            "query": {"bool": {"must": [match], "filter": clauses}} if clauses else match,
            "sort": [{"_score": "desc"}, {"id": "asc"}],
            "_source": False,
            "docvalue_fields": list(PLACED),
        }
        params = {"search_type": "dfs_query_then_fetch"} if self.shards > 1 else {}
        return BoundRequest(f"/{self.alias}/_search", params, encoded(body))


def open_index(client: SearchClient, options: SearchOptions, name: str, where: str) -> BuiltIndex:
    """Read what a built index says of itself.

    Raises:
        SystemFailedError: where it does not say which facets it has.
    """
    alias = index_name(options, name)
    answer = client.request("GET", f"/{alias}/_mapping", {}, None)
    found: object = next(iter(answer.values()), None)
    for key in ("mappings", "_meta", "rankgate", "facets"):
        found = found.get(key) if isinstance(found, dict) else None
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        fix = f"delete the index behind {alias} to have it built again"
        raise SystemFailedError(Code.NO_INDEX(where, shown(answer), "the names of its facets in _meta", fix))
    return BuiltIndex(alias, options.shards, frozenset(found))
