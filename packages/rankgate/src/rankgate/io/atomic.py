"""Files that appear whole or not at all, and whether they changed while they were read."""

from __future__ import annotations

import os
import secrets
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a path beside `path` to write to; it takes the place of `path` when the block ends well.

    The content is on the disk before the name is, so that a crash leaves the old file or the new one.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        yield aside
        sync(aside)
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)
    if os.name == "posix":
        sync(path.parent)


def write_together(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files of one folder, each whole or not at all; when this returns, all of them are on the disk.

    As `replacing` does, but for one look at the folder in place of one for each file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    aside = {name: folder / f".{name}.{secrets.token_hex(4)}.tmp" for name in files}
    try:
        for name, content in files.items():
            with aside[name].open("xb", buffering=0) as file:
                _write_whole(file.fileno(), content)
                os.fsync(file.fileno())
        for name, path in aside.items():
            path.replace(folder / name)
    except BaseException:
        for path in aside.values():
            path.unlink(missing_ok=True)
        raise
    if os.name == "posix":
        sync(folder)


def _write_whole(handle: int, content: bytes) -> None:
    left = memoryview(content)
    while left:
        left = left[os.write(handle, left) :]


def file_state(path: Path) -> tuple[int, ...]:
    """Return what changes when a file does."""
    found = path.stat()
    return found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_size


def check_unchanged(path: Path, state: tuple[int, ...]) -> None:
    """Check that a file is still in the state in which it was opened.

    Raises:
        InputError: where it is not.
    """
    found = "another file than was opened"
    try:
        inode, written, _, size = file_state(path)
    except OSError as error:
        found, inode, written, size = error.strerror or str(error), -1, -1, -1
    # Whoever changes a mode, or makes one more name of it, changes no content.
    if (inode, written, size) != (state[0], state[1], state[3]):
        raise InputError(Code.CHANGED_MEANWHILE(str(path), found, "the same file to the end", "do it again"))


def sync(path: Path) -> None:
    """Write the content of a file, or the names in a folder, to the disk."""
    # Windows flushes only what was opened for writing; a folder opens only for reading.
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
