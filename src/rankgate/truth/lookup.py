"""From a place as it is written to lines, through the outline of its file.

Titles are compared whole, without regard to case and to the number of spaces, from the innermost outwards:
``keys.md#Rotation`` is the one section of that title, ``keys.md#Keys/Rotation`` the one below Keys. Where no
title fits, a lone one may be the anchor that web sites make of it, ``keys.md#key-rotation``. Symbols are
compared by their dotted names, from the innermost outwards. Of several that fit, the one whose whole path was
written is meant.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum, auto
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from rankgate.errors import FormatError, escaped
from rankgate.model.places import Location
from rankgate.outline import read_outline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.corpora.corpus import Corpus
    from rankgate.outline import Node

_NOT_IN_ANCHORS = re.compile(r"[^\w\s-]")
_DASHES = re.compile(r"[\s-]+")
_NEAR = 0.65
_MOST_IDS = 50_000


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a location is: an id, a file, or lines of a file."""

    id: str | None
    """The opaque id; None for a place."""
    path: str | None
    """The file; None for an id."""
    start: int | None
    """The first line; None for an id or a whole file."""
    end: int | None
    """The last line, included."""
    strategy: str
    """How it was found: id, path, lines, heading or symbol."""


class Why(Enum):
    """Why a place was not found."""

    NO_FILE = auto()
    NO_LINES = auto()
    NO_CORPUS = auto()
    NO_OUTLINE = auto()
    NO_NAME = auto()
    SEVERAL = auto()
    NO_RECORD = auto()
    NO_PLACES = auto()


@dataclass(frozen=True, slots=True)
class Miss:
    """A place that was not found, or not only once."""

    why: Why
    """What was missing."""
    nodes: tuple[Node, ...] = ()
    """What has the name, where it is several; else what the file has."""
    error: str = ""
    """What is wrong with a file that has no outline."""


class Lookup:
    """Finds places in a corpus; each file is outlined once."""

    def __init__(self, corpus: Corpus | None) -> None:
        self._corpus = corpus
        self._outlines: dict[str, tuple[Node, ...] | Miss] = {}

    def find(self, location: Location) -> Spot | Miss:
        """Find one location; without a corpus, whatever needs none."""
        path, lines = location.path, location.lines
        if self._corpus is not None and self._corpus.records:
            return _record(location, self._corpus)
        if path is None:
            return Spot(location.id, None, None, None, "id")
        named = bool(location.heading) or location.symbol is not None
        if self._corpus is None:
            if named:
                return Miss(Why.NO_CORPUS)
        elif path not in self._corpus:
            return Miss(Why.NO_FILE)
        elif lines is not None and lines.end > self._corpus.lines(path):
            return Miss(Why.NO_LINES)
        if named:
            return self._named(location, path)
        if lines is None:
            return Spot(None, path, None, None, "path")
        return Spot(None, path, lines.start, lines.end, "lines")

    def nodes(self, path: str) -> tuple[Node, ...]:
        """Give the named pieces of a file; none where it has no outline."""
        found = self._outline(path)
        return () if isinstance(found, Miss) else found

    def node(self, location: Location) -> Node | Miss:
        """Find the section or the symbol that a location names, in a file of the corpus."""
        nodes = self._outline(str(location.path))
        if isinstance(nodes, Miss):
            return nodes
        found = _sections(location.heading, nodes) if location.heading else _symbols(location.symbol, nodes)
        if not found:
            return Miss(Why.NO_NAME, nodes)
        return found[0] if len(found) == 1 else Miss(Why.SEVERAL, tuple(found))

    def explain(self, location: Location, miss: Miss, *, near: bool = True) -> tuple[str, str, str]:
        """Say what was found, what was expected and what to do; near misses only if they are wanted."""
        text, path = f"'{location}'", str(location.path)
        what = _what(location)
        match miss.why:
            case Why.NO_FILE:
                return text, "a file of the corpus", self._near_files(path) if near else ""
            case Why.NO_LINES:
                last = self._corpus.lines(path) if self._corpus else 0
                return text, f"lines up to {last}, the last of {path}", ""
            case Why.NO_CORPUS:
                fix = "name the suite's corpus, or write path:10-50"
                return text, f"a corpus to find the {what} in", fix
            case Why.NO_OUTLINE if miss.error:
                return f"{text} in a file that cannot be outlined", f"a {what} of {path}", miss.error
            case Why.NO_OUTLINE:
                return text, f"a file whose {what}s are known", f"write lines instead, {path}:10-50"
            case Why.NO_NAME:
                return text, f"a {what} of {path}", _near_names(location, miss.nodes) if near else ""
            case Why.NO_RECORD | Why.NO_PLACES:
                return self._explain_record(location, near=near)
            case Why.SEVERAL:
                said = ", ".join(str(node.start) for node in miss.nodes)
                found = f"{text}, {len(miss.nodes)} {what}s of that name: lines {said}"
                return found, f"one {what}", _tell_apart(location, miss.nodes)

    def _named(self, location: Location, path: str) -> Spot | Miss:
        node = self.node(location)
        if isinstance(node, Miss):
            return node
        return Spot(None, path, node.start, node.end, "heading" if location.heading else "symbol")

    def _outline(self, path: str) -> tuple[Node, ...] | Miss:
        known = self._outlines.get(path)
        if known is not None or self._corpus is None:
            return known or Miss(Why.NO_CORPUS)
        try:
            nodes = read_outline(path, self._corpus.text(path))
            known = Miss(Why.NO_OUTLINE) if nodes is None else nodes
        except FormatError as error:
            known = Miss(Why.NO_OUTLINE, error=str(error))
        self._outlines[path] = known
        return known

    def _near_files(self, path: str) -> str:
        if self._corpus is None:
            return ""
        if path in self._corpus.skipped:
            return f"it is there but {self._corpus.skipped[path]}, and was skipped"
        paths = self._corpus.paths()
        name = PurePosixPath(path).name.casefold()
        same_name = [other for other in paths if PurePosixPath(other).name.casefold() == name]
        near = same_name if 0 < len(same_name) <= 3 else get_close_matches(path, paths, 3, _NEAR)
        return _did_you_mean([str(Location(path=other)) for other in near])

    def _explain_record(self, location: Location, *, near: bool) -> tuple[str, str, str]:
        if location.path is None:
            fix = self._near_ids(str(location)) if near else ""
            return f"'{location}'", "the id of a record of the corpus", fix
        found = f"the place '{location}' in a corpus of records, which have ids and no places"
        return found, "an id", f"write id: {location}"

    def _near_ids(self, name: str) -> str:
        if self._corpus is None or len(self._corpus) > _MOST_IDS:
            return ""
        names = self._corpus.paths()
        folded = name.casefold()
        same = [other for other in names if other.casefold() == folded][:3]
        return _did_you_mean([escaped(near) for near in same or get_close_matches(name, names, 3, _NEAR)])


def _record(location: Location, corpus: Corpus) -> Spot | Miss:
    if location.id is None:
        return Miss(Why.NO_PLACES)
    return Spot(location.id, None, None, None, "id") if location.id in corpus else Miss(Why.NO_RECORD)


def _sections(titles: Sequence[str], nodes: Sequence[Node]) -> list[Node]:
    sections = [node for node in nodes if node.kind == "section"]
    wanted = tuple(map(_fold, titles))
    found = _ending_in(wanted, [(tuple(map(_fold, node.path)), node) for node in sections])
    if found or len(titles) > 1:
        return found
    # Only what is written as an anchor is one: as anchors, 1.0.0 would be 10.0 and C would be C++.
    anchor = titles[0]
    if _anchor(anchor) != anchor:
        return []
    return [node for node in sections if _anchor(node.name) == anchor]


def _symbols(symbol: str | None, nodes: Sequence[Node]) -> list[Node]:
    symbols = [(node.path, node) for node in nodes if node.kind not in {"document", "section"}]
    return _ending_in(tuple((symbol or "").split(".")), symbols)


def _ending_in(wanted: tuple[str, ...], named: Sequence[tuple[tuple[str, ...], Node]]) -> list[Node]:
    found = [(names, node) for names, node in named if names[-len(wanted) :] == wanted]
    whole = [node for names, node in found if names == wanted]
    return whole if len(whole) == 1 else [node for _, node in found]


def _fold(title: str) -> str:
    return " ".join(title.split()).casefold()


def _anchor(title: str) -> str:
    return _DASHES.sub("-", _NOT_IN_ANCHORS.sub("", title.casefold())).strip("-")


def _what(location: Location) -> str:
    return "symbol" if location.symbol is not None else "section"


def _near_names(location: Location, nodes: Sequence[Node]) -> str:
    if location.symbol is not None:
        names = {node.qualified: node for node in nodes if node.kind != "document"}
        last = {node.name: node for node in names.values()}
        near = get_close_matches(location.symbol, names, 3, _NEAR) or get_close_matches(
            location.symbol, last, 3, _NEAR
        )
        known = {**last, **names}
        return _did_you_mean([f"{Location(path=location.path)}::{known[name].qualified}" for name in near])
    titles = {_fold(node.name): node for node in nodes if node.kind == "section" and node.name}
    chains = {"/".join(map(_fold, node.path)): node for node in titles.values() if all(node.path)}
    wanted = "/".join(map(_fold, location.heading))
    near = get_close_matches(wanted, titles, 3, _NEAR)
    if near:
        shown = [Location(path=location.path, heading=(titles[title].name,)) for title in near]
    else:
        close = get_close_matches(wanted, chains, 3, 0.5)
        shown = [Location(path=location.path, heading=chains[chain].path) for chain in close]
    return _did_you_mean(list(map(str, shown)))


def _tell_apart(location: Location, nodes: Sequence[Node]) -> str:
    first = nodes[0]
    lines = f"{Location(path=location.path)}:{first.start}-{first.end}"
    if len({node.path for node in nodes}) < len(nodes) or not all(first.path):
        return f"write lines, such as {lines}"
    place = (
        f"{Location(path=location.path)}::{first.qualified}"
        if location.symbol is not None
        else str(Location(path=location.path, heading=first.path))
    )
    return f"write more of the path, such as {place}, or lines, such as {lines}"


def _did_you_mean(near: Sequence[str]) -> str:
    return f"did you mean {' or '.join(near)}?" if near else ""
