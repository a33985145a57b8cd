"""A folder of text files, each read and hashed when the folder is opened."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from rankgate.corpora.corpus import SELECTION_KEYS, OpenContext, check_options, corpus_path
from rankgate.errors import Code, InputError, LocationError
from rankgate.locations import normal_path
from rankgate.model import CorpusSource, Document, fingerprint
from rankgate.progress import steps
from rankgate.wording import many

LIMIT = 5_000_000
"""The size of the largest file, in bytes; larger files are data, not text to be searched."""
SKIPPED_FOLDERS = frozenset({"__pycache__", "node_modules"})

_BOM = b"\xef\xbb\xbf"
_WORDS = {
    "hidden": "hidden files and folders",
    "made": "folders of tools (__pycache__, node_modules)",
    "a symbolic link": "symbolic links",
    "binary": "binary files",
    f"larger than {LIMIT} bytes": "files above 5 MB",
    "name": "files whose name is not usable as a path of its own",
    "not readable": "unreadable files and folders",
}
"""The words for skipped files in notes, by the reason."""


@dataclass(frozen=True, slots=True)
class _File:
    location: Path
    sha256: str
    lines: int


@dataclass(frozen=True, slots=True, eq=False)
class FolderCorpus:
    """The text files of a folder, by their paths. Made by `FolderCorpus.open`."""

    folder: Path
    fingerprint: str
    notes: tuple[str, ...]
    skipped: Mapping[str, str]
    """Why an existing file is not in the corpus, by path; hidden files are only counted."""
    _files: Mapping[str, _File]
    pin: Mapping[str, str] = field(default_factory=dict)

    records = False

    @classmethod
    def open(cls, folder: str | Path, *, root: str | Path) -> FolderCorpus:
        """Read a folder that lies inside `root`.

        Hidden files and folders, ``__pycache__``, ``node_modules``, binary files, files above 5 MB and
        symbolic links are skipped and counted."""
        location = corpus_path(Path(folder), Path(root), "a folder of text files", folder=True)
        files, skipped, notes = _read(location)
        if not files:
            said = f" ({'; '.join(notes)})" if notes else ""
            raise InputError(Code.EMPTY_CORPUS(str(folder), f"no text files{said}", "a folder of text files"))
        return cls(location, _fingerprint(files), notes, skipped, files)

    def __contains__(self, path: str) -> bool:
        return path in self._files

    def __len__(self) -> int:
        return len(self._files)

    def paths(self) -> tuple[str, ...]:
        return tuple(self._files)

    def text(self, path: str) -> str:
        r"""Return a file's text, with ``\n`` at the ends of lines; bytes that are not UTF-8 become U+FFFD."""
        file = self._files[path]
        try:
            data = file.location.read_bytes()
            found = "" if hashlib.sha256(data).hexdigest() == file.sha256 else "a file that changed"
        except OSError as error:
            found = f"a file that can no longer be read ({error.strerror})"
        if found:
            fix = "open the corpus again, once nothing writes to it"
            where = str(file.location)
            raise InputError(Code.CHANGED_MEANWHILE(where, found, "the file that was opened", fix))
        return _decode(data)

    def lines(self, path: str) -> int:
        return self._files[path].lines

    def only(self, why_not: Callable[[str], str | None], notes: tuple[str, ...] = ()) -> FolderCorpus:
        """Return the corpus without the files for which `why_not` returns a reason; they are counted."""
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
        for path in self._files:
            yield Document(path, self.text(path), path=path)


def open_folder(source: CorpusSource, context: OpenContext) -> FolderCorpus:
    """Open the folder that a suite names."""
    check_options(source, SELECTION_KEYS)
    return FolderCorpus.open(context.here / source.place, root=context.root)


def left_out(path: str) -> bool:
    """Check whether a path is hidden or in a skipped folder: such files are not part of a corpus."""
    *folders, name = path.split("/")
    return name.startswith(".") or any(part.startswith(".") or part in SKIPPED_FOLDERS for part in folders)


def _fingerprint(files: Mapping[str, _File]) -> str:
    return fingerprint([[path, file.sha256] for path, file in files.items()])


def _read(folder: Path) -> tuple[dict[str, _File], dict[str, str], tuple[str, ...]]:
    """Read a folder: its text files, why others were skipped, and the notes."""
    counts: Counter[str] = Counter()
    links: list[Path] = []
    found: list[Path] = []

    def unreadable(_: OSError) -> None:
        counts["not readable"] += 1

    for here, folders, names in os.walk(folder, onerror=unreadable):
        location = Path(here)
        counts["hidden"] += sum(name.startswith(".") for name in (*folders, *names))
        counts["made"] += len(SKIPPED_FOLDERS.intersection(folders))
        shown = [name for name in sorted(folders) if not left_out(f"{name}/x")]
        links += [location / name for name in shown if (location / name).is_symlink()]
        folders[:] = [name for name in shown if not (location / name).is_symlink()]
        found += [location / name for name in sorted(names) if not name.startswith(".")]
    skipped = {path.relative_to(folder).as_posix(): "a symbolic link" for path in links}
    files: dict[str, _File] = {}
    replaced: Counter[str] = Counter()
    for location in steps(found, "reading documents"):
        try:
            path = normal_path(location.relative_to(folder).as_posix())
            path.encode()
        except (LocationError, UnicodeEncodeError):
            counts["name"] += 1
            continue
        data = _content(location)
        if path in files:
            counts["name"] += 1
        elif isinstance(data, str):
            skipped[path] = data
        else:
            text = _decode(data)
            replaced[path] = text.count("\ufffd") - data.count("\ufffd".encode())
            counts["returns"] += data.count(b"\r") > data.count(b"\r\n")
            files[path] = _File(location, hashlib.sha256(data).hexdigest(), count_lines(text))

    counts.update(skipped.values())
    notes = [f"{count} {words} skipped" for kind, words in _WORDS.items() if (count := counts[kind])]
    if wrong := +replaced:
        notes.append(f"{wrong.total()} bytes that are not UTF-8 in {len(wrong)} files")
    if counts["returns"]:
        have = many(counts["returns"], "file has", "files have")
        notes.append(f"{have} lone carriage returns, which end lines here; other tools may count fewer")
    return dict(sorted(files.items())), skipped, tuple(notes)


def _content(location: Path) -> bytes | str:
    """Return the content of a text file, or why it is skipped."""
    try:
        if location.is_symlink():
            return "a symbolic link"
        if not location.is_file():  # A pipe would never end.
            return "not readable"
        if location.stat().st_size > LIMIT:
            return f"larger than {LIMIT} bytes"
        data = location.read_bytes()
    except OSError:
        return "not readable"
    return "binary" if b"\0" in data else data


def count_lines(text: str) -> int:
    """Count the lines of a text; an empty text has none."""
    return text.count("\n") + (not text.endswith("\n") and text != "")


def _decode(data: bytes) -> str:
    text = data.removeprefix(_BOM).decode("utf-8", errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
