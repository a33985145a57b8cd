"""What files hold: a short digest of each, under the name that people know; never at the cost of seconds."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

WHOLE = 16 << 20
"""Bytes of a file up to which all of it is read; of a larger one, samples."""
LISTED = 100
"""Files of a folder up to which each has a digest of its own; of more, one digest for all."""
MOST_READ = 5_000
"""Files of a folder up to which they are read; of more, names and sizes count."""

_SAMPLES, _SAMPLE = 64, 1 << 14
_DIGITS = 16
_SKIPPED = "__pycache__"


class FileDigests:
    """Collects what files hold, by their paths relative to a folder.

    What is read in part is unknown as well, so that equal digests are no proof that it is the same.
    """

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self.known: dict[str, str] = {}
        """The digest of each file, or of each folder that has many."""
        self.unknown: list[str] = []
        """What was not read, in words."""

    def add(self, path: Path, name: str | None = None) -> None:
        """Add a file, or a folder with everything below it that is not hidden."""
        name = self.name(path) if name is None else name
        if not path.is_dir():
            self._add_file(path, name)
            return
        files = files_below(path)
        if len(files) <= LISTED:
            for file in files:
                self._add_file(file, f"{name}/{file.relative_to(path).as_posix()}")
            return
        digest, part = hashlib.sha256(), len(files) > MOST_READ
        for file in files:
            held, sampled = (str(file.stat().st_size), True) if part else file_digest(file)
            digest.update(f"{file.relative_to(path).as_posix()}\0{held}\0".encode(errors="surrogateescape"))
            part = part or sampled
        self.known[f"{name}/"] = digest.hexdigest()[:_DIGITS]
        if part:
            self.unknown.append(f"all of the {len(files):,} files in {name}/, of which only a part is read")

    def name(self, path: Path) -> str:
        """Return a path as people know it: relative to the folder, where it lies below it."""
        absolute = path.absolute()
        for one in (absolute, path.resolve()):
            if one.is_relative_to(self._root):
                return one.relative_to(self._root).as_posix()
        return absolute.name

    def _add_file(self, path: Path, name: str) -> None:
        try:
            self.known[name], sampled = file_digest(path)
        except OSError as error:
            self.unknown.append(f"{name}, which cannot be read ({error.strerror})")
            return
        if sampled:
            size = path.stat().st_size
            self.unknown.append(f"all of {name}, of whose {size / 1e6:,.0f} MB only samples are read")


def file_digest(path: Path) -> tuple[str, bool]:
    """Return the digest of a file, and whether only samples of it were read.

    Samples are taken by the size alone, so that a file has the same digest on every machine.

    Raises:
        OSError: where it cannot be read.
    """
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size <= WHOLE:
            return hashlib.sha256(file.read()).hexdigest()[:_DIGITS], False
        digest = hashlib.sha256(str(size).encode())
        for at in range(_SAMPLES):
            file.seek((size - _SAMPLE) * at // (_SAMPLES - 1))
            digest.update(file.read(_SAMPLE))
    return digest.hexdigest()[:_DIGITS], True


def text_digest(*parts: str) -> str:
    """Return the digest of texts, which are told apart.

    >>> text_digest("ab", "c") == text_digest("a", "bc")
    False
    """
    joined = "\0".join(parts)
    return hashlib.sha256(joined.encode(errors="surrogatepass")).hexdigest()[:_DIGITS]


def files_below(folder: Path) -> list[Path]:
    """List the files below a folder in a fixed order; hidden ones and what Python compiles are left out."""
    found: list[Path] = []
    for parent, folders, files in os.walk(folder):
        folders[:] = [one for one in folders if not one.startswith(".") and one != _SKIPPED]
        found += (folder / parent / one for one in files if not one.startswith("."))
    return sorted(found)
