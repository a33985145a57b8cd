"""Texts that are looked for as a whole, by their anchors, in all of the corpus.

The hash of what was judged tells it from every other text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from rankgate.locations import Lines, Location
from rankgate.outline import own_end
from rankgate.progress import steps
from rankgate.truth.anchors import anchor_of
from rankgate.truth.locations.lookup import Spot

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rankgate.outline.nodes import OutlineNode
    from rankgate.truth.locations.corpus_reader import CorpusReader

MOST = 2_000_000
"""How many texts are hashed at most, so that a large corpus does not keep a person waiting."""

# Text without a line that is not blank tells no location from another.
_BLANK = anchor_of("")


@dataclass(frozen=True, slots=True)
class AnchorMatches:
    """What was found of the texts that were looked for."""

    locations: Mapping[Location, tuple[Location, ...]]
    """Where the text of each location stands now, as the suite would write it."""
    complete: bool = True
    """False where the corpus was too large to be looked through to its end."""


def follow(reader: CorpusReader, anchors: Mapping[Location, str]) -> AnchorMatches:
    """Look for the texts of locations in the whole corpus, by their anchors.

    Lines are looked for as as many lines, a section or a symbol among those of files of the same kind, a
    file among the files.

    Args:
        reader: The texts of the corpus.
        anchors: The locations, and the hashes of the texts that were judged there.
    """
    found: dict[Location, list[Location]] = {location: [] for location in anchors}
    wanted: dict[str, list[Location]] = {}
    for location, kept in anchors.items():
        # The words of a quote find it, wherever it went.
        if kept != _BLANK and location.quote is None:
            wanted.setdefault(kept, []).append(location)
    corpus = reader.corpus
    if corpus is None or corpus.records or not anchors:
        return AnchorMatches(dict.fromkeys(anchors, ()))
    sizes = sorted({len(location.lines) for location in anchors if location.lines is not None})
    suffixes = {_suffix(location.path) for location in anchors if _named(location)}
    own = any(location.own for location in anchors)
    files = any(not _named(each) and each.lines is None and each.quote is None for each in anchors)
    hashed, complete = 0, True
    for path in steps(corpus.paths(), "looking for judged texts"):
        nodes = reader.lookup.nodes(path) if _suffix(path) in suffixes else ()
        hashed += corpus.lines(path) * len(sizes) + len(nodes) + 1
        if hashed > MOST:
            complete = False
            break
        for here, text in _texts(reader, path, sizes, nodes, files=files, own=own):
            for location in wanted.get(anchor_of(text), ()):
                if _alike(here, location):
                    found[location].append(here)
    return AnchorMatches({location: tuple(dict.fromkeys(some)) for location, some in found.items()}, complete)


def _texts(
    reader: CorpusReader,
    path: str,
    sizes: list[int],
    nodes: tuple[OutlineNode, ...],
    *,
    files: bool,
    own: bool,
) -> Iterator[tuple[Location, str]]:
    text = reader.text_of(path)
    last = text.last_line
    if files:
        yield Location(path=path), text.whole
    for size in sizes:
        for start in range(1, last - size + 2):
            yield (
                Location(path=path, lines=Lines(start, start + size - 1)),
                text.between(start, start + size - 1),
            )
    for node in nodes:
        if node.kind != "document":
            location = _node_location(reader, path, node)
            if location is not None:
                yield location, text.between(node.start, node.end)
                if own:
                    yield replace(location, own=True), text.between(node.start, own_end(nodes, node))


def _node_location(reader: CorpusReader, path: str, node: OutlineNode) -> Location | None:
    """Write a section or a symbol by its whole name, where that finds it."""
    if not node.path or not all(name.strip() == name and name for name in node.path):
        return None
    if node.kind == "section":
        location = Location(path=path, heading=node.path)
    else:
        location = Location(path=path, symbol=".".join(node.path))
    spot = reader.find(location)
    return location if isinstance(spot, Spot) and (spot.start, spot.end) == (node.start, node.end) else None


def _alike(one: Location, other: Location) -> bool:
    """Check whether two locations are of one kind: lines of one number, names, or files."""
    if one.lines is not None or other.lines is not None:
        return one.lines is not None and other.lines is not None and len(one.lines) == len(other.lines)
    return _named(one) == _named(other) and one.own == other.own


def _named(location: Location) -> bool:
    return bool(location.heading) or location.symbol is not None


def _suffix(path: str | None) -> str:
    return PurePosixPath(path or "").suffix
