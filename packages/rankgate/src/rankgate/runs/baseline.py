"""Baseline files: one line of JSON per query with its results, and the anchors that relocate them.

``search.site.jsonl`` has a header and then the queries, sorted by name. A result is a string if it is nothing
but a location or an id. ``search.site.anchors.json`` has the hashes of the texts at these locations, and the
targets that they reached.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import polars as pl

from rankgate.errors import Code, FormatError, LocationError, Problem, escaped
from rankgate.io.atomic import replacing
from rankgate.io.compressed import read_start
from rankgate.io.problems import Problems
from rankgate.io.records import Count, Name, check_version, parse_json, read_objects, validated
from rankgate.io.text import read_text
from rankgate.locations import Lines, Location
from rankgate.runs.store.schemas import HITS, QUERIES
from rankgate.runs.store.tables import MemoryRun, Shard

VERSION = 1
FORMAT = "rankgate-baseline"
LIMIT = 500_000_000
"""The size of a baseline in bytes, at most."""
ANCHORS_LIMIT = 100_000_000
"""The size of a file of anchors in bytes, at most."""
Filters: TypeAlias = Mapping[str, str | tuple[str, ...]]
Place: TypeAlias = tuple[str, int | None, int | None]
"""A document, and the first and last line of a range in it; null for the whole document."""
_AGAIN = "Run `rankgate baseline set` to write it again."
_LINES = re.compile(r":([1-9][0-9]{0,9})(?:-([1-9][0-9]{0,9}))?\Z")
_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,7}\Z")
_HASH = re.compile(r"[0-9a-f]{16}")
_HEAD = re.compile(rb'\s*\{\s*"format"\s*:\s*"rankgate-baseline"')


class BaselineHit(NamedTuple):
    """A result. Equal places in two documents, or in two lines, are equal results."""

    id: str | None = None
    path: str | None = None
    start: int | None = None
    end: int | None = None
    tokens: int | None = None
    offsets: tuple[int, int] | None = None
    """The characters from the start of its first line, the end excluded."""
    answers: tuple[int, ...] = ()
    """The expected answers of the case that the text of the result gave."""
    copies: tuple[BaselineHit, ...] = ()
    """The locations of a text that occurs several times."""

    @property
    def place(self) -> Place | None:
        """The document and the lines; null for an id."""
        return None if self.path is None else (self.path, self.start, self.end)


@dataclass(frozen=True, slots=True)
class BaselineQuery:
    """A query and its results, best first."""

    text: str
    filters: Filters = field(default_factory=dict)
    hits: tuple[BaselineHit, ...] = ()
    unstable: bool = False
    """True if its results differed between two runs."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The results of a system for the queries of a suite."""

    system: str
    depth: int
    """The number of requested results."""
    queries: Mapping[str, BaselineQuery]


@dataclass(frozen=True, slots=True)
class BaselineAnchors:
    """What relocates the results of a baseline when documents have changed."""

    ranges: Mapping[Place, str] = field(default_factory=dict)
    """The hash of the text of each range."""
    reached: Mapping[Place, tuple[str, ...]] = field(default_factory=dict)
    """The relevant targets that each range or document reached, as the suite names them."""


def run_of(name: str, queries: Mapping[str, BaselineQuery]) -> MemoryRun:
    """Return results as a run."""
    every = [(query, rank, hit) for query, one in queries.items() for rank, hit in enumerate(one.hits, 1)]
    hits = [hit for *_, hit in every]
    columns: dict[str, list[Any]] = {key: [getattr(hit, key) for hit in hits] for key in _COLUMNS}
    table = HITS.of_columns(
        {
            "query": [query for query, *_ in every],
            "rank": [rank for _, rank, _ in every],
            **columns,
            "start_char": [hit.offsets and hit.offsets[0] for hit in hits],
            "end_char": [hit.offsets and hit.offsets[1] for hit in hits],
            # The answer of a case is a target with this hash.
            "text": ["" if hit.answers else None for hit in hits],
            "copies": [[_copy(copy) for copy in hit.copies] or None for hit in hits],
        }
    )
    counts = {"query": [*queries], "hits": [len(one.hits) for one in queries.values()]}
    asked = pl.DataFrame(counts, schema={"query": pl.String, "hits": pl.UInt32})
    return MemoryRun(name, [Shard.of(QUERIES.conform(asked, name), table, where=name)])


_COLUMNS = ("id", "path", "start", "end", "tokens")


def _copy(hit: BaselineHit) -> dict[str, Any]:
    first, end = hit.offsets or (None, None)
    place = {"id": hit.id, "path": hit.path, "start": hit.start, "end": hit.end}
    return {**place, "start_char": first, "end_char": end}


# --- locations -------------------------------------------------------------------------------------------


def place_text(place: Place) -> str:
    """Format a place.

    >>> place_text(("keys.md", 3, 5)), place_text(("keys.md", 3, 3)), place_text(("keys.md", None, None))
    ('keys.md:3-5', 'keys.md:3', 'keys.md')
    """
    path, start, end = place
    lines = "" if start is None else f":{start}" if start == end else f":{start}-{end}"
    return _written(path) + lines


def parse_place(text: str) -> Place:
    """Parse a place.

    Raises:
        LocationError: for anything but a path, or a path and lines.
    """
    found = _LINES.search(text)
    if found is None:
        return _path(text), None, None
    lines = Lines(int(found[1]), int(found[2] or found[1]))
    return _path(text[: found.start()]), lines.start, lines.end


@lru_cache(maxsize=1 << 16)
def _written(path: str) -> str:
    return str(Location(path=path))


@lru_cache(maxsize=1 << 16)
def _path(text: str) -> str:
    location = Location.at(text)
    if location.path is None or location != Location(path=location.path):
        raise LocationError(Problem(repr(text), "a heading or a symbol", "a path, or a path and lines"))
    return location.path


@lru_cache(maxsize=1 << 18)
def _of_string(text: str) -> BaselineHit:
    """Return the result of a string: a location if it ends with lines or an extension, or else an id."""
    if "://" in text or not (_LINES.search(text) or _EXTENSION.search(text)):
        return BaselineHit(text)
    return BaselineHit(None, *parse_place(text))


# --- baselines -------------------------------------------------------------------------------------------


def write_baseline(path: Path, baseline: Baseline) -> None:
    """Write a baseline; equal ones are written as equal bytes."""
    head = {"format": FORMAT, "version": VERSION, "system": baseline.system, "depth": baseline.depth}
    lines: list[dict[str, Any]] = [head]
    for name, query in sorted(baseline.queries.items()):
        line: dict[str, Any] = {"name": name, "query": query.text, "filters": query.filters}
        line = {key: value for key, value in line.items() if value}
        line["hits"] = [*map(_written_hit, query.hits)]
        lines.append(line | ({"unstable": True} if query.unstable else {}))
    encode = json.JSONEncoder(ensure_ascii=False).encode
    with replacing(path) as aside:
        aside.write_bytes("".join(f"{encode(line)}\n" for line in lines).encode())


def _written_hit(hit: BaselineHit) -> object:
    at = None if hit.place is None else place_text(hit.place)
    text = at or hit.id
    with suppress(LocationError):
        if text and _of_string(text) == hit:
            return text
    more = {"tokens": hit.tokens, "offsets": hit.offsets, "answers": hit.answers or None}
    given = {"at": at, "id": hit.id, **more, "copies": [*map(_written_hit, hit.copies)] or None}
    return {key: value for key, value in given.items() if value is not None}


@dataclass(frozen=True, slots=True)
class _Head:
    """The first line."""

    format: str
    version: int
    system: Name
    depth: Count


@dataclass(frozen=True, slots=True)
class _Line:
    """The line of a query."""

    name: Name
    hits: tuple[object, ...]
    query: str = ""
    filters: Filters = field(default_factory=dict)
    unstable: bool = False


@dataclass(frozen=True, slots=True)
class _Hit:
    """A result that is an object."""

    at: Name | None = None
    id: Name | None = None
    tokens: Count | None = None
    offsets: tuple[Count, Count] | None = None
    answers: tuple[Count, ...] = ()
    copies: tuple[object, ...] = ()


def read_baseline(path: Path) -> Baseline:
    """Read a baseline.

    Raises:
        FormatError: with everything that is wrong with the file.
    """
    problems = Problems(str(path))
    lines = read_objects(path, problems, limit=LIMIT)
    where, found = next(lines, (f"{path}:1", {}))
    if found.get("format") != FORMAT:
        problems.check()
        said = f'{where}: a baseline starts with {{"format": "{FORMAT}". {_AGAIN}'
        raise FormatError(Code.WRONG_BASELINE(where, "another format", "a baseline", "", said))
    check_version(where, found.get("version"), VERSION, _AGAIN)
    head: _Head | None = validated(found, _Head, where, problems)
    queries: dict[str, BaselineQuery] = {}
    for where, found in lines:
        line: _Line | None = validated(found, _Line, where, problems)
        if line is None:
            continue
        if line.name in queries:
            problems.add(Code.REPEATED(where, f"{line.name!r} again", "each query once"))
        hits = tuple(_read_hit(hit, f"{where}: hits[{at}]", problems) for at, hit in enumerate(line.hits))
        queries[line.name] = BaselineQuery(line.query, line.filters, hits, line.unstable)
    problems.check()
    assert head is not None  # noqa: S101 - or there are problems
    return Baseline(head.system, head.depth, queries)


def is_baseline(path: Path) -> bool:
    """Return whether a file has the header of a baseline, of whatever version."""
    return path.is_file() and _HEAD.match(read_start(path).removeprefix(codecs.BOM_UTF8)) is not None


def _read_hit(found: object, where: str, problems: Problems, *, inner: bool = False) -> BaselineHit:
    """Read a result; `where` is the line and the index of the result in it."""
    try:
        if isinstance(found, str) and found:
            return _of_string(found)
        if isinstance(found, dict) and not (inner and "copies" in found):
            given: _Hit = validated(found, _Hit, where, problems) or _Hit()
            copies = [
                _read_hit(one, f"{where}.copies[{at}]", problems, inner=True)
                for at, one in enumerate(given.copies)
            ]
            path, start, end = (None, None, None) if given.at is None else parse_place(given.at)
            if given.offsets is not None and given.offsets[0] > given.offsets[1]:
                problems.add(Problem(where, f"offsets {list(given.offsets)}", "the start before the end"))
            return BaselineHit(
                given.id, path, start, end, given.tokens, given.offsets, given.answers, tuple(copies)
            )
        problems.add(Problem(where, f"{found!r:.60}", "a location, an id or an object"))
    except LocationError as error:
        problems.add(replace(error.problems[0], where=where))
    return BaselineHit()


# --- anchors ---------------------------------------------------------------------------------------------


def baseline_anchors_path(baseline: Path) -> Path:
    """Return the file of anchors beside a baseline.

    >>> baseline_anchors_path(Path("baselines/search.site.jsonl")).as_posix()
    'baselines/search.site.anchors.json'
    """
    return baseline.with_suffix(".anchors.json")


def write_baseline_anchors(path: Path, anchors: BaselineAnchors) -> None:
    """Write anchors, one entry per line, sorted."""

    def entries(values: Mapping[Place, object]) -> str:
        ordered = sorted(values, key=lambda place: (place[0], place[1] or 0, place[2] or 0))
        rows = (f"  {_json(place_text(place))}: {_json(values[place])}" for place in ordered)
        return "{\n" + ",\n".join(rows) + "\n }" if values else "{}"

    reached = {place: sorted(names) for place, names in anchors.reached.items()}
    parts = {"version": str(VERSION), "ranges": entries(anchors.ranges), "reached": entries(reached)}
    text = "{\n" + ",\n".join(f' "{name}": {part}' for name, part in parts.items()) + "\n}\n"
    with replacing(path) as aside:
        aside.write_bytes(text.encode())


def read_baseline_anchors(path: Path) -> BaselineAnchors | None:
    """Read anchors; null if there is no such file.

    Raises:
        FormatError: with everything that is wrong with the file.
    """
    if not path.is_file():
        return None
    data = read_text(path, limit=ANCHORS_LIMIT)
    try:
        found = parse_json(data, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise FormatError(Code.BAD_SYNTAX(f"{path}:{line}", f"what is not JSON ({error})", "JSON")) from error
    check_version(f"{path}:1", found.get("version") if isinstance(found, dict) else None, VERSION, _AGAIN)
    problems = Problems(str(path))

    def entries(name: str, expected: str) -> Iterator[tuple[Place, Any]]:
        section = found.get(name, {})
        for key, value in section.items() if isinstance(section, dict) else [(name, section)]:
            place: Place | None = None
            with suppress(LocationError):
                place = parse_place(key)
            if name == "ranges":
                good = isinstance(value, str) and _HASH.fullmatch(value) is not None
            else:
                good = isinstance(value, list) and all(isinstance(one, str) for one in value)
            if place is not None and good:
                yield place, value
            else:
                line = 1 + data.count(b"\n", 0, max(0, data.find(_json(key).encode())))
                said = f"{path}:{line}: `{escaped(key):.80}` is not {expected}. {_AGAIN}"
                problems.add(Code.WRONG_VALUE(f"{path}:{line}", key, expected, "", said))

    ranges = dict(entries("ranges", "a range with 16 hexadecimal digits"))
    reached = {key: tuple(value) for key, value in entries("reached", "a location with a list of targets")}
    problems.check()
    return BaselineAnchors(ranges, reached)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _unique(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"{key!r:.80} twice")
        found[key] = value
    return found
