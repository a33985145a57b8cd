"""How lines of a document are written, in the way in which a location was written before.

A heading stays a heading, a symbol a symbol, lines stay lines and a file a file.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankgate.errors import LocationError
from rankgate.locations import Lines, Location
from rankgate.outline import own_end
from rankgate.truth.locations.corpus_reader import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.outline import OutlineNode
    from rankgate.truth.locations.corpus_reader import CorpusReader
    from rankgate.truth.mending.texts import TextFinder


class LocationSpelling:
    """Writes locations of today's documents."""

    def __init__(self, reader: CorpusReader, finder: TextFinder) -> None:
        """Take the documents, by their texts and by the hashes of their lines."""
        self._reader, self._finder = reader, finder

    def nodes(self, like: Location, path: str) -> Iterator[tuple[OutlineNode, Span]]:
        """Go through what a file has of the kind that a location names: sections or symbols."""
        nodes = self._reader.lookup.nodes(path)
        for node in nodes:
            if node.path and (node.kind == "section") == bool(like.heading) and node.kind != "document":
                yield node, self.span(like, path, node)

    def span(self, like: Location, path: str, node: OutlineNode) -> Span:
        """Return the lines of a section or a symbol: its own or all, as a location has it."""
        nodes = self._reader.lookup.nodes(path)
        return Span(path, node.start, own_end(nodes, node) if like.own else node.end)

    def exact(self, like: Location, span: Span) -> Location | None:
        """Write some lines; None where nothing of the kind has exactly these, blank ones aside."""
        if like.lines is not None:
            return Location(path=span.path, lines=Lines(span.start, span.end))
        document = self._finder.of(span.path)
        rows = document.rows(span.start, span.end)
        if not like.heading and like.symbol is None:
            return Location(path=span.path) if rows == (0, len(document.codes)) else None
        for node, there in self.nodes(like, span.path):
            if document.rows(there.start, there.end) == rows:
                written = self.named(like, span.path, node)
                if written is not None:
                    return written
        return None

    def named(self, like: Location, path: str, node: OutlineNode) -> Location | None:
        """Write a section or a symbol with as many names as before, or more where these are not clear."""
        tries: list[Location] = []
        titles = len(like.heading) or len((like.symbol or "").split("."))
        same = replace(like, path=path)
        if _folded(like)[-1] == node.path[-1].casefold():
            tries.append(same)
        for count in range(min(titles, len(node.path)), len(node.path) + 1):
            names = node.path[-count:]
            try:
                tries.append(
                    Location(path=path, heading=names, own=like.own)
                    if like.heading
                    else Location(path=path, symbol=".".join(names), own=like.own)
                )
            except LocationError:
                continue
        for location in tries:
            span = self._reader.span(location)
            if span is not None and span.start == node.start and span.end >= node.start:
                found = self._reader.lookup.node(location)
                if found == node:
                    return location
        return None

    def nearest(self, like: Location, span: Span, rows: frozenset[int]) -> tuple[Location, Span] | None:
        """Write what has most of some lines and least beside: a section, a symbol, the lines, the file."""
        if like.lines is not None:
            return Location(path=span.path, lines=Lines(span.start, span.end)), span
        if not like.heading and like.symbol is None:
            return Location(path=span.path), span
        document = self._finder.of(span.path)
        best: tuple[float, OutlineNode, Span] | None = None
        for node, there in self.nodes(like, span.path):
            held = sum(there.start <= row <= there.end for row in rows)
            first, behind = document.rows(there.start, there.end)
            score = 2 * held / (behind - first + len(rows)) if held else 0.0
            if held and (best is None or score > best[0]):
                best = score, node, there
        if best is None:
            return None
        written = self.named(like, span.path, best[1])
        return None if written is None else (written, best[2])


def _folded(location: Location) -> list[str]:
    names = list(location.heading) or (location.symbol or "").split(".")
    return [" ".join(name.split()).casefold() for name in names]
