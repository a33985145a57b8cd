"""Runs in object stores, as they are written: to a folder of this machine, and from there shard by shard.

Writers do not know whether the folder they write to is a copy; what it is a copy of gets every file that they
finish. Tables are written once and never changed. A manifest is replaced only where it is the one that this
writer wrote last: whoever takes a run over writes its manifest, with an epoch one higher and a token of its
own, and from then on every put of the one before is refused, however late it comes back.
"""

from __future__ import annotations

import secrets
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from rankgate.errors import Code, InputError
from rankgate.files.atomic import replacing
from rankgate.files.stores.address import COPY_MARK, is_address
from rankgate.runs.store.manifest import Manifest, WriterEpoch
from rankgate.runs.store.places import FILE as PLACES
from rankgate.runs.store.run_folder import MANIFEST, PROBES, TRANSCRIPT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankgate.files.stores.copies import CopyMark
    from rankgate.files.stores.object_store import ObjectStore, ObjectTag


class Publication(Protocol):
    """What the writer of a folder tells of what it finishes."""

    writer: WriterEpoch | None
    """Who writes, as manifests say it."""
    first_number: int
    """The first number that a shard may have."""

    def begin(self, *, whole: bool) -> None:
        """Put what is there into the folder: all of it, or the manifest alone. Nothing is written yet."""

    def put_tables(self, names: Iterable[str]) -> None:
        """Write tables of shards that are in the folder."""

    def put_manifest(self, manifest: Manifest, *, cleared: bool = False) -> None:
        """Write the manifest; what it names is there. `cleared` where it begins a run in place of another."""

    def remove(self, names: Iterable[str]) -> None:
        """Remove tables that the manifest named before and does not any more."""

    def put_transcript(self) -> None:
        """Write the transcript that is in the folder."""


class LocalFolder:
    """A folder that is no copy: what is in it is all there is."""

    writer: WriterEpoch | None = None
    first_number = 0

    def begin(self, *, whole: bool) -> None:
        """Leave it as it is."""

    def put_tables(self, names: Iterable[str]) -> None:
        """Leave them as they are."""

    def put_manifest(self, manifest: Manifest, *, cleared: bool = False) -> None:
        """Leave it as it is."""

    def remove(self, names: Iterable[str]) -> None:
        """Leave it to the writer."""

    def put_transcript(self) -> None:
        """Leave it as it is."""


def publication(folder: Path) -> Publication:
    """Return what the writer of a folder tells; for a folder that is no copy, nobody."""
    if (folder / COPY_MARK).is_file():
        return RemoteRun(folder, "")
    inner = folder.name == PROBES or folder.name.startswith("repeat-")
    return (
        RemoteRun(folder, f"{folder.name}/")
        if inner and (folder.parent / COPY_MARK).is_file()
        else LocalFolder()
    )


def fetched_or_path(path: str | Path) -> Path:
    """Return the path of a run or of a file: itself, or for an address that of a copy that is fetched."""
    if isinstance(path, str) and is_address(path):
        from rankgate.runs.store.fetched import fetched_answers

        return fetched_answers(path)
    return Path(path)


def refresh(folder: Path) -> None:
    """Put the run that is in a store, whole, into a folder that is a copy of it; another is left as it is."""
    if (folder / COPY_MARK).is_file():
        from rankgate.runs.store.fetched import fetch_copied

        fetch_copied(folder)


class RemoteRun:
    """A run in an object store, or one inside it, whose copy is written."""

    writer: WriterEpoch | None
    first_number: int

    def __init__(self, folder: Path, inner: str) -> None:
        from rankgate.files.stores.address import StoreAddress
        from rankgate.files.stores.copies import CopyMark
        from rankgate.files.stores.object_store import open_store

        self._folder, self._inner = folder, inner
        self._root = folder.parent if inner else folder
        mark = CopyMark.of(self._root)
        if mark is None:
            raise InputError(Code.DAMAGED_FILE(str(folder), "no mark", "the copy of a run"))
        self._mark: CopyMark = mark
        self._store: ObjectStore = open_store(StoreAddress.parse(mark.address))
        self._tag: ObjectTag | None = None
        self._claimed = False
        self.writer, self.first_number = None, 0

    def begin(self, *, whole: bool) -> None:
        """Put what is there into the folder, and find out which epoch this writer has.

        Raises:
            InputError: for a run inside one that another writer has taken over.
        """
        from rankgate.runs.store.fetched import fetch_tables, parsed
        from rankgate.runs.store.remote_names import SPAN, epoch_of

        found = self._store.read(self._inner + MANIFEST)
        self._tag = None if found is None else found.tag
        before = 0 if found is None else epoch_of(parsed(self._store, found))
        if self._inner:
            self._check_root(before)
            # What is of neither this writer nor the one it took over from is no part of the run.
            if found is not None and before < self._mark.before:
                found = None
        epoch = self._mark.epoch if self._inner else before + 1
        self.writer, self.first_number = WriterEpoch(epoch, secrets.token_hex(8)), epoch * SPAN
        if not self._inner:
            self._mark = replace(self._mark, epoch=epoch, token=self.writer.token, before=before)
        if found is None:
            (self._folder / MANIFEST).unlink(missing_ok=True)
        elif whole:
            fetch_tables(self._store, self._folder, self._inner, found)
        else:
            with replacing(self._folder / MANIFEST) as aside:
                aside.write_bytes(found.data)

    def _check_root(self, before: int) -> None:
        """Check that the run around this one is still ours; the manifest inside was read before."""
        from rankgate.runs.store.fetched import parsed

        root = self._store.read(MANIFEST)
        writer = None if root is None else parsed(self._store, root).writer
        if writer is None or writer.token != self._mark.token or before > self._mark.epoch:
            raise self._lost()

    def put_tables(self, names: Iterable[str]) -> None:
        """Write tables of shards that are in the folder, under names that nobody else has.

        Raises:
            InputError: where another object has one of them.
        """
        from rankgate.files.stores.copies import at_once

        at_once(lambda name: self._put_new(name, name), names)

    def _put_new(self, name: str, file: str) -> None:
        from rankgate.files.stores.object_store import TakenError

        try:
            self._store.write_new(self._inner + name, self._folder / file)
        except TakenError:
            raise self._lost() from None

    def put_manifest(self, manifest: Manifest, *, cleared: bool = False) -> None:
        """Replace the manifest that this writer wrote last, or found when it began.

        Raises:
            InputError: where another writer has taken the run over.
        """
        from rankgate.files.stores.object_store import TakenError
        from rankgate.runs.store.remote_names import places_name

        if manifest.places is not None:
            self._put_new(places_name(manifest), PLACES)
        try:
            self._tag = self._store.replace(self._inner + MANIFEST, manifest.to_json().encode(), self._tag)
        except TakenError:
            raise self._lost() from None
        if self._inner or self._claimed:
            return
        self._claimed = True
        if cleared:
            self._mark = replace(self._mark, before=self._mark.epoch)
        self._mark.write(self._root)
        self._clean(manifest, cleared=cleared)
        if not cleared:
            self._carry()

    def _carry(self) -> None:
        """Make the runs inside, which the writer before has written, part of the run under this epoch."""
        from rankgate.files.stores.object_store import TakenError
        from rankgate.runs.store.fetched import parsed
        from rankgate.runs.store.remote_names import epoch_of, inner_names

        for name in inner_names():
            found = self._store.read(f"{name}/{MANIFEST}")
            manifest = None if found is None else parsed(self._store, found)
            if found is None or manifest is None or epoch_of(manifest) != self._mark.before:
                if name != PROBES:
                    return
                continue
            ours = replace(manifest, writer=self.writer)
            try:
                self._store.replace(f"{name}/{MANIFEST}", ours.to_json().encode(), found.tag)
            except TakenError:
                raise self._lost() from None

    def _clean(self, manifest: Manifest, *, cleared: bool) -> None:
        """Remove the shards that a crash or another run left; a listing that lacks some only leaves them."""
        from rankgate.files.stores.copies import at_once
        from rankgate.runs.store.remote_names import left_over, named_files

        named = {remote for remote, _ in named_files(manifest).values()}
        epoch = self._mark.epoch
        old = [name for name in self._store.names() if left_over(name, named, epoch, inside=cleared)]
        at_once(self._store.delete, old)

    def remove(self, names: Iterable[str]) -> None:
        """Remove tables that the manifest named before and does not any more."""
        from rankgate.files.stores.copies import at_once

        at_once(self._store.delete, [self._inner + name for name in names])

    def put_transcript(self) -> None:
        """Write the transcript that is in the folder, under the epoch of the run.

        Raises:
            InputError: where this epoch has another.
        """
        from rankgate.runs.store.remote_names import transcript_name

        self._put_new(transcript_name(self._mark.epoch), TRANSCRIPT)

    def _lost(self) -> InputError:
        found = "a run that another writer has taken over"
        fix = "see what else writes there, or name another address; what that writer has is whole"
        return InputError(Code.RUN_UNDER_WAY(str(self._store.address), found, "a run of this writer", fix))
