"""Answers packed into the tables of a shard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.runs.asking import failed
from rankgate.runs.tables import QUERIES, Shard

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.runs.asking import Asked
    from rankgate.runs.tables import TextLevel


def packed(asked: Sequence[Asked], texts: TextLevel) -> Shard:
    """Make the tables. An answer that they cannot hold becomes an error of its question alone."""
    try:
        return _tables(asked, texts)
    except Exception:  # noqa: BLE001 - a system's hits may hold anything; the next line finds whose they are
        return _tables([_storable(one) for one in asked], texts)


def _tables(asked: Sequence[Asked], texts: TextLevel) -> Shard:
    queries: dict[str, Sequence[object]] = {
        "query": [one.id for one in asked],
        "status": [one.status.value for one in asked],
        "error": [one.error for one in asked],
        "attempts": [one.attempts for one in asked],
        "latency_ms": [one.latency_ms for one in asked],
        "tokens": [one.ranking.tokens for one in asked],
        "hits": [len(one.ranking.hits) for one in asked],
    }
    return Shard.of_answers(QUERIES.of_columns(queries), {one.id: one.ranking for one in asked}, texts)


def _storable(asked: Asked) -> Asked:
    try:
        _tables([asked], "none")
    except Exception as error:  # noqa: BLE001 - as above
        return failed(asked.id, error, asked.attempts)
    return asked
