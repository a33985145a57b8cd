"""Runs as JSON lines, one query a line: query, status, error, attempts, latency_ms, tokens, hits."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from rankgate.errors import Problem
from rankgate.files.objects import Fields, read_objects, write_objects
from rankgate.files.problems import Problems
from rankgate.runs.tables import HITS, QUERIES, TEXTS, HoldsTexts, MemoryRun, Shard, text_hash

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.runs.tables import Run, RunShard

_QUERY_KEYS = {"query", "status", "error", "attempts", "latency_ms", "tokens", "hits"}
_HIT_KEYS = {"id", "path", "start", "end", "score", "text", "tokens", "matches"}
_HIT_COLUMNS = 8


def read_jsonl_run(path: str | Path) -> MemoryRun:
    """Read a run, one query a line. A hit is an object or, for short, its id; the order is the one returned.

    Raises:
        FormatError: with all that is wrong with the file.
    """
    path = Path(path)
    reader = _Reader(Problems(str(path)))
    for where, found in read_objects(path, reader.problems):
        reader.read(found, where)
    reader.problems.check()
    shard = Shard.of(
        pl.DataFrame(reader.queries, schema=QUERIES.types, orient="row"),
        HITS.of_rows(reader.hits),
        TEXTS.of_rows(list(reader.texts.items())),
        where=str(path),
    )
    times = {key: "once" if count == 1 else f"{count} times" for key, count in reader.unknown.items()}
    notes = [f"field {key!r} ignored {often}" for key, often in sorted(times.items())]
    return MemoryRun(path.name.split(".")[0], (shard,), notes=notes)


def write_jsonl_run(run: Run, path: str | Path) -> tuple[str, ...]:
    """Write a run, one query a line, and tell what it cannot hold."""
    lost = {"texts": 0, "scores": 0}
    write_objects(path, (line for shard in run.shards() for line in _objects(shard, lost)))
    said = {
        "texts": "texts left out: only their hashes were kept",
        "scores": "infinite scores left out: JSON has none",
    }
    return tuple(f"{count} {said[name]}" for name, count in lost.items() if count)


class _Reader:
    """Gathers the rows of the three tables."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.queries: list[tuple[object, ...]] = []
        self.hits: list[tuple[object, ...]] = []
        self.texts: dict[str, str] = {}
        self.unknown: dict[str, int] = {}

    def read(self, found: dict[str, Any], where: str) -> None:
        fields = Fields(found, where, self.problems)
        self._note(found, _QUERY_KEYS)
        query = fields.text("query", required=True) or ""
        hits = found.get("hits") or []
        if not isinstance(hits, list):
            self.problems.add(Problem(f"{where}: hits", f"{hits!r:.80}", "a list of hits"))
            hits = []
        attempts = fields.count("attempts")
        row = (
            query,
            fields.text("status") or "ok",
            fields.text("error"),
            1 if attempts is None else attempts,
        )
        cost = (fields.number("latency_ms"), fields.count("tokens", bits=64), len(hits))
        self.queries.append((*row, *cost))
        for rank, hit in enumerate(hits, 1):
            self.hits.append((query, rank, *self._hit(hit, f"{where}: hits[{rank - 1}]")))

    def _hit(self, hit: object, where: str) -> tuple[object, ...]:
        if isinstance(hit, str):
            return (hit, *(None,) * (_HIT_COLUMNS - 1))
        if not isinstance(hit, dict):
            self.problems.add(Problem(where, f"{hit!r:.80}", "an id or an object"))
            return (None,) * _HIT_COLUMNS
        self._note(hit, _HIT_KEYS)
        fields = Fields(hit, where, self.problems)
        text = fields.text("text")
        name = None if text is None else text_hash(text)
        if name is not None and text is not None:
            self.texts[name] = text
        place = (fields.text("id"), fields.text("path"), fields.count("start"), fields.count("end"))
        return (*place, fields.number("score"), name, fields.count("tokens"), fields.count("matches"))

    def _note(self, found: dict[str, Any], known: set[str]) -> None:
        for key in found.keys() - known:
            self.unknown[key] = self.unknown.get(key, 0) + 1


def _objects(shard: RunShard, lost: dict[str, int]) -> Iterator[dict[str, Any]]:
    texts = dict(shard.read_texts().iter_rows()) if isinstance(shard, HoldsTexts) else {}
    by_query: dict[str, list[dict[str, Any]]] = {}
    for row in shard.scan_hits(HITS.names).collect().iter_rows(named=True):
        hit = {key: value for key, value in row.items() if value is not None and key in _HIT_KEYS}
        if "text" in hit:
            kept = texts.get(hit.pop("text"))
            if kept is None:
                lost["texts"] += 1
            else:
                hit["text"] = kept
        if not math.isfinite(hit.get("score", 0.0)):
            del hit["score"]
            lost["scores"] += 1
        by_query.setdefault(row["query"], []).append(hit)
    for row in shard.queries.iter_rows(named=True):
        yield {**row, "hits": by_query.get(row["query"], [])}
