"""A folder of text files.

Every file is read once when the folder is opened, and named by its SHA-256. Its text is read again where it
is needed, and refused if the file has changed since: what is resolved is what the fingerprint names.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.corpora.options import SELECTION_KEYS, check_options, folder_inside
from rankgate.errors import Code, InputError, LocationError
from rankgate.model.fingerprints import fingerprint
from rankgate.model.locations import normal_path
from rankgate.model.search import Document
from rankgate.model.wording import many
from rankgate.progress import steps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from rankgate.corpora.corpus import OpenContext
    from rankgate.model.suite import CorpusSource

LIMIT = 5_000_000
"""How many bytes a file may have; what is larger is data, not text to be searched."""

SKIPPED_FOLDERS = frozenset({"__pycache__", "node_modules"})
"""Folders that hold what tools made."""

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class _File:
    location: Path
    sha256: str
    lines: int


@dataclass(frozen=True, slots=True, eq=False)
class FolderCorpus:
    """The text files of a folder, by their paths. Made by `FolderCorpus.open`."""

    folder: Path
    """Where it is."""
    fingerprint: str
    """The hash of every path and content."""
    notes: tuple[str, ...]
    """What was skipped or replaced, in words and with counts."""
    skipped: Mapping[str, str]
    """Why a file that is there is not in the corpus, by path; hidden files are only counted."""
    _files: Mapping[str, _File]
    pin: Mapping[str, str] = field(default_factory=dict)
    """The options that would hold exactly this; a folder has none."""

    records = False

    @classmethod
    def open(cls, folder: str | Path, *, root: str | Path) -> FolderCorpus:
        """Read a folder that lies inside `root`.

        Hidden files and folders, ``__pycache__``, ``node_modules``, binary files, files above 5 MB and
        symbolic links are skipped and counted.

        Raises:
            InputError: for a folder that is not there, lies outside `root`, or holds no text.
        """
        location = folder_inside(Path(folder), Path(root))
        reading = _Reading(location)
        reading.read()
        if not reading.files:
            said = f" ({'; '.join(reading.notes())})" if reading.notes() else ""
            raise InputError(Code.EMPTY_CORPUS(str(folder), f"no text files{said}", "a folder of text files"))
        files = dict(sorted(reading.files.items()))
        return cls(location, _fingerprint(files), reading.notes(), reading.skipped, files)

    def __contains__(self, path: str) -> bool:
        return path in self._files

    def __len__(self) -> int:
        return len(self._files)

    def paths(self) -> tuple[str, ...]:
        """List the files, normalised and sorted."""
        return tuple(self._files)

    def text(self, path: str) -> str:
        r"""Return a file's text, with ``\n`` at the ends of lines; bytes that are not UTF-8 become U+FFFD.

        Raises:
            KeyError: for a path that is not in the corpus.
            InputError: for a file that has changed since the corpus was opened.
        """
        file = self._files[path]
        fix = "open the corpus again, once nothing writes to it"
        try:
            data = file.location.read_bytes()
        except OSError as error:
            found = f"a file that can no longer be read ({error.strerror})"
            raise InputError(
                Code.CHANGED_MEANWHILE(str(file.location), found, "the file that was opened", fix)
            ) from error
        if hashlib.sha256(data).hexdigest() != file.sha256:
            raise InputError(
                Code.CHANGED_MEANWHILE(
                    str(file.location), "a file that changed", "the file that was opened", fix
                )
            )
        return _decode(data)

    def lines(self, path: str) -> int:
        """Count a file's lines.

        Raises:
            KeyError: for a path that is not in the corpus.
        """
        return self._files[path].lines

    def hashes(self) -> dict[str, str]:
        """Return the SHA-256 of every file as it was when the corpus was opened, by path."""
        return {path: file.sha256 for path, file in self._files.items()}

    def only(self, why_not: Callable[[str], str | None], notes: tuple[str, ...] = ()) -> FolderCorpus:
        """Return the corpus without the files that there is a reason to leave out, which it counts."""
        left = {path: why for path in self._files if (why := why_not(path)) is not None}
        files = {path: file for path, file in self._files.items() if path not in left}
        said = (f"{many(len(left), 'file')} left out by include and exclude",) if left else ()
        return replace(
            self,
            fingerprint=_fingerprint(files),
            notes=(*self.notes, *said, *notes),
            skipped={**self.skipped, **left},
            _files=files,
        )

    def documents(self) -> Iterator[Document]:
        """Go through the files as documents, each named by its path."""
        for path in self._files:
            yield Document(path, self.text(path), path=path)


def _fingerprint(files: Mapping[str, _File]) -> str:
    return fingerprint([[path, file.sha256] for path, file in files.items()])


def open_folder(source: CorpusSource, context: OpenContext) -> FolderCorpus:
    """Open the folder that a suite names."""
    check_options(source, SELECTION_KEYS)
    return FolderCorpus.open(context.here / source.place, root=context.root)


def left_out(path: str) -> bool:
    """Check whether a path is hidden, or in a folder that is: such files are not part of a corpus.

    >>> left_out("docs/.drafts/a.md"), left_out("docs/a.md")
    (True, False)
    """
    *folders, name = path.split("/")
    return name.startswith(".") or any(part.startswith(".") or part in SKIPPED_FOLDERS for part in folders)


class _Reading:
    """One pass over a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._counts: Counter[str] = Counter()
        self._replaced = 0
        self.files: dict[str, _File] = {}
        self.skipped: dict[str, str] = {}

    def read(self) -> None:
        found: list[Path] = []
        for here, folders, names in os.walk(self._folder, onerror=self._unreadable):
            location = Path(here)
            folders[:] = sorted(name for name in folders if self._enters(location, name))
            for name in sorted(names):
                if name.startswith("."):
                    self._counts["hidden"] += 1
                else:
                    found.append(location / name)
        for file in steps(found, "reading documents"):
            self._take(file)

    def notes(self) -> tuple[str, ...]:
        said = [f"{count} {words} skipped" for kind, words in _WORDS.items() if (count := self._counts[kind])]
        if self._counts["replaced"]:
            said.append(f"{self._replaced} bytes that are not UTF-8 in {self._counts['replaced']} files")
        if files := self._counts["returns"]:
            have = many(files, "file has", "files have")
            said.append(f"{have} lone carriage returns, which end lines here; other tools may count fewer")
        return tuple(said)

    def _unreadable(self, error: OSError) -> None:
        self._counts["unreadable"] += 1
        del error

    def _enters(self, location: Path, name: str) -> bool:
        if name.startswith("."):
            self._counts["hidden"] += 1
        elif name in SKIPPED_FOLDERS:
            self._counts["made"] += 1
        elif (location / name).is_symlink():
            self._skip(location / name, "link", "a symbolic link")
        else:
            return True
        return False

    def _take(self, location: Path) -> None:
        try:
            path = normal_path(location.relative_to(self._folder).as_posix())
            path.encode()
        except (LocationError, UnicodeEncodeError):
            self._counts["name"] += 1
            return
        if location.is_symlink():
            self._skip(location, "link", "a symbolic link")
        elif path in self.files:
            self._counts["name"] += 1
        elif not location.is_file():
            self._counts["unreadable"] += 1
        else:
            self._read_file(location, path)

    def _read_file(self, location: Path, path: str) -> None:
        try:
            large = location.stat().st_size > LIMIT
            data = b"" if large else location.read_bytes()
        except OSError:
            self._skip(location, "unreadable", "not readable")
            return
        if large:
            self._skip(location, "large", f"larger than {LIMIT} bytes")
        elif b"\0" in data:
            self._skip(location, "binary", "binary")
        else:
            text = _decode(data)
            if replaced := text.count("\ufffd") - data.count("\ufffd".encode()):
                self._counts["replaced"] += 1
                self._replaced += replaced
            self._counts["returns"] += data.count(b"\r") > data.count(b"\r\n")
            lines = text.count("\n") + (not text.endswith("\n") and text != "")
            self.files[path] = _File(location, hashlib.sha256(data).hexdigest(), lines)

    def _skip(self, location: Path, kind: str, why: str) -> None:
        self._counts[kind] += 1
        self.skipped[location.relative_to(self._folder).as_posix()] = why


_WORDS = {
    "hidden": "hidden files and folders",
    "made": "folders of tools (__pycache__, node_modules)",
    "link": "symbolic links",
    "binary": "binary files",
    "large": "files above 5 MB",
    "name": "files whose name is not usable as a path of its own",
    "unreadable": "unreadable files and folders",
}


def _decode(data: bytes) -> str:
    text = data.removeprefix(_BOM).decode("utf-8", errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
