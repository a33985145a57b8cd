"""Unpacked corpora, kept by the hash of what they came from.

An entry is a folder with a manifest and the files. The manifest appears last and whole, and names the folder
of the files, so that any number of processes may fill an entry at once: each writes files of its own, and the
last manifest holds. What is read is compared with the hashes in the manifest every time; an entry that does
not fit is written anew.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shutil
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankgate.corpora.folder import LIMIT, FolderCorpus, left_out
from rankgate.errors import Code, FormatError, InputError, Problem, did_you_mean
from rankgate.files.atomic import replacing
from rankgate.model.fingerprints import fingerprint
from rankgate.model.locations import is_path, normal_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from rankgate.corpora.corpus import OpenContext

VARIABLE = "RANKGATE_CACHE"
"""The environment variable that names another folder for the cache."""

_FORMAT = 1
_MANIFEST = "manifest.json"
_FOLDER = re.compile("files-[0-9a-f]{16}")
_ABANDONED = 24 * 3600


def cache_folder(context: OpenContext | None = None) -> Path:
    """Return where things are kept: in the context's own folder, the environment's, or the platform's."""
    if context is not None and context.cache is not None:
        return context.cache
    if named := os.environ.get(VARIABLE):
        return Path(named)
    from platformdirs import user_cache_path

    return user_cache_path("rankgate")


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Return what to do where the cache cannot be written."""
    try:
        yield
    except OSError as error:
        found = f"a cache that cannot be written ({error.strerror or error})"
        fix = f"name another folder in {VARIABLE}, or make room"
        raise InputError(
            Code.UNREADABLE_FILE(str(folder), found, "a folder that can be written", fix)
        ) from error


NOT_UTF8 = "named in bytes that are not UTF-8"
"""Why a file with such a name is left out."""
LARGEST = 1 << 32
"""How many bytes a corpus may have unpacked: 4 GiB."""


@dataclass(frozen=True, slots=True)
class Unpacked:
    """What was written."""

    top: str
    """The one folder that everything is in, which paths leave out; empty where there is none."""
    texts: Mapping[str, str]
    """The SHA-256 of every file that is text and not too large, by path."""
    left_out: Mapping[str, str]
    """Why a member was not written, by path."""
    notes: tuple[str, ...] = ()
    """What else is to be known, in words."""


def read_unpacked(
    folder: Path, left_out: Mapping[str, str], notes: tuple[str, ...] = (), *, strip: bool = False
) -> Unpacked:
    """Describe the files that were written; `strip` leaves out the one folder that everything is in."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    names = [path.relative_to(folder).as_posix() for path in files]
    tops = {name.partition("/")[0] for name in (*names, *left_out)}
    nested = all("/" in name for name in (*names, *left_out))
    top = tops.pop() if strip and nested and len(tops) == 1 else ""
    skip = len(top) + 1 if top else 0
    texts: dict[str, str] = {}
    for path, name in zip(files, names, strict=True):
        data = path.read_bytes() if path.stat().st_size <= LIMIT else b"\0"
        if b"\0" not in data and is_path(name) and name.encode(errors="ignore").decode() == name:
            texts.setdefault(normal_path(name[skip:]), hashlib.sha256(data).hexdigest())
    return Unpacked(top, texts, {name[skip:]: why for name, why in sorted(left_out.items())}, notes)


def _words_for(left_out: Iterable[str]) -> tuple[str, ...]:
    """Count what was left out, in words.

    >>> _words_for(["a symbolic link", "a submodule", "a symbolic link"])
    ('2 symbolic links skipped', '1 submodules skipped')
    """
    plural = {
        "a symbolic link": "symbolic links",
        "a hard link": "hard links",
        "a submodule": "submodules",
        NOT_UTF8: "files whose name is not UTF-8",
    }
    counts = Counter(left_out)
    return tuple(f"{counts[why]} {words} skipped" for why, words in plural.items() if counts[why])


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """One corpus in the cache, or what is left of it."""

    folder: Path
    """Where it is: the manifest, and the folder of the files."""
    files: str
    """The name of the folder of the files."""
    unpacked: Unpacked
    """What was written there."""

    def opened(self, under: str, where: str) -> FolderCorpus | None:
        """Read the files; None where they are not what the manifest says.

        Raises:
            InputError: where there is no text under that folder.
        """
        expected = {
            path: sha256 for path, sha256 in _below(self.unpacked.texts, under).items() if not left_out(path)
        }
        if not expected:
            raise InputError(_nothing_under(under, where, self.unpacked))
        top = self.folder / self.files / self.unpacked.top
        try:
            corpus = FolderCorpus.open(top / under, root=top)
        except InputError:
            return None
        if corpus.hashes() != expected:
            return None
        skipped = {
            path: why for path, why in _below(self.unpacked.left_out, under).items() if not left_out(path)
        }
        return replace(
            corpus,
            skipped={**corpus.skipped, **skipped},
            notes=(*_words_for(skipped.values()), *corpus.notes, *self.unpacked.notes),
        )


class Store:
    """The folder of one corpus in the cache, by a key that names its content."""

    def __init__(self, cache: Path, key: str) -> None:
        self._folder = cache / "corpora" / key

    def read(self) -> CacheEntry | None:
        """Return what is kept; None where there is nothing, or the manifest is damaged."""
        try:
            found = json.loads((self._folder / _MANIFEST).read_bytes())
            unpacked = Unpacked(
                str(found["top"]), _words(found["texts"]), _words(found["left_out"]), tuple(found["notes"])
            )
            if found["format"] != _FORMAT or found["fingerprint"] != fingerprint(unpacked):
                return None
            return CacheEntry(self._folder, _FOLDER.fullmatch(found["files"])[0], unpacked)  # type: ignore[index]
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return None

    def write(self, fill: Callable[[Path], Unpacked]) -> CacheEntry:
        """Unpack into a folder of its own, then make it the entry.

        Raises:
            FormatError: for an archive that is refused; nothing of it is kept.
            InputError: where the cache cannot be written.
        """
        files = f"files-{secrets.token_hex(8)}"
        aside = self._folder / files
        with writing(self._folder):
            self._sweep()
            aside.mkdir(parents=True, mode=0o700)
            try:
                unpacked = fill(aside)
                self._announce(files, unpacked)
            except BaseException:
                shutil.rmtree(aside, ignore_errors=True)
                raise
        return CacheEntry(self._folder, files, unpacked)

    def _announce(self, files: str, unpacked: Unpacked) -> None:
        about = {"format": _FORMAT, "files": files, "fingerprint": fingerprint(unpacked)}
        manifest = {**about, **asdict(unpacked)}
        with replacing(self._folder / _MANIFEST) as path:
            path.write_text(json.dumps(manifest, indent=0), encoding="utf-8", newline="\n")

    def _sweep(self) -> None:
        """Remove what no manifest names and nobody can still be writing or reading."""
        entry = self.read()
        for folder in self._folder.glob("files-*"):
            try:
                old = time.time() - folder.stat().st_mtime > _ABANDONED
            except OSError:
                continue
            if old and (entry is None or folder.name != entry.files):
                shutil.rmtree(folder, ignore_errors=True)


def open_kept(
    context: OpenContext, key: str, under: str, where: str, fill: Callable[[Path], Unpacked]
) -> FolderCorpus:
    """Open a corpus from the cache, unpacked before or now.

    Args:
        context: Where the cache is.
        key: What names the content: the hash of an archive or of a tree.
        under: The folder inside that is meant; empty for all of it.
        where: The name of the corpus in errors.
        fill: Unpacks into an empty folder.

    Raises:
        FormatError: for an archive that is refused.
        InputError: where nothing is under that folder, or the cache cannot be written.
    """
    store = Store(cache_folder(context), key)
    entry = store.read()
    if entry is not None and (corpus := entry.opened(under, where)) is not None:
        return corpus
    corpus = store.write(fill).opened(under, where)
    if entry is not None:
        # Nobody can use what is damaged; the new manifest does not name it.
        shutil.rmtree(entry.folder / entry.files, ignore_errors=True)
    if corpus is None:
        fix = f"name another folder in {VARIABLE}"
        found = "files in the cache that are not what was just written"
        raise FormatError(Code.DAMAGED_FILE(where, found, "a file system that keeps names and contents", fix))
    return corpus


def _below(paths: Mapping[str, str], under: str) -> dict[str, str]:
    prefix = f"{under}/" if under else ""
    return {path[len(prefix) :]: value for path, value in paths.items() if path.startswith(prefix)}


def _words(found: Any) -> dict[str, str]:
    return {str(key): str(value) for key, value in dict(found).items()}


def _nothing_under(under: str, where: str, unpacked: Unpacked) -> Problem:
    folders = sorted({path.rpartition("/")[0] for path in unpacked.texts} - {""})
    if not under:
        return Code.EMPTY_CORPUS(where, "no text files", "text files")
    fix = did_you_mean(under, folders, most=3)
    if unpacked.top and under.partition("/")[0] == unpacked.top:
        fix = f"leave out {unpacked.top}/, the one folder that everything is in"
    elif not fix:
        tops = sorted({path.partition("/")[0] for path in folders})
        fix = f"there are {', '.join(tops[:10])}{' …' if tops[10:] else ''}" if tops else ""
    return Code.EMPTY_CORPUS(where, f"no text files under {under!r}", "a folder of text files", fix)
