"""Runs in folders, as they are read: three Parquet files a shard, and a manifest that names them.

The rows, statuses, counts and ranks of a file are checked once in a process. A folder has one writer at a
time: the operating system releases its lock when the process ends, however it ends.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count, takewhile
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from rankgate.errors import Code, FormatError, InputError, Problem
from rankgate.io.atomic import file_state
from rankgate.io.parquet import VERSION, reading, scan_table
from rankgate.io.records import read_own
from rankgate.progress import counted_steps
from rankgate.runs.store.manifest import Manifest
from rankgate.runs.store.schemas import HITS, QUERIES, TEXTS
from rankgate.runs.store.tables import Order, checked_statuses
from rankgate.wording import shortest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Self

    from rankgate.runs.store.manifest import FileEntry, ShardEntry

MANIFEST = "manifest.json"
PROBES = "probes"
"""The folder, in that of a run, of what was asked for scenarios and invariants: a run of its own."""
TRANSCRIPT = "scenarios.jsonl"
"""The file, in the folder of a run, of what the other steps of scenarios showed."""
_LOCK, _HOLDER = ".lock", ".lock.txt"
SCHEMAS = {"queries": QUERIES, "hits": HITS, "texts": TEXTS}
"""The tables of a shard, each a file."""


@dataclass(frozen=True, slots=True)
class RunView:
    """What of a run is read: the queries that are asked today, under the ids they have today, and so deep."""

    names: pl.DataFrame | None = None
    """The queries that are read: `query`, their ids in the run, and `name`, today's; None for all."""
    depth: int | None = None
    """How many hits of each are read; None for all."""

    def of_queries(self, queries: pl.LazyFrame) -> pl.LazyFrame:
        """Take what is read of the table of queries."""
        if self.depth is not None:
            queries = queries.with_columns(pl.col("hits").clip(upper_bound=self.depth))
        return self._renamed(queries)

    def of_hits(self, hits: pl.LazyFrame) -> pl.LazyFrame:
        """Take what is read of the table of hits."""
        if self.depth is not None:
            hits = hits.filter(pl.col("rank") <= self.depth)
        return self._renamed(hits)

    def _renamed(self, table: pl.LazyFrame) -> pl.LazyFrame:
        if self.names is None:
            return table
        named = table.join(self.names.lazy(), on="query", how="inner", maintain_order="left")
        return named.with_columns(query="name").drop("name")


@dataclass(frozen=True, slots=True)
class StoredShard:
    """A shard in a folder; every look reads its file, so that memory holds only what is asked for."""

    folder: Path
    """The folder of the run."""
    entry: ShardEntry
    """What the manifest says of it."""
    view: RunView = field(default_factory=RunView, compare=False)
    """What of it is read."""

    @property
    def queries(self) -> pl.DataFrame:
        """One row per query."""
        path = self._path("queries")
        queries = self._scan("queries", QUERIES.names).collect()
        if not _is_sound(path):
            _check_queries(path, queries, self.entry.hits.rows)
        return self.view.of_queries(queries.lazy()).collect()

    def scan_hits(self, columns: Sequence[str]) -> pl.LazyFrame:
        """Scan these columns of the hits."""
        path = self._path("hits")
        renamed = [] if self.view.names is None else ["query"]
        wanted = [name for name in HITS.names if name in {*columns, *renamed, "rank"}]
        hits = scan_table(path, HITS, wanted, self.entry.hits.rows)
        if not _is_sound(path):
            _check_ranks(path, hits)
        return self.view.of_hits(hits).select(columns)

    def read_texts(self) -> pl.DataFrame:
        """Read the texts."""
        return self._scan("texts", TEXTS.names).collect()

    def _scan(self, name: str, columns: Sequence[str]) -> pl.LazyFrame:
        said: FileEntry = getattr(self.entry, name)
        return scan_table(self._path(name), SCHEMAS[name], columns, said.rows)

    def _path(self, name: str) -> Path:
        return self.folder / shard_file_name(name, self.entry.number)


_SOUND: dict[Path, tuple[int, ...]] = {}


def note_sound(path: Path) -> None:
    """Note that what a file says, as it stands there now, can be."""
    _SOUND[path.absolute()] = file_state(path)


def _is_sound(path: Path) -> bool:
    return _SOUND.get(path.absolute()) == file_state(path)


def _check_queries(path: Path, queries: pl.DataFrame, hits: int) -> None:
    checked_statuses(queries, str(path))
    if (said := queries["hits"].sum()) != hits:
        raise FormatError(
            Code.DAMAGED_FILE(str(path), f"queries with {said} hits", f"{hits}, as the manifest says")
        )
    note_sound(path)


def _check_ranks(path: Path, hits: pl.LazyFrame) -> None:
    rank = pl.col("rank")
    with reading(path):
        nulls, least = hits.select(nulls=rank.null_count(), least=rank.min()).collect().row(0)
    if nulls or least == 0:
        found = f"{nulls} hits without a rank" if nulls else "a hit of rank 0"
        raise FormatError(Problem(str(path), found, "ranks from 1 up"))
    note_sound(path)


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run in a folder."""

    folder: Path
    manifest: Manifest
    """What it says about itself."""
    notes: tuple[str, ...] = ()
    """What of it this version does not know, in words."""
    view: RunView = field(default_factory=RunView, compare=False)
    """What of it is read."""

    @classmethod
    def open(cls, folder: str | Path) -> Self:
        """Read the manifest of a run; its tables are read when they are asked for.

        Raises:
            FormatError: for a folder without a manifest that can be read.
        """
        path = shortest(Path(folder) / MANIFEST)
        manifest = read_own(path, Manifest, "run", VERSION, "Name a folder that `rankgate run` wrote.")
        return cls(Path(folder), manifest)

    @property
    def name(self) -> str:
        """The name of the system."""
        return self.manifest.system

    @property
    def order(self) -> Order:
        """Where the order of the rankings comes from."""
        return self.manifest.order

    def shards(self) -> Iterator[StoredShard]:
        """Iterate over the shards."""
        return (StoredShard(self.folder, entry, self.view) for entry in self.manifest.shards)

    def verify(self) -> None:
        """Check that each file can be read and has as many rows as the manifest says.

        Raises:
            FormatError: for the first file that has not.
        """
        for shard in counted_steps(self.shards(), "checking the files of the run", len(self.manifest.shards)):
            for name in SCHEMAS:
                shard._scan(name, ())  # noqa: SLF001 - the file's footer is read, and no column


def has_run(folder: Path) -> bool:
    """Return whether a folder holds a run."""
    return (folder / MANIFEST).is_file()


def repeat_folder(folder: Path, number: int) -> Path:
    """Return the folder, in that of a run, of the same questions asked once more, from number 2 on."""
    return folder / f"repeat-{number}"


def repeat_folders(folder: Path) -> list[Path]:
    """Return the folders of the repeats that a run has."""
    return list(takewhile(has_run, (repeat_folder(folder, number) for number in count(2))))


def clear_run(folder: Path) -> None:
    """Remove a run and all that belongs to it, and nothing else that may be in its folder."""
    # The manifest first: without it, what is left is no run.
    (folder / MANIFEST).unlink(missing_ok=True)
    (folder / TRANSCRIPT).unlink(missing_ok=True)
    for name in SCHEMAS:
        for file in folder.glob(f"{name}-*.parquet"):
            file.unlink()
    for inner in (folder / PROBES, *folder.glob("repeat-*")):
        if (inner / MANIFEST).is_file() and not inner.is_symlink():
            clear_run(inner)


def shard_file_name(table: str, number: int) -> str:
    """Return the name of the file of one table of a shard."""
    return f"{table}-{number:05d}.parquet"


def now() -> str:
    """Return the time as manifests write it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other runs out of a folder, which is made where it is not there.

    Raises:
        InputError: where another run has it, saying which process.
    """
    from filelock import FileLock, Timeout

    folder.mkdir(parents=True, exist_ok=True)
    # A second lock of the same process is another run too, so threads do not share one.
    lock = FileLock(folder / _LOCK, blocking=False, thread_local=False, is_singleton=False)
    try:
        lock.acquire()
    except Timeout:
        fix = "wait for it, or name another folder"
        raise InputError(
            Code.RUN_UNDER_WAY(str(shortest(folder)), f"a run under way ({_holder(folder)})", "none", fix)
        ) from None
    try:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        (folder / _HOLDER).write_text(f"process {os.getpid()}, since {now}\n", encoding="utf-8", newline="\n")
        yield
    finally:
        with suppress(OSError):
            (folder / _HOLDER).unlink()
        lock.release()


def _holder(folder: Path) -> str:
    try:
        return (folder / _HOLDER).read_text(encoding="utf-8")[:80].strip() or "it does not say whose"
    except (OSError, UnicodeDecodeError):
        return "it does not say whose"
