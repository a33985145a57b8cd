"""Where the answers of a run that is under way are kept: in memory, or in a folder that can be resumed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankgate.errors import InputError, Problem
from rankgate.files.atomic import replacing
from rankgate.runs.store import MANIFEST, RunWriter, StoredRun
from rankgate.runs.tables import MemoryRun
from rankgate.runs.tokens import ESTIMATE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import Self

    from rankgate.runs.manifest import Manifest
    from rankgate.runs.tables import Shard


class KeptInMemory:
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
        """Tell which questions are to be asked: all."""
        return set(ids)

    def add(self, shard: Shard, *, estimated: bool) -> None:
        """Take a shard."""
        self._shards.append(shard)
        self._estimated |= estimated

    def run(self) -> MemoryRun:
        """Give the run."""
        notes = [f"tokens estimated as {ESTIMATE}"] if self._estimated else []
        return MemoryRun(self._manifest.system, self._shards, notes=notes, order=self._manifest.order)


class KeptInFolder:
    """Writes each shard as it comes; what the folder has already is not asked again."""

    def __init__(self, folder: Path, manifest: Manifest, *, resume: bool) -> None:
        if resume and (folder / MANIFEST).exists():
            # Who counted the tokens was found out by the run itself, so it is no difference from it.
            stored = StoredRun.open(folder).manifest
            manifest = replace(manifest, tokens=stored.tokens, estimated=stored.estimated)
        self._writer = RunWriter(folder, manifest, resume=resume)

    def __enter__(self) -> Self:
        self._writer.__enter__()
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._writer.__exit__(kind, error, trace)

    def missing(self, ids: Sequence[str]) -> set[str]:
        """Tell which questions are not stored.

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
        """Store a shard; when this returns it is on the disk."""
        if estimated and not self._writer.manifest.estimated:
            self._mark_estimated()
        self._writer.add(shard)

    def run(self) -> StoredRun:
        """Open what was written."""
        return StoredRun.open(self._writer.folder)

    def _mark_estimated(self) -> None:
        # Before the first estimate is stored, so that no crash leaves one unmarked.
        folder = self._writer.folder
        manifest = replace(self._writer.manifest, tokens=ESTIMATE, estimated=True)
        with replacing(folder / MANIFEST) as aside:
            aside.write_text(manifest.to_json(), encoding="utf-8")
        self._writer = RunWriter(folder, manifest, resume=True)
