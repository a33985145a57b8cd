"""Indexes that rankgate builds into folders: each appears under its name whole, or not at all."""

from __future__ import annotations

import json
import platform
import re
import secrets
import shutil
import time
from abc import abstractmethod
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeVar

from rankgate.corpora.cache import cache_folder, writing
from rankgate.errors import Code, InputError
from rankgate.io.atomic import sync
from rankgate.model import fingerprint
from rankgate.plugins import SystemIndex
from rankgate.systems.adapter.failures import told
from rankgate.systems.adapter.options import ConfiguredSystem
from rankgate.systems.adapter.templates import utf8

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from _typeshed import DataclassInstance

    from rankgate.io.digests import ContentsReader
    from rankgate.model import Document

    class _FolderOptions(DataclassInstance, Protocol):
        """Options that say where built indexes lie."""

        @property
        def folder(self) -> str | None: ...
        @property
        def root(self) -> str: ...


F = TypeVar("F", bound="_FolderOptions")

_ABANDONED = 24 * 3600
_ASIDE = re.compile(r"\..+-[0-9a-f]{12}\.[0-9a-f]{8}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,150}", re.ASCII)
_FACETS = "facets.rankgate.json"
_SECONDS = "seconds.rankgate.json"


def index_folder(
    kind: str, name: str, root: Path, folder: str | None, made_with: object, *, layout: int
) -> Path:
    """Return where the index of a name is: under a folder, or in the cache.

    Args:
        kind: The kind of the system.
        name: What names the content: a fingerprint of the corpus and how it is cut.
        root: The folder that `folder` is relative to.
        folder: The folder that indexes are kept in; None for the cache's.
        made_with: The options and the version that an index depends on; with others it is another index.
        layout: The number of how the kind writes, raised with every change, so that none is read as another.

    Raises:
        InputError: for a name that no folder can have.

    >>> from pathlib import Path
    >>> index_folder("tantivy", "docs", Path(), "kept", {"tokenizer": "en_stem"}, layout=1).name
    'docs-6895ab307966'
    """
    check_name(name)
    kept = cache_folder() / "indexes" / kind if folder is None else root / folder
    return kept / f"{name}-{fingerprint([layout, made_with])[:12]}"


def check_name(name: str) -> None:
    """Refuse a name that is no plain word.

    Raises:
        InputError: with the name.
    """
    if not _NAME.fullmatch(name):
        raise InputError(Code.WRONG_VALUE("index", repr(name), "a name of letters, digits, dots and dashes"))


def built(
    place: Path, documents: Iterable[Document], fill: Callable[[Path, Iterable[Document]], None]
) -> bool:
    """Fill a folder, unless it is there: aside first, then under its name.

    Whoever builds the same at the same time builds it too; the first one's is kept. What the documents can be
    filtered by is kept in it, for `facet_names`, and how long it took, for `building_seconds`.

    Args:
        place: The folder.
        documents: What is in it.
        fill: Writes documents into a folder, taking every one.

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
        _sweep(place.parent)
    try:
        names: set[str] = set()
        began = time.monotonic()
        fill(aside, _noting(documents, names))
        seconds = time.monotonic() - began
        with writing(place):
            (aside / _SECONDS).write_text(json.dumps(seconds), encoding="utf-8", newline="\n")
            (aside / _FACETS).write_text(json.dumps(sorted(names)), encoding="utf-8", newline="\n")
            # The content is on the disk before the name is there.
            for path in filter(Path.is_file, aside.rglob("*")):
                sync(path)
            try:
                aside.rename(place)
            except OSError:
                if not place.is_dir():
                    raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return True


def facet_names(place: Path) -> frozenset[str]:
    """Return the facets that a document in a built folder has.

    Raises:
        InputError: where the folder does not say.
    """
    try:
        return frozenset(map(str, json.loads((place / _FACETS).read_bytes())))
    except (OSError, ValueError, TypeError, RecursionError) as error:
        found = f"{place / _FACETS} ({told(error)})"
        fix = "delete the folder, and it is built again"
        raise InputError(Code.NO_INDEX("index", found, "the facets of the index", fix)) from error


def building_seconds(place: Path) -> float | None:
    """Return how long a built folder took to fill; None where it does not say."""
    try:
        return float(json.loads((place / _SECONDS).read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


def _noting(documents: Iterable[Document], names: set[str]) -> Iterator[Document]:
    for document in documents:
        names.update(map(utf8, document.facets))
        yield document


def _sweep(kept: Path) -> None:
    """Remove what builders that were killed left aside, once nobody can still be building it."""
    for left in kept.glob(".*"):
        with suppress(OSError):
            if _ASIDE.fullmatch(left.name) and time.time() - left.stat().st_mtime > _ABANDONED:
                shutil.rmtree(left, ignore_errors=True)


class FolderIndexSystem(ConfiguredSystem[F]):
    """Asks the index that an option names; where none does, builds one as `root` and `folder` say."""

    index_option: ClassVar[str] = "index"
    """The option that names an index."""
    _facets: frozenset[str] = frozenset()
    """What the documents of a built index can be filtered by."""
    _built_index: SystemIndex | None = None

    @property
    def wants_documents(self) -> bool:
        """True where no index is named that is there."""
        return getattr(self._options, self.index_option) is None

    def build(self, documents: Iterable[Document], name: str) -> bool:
        """Build an index of this name, unless it is there, and search it from now on.

        Raises:
            InputError: where an index is named in the options, the engine does not know an option, or the
                folder cannot be written.
            SystemFailedError: where the engine does not take a document.
        """
        if not self.wants_documents:
            option = self.index_option
            found, fix = getattr(self._options, option), f"take {option} out to have an index built"
            raise InputError(Code.NOT_SUPPORTED(f"{self.name}.{option}", found, f"no {option}", fix))
        layout, made_with = self._made_with()
        root, folder = self._at(""), self._options.folder
        place = index_folder(self.kind, name, root, folder, made_with, layout=layout)
        new = built(place, documents, self._write)
        self._facets = facet_names(place)
        self._open(place)
        seconds = building_seconds(place)
        self._built_index = SystemIndex(f"{self.kind}/{place.name}", str(place), seconds)
        return new

    def built_index(self) -> SystemIndex | None:
        """Return the index that it built; None where its options name one."""
        return self._built_index

    def _add_contents(self, reader: ContentsReader) -> None:
        # The engine is a library of this process; its version is the system's.
        reader.add("Python", platform.python_version())

    def _at(self, path: str) -> Path:
        return Path(self._options.root) / path

    @abstractmethod
    def _made_with(self) -> tuple[int, object]:
        """Return the number of the layout, and the options and the version that an index depends on."""

    @abstractmethod
    def _write(self, place: Path, documents: Iterable[Document]) -> None:
        """Write an index into an empty folder, taking every document."""

    @abstractmethod
    def _open(self, place: Path) -> None:
        """Search the index in a folder from now on."""
