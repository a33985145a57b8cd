"""Shards of a run as another machine reads them: from the store, from the same folder, or from memory.

Tables that stand in a store are fetched by whoever reads them, and only those of its own shards. A folder
must be at the same path everywhere. What was read into memory is sent as it is.
"""

from __future__ import annotations

import socket
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError
from rankgate.runs.formats.parquet import ParquetRun
from rankgate.runs.store.run_folder import StoredShard

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.runs.store.tables import RunShard


@dataclass(frozen=True, slots=True)
class SentShards:
    """Shards that are read on another machine."""

    shards: tuple[RunShard, ...]
    """The shards, as they are known here."""

    @classmethod
    def of(cls, shards: Sequence[RunShard]) -> SentShards:
        """Find where others can read shards of one run."""
        sent = tuple(
            replace(one, folder=one.folder.absolute()) if isinstance(one, StoredShard) else one
            for one in shards
        )
        return cls(sent)

    @contextmanager
    def opened(self) -> Iterator[tuple[RunShard, ...]]:
        """Make the hits of the shards readable here for a while; what is not there is an error."""
        stored = [one for one in self.shards if isinstance(one, StoredShard)]
        lists = [one.files for one in self.shards if isinstance(one, ParquetRun)]
        read = {*(one.folder for one in stored), *(file for files in lists for file in files)}
        for path in sorted(path for path in read if not path.exists()):
            fix = "put it on a disk that all share"
            where, expected = (
                f"{path} on {socket.gethostname()}",
                "the run at the same path on every machine",
            )
            raise InputError(Code.NO_SUCH_FILE(where, "no such file or folder", expected, fix))
        yield self.shards
