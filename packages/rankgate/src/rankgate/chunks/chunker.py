"""What a chunker is, and how a configuration names one."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Protocol

from rankgate.errors import InputError, Problem, did_you_mean
from rankgate.model.fingerprints import fingerprint
from rankgate.outline import OUTLINE_LIBRARIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rankgate.model.search import Document


_CUTTING = 1
"""Raised where a chunker begins to cut otherwise, so that what was cut before is not taken for its own."""


class Chunker(Protocol):
    """Cuts one document into pieces."""

    def cut(self, document: Document) -> Iterable[Document]:
        """Return the pieces, in the order of their lines; each says where it lies."""
        ...


@dataclass(frozen=True, slots=True)
class Chunking:
    """A chunker by name."""

    by: str = "file"
    """file, window or section."""
    options: Mapping[str, int] = field(default_factory=dict)
    """The chunker's own numbers."""

    def __str__(self) -> str:
        numbers = ", ".join(f"{name} {number}" for name, number in self.options.items())
        return f"{self.by} ({numbers})" if numbers else self.by

    @property
    def fingerprint(self) -> str:
        """What names its pieces: with another one, the same documents may be cut otherwise."""
        # Python is outlined by its own parser, which reads what its version knows.
        libraries = {
            "python": [*sys.version_info[:2]],
            **{name: _version(name) for name in OUTLINE_LIBRARIES},
        }
        return fingerprint([_CUTTING, self.by, dict(self.options), libraries if self.by == "section" else {}])

    def cut(self, documents: Iterable[Document], notes: Counter[str] | None = None) -> Iterator[Document]:
        """Cut documents, one after another. Records have no lines and stay whole.

        Args:
            documents: What to cut.
            notes: Counts the files that were cut otherwise than asked, by the words that say how.
        """
        chunker = _CHUNKERS[self.by](self, Counter() if notes is None else notes)
        for document in documents:
            if document.path is None:
                yield document
            else:
                # Whatever way it is cut, a file's name is what a person would call it.
                yield from chunker.cut(replace(document, title=document.title or document.path))


def read_chunking(value: object, where: str) -> Chunking:
    """Read how a configuration wants documents cut: a name, or a table with ``by`` and numbers.

    >>> read_chunking({"by": "window", "lines": 60}, "systems.app.chunks").options
    {'lines': 60, 'overlap': 0}

    Raises:
        InputError: for a chunker that is not known, and options that it does not have.
    """
    table = {"by": value} if isinstance(value, str) else value
    found = table.get("by") if isinstance(table, dict) else value
    if not isinstance(table, dict) or not isinstance(found, str) or found not in _CHUNKERS:
        fix = did_you_mean(str(found), _CHUNKERS)
        raise InputError(Problem(where, repr(found), f"one of {', '.join(_CHUNKERS)}", fix))
    known = _OPTIONS[found]
    problems = [
        Problem(f"{where}.{key}", "an unknown option", f"one of {', '.join(known) or 'none'}")
        for key in table
        if key != "by" and key not in known
    ]
    options = {key: table.get(key, default) for key, default in known.items()}
    problems += [
        Problem(f"{where}.{key}", repr(number), "a whole number")
        for key, number in options.items()
        if isinstance(number, bool) or not isinstance(number, int)
    ]
    if not problems and found == "window" and not 0 <= options["overlap"] < options["lines"]:
        numbers = f"{options['lines']} lines, overlap {options['overlap']}"
        problems.append(Problem(where, numbers, "0 <= overlap < lines"))
    if problems:
        raise InputError(problems)
    return Chunking(found, options)


def _version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def _whole(_chunking: Chunking, _notes: Counter[str]) -> Chunker:
    from rankgate.chunks.chunkers import WholeFile

    return WholeFile()


def _window(chunking: Chunking, _notes: Counter[str]) -> Chunker:
    from rankgate.chunks.chunkers import Window

    return Window(**chunking.options)


def _section(_chunking: Chunking, notes: Counter[str]) -> Chunker:
    from rankgate.chunks.chunkers import Section

    return Section(notes)


_CHUNKERS = {"file": _whole, "window": _window, "section": _section}
_OPTIONS: dict[str, dict[str, int]] = {"file": {}, "window": {"lines": 40, "overlap": 0}, "section": {}}
