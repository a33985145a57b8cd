"""The tree that is searched: one node for a document, and one for each section or symbol in it."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Protocol

import rankgate as rg
from rankgate_reference.documents.front_matter import FrontMatter, has_front_matter, read_front_matter
from rankgate_reference.documents.languages import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

RECORD = "record"
"""The kind of a node that is a document by itself, with an id in place of a path."""

_BARE = re.compile("%(?=(?:23|3A|2F|25))", re.IGNORECASE)
_ESCAPED = re.compile("%(?:23|3A|2F|25)", re.IGNORECASE)
_LONGEST_NAME = 300
_LONGEST_TITLE = 500
_MOST_NODES = 200_000
_MOST_FACETS = 20_000_000
_MEANT = {"%23": "#", "%3A": ":", "%2F": "/", "%25": "%"}


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A document, a section or a symbol."""

    id: str
    """``path``, ``path#Heading/Sub`` or ``path::Class.method``, whatever is edited elsewhere in the file."""
    parent: str | None
    """The id of the node above; None for a document or a record."""
    kind: str
    """document, record, section, or the kind of symbol: class, function, method and so on."""
    title: str
    """A document's title, a section's heading, a symbol's name; one line, cut where it is long."""
    path: str
    """The file; a record's own id."""
    start: int
    """The first line, from 1."""
    end: int
    """The last line of it and of all below it."""
    own_end: int
    """The last line before the first node below it."""
    level: int
    """How deep it lies; 0 for a document."""
    text: str
    """Its own lines, without those of the nodes below it."""
    trail: tuple[str, ...] = ()
    """The titles from the document to this one."""
    symbol: str = ""
    """The qualified name of a symbol; empty for documents and sections."""
    facets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What it can be filtered by: front matter, type, language, kind."""

    @property
    def lines(self) -> rg.Lines:
        """The lines that the node's own text begins with."""
        return rg.Lines(self.start, max(self.start, self.own_end))


def nodes_of(path: str, text: str, notes: list[str] | None = None) -> tuple[TreeNode, ...]:
    r"""Make the nodes of a file, the document first, the rest in the order of their lines.

    >>> [node.id for node in nodes_of("keys.md", "# Keys\n\n## Rotation\n\nNow.\n")]
    ['keys.md', 'keys.md#Keys', 'keys.md#Keys/Rotation']

    Args:
        path: Where it is in the corpus.
        text: What it holds.
        notes: Takes, in words, what could not be read as it should.
    """
    notes = [] if notes is None else notes
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    count = max(1, len(lines) - text.endswith("\n"))
    front = read_front_matter(lines) if has_front_matter(path) else FrontMatter()
    if front.unread:
        notes.append(f"{path}: {front.unread} lines or values of its front matter are left out")
    pieces = _pieces(path, text, notes) or (_Whole(path, count),)
    own = own_lines(pieces, count)
    ids = _ids(path, pieces)
    titles = [_title(piece.name) for piece in pieces]
    named = next(iter(front.values.get("title", ())), "") or _heading(pieces)
    titles[0] = _title(named or PurePosixPath(path).name)
    by_place = _by_place(path)
    shared = below = {**by_place, **front.values}
    said = sum(len(value) for values in front.values.values() for value in values)
    if said * len(pieces) > _MOST_FACETS:
        notes.append(
            f"{path}: its front matter holds for the document alone, and not for {len(pieces):,} nodes"
        )
        below = by_place
    return tuple(
        TreeNode(
            id=ids[at],
            parent=None if piece.parent is None else ids[piece.parent],
            kind=piece.kind,
            title=titles[at],
            path=path,
            start=piece.start,
            end=min(piece.end, count),
            own_end=next((end for start, end in own[at] if start == piece.start), piece.start),
            level=piece.level,
            text=_text(lines, own[at], after=0 if at else front.lines),
            trail=tuple(titles[one] for one in _chain(pieces, at)),
            symbol=""
            if piece.kind in ("document", "section")
            else ".".join(_title(one) for one in piece.path),
            facets={**(below if at else shared), "kind": (piece.kind,)},
        )
        for at, piece in enumerate(pieces)
    )


def node_of_record(name: str, title: str, text: str) -> TreeNode:
    r"""Make the node of a record, whose id is never parsed; without a title, the first line is one.

    >>> node_of_record("GET /a#b", "", "Give all of it.\nAt once.").title
    'Give all of it.'
    """
    count = max(1, text.count("\n") + (not text.endswith("\n")))
    shown = _title(title or next((line for line in text.split("\n") if line.strip()), name))
    return TreeNode(
        id=name,
        parent=None,
        kind=RECORD,
        title=shown,
        path=name,
        start=1,
        end=count,
        own_end=count,
        level=0,
        text=text,
        trail=(shown,),
        facets={"kind": (RECORD,)},
    )


def _pieces(path: str, text: str, notes: list[str]) -> Sequence[_Piece]:
    """Outline a file; nothing where that cannot be done, or would be too much."""
    try:
        pieces = rg.read_outline(path, text) or ()
    except rg.FormatError as error:
        notes.append(f"{path}: one node, as its outline cannot be read ({error})")
        return ()
    if len(pieces) > _MOST_NODES:
        notes.append(f"{path}: one node, as its outline has {len(pieces):,} and {_MOST_NODES:,} is the most")
        return ()
    return pieces


def own_lines(pieces: Sequence[_Piece], count: int) -> list[list[tuple[int, int]]]:
    """Return each piece the runs of lines that lie in it and in none inside it.

    Args:
        pieces: The document, and what is in it.
        count: How many lines the file has.
    """
    own: list[list[tuple[int, int]]] = [[] for _ in pieces]
    at, around = 1, [0]
    inner = sorted(range(1, len(pieces)), key=lambda one: (pieces[one].start, -pieces[one].end))

    def give(piece: int, end: int) -> None:
        nonlocal at
        if at <= end:
            own[piece].append((at, end))
            at = end + 1

    for one in inner:
        while len(around) > 1 and pieces[around[-1]].end < pieces[one].start:
            give(around[-1], pieces[around.pop()].end)
        give(around[-1], pieces[one].start - 1)
        around.append(one)
    while around:
        piece = around.pop()
        give(piece, min(pieces[piece].end, count) if around else count)
    return own


class _Piece(Protocol):
    """What an outline says of a section or a symbol."""

    @property
    def kind(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def path(self) -> tuple[str, ...]: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def level(self) -> int: ...
    @property
    def parent(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class _Whole:
    """The only piece of a file without an outline."""

    name: str
    end: int
    kind: str = "document"
    path: tuple[str, ...] = ()
    start: int = 1
    level: int = 0
    parent: int | None = None


def _ids(path: str, pieces: Sequence[_Piece]) -> list[str]:
    """Name each piece by its titles; where several have the same, the later ones are numbered."""
    found: dict[str, None] = {}
    seen: Counter[str] = Counter()
    file, short = _escaped(path), _Shortened()
    for piece in pieces:
        if piece.kind == "document":
            name = file
        elif piece.kind == "section":
            name = f"{file}#{short['/'.join(_escaped(short[one]).replace('/', '%2F') for one in piece.path)]}"
        else:
            name = f"{file}::{short['.'.join(short[one] for one in piece.path)]}"
        seen[name] += 1
        one = name if seen[name] == 1 else f"{name}~{seen[name]}"
        while one in found:
            # A heading may itself be called "Setup~2".
            seen[name] += 1
            one = f"{name}~{seen[name]}"
        found[one] = None
    return list(found)


def path_of(id: str) -> str:  # noqa: A002 - what it is
    """Return the file that an id names.

    >>> path_of("a/keys.md#Keys/Rotation"), path_of("app.py::Key.rotate")
    ('a/keys.md', 'app.py')
    """
    path = id.partition("#")[0].partition("::")[0]
    return _ESCAPED.sub(lambda found: _MEANT[found[0].upper()], path)


class _Shortened(dict[str, str]):
    """Names as they stand in ids: a long one is cut, and a hash keeps it apart from others."""

    def __missing__(self, name: str) -> str:
        if len(name) <= _LONGEST_NAME:
            return name
        digest = hashlib.blake2b(name.encode(errors="replace"), digest_size=6).hexdigest()
        self[name] = cut = f"{name[: _LONGEST_NAME - 20]}~{digest}"
        return cut


def _escaped(text: str) -> str:
    return _BARE.sub("%25", text).replace("#", "%23").replace(":", "%3A")


def _chain(pieces: Sequence[_Piece], at: int) -> list[int]:
    """List the positions from the document down to a piece."""
    chain = [at]
    while (above := pieces[chain[-1]].parent) is not None:
        chain.append(above)
    return chain[::-1]


def _title(name: str) -> str:
    """Make a title one line, and not too long: it stands in the trail of every node below."""
    return name[:_LONGEST_TITLE].replace("\n", " ")


def _heading(pieces: Sequence[_Piece]) -> str:
    """Return the title of a page: its only heading of the first level."""
    tops = [piece.name for piece in pieces if piece.kind == "section" and piece.level == 1]
    return tops[0] if len(tops) == 1 else ""


def _by_place(path: str) -> dict[str, tuple[str, ...]]:
    """Return what the path says: the type by its folder, the language by its suffix."""
    pure = PurePosixPath(path)
    facets: dict[str, tuple[str, ...]] = {}
    if language := LANGUAGES.get(pure.suffix.lower()):
        facets["language"] = (language,)
    return {"type": (pure.parts[0],), **facets} if len(pure.parts) > 1 else facets


def _text(lines: Sequence[str], runs: Sequence[tuple[int, int]], after: int) -> str:
    """Join runs of lines, without those of the front matter."""
    return "\n".join("\n".join(lines[max(start - 1, after) : end]) for start, end in runs if end > after)
