"""How a configuration wants documents cut: a chunker by name, with its options.

A chunker is a plugin of the group ``rankgate.chunkers``, a dataclass whose fields are its options, with a
method `cut`; or any object that splits text, as ``module:attr`` or ``./file.py:attr``, through `adapter`.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from typing import Any, Protocol

from rankgate.chunks.adapter import Splitter
from rankgate.errors import Code, InputError, RankgateError, contained, described, did_you_mean
from rankgate.model import Document, fingerprint
from rankgate.plugins import listed, load_from

GROUP = "rankgate.chunkers"
"""The entry points of chunkers."""
_CUTTING = 4
"""Raised when a chunker cuts differently, so that indexes are built again."""


class Chunker(Protocol):
    """Cuts one document into pieces.

    A chunker may also have `libraries`, the distributions that it uses, and `notes`, a counter of the files
    that it cut otherwise, by the reason.
    """

    def cut(self, document: Document) -> Iterable[Document]:
        """Return the pieces, in the order of the document."""


@dataclass(frozen=True)
class Chunking:
    """A chunker by name."""

    by: str = "file"
    """The name of a plugin, ``module:attr`` or ``./file.py:attr``."""
    options: Mapping[str, object] = field(default_factory=dict)
    """The chunker's own options."""
    root: str = "."
    """The folder of modules and files; usually the project's."""

    def __str__(self) -> str:
        options = ", ".join(f"{name} {value}" for name, value in self.options.items())
        return f"{self.by} ({options})" if options else self.by

    @property
    def fingerprint(self) -> str:
        """Identifies its pieces: with another fingerprint, the same documents may be cut differently."""
        names = [*getattr(self.kind, "libraries", ())]
        if ":" in self.by:
            names += packages_distributions().get(self.by.partition(".")[0].partition(":")[0], [])
        # Python is outlined by its own parser, whose version matters.
        libraries = {"python": [*sys.version_info[:2]], **{name: _version(name) for name in names}}
        return fingerprint([_CUTTING, self.by, dict(self.options), libraries if names else {}])

    @cached_property
    def kind(self) -> Any:
        """What was loaded, once: a file is run each time that it is loaded."""
        return load_from(GROUP, self.by, self.root)

    @property
    def own(self) -> bool:
        """Whether it is a chunker, and not any object that splits text."""
        kind = self.kind
        return isinstance(kind, type) and is_dataclass(kind) and callable(getattr(kind, "cut", None))

    def cut(self, documents: Iterable[Document], notes: Counter[str] | None = None) -> Iterator[Document]:
        """Cut documents, one after another. Records have no lines and stay whole.

        Args:
            documents: What to cut.
            notes: Counts the files that were cut otherwise, by the reason.

        Raises:
            InputError: for invalid options, and if the chunker raises an exception.
        """
        chunker = self.opened("chunks")
        try:
            for document in documents:
                if document.path is None:
                    yield document
                    continue
                try:
                    with contained():
                        pieces = tuple(chunker.cut(replace(document, title=document.title or document.path)))
                except RankgateError:
                    raise
                except Exception as error:
                    where = f"chunks {self.by!r}: {document.path}"
                    fix = "leave the file out of the corpus, or cut in another way"
                    expected = "the pieces of the document"
                    raise InputError(Code.BROKEN_PLUGIN(where, described(error), expected, fix)) from error
                yield from pieces
        finally:
            if notes is not None:
                notes.update(getattr(chunker, "notes", ()))

    def opened(self, where: str) -> Chunker:
        """Return the chunker with its options."""
        kind = self.kind
        if not self.own:
            if not self.options and not isinstance(kind, type):
                return Splitter(kind, self.by)
            try:
                with contained():
                    return Splitter(kind(**self.options), self.by)
            except RankgateError:
                raise
            except Exception as error:
                expected = f"options of {self.by}"
                raise InputError(Code.WRONG_VALUE(where, described(error), expected)) from error
        from rankgate.io.typed import read_options

        chunker: Chunker = read_options(kind, self.options, where)
        return chunker


def read_chunking(value: object, where: str, root: str = ".") -> Chunking:
    """Read how a configuration wants documents cut: a name, or a table with ``by`` and options.

    A chunker that is named as ``module:attr`` is imported and checked when it is used.

    >>> read_chunking({"by": "window", "lines": 60}, "systems.app.chunks").options
    {'lines': 60, 'overlap': 0}

    Raises:
        InputError: for an unknown chunker, and for invalid options.
    """
    table = {"by": value} if isinstance(value, str) else value
    found = table.get("by") if isinstance(table, dict) else value
    known = isinstance(found, str) and (":" in found or found in listed(GROUP))
    if not isinstance(table, dict) or not isinstance(found, str) or not known:
        fix = did_you_mean(str(found), listed(GROUP))
        raise InputError(Code.UNKNOWN_PLUGIN(where, repr(found), f"one of {', '.join(listed(GROUP))}", fix))
    chunking = Chunking(found, {name: one for name, one in table.items() if name != "by"}, root)
    if ":" in found:
        return chunking
    chunker = chunking.opened(where)
    # All options, so that another default is another index.
    return replace(
        chunking, options={name: getattr(chunker, name) for name in option_defaults(chunking.kind)}
    )


def option_defaults(kind: Any) -> dict[str, object]:
    """Return the default of each option of a chunker; None for one that is required."""
    known = {one.name: one.default for one in fields(kind) if one.init}
    return {name: None if default is MISSING else default for name, default in known.items()}


def _version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None
