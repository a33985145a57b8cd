"""The file of a baseline: a line that says who answered, and one a query, so that a diff shows what changed.

Queries come in the order of their ids. Scores, texts and latencies are left out: they change where no ranking
does. Above `MOST_LINES` queries or `MOST_HITS` hits the file has its first line only, and a folder beside it
the rest, in Parquet. Of what was asked several times every ranking is kept; one that is the same each time is
written once.
"""

from __future__ import annotations

import codecs
import json
import re
import shutil
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import polars as pl

from rankgate.errors import Code, FormatError, InputError, Problem
from rankgate.files.atomic import digest, replacing
from rankgate.files.compressed import read_start
from rankgate.files.decoder import LineDecoder, Name
from rankgate.files.objects import parse_json, read_objects, stream_objects
from rankgate.files.parquet import read_table, write_table
from rankgate.files.problems import Problems
from rankgate.files.schema import Schema, TableColumn
from rankgate.model.answers import Answer
from rankgate.model.fingerprints import canonical_json
from rankgate.runs.baseline import About, Baseline, BaselineQuery, Filters
from rankgate.runs.formats.jsonl import RunReader
from rankgate.runs.store.manifest import Manifest, unknown_fields
from rankgate.runs.store.places import FILE as PLACES_FILE
from rankgate.runs.store.places import Place, place_lines, read_place, read_places, write_places
from rankgate.runs.store.run_folder import StoredRun, repeat_folder
from rankgate.runs.store.run_writer import RunWriter
from rankgate.runs.store.schemas import HITS
from rankgate.runs.store.tables import MemoryRun, Shard

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from rankgate.model.placing import KeptLines
    from rankgate.runs.store.tables import Run

VERSION = 2
MOST_LINES = 5000  # queries; more are written as Parquet
MOST_HITS = 500_000  # as many queries with 100 hits each have; nobody reads a line of a million hits
_HEAD = ("baseline", "rankings", "asked", "places")
_HIT_KEYS = ("id", "path", "start", "end", "tokens", "start_char", "end_char", "copies")
_ASKED = Schema(
    "asked",
    (
        TableColumn("query", pl.String()),
        TableColumn("text", pl.String()),
        TableColumn("filters", pl.String()),
        TableColumn("relevant", pl.List(pl.String()), nullable=True),
        TableColumn("unstable", pl.Boolean(), nullable=True),
    ),
)
_ASKED_FILE = "asked.parquet"
_NO_FILTERS = canonical_json({})


def write_baseline(path: Path, baseline: Baseline) -> None:
    """Write a baseline, a large one in Parquet; equal ones are written as equal bytes.

    Raises:
        InputError: for a run in which the system failed to answer.
    """
    every = [shard.queries for run in (baseline.run, *baseline.repeats) for shard in run.shards()]
    statuses = pl.concat([queries.select("query", "status") for queries in every])
    failed = statuses.filter(pl.col("status") != Answer.OK.value)["query"].unique().sort().to_list()
    if failed:
        shown = ", ".join(failed[:5])
        fix = "run it again when the system answers; a baseline with missing answers would let an outage pass"
        found = f"{len(failed)} queries without an answer ({shown})"
        raise InputError(Code.MISSING_ANSWERS(str(path), found, "an answer to every query", fix))
    head: dict[str, Any] = {"baseline": VERSION, **_given(asdict(baseline.about))}
    beside = rankings_folder(path)
    hits = sum(int(queries["hits"].sum()) for queries in every)
    large = len(baseline.asked) > MOST_LINES or hits > MOST_HITS
    if large:
        head["rankings"] = beside.name
        _write_folder(beside, baseline, baseline.run)
        for number, run in enumerate(baseline.repeats, 2):
            _write_folder(repeat_folder(beside, number), baseline, run)
        _write_asked(beside / _ASKED_FILE, baseline)
        head["asked"] = digest(beside / _ASKED_FILE)
        if baseline.places:
            head["places"] = digest(write_places(beside, baseline.places))
    with replacing(path) as aside, aside.open("w", encoding="utf-8", newline="\n") as file:
        file.write(canonical_json(head) + "\n")
        for line in () if large else chain(_lines(baseline), place_lines(baseline.places)):
            file.write(canonical_json(line) + "\n")
    if not large:
        shutil.rmtree(beside, ignore_errors=True)


def read_baseline(path: Path) -> Baseline:
    """Read a baseline.

    Raises:
        FormatError: with all that is wrong with the file.
    """
    problems = Problems(str(path))
    lines = read_objects(path, problems)
    head, about = _head(lines, problems)
    if {"rankings", "asked"} & {*head}:
        problems.check()
        beside = rankings_folder(path)
        _check_digest(beside / _ASKED_FILE, head.get("asked"))
        _check_digest(beside / PLACES_FILE, head.get("places"))
        return _read_folder(beside, about, unknown_fields(problems, path.name))
    asked: dict[str, BaselineQuery] = {}
    places: dict[Place, KeptLines] = {}
    readers = [RunReader(problems) for _ in range(about.times or 1)]
    for line, found in lines:
        if "query" in found or "path" not in found:
            _read_line(found, line, readers, asked)
        elif (place := read_place(found, line, problems)) is not None:
            places[place[0]] = place[1]
    problems.check()
    shards = [reader.shard() for reader in readers]
    notes = unknown_fields(problems, path.name)
    run, *repeats = (MemoryRun(about.system, (shard,), notes=notes) for shard in shards)
    return Baseline(about, asked, run, tuple(repeats), places)


def read_head(path: Path) -> About:
    """Read what a baseline says about itself, and none of its rankings.

    Raises:
        FormatError: for a file that is no baseline, or one of another version.
    """
    problems = Problems(str(path))
    _, about = _head(stream_objects(path, problems), problems)
    problems.check()
    return about


def is_baseline(path: Path) -> bool:
    """Return whether a file is a baseline, of whatever version and however damaged, by its first line.

    What is taken for one and cannot be read is refused in words; a run never begins with such a line.
    """
    if not path.is_file():
        return False
    start = read_start(path).removeprefix(codecs.BOM_UTF8).lstrip()
    line, _, _ = start.partition(b"\n")
    try:
        found = parse_json(line)
    except (ValueError, RecursionError):
        return re.match(rb'\{\s*"baseline"\s*:', line) is not None
    return isinstance(found, dict) and "baseline" in found and "query" not in found


def _head(lines: Iterator[tuple[str, dict[str, Any]]], problems: Problems) -> tuple[dict[str, Any], About]:
    """Read the first line of a baseline."""
    where, head = next(lines, (problems.where, {}))
    if head.get("baseline") != VERSION:
        problems.check()
        found = f"a baseline of version {head['baseline']!r}" if "baseline" in head else "something else"
        fix = "make one with this version: rankgate baseline set"
        raise FormatError(Code.NEWER_VERSION(where, found, f"version {VERSION}", fix))
    said = {name: value for name, value in head.items() if name not in _HEAD}
    about: About | None = LineDecoder(where, problems).read(said, About)
    return head, about or About("", "")


def rankings_folder(path: Path) -> Path:
    """Return the folder beside a baseline that holds the rankings of a large one."""
    return path.with_suffix(".rankings")


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    given = {key: value for key, value in values.items() if value is not None}
    if "copies" in given:
        given["copies"] = [_given(one) for one in given["copies"]]
    return given


def _lines(baseline: Baseline) -> Iterator[dict[str, Any]]:
    every = [_hits(run) for run in (baseline.run, *baseline.repeats)]
    for query, asked in sorted(baseline.asked.items()):
        hits, *again = (found.get(query, []) for found in every)
        line: dict[str, Any] = {"query": query, "asked": asked.text, "hits": hits}
        if asked.filters:
            line["filters"] = asked.filters
        if asked.relevant:
            line["relevant"] = asked.relevant
        if asked.unstable:
            line["unstable"] = True
        if any(one != hits for one in again):
            line["repeats"] = again
        yield line


def _hits(run: Run) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for shard in run.shards():
        rows = shard.scan_hits(("query", "rank", *_HIT_KEYS)).sort("query", "rank").collect()
        for query, rank, *values in rows.iter_rows():
            hit = _given(dict(zip(_HIT_KEYS, values, strict=True)))
            hits = found.setdefault(query, [])
            hits.append(hit["id"] if hit.keys() == {"id"} else hit)
            if rank != len(hits):
                where = f"{run.name}: query {query!r}"
                raise FormatError(Problem(where, f"rank {rank}", f"rank {len(hits)}, without gap or repeat"))
    return found


def _write_folder(folder: Path, baseline: Baseline, run: Run) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    manifest = Manifest(baseline.about.system, corpus=baseline.about.corpus, k=baseline.about.k)
    with RunWriter(folder, manifest) as writer:
        for shard in run.shards():
            queries = shard.queries.with_columns(latency_ms=pl.lit(None, pl.Float64), attempts=pl.lit(1))
            hits = shard.scan_hits(HITS.names).collect()
            hits = hits.with_columns(score=pl.lit(None, pl.Float64), text=pl.lit(None, pl.String))
            writer.add(Shard.of(queries, hits))


def _write_asked(path: Path, baseline: Baseline) -> None:
    rows = [
        (query, one.text, canonical_json(one.filters), [*one.relevant], one.unstable or None)
        for query, one in sorted(baseline.asked.items())
    ]
    write_table(_ASKED.of_rows(rows), path, _ASKED)


def _read_folder(folder: Path, about: About, notes: tuple[str, ...]) -> Baseline:
    again = (repeat_folder(folder, number) for number in range(2, (about.times or 1) + 1))
    run, *repeats = (StoredRun.open(one) for one in (folder, *again))
    for one in (run, *repeats):
        one.verify()
    problems = Problems(str(folder / _ASKED_FILE))
    asked: dict[str, BaselineQuery] = {}
    path = str(folder / _ASKED_FILE)
    for query, text, written, relevant, unstable in read_table(path, _ASKED).iter_rows():
        if query in asked:
            problems.add(Code.REPEATED(f"{path}: {query}", f"{query!r} again", "each query once"))
        filters = {} if written == _NO_FILTERS else _written_filters(written, f"{path}: {query}", problems)
        asked[query] = BaselineQuery(text, filters, tuple(relevant or ()), bool(unstable))
    problems.check()
    for one in (run, *repeats):
        _check_answers(one, asked)
    noted = replace(run, notes=(*notes, *run.notes))
    return Baseline(about, asked, noted, tuple(repeats), read_places(folder))


def _check_answers(run: StoredRun, asked: Mapping[str, BaselineQuery]) -> None:
    """Check that every query has its ranking: a manifest without a shard would say that nothing was found."""
    missing = asked.keys() - {query for shard in run.shards() for query in shard.queries["query"].to_list()}
    if missing:
        found = f"no ranking for {len(missing)} of {len(asked)} queries ({', '.join(sorted(missing)[:5])})"
        fix = "the file was changed; fetch it again"
        raise FormatError(
            Code.DAMAGED_FILE(str(run.folder), found, "one for every query of the baseline", fix)
        )


def _check_digest(path: Path, said: object) -> None:
    """Check that a table is the one that was written; the first baselines do not tell its hash."""
    if said is not None and path.is_file() and digest(path) != said:
        fix = "the file was changed; fetch it again"
        raise FormatError(Code.DAMAGED_FILE(str(path), "another SHA-256", str(said), fix))


def _written_filters(written: str, where: str, problems: Problems) -> Filters:
    try:
        found = json.loads(written)
    except (ValueError, RecursionError):
        found = None
    return _filters(found, where, problems)


def _filters(found: object, where: str, problems: Problems) -> Filters:
    decoder = LineDecoder(where, problems)
    fitting: tuple[Filters, ...] = decoder.fitting(found, [Filters])
    if not fitting:
        decoder.wrong(found, "a mapping of texts, or of lists of texts", "filters")
    return fitting[0] if fitting else {}


@dataclass(frozen=True, slots=True)
class _Line:
    """One query of a baseline that is written as lines, beside its hits."""

    query: Name
    asked: Name
    filters: object = field(default_factory=dict)
    relevant: tuple[str, ...] = ()
    unstable: bool = False


def _read_line(
    found: dict[str, Any], where: str, readers: Sequence[RunReader], asked: dict[str, BaselineQuery]
) -> None:
    problems = readers[0].problems
    others = {name: value for name, value in found.items() if name not in ("hits", "repeats")}
    line: _Line | None = LineDecoder(where, problems).read(others, _Line)
    if line is None:
        return
    if line.query in asked:
        problems.add(Code.REPEATED(where, f"{line.query!r} again", "each query once"))
    if found.get("hits") is None:
        problems.add(Problem(where, "no hits", "a list of hits, [] where none was found"))
    filters = _filters(line.filters, where, problems)
    asked[line.query] = BaselineQuery(line.asked, filters, line.relevant, line.unstable)
    again = found.get("repeats", [found.get("hits")] * (len(readers) - 1))
    if not isinstance(again, list) or len(again) != len(readers) - 1:
        problems.add(Problem(f"{where}: repeats", repr(again)[:80], f"{len(readers) - 1} lists of hits"))
        return
    for reader, hits in zip(readers, (found.get("hits"), *again), strict=True):
        reader.read({"query": line.query, "hits": hits}, where)
