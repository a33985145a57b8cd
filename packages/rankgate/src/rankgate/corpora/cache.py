"""The cache of unpacked corpora: folders that appear whole, by a rename, so processes can share it."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

from rankgate.corpora.corpus import OpenContext
from rankgate.corpora.folder import FolderCorpus, left_out
from rankgate.errors import Code, FormatError, InputError, did_you_mean

VARIABLE = "RANKGATE_CACHE"
LARGEST = 1 << 30  # of an unpacked corpus, in bytes
NOT_UTF8 = "named in bytes that are not UTF-8"

_PLURALS = {
    "a symbolic link": "symbolic links",
    "a hard link": "hard links",
    "a submodule": "submodules",
    NOT_UTF8: "files whose name is not UTF-8",
}


def cache_folder(context: OpenContext | None = None) -> Path:
    """Return the cache folder: the context's own, the environment's, or the platform's."""
    if context is not None and context.cache is not None:
        return context.cache
    if named := os.environ.get(VARIABLE):
        return Path(named)
    from platformdirs import user_cache_path

    return user_cache_path("rankgate")


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Raise an error with a fix if the cache cannot be written."""
    try:
        yield
    except OSError as error:
        found = f"a cache that cannot be written ({error.strerror or error})"
        fix = f"name another folder in {VARIABLE}, or make room"
        expected = "a folder that can be written"
        raise InputError(Code.UNREADABLE_FILE(str(folder), found, expected, fix)) from error


def open_cached(
    context: OpenContext,
    key: str,
    under: str,
    where: str,
    fill: Callable[[Path], tuple[Mapping[str, str], tuple[str, ...]]],
) -> FolderCorpus:
    """Open a folder of a corpus, `under`, from the cache, after unpacking it if necessary.

    `key` identifies the content. `fill` unpacks it, and returns why members were skipped, and notes.
    """
    entry = cache_folder(context) / "unpacked" / key
    if not entry.is_dir():
        with writing(entry):
            entry.parent.mkdir(parents=True, exist_ok=True)
            aside = Path(mkdtemp(prefix=".unpacking-", dir=entry.parent))
            try:
                (aside / "files").mkdir()
                skipped, notes = fill(aside / "files")
                about = json.dumps({"skipped": skipped, "notes": notes})
                (aside / "about.json").write_bytes(about.encode())
                # Fails if another process has finished the entry meanwhile.
                aside.rename(entry)
            except OSError:
                if not entry.is_dir():
                    raise
            finally:
                shutil.rmtree(aside, ignore_errors=True)
    try:
        about = json.loads((entry / "about.json").read_bytes())
        skipped, notes = dict(about["skipped"]), tuple(about["notes"])
    except (OSError, ValueError, LookupError, TypeError) as error:
        found, fix = f"a damaged entry of the cache ({error})", f"remove {entry}"
        raise FormatError(Code.DAMAGED_FILE(where, found, "a whole one", fix)) from error
    return _opened(entry / "files", under, where, skipped, notes)


def _opened(
    files: Path, under: str, where: str, skipped: Mapping[str, str], notes: tuple[str, ...]
) -> FolderCorpus:
    prefix = f"{under}/" if under else ""
    below = {path.removeprefix(prefix): why for path, why in skipped.items() if path.startswith(prefix)}
    below = {path: why for path, why in below.items() if not left_out(path)}
    try:
        corpus = FolderCorpus.open(files / under, root=files)
    except InputError as error:
        if not under:
            raise InputError(Code.EMPTY_CORPUS(where, "no text files", "text files")) from error
        folders = sorted(path.relative_to(files).as_posix() for path in files.rglob("*") if path.is_dir())
        tops = [name for name in folders if "/" not in name]
        shown = f"there are {', '.join(tops[:10])}{' …' if tops[10:] else ''}" if tops else ""
        fix = did_you_mean(under, folders, most=3, otherwise=shown)
        found, expected = f"no text files under {under!r}", "a folder of text files"
        raise InputError(Code.EMPTY_CORPUS(where, found, expected, fix)) from error
    counts = Counter(below.values())
    words = [f"{counts[why]} {words} skipped" for why, words in _PLURALS.items() if counts[why]]
    return replace(corpus, skipped={**corpus.skipped, **below}, notes=(*words, *corpus.notes, *notes))
