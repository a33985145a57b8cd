"""Documents written into an index of OpenSearch or Elasticsearch, and the request that searches it.

An index is filled under a name of its own and gets its alias last, when it is whole; only the alias is ever
searched. Whoever builds the same at the same time fills another index; the server gives the alias to one.
"""

from __future__ import annotations

import json
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rankgate.errors import Problem, RankgateError, SystemFailedError
from rankgate.model.fingerprints import fingerprint
from rankgate.systems.engines.index_records import record_of
from rankgate.systems.engines.search_answers import RefusedError, reason_of
from rankgate.systems.engines.search_requests import Asked, encoded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rankgate.model.search import Document, Query
    from rankgate.systems.engines.search_options import SearchOptions
    from rankgate.systems.engines.search_requests import SearchClient

BUILT_FIELDS = {"id": "fields.id", "path": "fields.path", "start": "fields.start", "end": "fields.end"}
"""Where the parts of a hit of a built index are."""

_BATCH_BYTES = 4_000_000
_LONGEST_TERM = 8000
_WINDOW = 1_000_000
_ERRORS = {"filter_path": "errors,items.*.error"}
_NOT_FOUND = 404


def index_name(options: SearchOptions, name: str) -> str:
    """Name the alias of an index; with other options it is another index."""
    made_with = [options.analyzer, options.k1, options.b, options.shards, options.replicas]
    return f"{options.prefix}-{fingerprint([name, made_with])[:24]}"


def build_index(
    client: SearchClient, options: SearchOptions, documents: Iterable[Document], name: str, where: str
) -> bool:
    """Have an index under the alias of a name.

    Returns:
        True where it was built, False where it was there.

    Raises:
        SystemFailedError: where the server does not take the index or a document.
    """
    alias = index_name(options, name)
    if _holder(client, alias) is not None:
        return False
    index = f"{alias}-{secrets.token_hex(4)}"
    client.request("PUT", f"/{index}", {}, encoded(_definition(options, name)), patient=True)
    try:
        for lines in _batches(documents, index):
            _check_items(client.request("POST", "/_bulk", _ERRORS, lines, patient=True), where)
        client.request("POST", f"/{index}/_forcemerge", {"max_num_segments": 1}, None, patient=True)
        settings = {"index": {"refresh_interval": None}}
        client.request("PUT", f"/{index}/_settings", {}, encoded(settings), patient=True)
        client.request("POST", f"/{index}/_refresh", {}, None, patient=True)
        _give_alias(client, index, alias)
    except BaseException:
        _remove(client, index)
        raise
    return True


def built_request(options: SearchOptions, name: str, query: Query) -> Asked:
    """Ask a built index: any word of title and text counts, and every filter selects by a facet.

    Equal scores are ordered by id, so that every copy of a shard gives the same answer.
    """
    clauses = [
        {"terms": {"facets": [_facet(key, one) for one in (value if isinstance(value, tuple) else (value,))]}}
        for key, value in query.filters.items()
    ]
    match: dict[str, object] = {"match": {"all": query.text}}
    body = {
        "size": query.k,
        "query": {"bool": {"must": [match], "filter": clauses}} if clauses else match,
        "sort": [{"_score": "desc"}, {"id": "asc"}],
        "_source": False,
        "docvalue_fields": ["id", "path", "start", "end"],
    }
    params = {"search_type": "dfs_query_then_fetch"} if options.shards > 1 else {}
    return Asked(f"/{index_name(options, name)}/_search", params, encoded(body))


def _definition(options: SearchOptions, name: str) -> dict[str, object]:
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
            "_meta": {"rankgate": {"name": name}},
            "properties": {
                "id": {"type": "keyword"},
                # What the two hold is one field for BM25, which can then count a document as one.
                "title": {**text, "copy_to": "all"},
                "text": {**text, "copy_to": "all"},
                "all": text,
                "path": {"type": "keyword"},
                "start": number,
                "end": number,
                "facets": {"type": "keyword"},
            },
        },
    }


def _batches(documents: Iterable[Document], index: str) -> Iterator[bytes]:
    """Cut documents into pieces that a server takes at once."""
    action = encoded({"index": {"_index": index}})
    lines, size = [], 0
    for document in documents:
        record = record_of(document)
        facets = [_facet(key, value) for key, value in document.facets.items()]
        line = encoded({**record, "facets": facets})
        lines += [action, line]
        size += len(line)
        if size > _BATCH_BYTES:
            yield b"\n".join([*lines, b""])
            lines, size = [], 0
    if lines:
        yield b"\n".join([*lines, b""])


def _facet(name: str, value: str) -> str:
    """Make one term of a facet; one that is longer than a term may be is told by its fingerprint."""
    term = json.dumps([name, value])
    return term if len(term) <= _LONGEST_TERM else fingerprint([name, value])


def _check_items(answer: Mapping[str, Any], where: str) -> None:
    if not answer.get("errors"):
        return
    items = [next(iter(item.values())) for item in answer.get("items", ())]
    failed = [item["error"] for item in items if "error" in item]
    reason = reason_of(failed[0] if failed else None)
    found = f"{len(failed)} documents refused ({reason})"
    raise SystemFailedError(Problem(where, found, "documents that the server takes"))


def _holder(client: SearchClient, alias: str) -> str | None:
    """Name the index that an alias stands for, or None."""
    try:
        found = client.request("GET", f"/_alias/{alias}", {}, None)
    except RefusedError as error:
        if error.status == _NOT_FOUND:
            return None
        raise
    return next(iter(found), None)


def _give_alias(client: SearchClient, index: str, alias: str) -> None:
    """Give an index its alias, unless another has it: of an alias' indexes only one may be written to."""
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
