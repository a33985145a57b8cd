"""What answers are made of: files by a digest under the names that people know.

Of files that nobody declared, large ones are sampled, so that they cost no seconds.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

WHOLE = 16 << 20
"""Bytes of a file up to which all of it is read; of a larger one, samples."""
MOST_BYTES = 64 << 20
"""Bytes that are read of all files together; of what comes after, samples or sizes."""
LISTED = 100
"""Files of a folder up to which each has a digest of its own; of more, one digest for all."""
MOST_READ = 5_000
"""Files of a folder up to which they are read; of more, names and sizes count."""

_SAMPLES, _SAMPLE = 64, 1 << 14
_ROUNDS = 2_000
_DIGITS = 16
_SKIPPED = "__pycache__"


class ContentsReader:
    """Collects what answers are made of.

    Files are named by their paths relative to a folder.

    Args:
        root: The folder, usually the project's.
        whole: True to read all of every file, however large, and to raise where one cannot be read.
    """

    def __init__(self, root: Path, *, whole: bool = False) -> None:
        self.root = root.resolve()
        """The folder."""
        self._whole = whole
        self._known: dict[str, str] = {}
        self._left = MOST_BYTES

    def add(self, name: str, value: str) -> None:
        """Add what has a version, or a digest of its own."""
        self._known[name] = value

    def add_variable(self, name: str) -> None:
        """Add a variable of the environment, by a digest that costs whoever would guess its value."""
        value = os.environ.get(name)
        if value is None:
            self.add(f"${name}", "not set")
            return
        digest = hashlib.pbkdf2_hmac("sha256", os.fsencode(value), os.fsencode(name), _ROUNDS)
        self.add(f"${name}", digest.hex()[:_DIGITS])

    def add_files(self, path: Path, name: str | None = None) -> None:
        """Add a file, or a folder with everything below it that is not hidden.

        Args:
            path: The file or folder; what cannot be read is left out.
            name: What it is called; its path relative to the root by default.

        Raises:
            OSError: where all is to be read and something cannot be.
        """
        name = self.name(path) if name is None else name
        try:
            self._add_folder(path, name) if path.is_dir() else self._add_file(path, name)
        except OSError:
            if self._whole:
                raise

    def name(self, path: Path) -> str:
        """Return a path as people know it: relative to the root, where it lies below it."""
        for one in (absolute := path.absolute(), path.resolve()):
            if one.is_relative_to(self.root):
                return one.relative_to(self.root).as_posix()
        return absolute.as_posix()

    @property
    def contents(self) -> dict[str, str]:
        """All that was added, in the order of its names."""
        return dict(sorted(self._known.items()))

    def _add_file(self, path: Path, name: str) -> None:
        whole = self._affords(path.stat().st_size)
        self.add(name, file_digest(path) if whole else sampled_digest(path))

    def _add_folder(self, path: Path, name: str) -> None:
        files = files_below(path)
        if len(files) <= LISTED:
            for file in files:
                self.add_files(file, (PurePosixPath(name) / file.relative_to(path).as_posix()).as_posix())
            return
        digest = hashlib.sha256()
        for file in files:
            size = file.stat().st_size
            whole = self._affords(size, files=len(files))
            held = file_digest(file) if whole else str(size)
            digest.update(os.fsencode(f"{file.relative_to(path).as_posix()}\0{held}\0"))
        self.add(f"{name}/", digest.hexdigest()[:_DIGITS])

    def _affords(self, size: int, files: int = 1) -> bool:
        """Return whether a file of this size, one of so many, is read whole, and count it."""
        if self._whole:
            return True
        if files > MOST_READ or size > min(WHOLE, self._left):
            return False
        self._left -= size
        return True


def file_digest(path: Path) -> str:
    """Return the digest of all that a file holds: about a second for each gigabyte.

    Raises:
        OSError: where it cannot be read.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:_DIGITS]


def sampled_digest(path: Path) -> str:
    """Return the digest of samples of a file, taken by its size alone: the same on every machine.

    Raises:
        OSError: where it cannot be read.
    """
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        digest = hashlib.sha256(str(size).encode())
        for at in range(_SAMPLES):
            file.seek(max(0, size - _SAMPLE) * at // (_SAMPLES - 1))
            digest.update(file.read(_SAMPLE))
    return digest.hexdigest()[:_DIGITS]


def bytes_digest(content: bytes) -> str:
    """Return the digest of what a file holds, or would hold."""
    return hashlib.sha256(content).hexdigest()[:_DIGITS]


def files_below(folder: Path) -> list[Path]:
    """List the files below a folder in a fixed order; hidden ones and what Python compiles are left out."""
    found: list[Path] = []
    for parent, folders, files in os.walk(folder):
        folders[:] = [one for one in folders if not one.startswith(".") and one != _SKIPPED]
        found += (folder / parent / one for one in files if not one.startswith("."))
    return sorted(found)
