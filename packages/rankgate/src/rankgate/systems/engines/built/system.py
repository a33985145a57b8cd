"""What all systems are that ask an index which their options name, or one that they build."""

from __future__ import annotations

import platform
from abc import abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeVar

from rankgate.errors import Code, InputError
from rankgate.model.systems import SystemIndex
from rankgate.systems.adapter.options import ConfiguredSystem, T
from rankgate.systems.engines.built.folders import building_seconds, built, facet_names, index_folder

if TYPE_CHECKING:
    from collections.abc import Iterable

    from _typeshed import DataclassInstance

    from rankgate.files.digests import ContentsReader
    from rankgate.model.search import Document

    class _FolderOptions(DataclassInstance, Protocol):
        """Options that say where built indexes lie."""

        @property
        def folder(self) -> str | None: ...
        @property
        def root(self) -> str: ...


F = TypeVar("F", bound="_FolderOptions")


class IndexingSystem(ConfiguredSystem[T]):
    """Builds an index where no option names one that is there."""

    index_options: ClassVar[tuple[str, ...]]
    """The options that name one."""
    builds: ClassVar[str] = "one"
    """What it builds, after ``to have``."""

    @property
    def wants_documents(self) -> bool:
        """True where no index is named that is there."""
        return not any(map(self._named, self.index_options))

    def _named(self, option: str) -> bool:
        return getattr(self._options, option) is not None

    def _check_unnamed(self) -> None:
        """Refuse to build where an index is named.

        Raises:
            InputError: with the option.
        """
        option = next(filter(self._named, self.index_options), None)
        if option is not None:
            found, fix = getattr(self._options, option), f"take {option} out to have {self.builds} built"
            raise InputError(Code.NOT_SUPPORTED(f"{self.name}.{option}", found, f"no {option}", fix))


class FolderIndexSystem(IndexingSystem[F]):
    """Builds its index into a folder, as the options `root` and `folder` say."""

    _facets: frozenset[str] = frozenset()
    """What the documents of a built index can be filtered by."""
    _built_index: SystemIndex | None = None

    def build(self, documents: Iterable[Document], name: str) -> bool:
        """Build an index of this name, unless it is there, and search it from now on.

        Raises:
            InputError: where an index is named in the options, the engine does not know an option, or the
                folder cannot be written.
            SystemFailedError: where the engine does not take a document.
        """
        self._check_unnamed()
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
