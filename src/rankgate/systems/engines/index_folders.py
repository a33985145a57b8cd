"""Indexes that rankgate builds into folders: each appears under its name whole, or not at all."""

from __future__ import annotations

import os
import re
import secrets
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.corpora.cache import cache_folder, writing
from rankgate.corpora.corpus import Room
from rankgate.errors import InputError, Problem
from rankgate.model.fingerprints import fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,150}", re.ASCII)


def index_folder(kind: str, name: str, under: Path | None, made_with: object) -> Path:
    """Say where the index of a name is: under a folder, or in the cache.

    Args:
        kind: The kind of the system.
        name: What names the content: a fingerprint of the corpus and how it is cut.
        under: The folder that indexes are kept in; None for the cache's.
        made_with: The options and the version that an index depends on; with others it is another index.

    Raises:
        InputError: for a name that no folder can have.

    >>> index_folder("tantivy", "docs", Path("kept"), {"tokenizer": "en_stem"}).name
    'docs-6b4b87fa4ee2'
    """
    check_name(name)
    kept = under or cache_folder(Room(Path(), Path())) / "indexes" / kind
    return kept / f"{name}-{fingerprint(made_with)[:12]}"


def check_name(name: str) -> None:
    """Refuse a name that is no plain word.

    Raises:
        InputError: with the name.
    """
    if not _NAME.fullmatch(name):
        raise InputError(Problem("index", repr(name), "a name of letters, digits, dots and dashes"))


def built(place: Path, fill: Callable[[Path], None]) -> bool:
    """Have a folder filled, unless it is there: aside first, then under its name.

    Whoever builds the same at the same time builds it too; the first one's is kept.

    Returns:
        True where it was built, False where it was there.

    Raises:
        InputError: where the folder cannot be written.
    """
    if place.is_dir():
        return False
    aside = place.with_name(f".{place.name}.{secrets.token_hex(4)}")
    with writing(place):
        aside.mkdir(parents=True)
    try:
        fill(aside)
        with writing(place):
            _settle(aside)
            try:
                aside.rename(place)
            except OSError:
                if not place.is_dir():
                    raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return True


def _settle(folder: Path) -> None:
    """Have the content on the disk before the name is."""
    for path in folder.rglob("*"):
        if path.is_file():
            handle = os.open(path, os.O_RDWR)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
