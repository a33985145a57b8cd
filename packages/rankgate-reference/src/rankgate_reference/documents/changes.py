"""Whether anything in a folder changed, told without reading a file.

Names, sizes and times of change are enough to say that it is worth reading the folder anew; what really
changed is then told by contents. 7,000 files take about 50 ms.
"""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_NOT_SEARCHED = frozenset({"__pycache__", "node_modules"})


def state_of(folder: Path, apart: Path | None = None) -> str:
    """Return a hash of what the files of a folder are called, how large they are and when they changed.

    Hidden files and folders, and those that tools make, count for nothing: they are not searched. Links are
    not followed. A folder that cannot be read counts as one, and is no error. A file is told by itself.

    Args:
        folder: The folder, or a file.
        apart: A folder in it that counts for nothing: the cache.
    """
    found = hashlib.sha256()
    if not folder.is_dir():
        found.update(_line(folder, *_measured(folder, linked=True)))
        return found.hexdigest()
    left_out = None if apart is None else _inside(apart, folder)
    waiting = [os.fspath(folder)]
    while waiting:
        place = waiting.pop()
        try:
            with os.scandir(place) as entries:
                there = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            found.update(_line(place, type(error).__name__))
            continue
        for entry in there:
            if entry.name.startswith(".") or entry.name in _NOT_SEARCHED:
                continue
            if entry.path == left_out:
                continue
            if _is_folder(entry):
                waiting.append(entry.path)
            else:
                found.update(_line(entry.path, *_measured(entry)))
    return found.hexdigest()


def _inside(place: Path, folder: Path) -> str:
    """Spell a place as it is met on the way through a folder."""
    inside = os.path.relpath(os.path.realpath(place), os.path.realpath(folder))
    return os.path.join(folder, inside)  # noqa: PTH118 - scandir says ./a, and a path would say a


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _measured(entry: os.DirEntry[str] | Path, *, linked: bool = False) -> tuple[object, ...]:
    try:
        known = entry.stat(follow_symlinks=linked)
    except (OSError, ValueError) as error:
        # It was there a moment ago.
        return (type(error).__name__,)
    return known.st_mode, known.st_size, known.st_mtime_ns


def _line(*values: object) -> bytes:
    return ("\0".join(map(str, values)) + "\n").encode(errors="surrogateescape")
