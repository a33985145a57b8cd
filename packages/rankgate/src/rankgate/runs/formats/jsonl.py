"""Runs as JSON lines, one query a line: query, status, error, attempts, latency_ms, tokens, hits."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from rankgate.errors import Code
from rankgate.io.problems import Problems
from rankgate.io.records import Count, Name, Total, known_fields, read_objects, validated
from rankgate.locations import is_path
from rankgate.runs.store.columns import text_hash
from rankgate.runs.store.schemas import HITS, QUERIES, TEXTS
from rankgate.runs.store.tables import MemoryRun, Shard

_LINES = re.compile(r"(\d{1,10})(?:-(\d{1,10}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class _CopyLine:
    """One of several places of a hit."""

    id: str | None = None
    path: str | None = None
    start: Count | None = None
    end: Count | None = None
    start_char: Count | None = None
    end_char: Count | None = None


@dataclass(frozen=True, slots=True)
class HitLine:
    """One hit of a line; for short, its id may stand for it."""

    id: str | None = None
    path: str | None = None
    start: Count | None = None
    end: Count | None = None
    lines: str | tuple[Count, ...] | None = None
    """The same as start and end: ``"10-50"``, ``"10"`` or ``[10, 50]``."""
    score: float | None = None
    text: str | None = None
    tokens: Count | None = None
    start_char: Count | None = None
    end_char: Count | None = None
    copies: tuple[_CopyLine, ...] = ()
    fields: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class _QueryLine:
    """One line: a query and its hits."""

    query: Name
    status: str = "ok"
    error: str | None = None
    attempts: Count = 1
    latency_ms: float | None = None
    tokens: Total | None = None
    hits: tuple[HitLine, ...] = ()


def read_jsonl_run(path: str | Path) -> MemoryRun:
    """Read a run, one query a line. A hit is an object or, for short, its id; the order is the one returned.

    Raises:
        FormatError: with all that is wrong with the file.
    """
    path = Path(path)
    reader = RunReader(Problems(str(path)))
    for where, found in read_objects(path, reader.problems):
        reader.read(found, where)
    reader.problems.check()
    shard = reader.shard()
    ignored = sorted(reader.problems.ignored.items())
    notes = [f"field {key!r} ignored {'once' if count == 1 else f'{count} times'}" for key, count in ignored]
    return MemoryRun(path.name.split(".")[0], (shard,), notes=notes)


class RunReader:
    """Gathers the rows of the three tables, line by line."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        """What is wrong with the file."""
        self._queries: list[tuple[object, ...]] = []
        self._hits: list[tuple[object, ...]] = []
        self._texts: dict[str, str] = {}

    def shard(self) -> Shard:
        """Return the tables.

        Raises:
            FormatError: with all that is wrong with them.
        """
        queries = pl.DataFrame(self._queries, schema=QUERIES.types, orient="row")
        texts = TEXTS.of_rows(list(self._texts.items()))
        return Shard.of(queries, HITS.of_rows(self._hits), texts, where=self.problems.where)

    def read(self, found: dict[str, Any], where: str) -> None:
        """Read one line."""
        if isinstance(hits := found.get("hits"), list):
            # To validate the hits together with their line is faster than to validate each alone.
            found = {**found, "hits": list(_objects(hits, where, self.problems))}
        line: _QueryLine | None = validated(found, _QueryLine, where, self.problems)
        if line is None:
            return
        cost = (line.attempts, line.latency_ms, line.tokens, len(line.hits))
        self._queries.append((line.query, line.status or "ok", line.error, *cost, None, None))
        for rank, each in enumerate(line.hits, 1):
            hit = _with_ends(each, f"{where}: hits[{rank - 1}]", self.problems)
            name = None if hit.text is None else text_hash(hit.text)
            if name is not None and hit.text is not None:
                self._texts[name] = hit.text
            self._hits.append((line.query, rank, *_row(hit, name)))


def _row(hit: HitLine, text: str | None) -> tuple[object, ...]:
    """Return the row of a hit behind query and rank; a path that is none is kept as it was given."""
    location: tuple[object, ...] = (hit.id, hit.path, hit.start, hit.end)
    given = None
    sane = hit.start is None if hit.end is None else 1 <= (hit.start or 0) <= hit.end
    if hit.path is not None and sane and not is_path(hit.path):
        given = {"path": hit.path, "start": hit.start, "end": hit.end}
        location = (hit.path if hit.id is None else hit.id, None, None, None)
    placed = (hit.start_char, hit.end_char, None, None, given, [*map(asdict, hit.copies)] or None)
    fields = None if hit.fields is None else json.dumps(hit.fields)
    return (*location, hit.score, text, hit.tokens, *placed, fields)


def _objects(hits: Sequence[object], where: str, problems: Problems) -> Iterator[object]:
    """Return the hits of a line as objects with known keys; a text is an id."""
    for number, hit in enumerate(hits):
        if isinstance(hit, str):
            yield {"id": hit}
        elif isinstance(hit, dict):
            yield known_fields(hit, HitLine, where, problems)
        else:
            said = f"{where}: hits[{number}]: a hit should be an id or an object."
            problems.add(Code.WRONG_VALUE(where, said, "", "", said))
            yield {}


def _with_ends(hit: HitLine, where: str, problems: Problems) -> HitLine:
    """Fill in the ends of lines and characters that a hit gives in another form."""
    if hit.lines is not None:
        hit = _with_lines(hit, where, problems)
    elif hit.start is not None and hit.end is None:
        hit = replace(hit, end=hit.start)
    if hit.start_char is not None and hit.end_char is None and hit.text is not None:
        hit = replace(hit, end_char=hit.start_char + len(hit.text))
    return hit


def _with_lines(hit: HitLine, where: str, problems: Problems) -> HitLine:
    """Read lines in any of the forms that a system may return."""
    lines = hit.lines
    if isinstance(lines, str) and (found := _LINES.fullmatch(lines)):
        lines = (int(found[1]), int(found[2] or found[1]))
    if not isinstance(lines, tuple) or len(lines) != 2 or (hit.start, hit.end) != (None, None):
        said = f"{where}: `lines` should be '10-50', '10' or [10, 50], without start and end."
        problems.add(Code.WRONG_VALUE(where, said, "", "", said))
        return hit
    return replace(hit, start=lines[0], end=lines[1])
