"""Runs in folders: three Parquet files a shard, and a manifest that is written last.

A shard counts once the manifest names it, so a crash leaves every earlier shard readable; what it left half
done is written over by the next shard, and otherwise ignored.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.errors import FormatError, InputError, Problem
from rankgate.files.atomic import digest, replacing
from rankgate.files.parquet import scan_table, write_table
from rankgate.runs.manifest import FileEntry, Manifest, ShardEntry
from rankgate.runs.tables import HITS, QUERIES, TEXTS, Order

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Self

    import polars as pl

    from rankgate.runs.tables import Shard

MANIFEST = "manifest.json"
_SCHEMAS = {"queries": QUERIES, "hits": HITS, "texts": TEXTS}


class RunWriter:
    """Writes a run shard by shard.

    Example::

        with RunWriter(folder, Manifest("bm25"), resume=True) as writer:
            todo = [query for query in queries if query not in writer.done]
            writer.add(shard)

    The manifest says `finished` when the block ends without an error.
    """

    def __init__(self, folder: str | Path, manifest: Manifest, *, resume: bool = False) -> None:
        self.folder = Path(folder)
        self.done: set[str] = set()
        """The queries that are stored already."""
        started = manifest.started or _now()
        self._manifest = replace(manifest, started=started, finished=None, shards=())
        if (self.folder / MANIFEST).exists():
            self._resume(resume=resume)

    @property
    def manifest(self) -> Manifest:
        """The manifest as it stands in the folder."""
        return self._manifest

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._write_manifest(self._manifest)
        return self

    def __exit__(self, kind: object, _error: object, _trace: object) -> None:
        if kind is None:
            self._write_manifest(replace(self._manifest, finished=_now()))

    def add(self, shard: Shard) -> None:
        """Store a shard; when this returns it is on the disk.

        Raises:
            InputError: for queries that are stored already.
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
        for name, table in tables.items():
            path = self.folder / _file_name(name, number)
            write_table(table, path, _SCHEMAS[name])
            files[name] = FileEntry(table.height, digest(path))
        self._write_manifest(self._manifest.with_shard(ShardEntry(number, **files)))
        self.done |= queries

    def _resume(self, *, resume: bool) -> None:
        if not resume:
            fix = "resume it, or name another folder"
            raise InputError(Problem(str(self.folder), "a run", "an empty folder", fix))
        stored = StoredRun.open(self.folder)
        if different := stored.manifest.differences(self._manifest):
            found = f"a run with another {', '.join(different)}"
            raise InputError(Problem(str(self.folder), found, "the same run", "name another folder"))
        self._manifest = replace(stored.manifest, finished=None)
        for shard in stored.shards():
            self.done.update(shard.queries["query"])

    def _write_manifest(self, manifest: Manifest) -> None:
        with replacing(self.folder / MANIFEST) as aside:
            aside.write_text(manifest.to_json(), encoding="utf-8")
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
        """Promise these columns of the hits."""
        return self._scan("hits", columns)

    def read_texts(self) -> pl.DataFrame:
        """Read the texts."""
        return self._scan("texts", TEXTS.names).collect()

    def _scan(self, name: str, columns: Sequence[str]) -> pl.LazyFrame:
        path = self.folder / _file_name(name, self.entry.number)
        return scan_table(path, _SCHEMAS[name], columns, getattr(self.entry, name).rows)


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run in a folder."""

    folder: Path
    """Where it is."""
    manifest: Manifest
    """What it says about itself."""

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
        return cls(Path(folder), Manifest.from_json(text, str(path)))

    @property
    def name(self) -> str:
        """The name of the system."""
        return self.manifest.system

    @property
    def order(self) -> Order:
        """Where the order of the rankings comes from."""
        return self.manifest.order

    def shards(self) -> Iterator[StoredShard]:
        """Go through the shards."""
        return (StoredShard(self.folder, entry) for entry in self.manifest.shards)

    def verify(self) -> None:
        """Check that every file is the one that was written.

        Raises:
            FormatError: naming the files that are missing or changed.
        """
        problems = []
        for entry in self.manifest.shards:
            for name in _SCHEMAS:
                path = self.folder / _file_name(name, entry.number)
                said = getattr(entry, name).sha256
                if not path.is_file():
                    problems.append(Problem(str(path), "no such file", "the file that the manifest names"))
                elif digest(path) != said:
                    problems.append(
                        Problem(str(path), "another SHA-256", said, "the file was changed; run it again")
                    )
        if problems:
            raise FormatError(problems)


def _file_name(table: str, number: int) -> str:
    return f"{table}-{number:05d}.parquet"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
