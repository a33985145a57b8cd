"""Where the answers of a run that is under way are kept: in memory, or in a folder that can be resumed."""

from __future__ import annotations

import errno
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rankgate.errors import InputError, Problem
from rankgate.model.wording import many
from rankgate.runs.store.manifest import ESTIMATE
from rankgate.runs.store.run_folder import RunWriter, StoredRun
from rankgate.runs.store.tables import MemoryRun

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import Self

    from rankgate.runs.store.manifest import Manifest
    from rankgate.runs.store.run_folder import Existing
    from rankgate.runs.store.tables import Shard

_FULL = {errno.ENOSPC, errno.EDQUOT}


class MemorySink:
    """Keeps shards until the run is done."""

    def __init__(self, manifest: Manifest) -> None:
        self._manifest = manifest
        self._shards: list[Shard] = []
        self._estimated = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        pass

    def missing(self, ids: Sequence[str]) -> set[str]:
        """Return the questions that are to be asked: all."""
        return set(ids)

    def add(self, shard: Shard, *, estimated: bool) -> None:
        """Add a shard."""
        self._shards.append(shard)
        self._estimated |= estimated

    def run(self) -> MemoryRun:
        """Return the run."""
        notes = [f"tokens estimated as {ESTIMATE}"] if self._estimated else []
        return MemoryRun(self._manifest.system, self._shards, notes=notes, order=self._manifest.order)


class FolderSink:
    """Writes each shard as it comes; what the folder has already is not asked again."""

    def __init__(self, folder: Path, manifest: Manifest, *, existing: Existing) -> None:
        self._writer = RunWriter(folder, manifest, existing=existing)

    def __enter__(self) -> Self:
        """Take the folder.

        Raises:
            InputError: where the disk refuses it, beside what `RunWriter` refuses.
        """
        with self._told():
            self._writer.__enter__()
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        """Write that the run is finished, where it is, and let go of the folder.

        Raises:
            InputError: where the disk refuses it.
        """
        with self._told():
            self._writer.__exit__(kind, error, trace)

    def missing(self, ids: Sequence[str]) -> set[str]:
        """Return the questions that are not stored.

        Raises:
            InputError: where others are stored, because the run is then another one.
        """
        wanted = set(ids)
        if others := sorted(self._writer.done - wanted):
            found = f"{len(others)} queries that are not asked now, such as {others[0]!r}"
            fix = "name another folder"
            raise InputError(Problem(str(self._writer.folder), found, "a run of the same queries", fix))
        return wanted - self._writer.done

    def add(self, shard: Shard, *, estimated: bool) -> None:
        """Store a shard; when this returns it is on the disk.

        Raises:
            InputError: where the disk refuses it; what was stored before is safe.
        """
        with self._told():
            self._writer.add(shard, estimated=estimated)

    def run(self) -> StoredRun:
        """Open what was written."""
        return StoredRun.open(self._writer.folder)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Raise what the disk refuses, saying what is safe all the same."""
        try:
            yield
        except OSError as error:
            done = len(self._writer.done)
            fix = "make room" if error.errno in _FULL else "see that it can be written to"
            if done:
                verb = "is" if done == 1 else "are"
                fix += f" and resume: {many(done, 'answer')} stored before {verb} safe"
            found = error.strerror or str(error)
            raise InputError(Problem(str(self._writer.folder), found, "room for the run", fix)) from error
