"""The tables of stored runs, without what differs whenever a system is asked: times, latency and attempts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rankgate.runs.store.run_folder import StoredRun
from rankgate.runs.store.schemas import HITS, QUERIES

if TYPE_CHECKING:
    from pathlib import Path

_VARYING = {"latency_ms", "attempts"}


def run_tables(folder: Path) -> dict[str, pl.DataFrame]:
    """Return queries, hits and texts of a run, each in one order, whatever the shards are."""
    shards = list(StoredRun.open(folder).shards())
    queries = pl.concat([one.queries for one in shards])
    return {
        "queries": queries.select(name for name in QUERIES.names if name not in _VARYING).sort("query"),
        "hits": pl.concat([one.scan_hits(HITS.names).collect() for one in shards]).sort("query", "rank"),
        "texts": pl.concat([one.read_texts() for one in shards]).unique().sort("hash"),
    }


def differing(one: Path, other: Path) -> list[str]:
    """Return the names of the tables that are not equal in two runs."""
    here, there = run_tables(one), run_tables(other)
    return [name for name, table in here.items() if not table.equals(there[name])]
