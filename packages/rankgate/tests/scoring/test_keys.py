"""Large runs are joined by keys of ids and paths, and score as they do by strings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from rankgate.runs.store import keys
from rankgate.runs.store.manifest import Manifest
from rankgate.runs.store.run_folder import RunView, StoredRun
from rankgate.runs.store.run_writer import RunWriter
from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.evaluate import score
from rankgate.truth.judgments.table import Judgments

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.runs.store.tables import Run

METRICS = ("ndcg@10", "rr", "p@5", "r@10", "ap", "judged@10")


def hits(queries: int, rng: np.random.Generator, *, located: bool) -> pl.DataFrame:
    """Draw 20 hits a query among few documents, which other queries have, too."""
    rows = queries * 20
    documents = pl.Series(rng.integers(0, 60, rows)).cast(pl.String)
    named = "docs/" + documents + ".md" if located else "d" + documents
    start = rng.integers(1, 100, rows).astype(np.uint32)
    lines = {"start": start, "end": start + 9} if located else {}
    return pl.DataFrame(
        {
            "query": [f"q{number}" for number in range(queries) for _ in range(20)],
            "rank": np.tile(np.arange(1, 21, dtype=np.uint32), queries),
            ("path" if located else "id"): named,
            **lines,
        }
    )


def judgments(queries: int, rng: np.random.Generator, *, located: bool) -> Judgments:
    rows = queries * 6
    documents = pl.Series(rng.integers(0, 60, rows)).cast(pl.String)
    start = rng.integers(1, 100, rows).astype(np.uint32)
    place = {"path": "docs/" + documents + ".md", "start": start, "end": start + 30}
    targets = pl.DataFrame(
        {
            "query": [f"q{number}" for number in range(queries) for _ in range(6)],
            **(place if located else {"id": "d" + documents}),
            "grade": rng.integers(0, 4, rows).astype(float),
        }
    )
    names = ["query", "path", "start"] if located else ["query", "id"]
    return Judgments.of(targets.unique(names, maintain_order=True))


def stored(folder: Path, tables: list[pl.DataFrame]) -> StoredRun:
    with RunWriter(folder, Manifest("drawn")) as writer:
        for table in tables:
            writer.add(_shard(table))
    return StoredRun.open(folder)


def _shard(table: pl.DataFrame) -> Shard:
    return Shard.of(table.select("query").unique(maintain_order=True), table)


def in_memory(tables: list[pl.DataFrame]) -> Run:
    return MemoryRun("drawn", [_shard(table) for table in tables])


def values(judged: Judgments, run: Run) -> list[tuple[object, ...]]:
    return score(judged, run, METRICS).frame().sort("query").rows()


def shards(*, located: bool, rng: np.random.Generator) -> list[pl.DataFrame]:
    """Draw a large shard of 40 queries, and a small one of 5."""
    every = hits(45, rng, located=located)
    return [every[:800], every[800:]]


@pytest.mark.parametrize("located", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_a_run_with_keys_scores_as_its_strings_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, *, located: bool
) -> None:
    monkeypatch.setattr(keys, "KEYED_ROWS", 500)
    rng = np.random.default_rng(seed)
    tables, judged = shards(located=located, rng=rng), judgments(45, rng, located=located)
    run = stored(tmp_path / "run", tables)
    large, small = run.shards()
    assert large.scan_keys(["id_key"]) is not None
    assert small.scan_keys(["id_key"]) is None
    assert values(judged, run) == values(judged, in_memory(tables))


@pytest.mark.parametrize("located", [False, True])
def test_two_names_with_one_key_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, located: bool
) -> None:
    """With keys cut to four bits nearly every hit has the key of some target, stored or made anew."""
    rng = np.random.default_rng(7)
    tables, judged = shards(located=located, rng=rng), judgments(45, rng, located=located)
    expected = values(judged, in_memory(tables))
    whole = keys._key
    monkeypatch.setattr(keys, "_key", lambda name: whole(name) % 16)
    monkeypatch.setattr(keys, "KEYED_ROWS", 500)
    keys.probe.cache_clear()
    run = stored(tmp_path / "run", tables)
    assert next(run.shards()).scan_keys(["id_key"]) is not None
    assert values(judged, run) == expected
    assert values(judged, in_memory(tables)) == expected
    keys.probe.cache_clear()


def test_keys_that_are_made_otherwise_today_are_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keys, "KEYED_ROWS", 500)
    rng = np.random.default_rng(7)
    tables, judged = shards(located=False, rng=rng), judgments(45, rng, located=False)
    run = stored(tmp_path / "run", tables)
    whole = keys._key
    monkeypatch.setattr(keys, "_key", lambda name: whole(name) ^ 1)
    keys.probe.cache_clear()
    assert next(run.shards()).scan_keys(["id_key"]) is None
    assert values(judged, run) == values(judged, in_memory(tables))
    keys.probe.cache_clear()


def test_queries_that_have_another_name_today_are_joined_by_strings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    monkeypatch.setattr(keys, "KEYED_ROWS", 500)
    table = hits(40, np.random.default_rng(7), located=False)
    run = stored(tmp_path / "run", [table])
    names = pl.DataFrame({"query": ["q1", "q2"], "name": ["q2", "q1"]})
    swapped = replace(run, view=RunView(names))
    judged = Judgments.of(pl.DataFrame({"query": ["q2"], "id": [table["id"][20]], "grade": [1.0]}))
    assert score(judged, swapped, ["rr"])["rr"] == 1.0


def test_small_shards_are_written_as_before(tmp_path: Path) -> None:
    run = stored(tmp_path / "run", [hits(10, np.random.default_rng(7), located=False)])
    written = pl.read_parquet(run.folder / "hits-00000.parquet")
    assert not [name for name in written.columns if name.endswith(("_key", "_check"))]
