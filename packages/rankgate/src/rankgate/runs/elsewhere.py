"""Shards of a run as another machine reads them: from the store, from the same folder, or from memory.

Tables that stand in a store are fetched by whoever reads them, and only those of its own shards. A folder
must be at the same path everywhere. What was read into memory is sent as it is.
"""

from __future__ import annotations

import socket
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError
from rankgate.files.atomic import note_digest
from rankgate.files.stores.address import COPY_MARK, StoreAddress
from rankgate.runs.formats.parquet import ParquetRun
from rankgate.runs.store.run_folder import StoredShard, shard_file_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.runs.store.tables import RunShard


@dataclass(frozen=True, slots=True)
class SentShards:
    """Shards that are read on another machine."""

    shards: tuple[RunShard, ...]
    """The shards, as they are known here."""
    address: StoreAddress | None = None
    """Where their tables stand, if they stand in a store."""

    @classmethod
    def of(cls, shards: Sequence[RunShard]) -> SentShards:
        """Find where others can read shards of one run."""
        sent = tuple(
            replace(one, folder=one.folder.absolute()) if isinstance(one, StoredShard) else one
            for one in shards
        )
        stored = next((one for one in sent if isinstance(one, StoredShard)), None)
        return cls(sent, None if stored is None else _address(stored.folder))

    @contextmanager
    def opened(self) -> Iterator[tuple[RunShard, ...]]:
        """Make the hits of the shards readable here for a while; what is not there is an error."""
        stored = [one for one in self.shards if isinstance(one, StoredShard)]
        if self.address is not None:
            with tempfile.TemporaryDirectory(prefix="rankgate-store-") as made:
                yield tuple(_fetched(self.address, stored, Path(made)))
            return
        lists = [one.files for one in self.shards if isinstance(one, ParquetRun)]
        read = {*(one.folder for one in stored), *(file for files in lists for file in files)}
        for path in sorted(path for path in read if not path.exists()):
            fix = "put it on a disk that all share, or in an object store, and name its address"
            where, expected = (
                f"{path} on {socket.gethostname()}",
                "the run at the same path on every machine",
            )
            raise InputError(Code.NO_SUCH_FILE(where, "no such file or folder", expected, fix))
        yield self.shards


def _address(folder: Path) -> StoreAddress | None:
    """Return the address of a run whose folder is a copy, or of one inside it, such as a repeat."""
    for copy, inner in ((folder, ""), (folder.parent, folder.name)):
        if (copy / COPY_MARK).is_file():
            from rankgate.files.stores.copies import CopyMark

            if (mark := CopyMark.of(copy)) is not None:
                address = StoreAddress.parse(mark.address)
                return address / inner if inner else address
    return None


def _fetched(address: StoreAddress, shards: Sequence[StoredShard], folder: Path) -> Iterator[StoredShard]:
    """Fetch the tables of hits, and return the shards that have them."""
    from rankgate.corpora.cache import cache_folder
    from rankgate.files.atomic import digest
    from rankgate.files.stores.copies import at_once, fetch_kept
    from rankgate.files.stores.object_store import open_store

    store, cache = open_store(address), cache_folder() / "objects"

    def fetch(shard: StoredShard) -> None:
        said, name = shard.entry.hits, shard_file_name("hits", shard.entry.number)
        there = fetch_kept(store, name, said.sha256, folder / name, cache)
        if not there or digest(folder / name) != said.sha256:
            found = "another object" if there else "no such object"
            fix = "it was written over meanwhile: do it again"
            raise InputError(
                Code.CHANGED_MEANWHILE(str(address / name), found, "the table that the manifest names", fix)
            )
        note_digest(folder / name, said.sha256)

    at_once(fetch, shards)
    return (replace(shard, folder=folder) for shard in shards)
