"""Runs in object stores, as they are read: copied to a folder of this machine, and read there like any other.

Every byte of a run is hashed before it is parsed, so that nothing is saved by reading a part of an object.
Nothing depends on a listing: a manifest names what there is. A run that is written over meanwhile is read
again, whole, so that no state of it is mixed with another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.corpora.cache import cache_folder
from rankgate.errors import Code, InputError
from rankgate.files.atomic import replacing
from rankgate.files.stores.address import StoreAddress
from rankgate.files.stores.copies import CopyMark, at_once, fetch_kept, fetched_file, new_copy
from rankgate.files.stores.object_store import open_store
from rankgate.runs.store.manifest import Manifest
from rankgate.runs.store.remote_names import epoch_of, inner_names, named_files, transcript_name
from rankgate.runs.store.run_folder import MANIFEST, PROBES, TRANSCRIPT, clear_run

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.files.stores.object_store import KeptObject, ObjectStore

_TRIES = 20


def fetched_run(text: str) -> Path:
    """Fetch a run, its probes and its repeats, and return the folder of the copy.

    Raises:
        InputError: where there is none, and for one that is written over again and again.
        StoreError: where the store cannot be reached.
    """
    folder = new_copy(text)
    if not fetch_copied(folder):
        fix = "name the address of a run that `rankgate run` wrote"
        raise InputError(Code.NO_SUCH_FILE(text, f"no {MANIFEST}", "a run", fix))
    return folder


def fetched_answers(text: str) -> Path:
    """Fetch a run, or where there is none the object of that name, such as a baseline or a TREC run file.

    Raises:
        InputError: where there is neither.
    """
    folder = new_copy(text)
    if fetch_copied(folder):
        return folder
    path = fetched_file(text)
    if not path.is_file():
        raise InputError(
            Code.NO_SUCH_FILE(text, f"no {MANIFEST} and no such object", "a run or a file of one")
        )
    return path


def fetch_copied(folder: Path) -> bool:
    """Fetch the run that a folder is a copy of; False where there is none."""
    mark = CopyMark.of(folder)
    return mark is not None and fetch_run(open_store(StoreAddress.parse(mark.address)), folder)


def fetch_run(store: ObjectStore, folder: Path) -> bool:
    """Fetch what a run in a store is at one time; False where there is none.

    Raises:
        InputError: where it is written over again and again.
    """
    for _ in range(_TRIES):
        begun = store.read(MANIFEST)
        if begun is None:
            return False
        _fetch_whole(store, folder, begun)
        now = store.read(MANIFEST)
        if now is not None and now.tag == begun.tag:
            return True
        clear_run(folder)
    fix = "wait until it is written, and read it again"
    raise InputError(
        Code.CHANGED_MEANWHILE(str(store.address), "a run that changes all the time", "one state of it", fix)
    )


def _fetch_whole(store: ObjectStore, folder: Path, begun: KeptObject) -> None:
    manifest = fetch_tables(store, folder, "", begun)
    epoch = epoch_of(manifest)
    store.fetch(transcript_name(epoch), folder / TRANSCRIPT)
    for name in inner_names():
        found = store.read(f"{name}/{MANIFEST}")
        # What an earlier writer left there is no part of this run.
        if found is not None and epoch_of(parsed(store, found)) == epoch:
            fetch_tables(store, folder / name, f"{name}/", found)
        elif name != PROBES:
            return


def fetch_tables(store: ObjectStore, folder: Path, inner: str, found: KeptObject) -> Manifest:
    """Fetch what a manifest names, and the manifest last; what is not there is missing in the folder, too."""
    manifest, cache = parsed(store, found), cache_folder() / "objects"

    def fetch(file: tuple[str, tuple[str, str]]) -> bool:
        name, (remote, sha256) = file
        return fetch_kept(store, inner + remote, sha256, folder / name, cache)

    at_once(fetch, named_files(manifest).items())
    with replacing(folder / MANIFEST) as aside:
        aside.write_bytes(found.data)
    return manifest


def parsed(store: ObjectStore, found: KeptObject) -> Manifest:
    """Read a manifest that came from a store."""
    where = str(store.address / MANIFEST)
    try:
        return Manifest.from_json(found.data.decode(), where)
    except UnicodeDecodeError as error:
        raise InputError(Code.NOT_UTF8(where, "what is not UTF-8", "the manifest of a run")) from error
