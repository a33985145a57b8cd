"""What was judged as targets of a suite: the smallest section or symbol, or the lines that were chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.errors import LocationError, RankgateError
from rankgate.locations import Location
from rankgate.outline import own_end
from rankgate.truth.lookup import Span, Spot

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.outline import OutlineNode
    from rankgate.truth.judgments.labels import Label
    from rankgate.truth.lookup import CorpusReader


def target_location(label: Label, reader: CorpusReader) -> Location:
    """Return the location that a label becomes as a target.

    Lines that the judge chose stay these lines. A passage becomes the smallest section or symbol that holds
    it, as a whole or by its own text, where nothing else is in that; else it stays the lines.
    """
    if label.better is not None:
        return Location.at(label.better)
    location = label.location
    if location.path is None or location.lines is None or not reader.has(location.path):
        return location
    span = Span(location.path, location.lines.start, location.lines.end)
    return named_location(span, reader) or location


def named_location(span: Span, reader: CorpusReader) -> Location | None:
    """Return the section or symbol that some lines are, blank ones aside; None where they are none."""
    try:
        nodes = reader.lookup.nodes(span.path)
    except RankgateError:
        return None
    wanted = _full(span, reader)
    for node in sorted(nodes[1:], key=lambda one: one.end - one.start):
        for own in (False, True):
            end = own_end(nodes, node) if own else node.end
            if _full(Span(span.path, node.start, end), reader) == wanted:
                found = _spelt(span.path, node, reader, own=own)
                if found is not None:
                    return found
    return None


def _full(span: Span, reader: CorpusReader) -> tuple[int, int] | None:
    """Return the first and the last of some lines that are not blank."""
    lines = reader.lines(span.path)
    full = [at for at in range(span.start, min(span.end, len(lines)) + 1) if lines[at - 1].strip()]
    return (full[0], full[-1]) if full else None


def _spelt(path: str, node: OutlineNode, reader: CorpusReader, *, own: bool) -> Location | None:
    """Return the shortest name of a section or symbol that means it and nothing else."""
    for location in _spellings(path, node.path, section=node.kind == "section", own=own):
        spot = reader.find(location)
        if isinstance(spot, Spot) and spot.start == node.start:
            return location
    return None


def _spellings(path: str, names: Sequence[str], *, section: bool, own: bool) -> Iterator[Location]:
    for length in range(1, len(names) + 1):
        some = tuple(names[-length:])
        try:
            if section:
                yield Location(path=path, heading=some, own=own)
            else:
                yield Location(path=path, symbol=".".join(some), own=own)
        except LocationError:
            # A title that no location can write; the lines will do.
            return
