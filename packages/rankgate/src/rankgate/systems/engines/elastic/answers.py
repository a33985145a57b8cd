"""Answers of OpenSearch and Elasticsearch: the hits, whether they are all, and what a refusal says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankgate.errors import Code, Problem, RetriableError, SystemFailedError
from rankgate.systems.adapter.failures import TimedOutError, cut_at, printable

if TYPE_CHECKING:
    from collections.abc import Mapping

_PASSING = {
    "connect_transport_exception",
    "no_shard_available_action_exception",
    "node_closed_exception",
    "node_disconnected_exception",
    "node_not_connected_exception",
    "receive_timeout_transport_exception",
    "unavailable_shards_exception",
}
_DEEPEST = 8
_EVERY_SHARD = "an answer of every shard"
_FIX = "see the server; partial = true takes such answers"


def rows_of(answer: Mapping[str, Any], fields: Mapping[str, str], where: str) -> list[dict[str, object]]:
    """Return the hits of an answer, each with its parts; the score is there unless `fields` names another.

    >>> answer = {"hits": {"hits": [{"_id": "7", "_score": 1.5, "_source": {"a": {"b": ["x"]}}}]}}
    >>> rows_of(answer, {"id": "_id", "path": "_source.a.b"}, "app")
    [{'score': 1.5, 'id': '7', 'path': 'x'}]

    Raises:
        SystemFailedError: for what is no answer of a search.
    """
    hits = answer.get("hits") if isinstance(answer, dict) else None
    found = hits.get("hits") if isinstance(hits, dict) else None
    if not isinstance(found, list) or not all(isinstance(hit, dict) for hit in found):
        raise SystemFailedError(
            Code.WRONG_ANSWER(where, shown(answer), "hits.hits, a list", "see the answer")
        )
    paths = {part: tuple(path.split(".")) for part, path in {"score": "_score", **fields}.items()}
    rows = ({part: _at(hit, path) for part, path in paths.items()} for hit in found)
    return [{part: value for part, value in row.items() if value is not None} for row in rows]


def check_whole(answer: Mapping[str, Any], where: str) -> None:
    """Refuse an answer that lacks what some shards would have said: an outage that would pass for a result.

    Raises:
        TimedOutError: where the server ran out of time.
        RetriableError: where shards or clusters failed.
        SystemFailedError: where the answer does not say.
    """
    if answer.get("timed_out") is True:
        raise TimedOutError(Problem(where, "timed_out, so only part of an answer", _EVERY_SHARD, _FIX))
    shards = check_shards(answer, where)
    if not isinstance(answer.get("timed_out"), bool):
        raise _unsaid("timed_out", where)
    total, whole = _count(shards, "total"), _count(shards, "successful")
    # A shard that is on no node is no failure to the server; it is only not among those that succeeded.
    if whole < total:
        found = f"{total - whole} of {total} shards without an answer (no copy of them is there)"
        raise RetriableError(Code.PARTIAL_ANSWER(where, found, _EVERY_SHARD, _FIX))
    if (clusters := answer.get("_clusters")) is not None:
        _check_clusters(clusters, where)


def check_shards(answer: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    """Refuse an answer in which shards failed, and give what it says of them.

    Raises:
        RetriableError: where shards failed.
        SystemFailedError: where the answer does not say.
    """
    shards = answer.get("_shards")
    if not isinstance(shards, dict) or not all(_counts(shards, name) for name in ("total", "successful")):
        raise _unsaid("_shards", where)
    if _count(shards, "failed"):
        total, whole = _count(shards, "total"), _count(shards, "successful")
        failures = shards.get("failures")
        listed = failures if isinstance(failures, list) else []
        reasons = [one.get("reason") for one in listed if isinstance(one, dict)]
        said = "; ".join(dict.fromkeys(map(reason_of, reasons))) or "it does not say why"
        found = f"{max(total - whole, 1)} of {total} shards without an answer ({said})"
        raise RetriableError(Code.PARTIAL_ANSWER(where, found, _EVERY_SHARD, _FIX))
    return shards


def _check_clusters(clusters: object, where: str) -> None:
    counts = clusters if isinstance(clusters, dict) else {}
    lost = {name: _count(counts, name) for name in ("skipped", "failed", "partial", "running")}
    total = _count(counts, "total")
    missing = total - _count(counts, "successful")
    if any(lost.values()) or missing or not counts:
        said = ", ".join(f"{number} {name}" for name, number in lost.items() if number)
        found = f"of {total} clusters {said or f'{missing} without an answer'}"
        raise RetriableError(Code.PARTIAL_ANSWER(where, found, "an answer of every cluster", _FIX))


def _unsaid(name: str, where: str) -> SystemFailedError:
    fix = f"leave {name} in filter_path, where you have one; partial = true takes such answers"
    return SystemFailedError(Code.PARTIAL_ANSWER(where, f"an answer without {name}", _EVERY_SHARD, fix))


def _counts(table: Mapping[str, Any], name: str) -> bool:
    number = table.get(name)
    return isinstance(number, int) and not isinstance(number, bool)


def _count(table: Mapping[str, Any], name: str) -> int:
    return int(table[name]) if _counts(table, name) else 0


def _at(hit: object, path: tuple[str, ...]) -> object:
    """Walk into a hit; a name with dots in it may be one key, and a list of one is its item."""
    value = hit
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not path:
        return value
    if not isinstance(value, dict):
        return None
    for size in range(1, len(path) + 1):
        key = ".".join(path[:size])
        if key in value and (found := _at(value[key], path[size:])) is not None:
            return found
    return None


def lost_a_node(content: object, depth: int = 0) -> bool:
    """Return whether a refusal comes of a node that was lost on the way: its status is 500, yet it passes.

    >>> lost_a_node({"error": {"type": "x", "caused_by": {"type": "node_not_connected_exception"}}})
    True
    """
    if isinstance(content, list):
        return any(lost_a_node(item, depth + 1) for item in content)
    if not isinstance(content, dict) or depth > _DEEPEST:
        return False
    if isinstance(kind := content.get("type"), str) and kind in _PASSING:
        return True
    inner = ("error", "root_cause", "caused_by", "failed_shards", "reason")
    return any(lost_a_node(content.get(name), depth + 1) for name in inner)


def reason_of(content: object) -> str:
    """Return the cause that the server named, on one line.

    >>> reason_of({"error": {"type": "parsing_exception", "reason": "no [quary]"}})
    'parsing_exception: no [quary]'
    """
    error = content.get("error", content) if isinstance(content, dict) else content
    if not isinstance(error, dict):
        return printable(" ".join(str(error or "").split()))
    causes = error.get("root_cause")
    first = causes[0] if isinstance(causes, list) and causes and isinstance(causes[0], dict) else error
    parts = [first.get("type"), first.get("reason")]
    inner = first.get("caused_by")
    if isinstance(inner, dict):
        parts.append(inner.get("reason"))
    return printable(": ".join(dict.fromkeys(str(part) for part in parts if part)))


def shown(value: object) -> str:
    """Format a value by its type and content, which is cut only after secrets in it are masked.

    >>> shown(["a"])
    "list ['a']"
    """
    return printable(f"{type(value).__name__} {_WIDE.repr(value)}")


_WIDE = cut_at(20_000)
