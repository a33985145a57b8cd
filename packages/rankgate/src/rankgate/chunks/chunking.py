"""How a configuration wants documents cut: a chunker by name, with its options.

A chunker is a plugin of the group ``rankgate.chunkers``: a dataclass whose fields are its options, with a
method `cut`.
"""

from __future__ import annotations

import sys
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Protocol, cast

from rankgate.errors import (
    Code,
    InputError,
    PluginError,
    Problem,
    RankgateError,
    contained,
    described,
    did_you_mean,
)
from rankgate.files.decoder import Decoder
from rankgate.files.problems import Problems
from rankgate.model.fingerprints import fingerprint
from rankgate.plugins import listed, load_from

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator, Mapping

    from _typeshed import DataclassInstance

    from rankgate.model.search import Document

GROUP = "rankgate.chunkers"
"""The entry points that are chunkers."""

_CUTTING = 3
"""Raised where a chunker begins to cut otherwise, so that what was cut before is not taken for its own."""


class Chunker(Protocol):
    """Cuts one document into pieces.

    A chunker may also have `libraries`, the distributions that it cuts by, `extra`, the extra of rankgate
    that brings them, and `notes`, a counter of the files that it cut otherwise, by the words that say how.
    """

    def cut(self, document: Document) -> Iterable[Document]:
        """Return the pieces, in the order of the document; each says where it lies."""
        ...


@dataclass(frozen=True)
class Chunking:
    """A chunker by name."""

    by: str = "file"
    """The name of a plugin, ``module:attr`` or ``./file.py:attr``."""
    options: Mapping[str, object] = field(default_factory=dict)
    """The chunker's own options."""
    root: str = "."
    """The folder that a file or a module is looked for in; usually the project's."""

    def __str__(self) -> str:
        numbers = ", ".join(f"{name} {number}" for name, number in self.options.items())
        return f"{self.by} ({numbers})" if numbers else self.by

    @property
    def fingerprint(self) -> str:
        """What names its pieces: with another one, the same documents may be cut otherwise."""
        names = libraries_of(self.kind)
        # Python is outlined by its own parser, which reads what its version knows.
        libraries = {"python": [*sys.version_info[:2]], **{name: _version(name) for name in names}}
        return fingerprint([_CUTTING, self.by, dict(self.options), libraries if names else {}])

    @cached_property
    def kind(self) -> type[Chunker]:
        """The class of the chunker, loaded once: a file is run each time that it is loaded.

        Raises:
            PluginError: where there is none of that name, or it does not import.
        """
        found = load_from(GROUP, self.by, self.root)
        if isinstance(found, type) and is_dataclass(found) and callable(getattr(found, "cut", None)):
            return cast("type[Chunker]", found)
        expected = "a dataclass with a method cut"
        raise PluginError(Problem(f"{GROUP} {self.by!r}", f"{found!r:.80}", expected))

    def cut(self, documents: Iterable[Document], notes: Counter[str] | None = None) -> Iterator[Document]:
        """Cut documents, one after another. Records have no lines and stay whole.

        Args:
            documents: What to cut.
            notes: Counts the files that were cut otherwise than asked, by the words that say how.

        Raises:
            InputError: for options that are wrong, and where the chunker raises.
        """
        chunker = _opened(self.kind, self.options, "chunks")
        try:
            for document in documents:
                if document.path is None:
                    yield document
                else:
                    # Whatever way it is cut, a file's name is what a person would call it.
                    yield from _pieces(
                        chunker, self.by, replace(document, title=document.title or document.path)
                    )
        finally:
            if notes is not None:
                notes.update(getattr(chunker, "notes", ()))


def _pieces(chunker: Chunker, name: str, document: Document) -> Iterable[Document]:
    """Cut one document, and tell of whatever a library raises as an error of the chunker."""
    try:
        with contained():
            return tuple(chunker.cut(document))
    except RankgateError:
        raise
    except Exception as error:
        where, fix = (
            f"chunks {name!r}: {document.path}",
            "leave the file out of the corpus, or cut in another way",
        )
        raise InputError(
            Code.BROKEN_PLUGIN(where, described(error), "the pieces of the document", fix)
        ) from error


class _OptionsDecoder(Decoder):
    unknown = "an unknown option"
    whole = True

    def shown(self, found: object) -> str:
        return f"{found!r:.80}"


def _opened(kind: type[Chunker], options: Mapping[str, object], where: str) -> Chunker:
    problems = Problems(where)
    values = _OptionsDecoder("", problems).members(options, kind, where)
    if problems.total:
        wrong = sorted(problems.shown, key=lambda problem: problem.where)
        raise InputError(
            [one if option_names(kind) else replace(one, expected="no options") for one in wrong]
        )
    try:
        return kind(**values)
    except InputError as error:
        found = [replace(one, where=".".join(filter(None, (where, one.where)))) for one in error.problems]
        raise InputError(found) from error


def read_chunking(value: object, where: str, root: str = ".") -> Chunking:
    """Read how a configuration wants documents cut: a name, or a table with ``by`` and options.

    >>> read_chunking({"by": "window", "lines": 60}, "systems.app.chunks").options
    {'lines': 60, 'overlap': 0}

    Args:
        value: What stands there.
        where: Where that is.
        root: The folder that ``./file.py`` is relative to.

    Raises:
        InputError: for a chunker that is not known, and options that it does not have. A chunker that is
            named as ``module:attr`` is imported and checked when it is used.
    """
    table = {"by": value} if isinstance(value, str) else value
    found = table.get("by") if isinstance(table, dict) else value
    if (
        not isinstance(table, dict)
        or not isinstance(found, str)
        or (":" not in found and found not in listed(GROUP))
    ):
        fix = did_you_mean(str(found), listed(GROUP))
        raise InputError(Code.UNKNOWN_PLUGIN(where, repr(found), f"one of {', '.join(listed(GROUP))}", fix))
    options = {name: one for name, one in table.items() if name != "by"}
    if ":" in found:
        return Chunking(found, options, root)
    kind = Chunking(found).kind
    chunker = _opened(kind, options, where)
    # All of them, so that what was cut by a default is not taken for what another default cuts.
    return Chunking(found, {name: getattr(chunker, name) for name in option_names(kind)}, root)


def option_names(kind: type[Chunker]) -> tuple[str, ...]:
    """Return the names of a chunker's options, in their order."""
    return tuple(one.name for one in fields(cast("type[DataclassInstance]", kind)) if one.init)


def option_defaults(kind: type[Chunker]) -> dict[str, object]:
    """Return what each option is where nothing is said; None for one that must be given."""
    known = {one.name: one.default for one in fields(cast("type[DataclassInstance]", kind)) if one.init}
    return {name: None if default is MISSING else default for name, default in known.items()}


def missing_libraries(kind: type[Chunker]) -> list[str]:
    """Return the distributions that a chunker needs an extra for, and that are not installed."""
    return [name for name in libraries_of(kind) if getattr(kind, "extra", "") and _version(name) is None]


def libraries_of(kind: type[Chunker]) -> tuple[str, ...]:
    """Return the distributions that a chunker says it cuts by."""
    return tuple(getattr(kind, "libraries", ()))


def _version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None
