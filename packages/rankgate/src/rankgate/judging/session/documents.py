"""The files that passages stand in: lines around them, and the outline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from rankgate.errors import RankgateError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.judging.units import JudgingUnit
    from rankgate.truth.lookup import CorpusReader

_MOST_ENTRIES = 400


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A section or symbol of a file, as a list of contents has it."""

    title: str
    """Its title or name."""
    level: int
    """How deep it lies, from 1."""
    start: int
    """Its first line."""
    end: int
    """Its last line, included."""


class JudgingDocuments(Protocol):
    """Reads the files that passages stand in."""

    def lines(self, path: str) -> Sequence[str] | None:
        """Return the lines of a file; None where there is no such file."""

    def outline(self, path: str) -> Sequence[OutlineEntry]:
        """Return the sections or symbols of a file, from the first line on."""


class NoDocuments:
    """Knows no file: what is shown is the text of the passage alone."""

    def lines(self, path: str) -> Sequence[str] | None:  # noqa: ARG002
        """Return nothing."""
        return None

    def outline(self, path: str) -> Sequence[OutlineEntry]:  # noqa: ARG002
        """Return nothing."""
        return ()


class CorpusDocuments:
    """The files of a corpus."""

    def __init__(self, reader: CorpusReader) -> None:
        self._reader = reader

    def lines(self, path: str) -> Sequence[str] | None:
        """Return the lines of a file; None where the corpus does not have it any more."""
        try:
            return self._reader.lines(path) if self._reader.has(path) else None
        except (RankgateError, OSError):
            return None

    def outline(self, path: str) -> Sequence[OutlineEntry]:
        """Return the sections or symbols of a file."""
        try:
            nodes = self._reader.lookup.nodes(path) if self._reader.has(path) else ()
        except (RankgateError, OSError):
            return ()
        named = [node for node in nodes if node.level > 0]
        return tuple(
            OutlineEntry(node.name, node.level, node.start, node.end) for node in named[:_MOST_ENTRIES]
        )


def lines_of(unit: JudgingUnit, documents: JudgingDocuments) -> tuple[Sequence[str], int]:
    """Return all lines that can be shown of a passage, and the number of the first of them.

    Without the file that is the text of the passage; the lines of an id are counted from 1.
    """
    found = None if unit.path is None else documents.lines(unit.path)
    if found is not None and unit.start is not None and unit.start <= len(found):
        return found, 1
    text = unit.text.split("\n")
    return (text[:-1] if len(text) > 1 and not text[-1] else text), unit.start or 1
