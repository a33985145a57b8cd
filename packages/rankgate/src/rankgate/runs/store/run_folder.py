"""Runs in folders: three Parquet files a shard, and a manifest that is written last.

A shard counts once the manifest names it, so a crash leaves every earlier shard readable; what it left half
done is written over by the next shard, and otherwise ignored. A folder has one writer at a time: the
operating system lets go of its lock when the process ends, however it ends.
"""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from rankgate.errors import FormatError, InputError, Problem
from rankgate.files.atomic import digest
from rankgate.files.parquet import scan_table, write_table
from rankgate.files.problems import Problems
from rankgate.runs.store.manifest import FileEntry, Manifest, ShardEntry, unknown_fields
from rankgate.runs.store.tables import HITS, QUERIES, TEXTS, Order

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Self

    import polars as pl

    from rankgate.runs.store.tables import Shard

MANIFEST = "manifest.json"
PROBES = "probes"
"""The folder, in that of a run, of what was asked for scenarios and invariants: a run of its own."""
TRANSCRIPT = "scenarios.jsonl"
"""The file, in the folder of a run, of what the other steps of scenarios showed."""
_LOCK, _HOLDER = ".lock", ".lock.txt"
_SCHEMAS = {"queries": QUERIES, "hits": HITS, "texts": TEXTS}


Existing: TypeAlias = Literal["refuse", "resume", "replace"]
"""What to do with a run that is in the folder already."""


class RunWriter:
    """Writes a run shard by shard; nobody else writes to the folder meanwhile.

    Example::

        with RunWriter(folder, Manifest("bm25"), existing="resume") as writer:
            todo = [query for query in queries if query not in writer.done]
            writer.add(shard)

    The manifest says `finished` when the block ends without an error.
    """

    def __init__(self, folder: str | Path, manifest: Manifest, *, existing: Existing = "refuse") -> None:
        self.folder = Path(folder)
        self.done: set[str] = set()
        """The queries that are stored already."""
        self._existing = existing
        self._manifest = replace(manifest, started=manifest.started or _now(), finished=None, shards=())
        self._written: tuple[int, int] | None = None
        self._held = ExitStack()

    @property
    def manifest(self) -> Manifest:
        """The manifest as it stands in the folder."""
        return self._manifest

    def __enter__(self) -> Self:
        """Take the folder.

        Raises:
            InputError: for a folder that another run has, or that holds a run which is not this one.
        """
        with ExitStack() as held:
            held.enter_context(locked(self.folder))
            if (self.folder / MANIFEST).exists():
                self._settle_with_existing()
            for left in self.folder.glob(".*.tmp"):
                # What a crash left half written.
                left.unlink(missing_ok=True)
            self._write_manifest(self._manifest)
            self._held = held.pop_all()
        return self

    def __exit__(self, kind: object, _error: object, _trace: object) -> None:
        with self._held:
            if kind is None:
                self._write_manifest(replace(self._manifest, finished=_now()))

    def add(self, shard: Shard, *, estimated: bool = False) -> None:
        """Store a shard; when this returns it is on the disk.

        Args:
            shard: What to store.
            estimated: True where tokens in it are estimates.

        Raises:
            InputError: for queries that are stored already, and where the run was removed meanwhile.
        """
        queries = set(shard.queries["query"])
        if again := sorted(queries & self.done):
            shown = ", ".join(map(repr, again[:5]))
            raise InputError(
                Problem(str(self.folder), f"{len(again)} queries again ({shown})", "each query once")
            )
        number = len(self._manifest.shards)
        tables = {"queries": shard.queries, "hits": shard.hits, "texts": shard.texts}
        files = {}
        try:
            for name, table in tables.items():
                path = self.folder / file_name(name, number)
                write_table(table, path, _SCHEMAS[name])
                files[name] = FileEntry(table.height, digest(path))
        except (FileNotFoundError, FileExistsError, NotADirectoryError):
            self._refuse_a_lost_folder()
            raise
        manifest = self._manifest.with_shard(ShardEntry(number, **files))
        self._write_manifest(manifest.with_estimates() if estimated else manifest)
        self.done |= queries

    def _settle_with_existing(self) -> None:
        if self._existing == "refuse":
            fix = "resume it, or name another folder"
            raise InputError(Problem(str(self.folder), "a run", "an empty folder", fix))
        if self._existing == "replace":
            _clear(self.folder)
            return
        stored = StoredRun.open(self.folder)
        if different := stored.manifest.differences(self._manifest):
            found = f"a run with another {', '.join(different)}"
            fix = "ask everything anew, without resuming"
            raise InputError(Problem(str(self.folder), found, "the same run", fix))
        self._manifest = replace(stored.manifest, finished=None).with_paces(self._manifest.paces)
        for shard in stored.shards():
            self.done.update(shard.queries["query"])

    def _refuse_a_lost_folder(self) -> None:
        if self._written is not None and _identity(self.folder / MANIFEST) != self._written:
            fix = "it was removed or written over while the run was under way; run it again"
            raise InputError(Problem(str(self.folder), "another manifest or none", "that of this run", fix))

    def _write_manifest(self, manifest: Manifest) -> None:
        # Writing would make the folder anew, and then name shards that are gone.
        self._refuse_a_lost_folder()
        manifest.write(self.folder / MANIFEST)
        self._written = _identity(self.folder / MANIFEST)
        self._manifest = manifest


@dataclass(frozen=True, slots=True)
class StoredShard:
    """A shard in a folder; every look reads its file, so that memory holds only what is asked for."""

    folder: Path
    """The folder of the run."""
    entry: ShardEntry
    """What the manifest says of it."""

    @property
    def queries(self) -> pl.DataFrame:
        """One row per query."""
        return self._scan("queries", QUERIES.names).collect()

    def scan_hits(self, columns: Sequence[str]) -> pl.LazyFrame:
        """Scan these columns of the hits."""
        return self._scan("hits", columns)

    def read_texts(self) -> pl.DataFrame:
        """Read the texts."""
        return self._scan("texts", TEXTS.names).collect()

    def _scan(self, name: str, columns: Sequence[str]) -> pl.LazyFrame:
        path = self.folder / file_name(name, self.entry.number)
        return scan_table(path, _SCHEMAS[name], columns, getattr(self.entry, name).rows)


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run in a folder."""

    folder: Path
    """Where it is."""
    manifest: Manifest
    """What it says about itself."""
    notes: tuple[str, ...] = ()
    """What of it this version does not know, in words."""

    @classmethod
    def open(cls, folder: str | Path) -> Self:
        """Read the manifest of a run; its tables are read when they are asked for.

        Raises:
            FormatError: for a folder without a manifest that can be read.
        """
        path = Path(folder) / MANIFEST
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            fix = "name a folder that `rankgate run` wrote"
            raise FormatError(Problem(str(path), f"nothing readable ({error})", "a manifest", fix)) from error
        problems = Problems(str(path))
        manifest = Manifest.from_json(text, str(path), problems)
        return cls(Path(folder), manifest, unknown_fields(problems, MANIFEST))

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
        return (StoredShard(self.folder, entry) for entry in self.manifest.shards)

    def verify(self) -> None:
        """Check that every file is the one that was written.

        Raises:
            FormatError: naming the files that are missing or changed.
        """
        problems = []
        for entry in self.manifest.shards:
            for name in _SCHEMAS:
                path = self.folder / file_name(name, entry.number)
                said = getattr(entry, name).sha256
                if not path.is_file():
                    problems.append(Problem(str(path), "no such file", "the file that the manifest names"))
                elif digest(path) != said:
                    problems.append(
                        Problem(str(path), "another SHA-256", said, "the file was changed; run it again")
                    )
        if problems:
            raise FormatError(problems)


def repeat_folder(folder: Path, number: int) -> Path:
    """Return the folder, in that of a run, of the same questions asked once more, from number 2 on."""
    return folder / f"repeat-{number}"


def _clear(folder: Path) -> None:
    """Remove a run and all that belongs to it, and nothing else that may be in its folder."""
    # The manifest first: without it, what is left is no run.
    (folder / MANIFEST).unlink(missing_ok=True)
    (folder / TRANSCRIPT).unlink(missing_ok=True)
    for name in _SCHEMAS:
        for file in folder.glob(f"{name}-*.parquet"):
            file.unlink()
    for inner in (folder / PROBES, *folder.glob("repeat-*")):
        if (inner / MANIFEST).is_file() and not inner.is_symlink():
            _clear(inner)


def file_name(table: str, number: int) -> str:
    """Return the name of the file of one table of a shard."""
    return f"{table}-{number:05d}.parquet"


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_ino, found.st_mtime_ns


def _now() -> str:
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
        raise InputError(Problem(str(folder), f"a run under way ({_holder(folder)})", "none", fix)) from None
    try:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        (folder / _HOLDER).write_text(f"process {os.getpid()}, since {now}\n", encoding="utf-8")
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
