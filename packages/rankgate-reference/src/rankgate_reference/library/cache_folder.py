"""Where nodes and index of a library are kept: a folder of the cache that one at a time writes to."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import rankgate as rg
from rankgate_reference.lexical.index import LexicalIndex
from rankgate_reference.library.store import Store
from rankgate_reference.library.versions import stemmers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate_reference.lexical.weights import Weights

FORMAT = 9
"""Changes when what lies in the cache means something else; what is older is made anew."""

_WAIT = 600.0


@contextmanager
def held(place: Path) -> Iterator[None]:
    """Keep others from writing to a cache."""
    from filelock import FileLock, Timeout

    try:
        place.mkdir(parents=True, exist_ok=True)
        with FileLock(place / "lock", timeout=_WAIT):
            yield
    except Timeout as error:
        found = "a library that someone else has been updating for ten minutes or more"
        raise rg.SystemFailedError(rg.Problem(str(place), found, "one that is free")) from error
    except OSError as error:
        raise rg.InputError(
            rg.Problem(str(place), f"a folder that cannot be used ({error})", "one that can be written")
        ) from error


def parts(place: Path, weights: Weights, kind: str = "folder") -> tuple[Store, LexicalIndex]:
    """Open nodes and index; where they were made otherwise, or do not open, they are made anew."""
    made = json.dumps([FORMAT, kind, weights.indexed, *stemmers()])
    file, folder = place / "nodes.sqlite", place / "lexical"
    if folder.exists() and not file.exists():
        fix = "name another folder, or remove this one"
        found = "a folder that no library made"
        raise rg.InputError(rg.Problem(str(folder), found, "an index beside nodes.sqlite", fix))
    store = _store(file)
    try:
        with suppress(rg.InputError, rg.SystemFailedError):
            if store.fact("made") == made:
                lexical = LexicalIndex.open(folder, weights)
                # An update that was cut short is repeated; an index that lost nodes otherwise is made anew.
                if store.pending() or len(lexical) == store.count():
                    return store, lexical
        store = _emptied(store, file)
        shutil.rmtree(folder, ignore_errors=True)
        lexical = LexicalIndex.open(folder, weights)
        store.note("made", made)
    except BaseException:
        store.close()
        raise
    return store, lexical


def default_cache(root: Path, kind: str = "folder") -> Path:
    """Return the folder of the cache that the library of a folder is kept in, or of a file of records."""
    import platformdirs

    named = str(root) if kind == "folder" else f"{kind}\0{root}"
    name = hashlib.sha256(named.encode(errors="surrogateescape")).hexdigest()[:16]
    kept = os.environ.get("RANKGATE_CACHE") or platformdirs.user_cache_path("rankgate")
    return Path(kept) / "reference" / f"{root.name[:40] or 'root'}-{name}"


def _store(file: Path) -> Store:
    """Open the nodes; a file that is broken is made anew."""
    try:
        return Store(file)
    except rg.InputError:
        if not file.exists():
            raise
        return _made_anew(file)


def _emptied(store: Store, file: Path) -> Store:
    # Whoever reads the file goes on reading it; removing it would pull it from under them.
    try:
        store.empty()
    except rg.SystemFailedError:
        store.close()
        return _made_anew(file)
    return store


def _made_anew(file: Path) -> Store:
    for one in (file, file.with_name(f"{file.name}-wal"), file.with_name(f"{file.name}-shm")):
        one.unlink(missing_ok=True)
    return Store(file)
