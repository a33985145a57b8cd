"""Where the indexes lie that rankgate builds, and how they come to be there whole."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.corpora.cache import VARIABLE, cache_folder
from rankgate.corpora.corpus import Room
from rankgate.errors import InputError, Problem
from rankgate.model.fingerprints import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.model.search import Document

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_ABANDONED = 24 * 3600


def index_folder(kind: str, name: str, settings: object, folder: Path | None = None) -> Path:
    """Say where an index lies, whether it is built or not.

    Args:
        kind: The kind of system that builds it.
        name: What stands for its content: equal names, equal content.
        settings: The options that it is built with; others give another folder.
        folder: The folder of all of them; by default one in the cache.
    """
    above = folder or cache_folder(Room(Path(), Path())) / "indexes" / kind
    plain = name if _PLAIN.fullmatch(name) else fingerprint(name)
    return above / f"{plain}-{fingerprint(settings)[:12]}"


@contextmanager
def building(place: Path) -> Iterator[Path]:
    """Give an empty folder to build in; it becomes `place` when the block ends well, and is removed if not.

    Where another process was faster, its index stays: equal names, equal content.

    Raises:
        InputError: where the folder cannot be written.
    """
    aside = place.with_name(f".{place.name}.{secrets.token_hex(4)}.tmp")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        _sweep(place)
        aside.mkdir(mode=0o700)
        yield aside
        for path in aside.rglob("*"):
            if path.is_file():
                _sync(path)
        _renamed(aside, place)
    except OSError as error:
        found = f"a folder that cannot be written ({error.strerror or error})"
        fix = f"name another in the option folder or in {VARIABLE}, or make room"
        raise InputError(Problem(str(place), found, "a folder to keep an index in", fix)) from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def record_of(document: Document) -> dict[str, object]:
    """Give the fields that every built index has; half a surrogate pair, which has no bytes, becomes ``?``.

    >>> from rankgate.model.search import Document
    >>> record_of(Document("a.md", "words", path="a.md"))["start"] is None
    True
    """
    lines = document.lines
    return {
        "id": _utf8(document.id),
        "title": _utf8(document.title),
        "text": _utf8(document.text),
        "path": None if document.path is None else _utf8(document.path),
        "start": None if lines is None else lines.start,
        "end": None if lines is None else lines.end,
        "facets": {_utf8(name): _utf8(value) for name, value in document.facets.items()},
    }


def _renamed(aside: Path, place: Path) -> None:
    try:
        aside.rename(place)
    except OSError:
        if not place.is_dir():
            raise


def _sweep(place: Path) -> None:
    """Remove what a process that was killed left of this index."""
    for left in place.parent.glob(f".{place.name}.*.tmp"):
        try:
            old = time.time() - left.stat().st_mtime > _ABANDONED
        except OSError:
            continue
        if old:
            shutil.rmtree(left, ignore_errors=True)


def _sync(path: Path) -> None:
    with path.open("r+b") as file:
        os.fsync(file.fileno())


def _utf8(text: str) -> str:
    return text.encode(errors="replace").decode()
