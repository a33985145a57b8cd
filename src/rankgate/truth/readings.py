"""The files of a corpus as lines and as names, each read and outlined once."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING

from rankgate.errors import PlaceError
from rankgate.model.places import Lines, Location
from rankgate.truth.lookup import Lookup, Miss, Spot
from rankgate.truth.occurrences import Span, split_lines

if TYPE_CHECKING:
    from rankgate.corpora.corpus import Corpus

_KEPT = 64


class Readings(Lookup):
    """Reads and outlines files of a corpus; the lines of the last ones are kept."""

    def __init__(self, corpus: Corpus) -> None:
        super().__init__(corpus)
        self.corpus = corpus
        self._lines: OrderedDict[str, list[str]] = OrderedDict()

    def lines(self, path: str) -> list[str]:
        """Give the lines of a file of the corpus."""
        known = self._lines.get(path)
        if known is None:
            known = self._lines[path] = split_lines(self.corpus.text(path))
            if len(self._lines) > _KEPT:
                self._lines.popitem(last=False)
        return known

    def block(self, span: Span) -> list[str]:
        """Give some lines of a file."""
        return self.lines(span.path)[span.start - 1 : span.end]

    def span(self, location: Location) -> Span | None:
        """Find the lines that a place with lines, a heading or a symbol means; None where it finds none."""
        spot = self.find(location)
        if not isinstance(spot, Spot) or spot.path is None or spot.start is None or spot.end is None:
            return None
        return Span(spot.path, spot.start, spot.end)

    def names(self, span: Span) -> tuple[tuple[str, ...], ...]:
        """List the whole names of what has exactly these lines."""
        nodes = self._outline(span.path)
        if isinstance(nodes, Miss):
            return ()
        return tuple(
            node.path for node in nodes if node.path and (node.start, node.end) == (span.start, span.end)
        )

    def spelt(self, location: Location, span: Span) -> Location:
        """Write the place of some lines as like a place that named them before as can be.

        The same heading or symbol where it finds exactly these lines, else the whole name of what has exactly
        these lines, else the lines.
        """
        if location.lines is None:
            same = replace(location, path=span.path)
            named = [_named(location, span.path, names) for names in self.names(span)]
            for spelling in (same, *named):
                if spelling is not None and self.span(spelling) == span:
                    return spelling
        return Location(path=span.path, lines=Lines(span.start, span.end))


def _named(location: Location, path: str, names: tuple[str, ...]) -> Location | None:
    """Write a whole name; None for a title that has no words, which cannot be written."""
    try:
        if location.heading:
            return Location(path=path, heading=names)
        return Location(path=path, symbol=".".join(names))
    except PlaceError:
        return None
