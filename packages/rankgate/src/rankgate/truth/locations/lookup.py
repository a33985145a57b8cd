"""From a location as it is written to lines, through the outline of its file.

Titles are compared whole, without regard to case and to the number of spaces, from the innermost outwards:
``keys.md#Rotation`` is the one section of that title, ``keys.md#Keys/Rotation`` the one below Keys. A lone
one may be an anchor, as web sites have them: an id that the text gives a heading comes first, then what sites
make of its title, ``keys.md#key-rotation``, then the title. ``keys.md#`` is what stands before all headings.
Symbols are compared by their dotted names, from the innermost outwards. Of several that fit, the one whose
whole path was written is meant. A quote is where its words are (`rankgate.truth.textsearch`): one that occurs
as it is comes before one that differs in punctuation or markup. Of several equal places, the one nearest to
`start_char` is meant if the quote has one; otherwise each of up to five will do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from rankgate.corpora.corpus import is_chosen
from rankgate.errors import Code, FormatError, LocationError, escaped, near_names
from rankgate.locations import OPENING, Location
from rankgate.outline import needed_extra, own_end, read_outline
from rankgate.outline.markdown import opening_of
from rankgate.truth.locations.anchors import anchored
from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.corpora.corpus import Corpus
    from rankgate.outline import OutlineNode
    from rankgate.outline.slugs import PageAnchor
    from rankgate.truth.textsearch import FoundText, Passage, TextIndex

_NEAR = 0.65
_MOST_IDS = 50_000
_COPIES = 5
"""The most places of a quote."""
_LOOKED_AT = 64
"""The most places of a text among which one is chosen."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a location is: an id, a file, or lines of a file."""

    id: str | None
    """The opaque id; None for a location in a file."""
    path: str | None
    """The file; None for an id."""
    start: int | None
    """The first line; None for an id or a whole file."""
    end: int | None
    """The last line, included."""
    strategy: str
    """How it was found: id, path, lines, heading, symbol or quote."""
    start_char: int | None = None
    """The first character of a quote in its file, from 0; None for everything else."""
    end_char: int | None = None
    """Where the quote ends: the first character behind it."""
    copies: tuple[Spot, ...] = ()
    """The other places of a quote that stands several times; any of them will do."""
    share: float = 1.0
    """How much of a quote stands there, of its letters and digits."""

    @property
    def every(self) -> tuple[Spot, ...]:
        """This place and its copies."""
        return (self, *self.copies)

    def fields(self) -> dict[str, Any]:
        """Return where it is, by the names that tables have for it."""
        names = ("id", "path", "start", "end", "start_char", "end_char")
        return {name: getattr(self, name) for name in names}


class MissReason(Enum):
    """Why a location was not found."""

    NO_FILE = auto()
    NO_LINES = auto()
    NO_CORPUS = auto()
    NO_OUTLINE = auto()
    NO_EXTRA = auto()
    NO_NAME = auto()
    SEVERAL = auto()
    NO_RECORD = auto()
    NO_LOCATIONS = auto()
    NO_QUOTE = auto()
    SEVERAL_QUOTES = auto()


_GONE = {
    MissReason.NO_FILE,
    MissReason.NO_LINES,
    MissReason.NO_NAME,
    MissReason.NO_RECORD,
    MissReason.NO_QUOTE,
}


@dataclass(frozen=True, slots=True)
class Miss:
    """A location that was not found, or not only once."""

    why: MissReason
    """What was missing."""
    nodes: tuple[OutlineNode, ...] = ()
    """What has the name, where it is several; else what the file has."""
    error: str = ""
    """What is wrong with a file that has no outline."""
    near: str = ""
    """What is like a quote that was not found, or where one stands that stands too often."""


class Lookup:
    """Finds locations in a corpus; each file is outlined once."""

    def __init__(self, corpus: Corpus | None) -> None:
        self._corpus = corpus
        self._outlines: dict[str, tuple[OutlineNode, ...] | Miss] = {}
        self._anchors: dict[str, dict[str, PageAnchor]] = {}
        self._indexes: dict[str | None, TextIndex] = {}

    def find(self, location: Location) -> Spot | Miss:
        """Find one location; without a corpus, whatever needs none."""
        path, lines = location.path, location.lines
        if location.quote is not None:
            return self._quote(location)
        if self._corpus is not None and self._corpus.records:
            return _record(location, self._corpus)
        if path is None and self._corpus is None:
            # Without a corpus, ids and locations are one name space.
            location = lines_of(str(location.id)) or location
            path, lines = location.path, location.lines
        if path is None:
            return Spot(location.id, None, None, None, "id")
        named = bool(location.heading) or location.symbol is not None
        if self._corpus is None:
            if named:
                return Miss(MissReason.NO_CORPUS)
        elif path not in self._corpus:
            return Miss(MissReason.NO_FILE)
        elif lines is not None and lines.end > self._corpus.lines(path):
            return Miss(MissReason.NO_LINES)
        if named:
            return self._named(location, path)
        first, last = (None, None) if lines is None else (lines.start, lines.end)
        return Spot(None, path, first, last, "path" if lines is None else "lines")

    def _quote(self, location: Location) -> Spot | Miss:
        if self._corpus is None:
            return Miss(MissReason.NO_CORPUS)
        if location.path is not None and location.path not in self._corpus:
            return Miss(MissReason.NO_FILE)
        places, share = self._quoted_places(location, str(location.quote))
        if not places:
            other = self.find_text(str(location.quote)).passages if location.path is not None else ()
            near = f"it stands in {other[0].path}: correct its path" if other else ""
            return Miss(MissReason.NO_QUOTE, near=near)
        if len(places) > _COPIES:
            files = len({one.path for one in places})
            said = f"{len(places)} locations" + (f" of {files} files" if files > 1 else "")
            return Miss(MissReason.SEVERAL_QUOTES, near=said)
        first, *others = (_quoted(one, share, records=self._corpus.records) for one in places)
        return replace(first, copies=tuple(others))

    def _quoted_places(self, location: Location, words: str) -> tuple[list[Passage], float]:
        """Return the places of a quote in its file or the corpus, and how much of it is there."""
        from rankgate.truth.textsearch import passage_at

        corpus, path, wanted = self._corpus, location.path, location.start_char
        if corpus is None:
            return [], 0.0
        if path is not None and wanted is not None:
            text = corpus.text(path)
            starts = (text.rfind(words, 0, wanted + len(words)), text.find(words, wanted))
            if (exact := [at for at in starts if at >= 0]) != []:
                start = min(exact, key=lambda at: abs(at - wanted))
                return [passage_at(path, text, start, start + len(words))], 1.0
        found = self.find_text(words, path, _LOOKED_AT)
        texts = {one: corpus.text(one) for one in {each.path for each in found.passages}}
        places = [_widened(words, texts[one.path], one) for one in found.passages]
        # Copies that differ in punctuation or markup count only if none is the quote as it is.
        places = [one for one in places if texts[one.path][one.start : one.end] == words] or places
        if wanted is not None and places:
            places = [min(places, key=lambda one: abs(one.start - wanted))]
        return places, found.share

    def find_text(self, text: str, path: str | None = None, most: int = _COPIES + 1) -> FoundText:
        """Find a text in one document, or in the corpus, which is indexed when it is first searched."""
        # The index takes NumPy, and most suites have no quotes.
        from rankgate.truth.textsearch import FoundText, TextIndex

        if self._corpus is None or not text:
            return FoundText()
        index = self._indexes.get(None) or self._indexes.get(path)
        if index is None and path is None:
            index = TextIndex((one.id, one.text) for one in self._corpus.documents())
            self._indexes = {None: index}
        elif index is None:
            index = self._indexes[path] = TextIndex([(str(path), self._corpus.text(str(path)))])
        return index.find(text, path, most)

    def nodes(self, path: str) -> tuple[OutlineNode, ...]:
        """Return the named pieces of a file; none where it has no outline."""
        found = self._outline(path)
        return () if isinstance(found, Miss) else found

    def node(self, location: Location) -> OutlineNode | Miss:
        """Find the section or the symbol that a location names, in a file of the corpus."""
        nodes = self._outline(str(location.path))
        if isinstance(nodes, Miss):
            return nodes
        if location.heading == OPENING:
            return self._opening(location, nodes) or Miss(MissReason.NO_NAME, nodes)
        found = _sections(location.heading, nodes) if location.heading else _symbols(location.symbol, nodes)
        if not found:
            return Miss(MissReason.NO_NAME, nodes)
        return found[0] if len(found) == 1 else Miss(MissReason.SEVERAL, tuple(found))

    def explain(  # noqa: PLR0911 - one return for each reason
        self, location: Location, miss: Miss, *, near: bool = True
    ) -> tuple[str, str, str]:
        """Return what was found, what was expected and what to do; near misses only if they are wanted."""
        text, path = f"'{location}'", str(location.path)
        what = _what(location)
        match miss.why:
            case MissReason.NO_FILE:
                return text, "a file of the corpus", self._near_files(path) if near else ""
            case MissReason.NO_LINES:
                last = self._corpus.lines(path) if self._corpus else 0
                return text, f"lines up to {last}, the last of {path}", ""
            case MissReason.NO_CORPUS:
                fix = "name the suite's corpus" + (", or write path:10-50" if location.quote is None else "")
                return text, f"a corpus to find the {what} in", fix
            case MissReason.NO_OUTLINE:
                cannot = f"{text} in a file that cannot be outlined", f"a {what} of {path}", miss.error
                unknown = text, f"a file whose {what}s are known", f"write lines instead, {path}:10-50"
                return cannot if miss.error else unknown
            case MissReason.NO_EXTRA:
                extra, kind = needed_extra(path)
                found = f"{text}, and the outline of {kind} files needs an extra"
                return found, f"a {what} of {path}", f"pip install 'rankgate[{extra}]'"
            case MissReason.NO_NAME:
                return text, f"a {what} of {path}", self._near_names(location, miss.nodes) if near else ""
            case MissReason.NO_RECORD | MissReason.NO_LOCATIONS:
                return self._explain_record(location, near=near)
            case MissReason.NO_QUOTE | MissReason.SEVERAL_QUOTES:
                return _explain_quote(location, miss)
            case MissReason.SEVERAL:
                said = ", ".join(str(node.start) for node in miss.nodes)
                found = f"{text}, {len(miss.nodes)} {what}s of that name: lines {said}"
                return found, f"one {what}", _distinguish(location, miss.nodes)

    def _named(self, location: Location, path: str) -> Spot | Miss:
        node = self.node(location)
        if isinstance(node, Miss):
            return self._by_id(location, path) or node
        last = own_end(self.nodes(path), node) if location.own else node.end
        return Spot(None, path, node.start, last, "heading" if location.heading else "symbol")

    def _opening(self, location: Location, nodes: Sequence[OutlineNode]) -> OutlineNode | None:
        path = str(location.path)
        return None if self._corpus is None else opening_of(path, self._corpus.text(path), nodes)

    def _near_names(self, location: Location, nodes: Sequence[OutlineNode]) -> str:
        if location.heading == OPENING:
            titled = [node.path for node in nodes if node.kind == "section" and all(node.path)]
            return _did_you_mean([str(replace(location, heading=one, own=True)) for one in titled[:1]])
        # A page without a title of its own is known by the name of its file.
        called = PurePosixPath(str(location.path)).stem.replace("-", " ").casefold()
        like = near_names(called, map(_fold, location.heading), 1, _NEAR)
        opening = [f"{Location(path=location.path)}#"] if like and self._opening(location, nodes) else []
        return _did_you_mean([*opening, *_near_names(location, nodes)])

    def _by_id(self, location: Location, path: str) -> Spot | None:
        """Find what is no section but has an id in the page: labels, HTML, what is described."""
        from rankgate.outline.slugs import known_anchors

        if len(location.heading) != 1 or self._corpus is None or location.own:
            return None
        if path not in self._anchors:
            self._anchors[path] = known_anchors(path, self._corpus.text(path))
        found = self._anchors[path].get(unquote(location.heading[0]))
        return None if found is None else Spot(None, path, found.start, found.end, "heading")

    def _outline(self, path: str) -> tuple[OutlineNode, ...] | Miss:
        known = self._outlines.get(path)
        if known is not None or self._corpus is None:
            return known or Miss(MissReason.NO_CORPUS)
        try:
            nodes = read_outline(path, self._corpus.text(path))
            known = Miss(MissReason.NO_OUTLINE) if nodes is None else nodes
        except FormatError as error:
            why = MissReason.NO_EXTRA if error.code is Code.MISSING_EXTRA else MissReason.NO_OUTLINE
            known = Miss(why, error=str(error))
        self._outlines[path] = known
        return known

    def _near_files(self, path: str) -> str:
        if self._corpus is None:
            return ""
        if (why := self._corpus.skipped.get(path)) is not None:
            todo = "; change the globs of the corpus, or take the target out" if is_chosen(why) else ""
            return f"it is there but {why}, and was skipped{todo}"
        paths = self._corpus.paths()
        name = PurePosixPath(path).name.casefold()
        same_name = [other for other in paths if PurePosixPath(other).name.casefold() == name]
        near = same_name if 0 < len(same_name) <= 3 else near_names(path, paths, 3, _NEAR)
        return _did_you_mean([str(Location(path=other)) for other in near])

    def _explain_record(self, location: Location, *, near: bool) -> tuple[str, str, str]:
        if location.path is None:
            fix = self._near_ids(str(location)) if near else ""
            return f"'{location}'", "the id of a record of the corpus", fix
        found = f"the location '{location}' in a corpus of records, which have ids and no locations"
        return found, "an id", f"write id: {location}"

    def _near_ids(self, name: str) -> str:
        if self._corpus is None or len(self._corpus) > _MOST_IDS:
            return ""
        names = self._corpus.paths()
        folded = name.casefold()
        same = [other for other in names if other.casefold() == folded][:3]
        return _did_you_mean([escaped(near) for near in same or near_names(name, names, 3, _NEAR)])


def lines_of(name: str) -> Location | None:
    """Return the lines of a file that a name such as ``src/keys.py:10-50`` means; None for any other name."""
    try:
        location = Location.at(name)
    except LocationError:
        return None
    return location if location.lines is not None else None


def is_gone(location: Location, miss: Miss, corpus: Corpus | None) -> bool:
    """Check whether a location that was not found may have been there once, as it is written."""
    if miss.why is MissReason.NO_OUTLINE:
        # A file that can be outlined when it is whole, and is not whole today.
        return bool(miss.error)
    skipped = corpus is not None and location.path in corpus.skipped
    return miss.why in _GONE and not (miss.why is MissReason.NO_FILE and skipped)


def why_gone(location: Location, miss: Miss, corpus: Corpus | None) -> str:
    """Return in words why a location is gone."""
    path = location.path or "the corpus"
    match miss.why:
        case MissReason.NO_FILE:
            return f"{path} does not exist"
        case MissReason.NO_LINES:
            return f"{path} has {many(corpus.lines(path) if corpus else 0, 'line')}"
        case MissReason.NO_RECORD:
            return "the corpus has no such record"
        case MissReason.NO_QUOTE:
            return f"{path} has no such passage"
        case MissReason.NO_OUTLINE:
            return f"{path} cannot be outlined"
        case _:
            return f"{path} has no such {'symbol' if location.symbol is not None else 'section'}"


def _record(location: Location, corpus: Corpus) -> Spot | Miss:
    if location.id is None:
        return Miss(MissReason.NO_LOCATIONS)
    return Spot(location.id, None, None, None, "id") if location.id in corpus else Miss(MissReason.NO_RECORD)


def _sections(titles: Sequence[str], nodes: Sequence[OutlineNode]) -> list[OutlineNode]:
    sections = [node for node in nodes if node.kind == "section"]
    if len(titles) == 1 and (found := anchored(unquote(titles[0]), sections)):
        return found
    wanted = tuple(map(_fold, titles))
    return _ending_in(wanted, [(tuple(map(_fold, node.path)), node) for node in sections])


def _symbols(symbol: str | None, nodes: Sequence[OutlineNode]) -> list[OutlineNode]:
    symbols = [(node.path, node) for node in nodes if node.kind not in {"document", "section"}]
    return _ending_in(tuple((symbol or "").split(".")), symbols)


def _ending_in(
    wanted: tuple[str, ...], named: Sequence[tuple[tuple[str, ...], OutlineNode]]
) -> list[OutlineNode]:
    found = [(names, node) for names, node in named if names[-len(wanted) :] == wanted]
    whole = [node for names, node in found if names == wanted]
    return whole if len(whole) == 1 else [node for _, node in found]


def _fold(title: str) -> str:
    return " ".join(title.split()).casefold()


def _quoted(one: Passage, share: float, *, records: bool) -> Spot:
    if records:
        return Spot(one.path, None, None, None, "quote", share=share)
    return Spot(None, one.path, one.lines.start, one.lines.end, "quote", one.start, one.end, share=share)


def _widened(words: str, text: str, one: Passage) -> Passage:
    """Add the punctuation around a passage that the quote has, too."""
    from rankgate.truth.textsearch import folded_offsets, passage_at

    offsets = folded_offsets(words)
    start, end = one.start, one.end
    first, last = int(offsets[0]), int(offsets[-1]) + 1
    while start and first and text[start - 1] == words[first - 1]:
        start, first = start - 1, first - 1
    while end < len(text) and last < len(words) and text[end] == words[last]:
        end, last = end + 1, last + 1
    return passage_at(one.path, text, start, end)


def _explain_quote(location: Location, miss: Miss) -> tuple[str, str, str]:
    text = f"'{location}'"
    if miss.why is MissReason.NO_QUOTE:
        return text, f"a passage of {location.path or 'the corpus'}", miss.near
    found = f"{text}, which stands in {miss.near}"
    fix = "quote more of it, or say where it begins by start_char"
    path = "" if location.path is not None else "name its path, or "
    return found, "a passage that stands in five locations at most", path + fix


def _what(location: Location) -> str:
    if location.quote is not None:
        return "passage"
    return "symbol" if location.symbol is not None else "section"


def _near_names(location: Location, nodes: Sequence[OutlineNode]) -> list[str]:
    if location.symbol is not None:
        names = {node.qualified: node for node in nodes if node.kind != "document"}
        last = {node.name: node for node in names.values()}
        near = near_names(location.symbol, names, 3, _NEAR)
        near = near or near_names(location.symbol, last, 3, _NEAR)
        known = {**last, **names}
        return [str(_whole(location, known[name])) for name in near]
    titles = {_fold(node.name): node for node in nodes if node.kind == "section" and node.name}
    chains = {"/".join(map(_fold, node.path)): node for node in titles.values() if all(node.path)}
    wanted = "/".join(map(_fold, location.heading))
    near = near_names(wanted, titles, 3, _NEAR)
    shown = [replace(location, heading=(titles[title].name,)) for title in near]
    if not near:
        shown = [_whole(location, chains[chain]) for chain in near_names(wanted, chains, 3, 0.5)]
    return list(map(str, shown))


def _distinguish(location: Location, nodes: Sequence[OutlineNode]) -> str:
    first = nodes[0]
    lines = f"{Location(path=location.path)}:{first.start}-{first.end}"
    if len({node.path for node in nodes}) < len(nodes) or not all(first.path):
        return f"write lines, such as {lines}"
    return f"write more of the path, such as {_whole(location, first)}, or lines, such as {lines}"


def _whole(location: Location, node: OutlineNode) -> Location:
    """Write the whole name of a node, as a location names a symbol or a section."""
    if location.symbol is not None:
        return Location(path=location.path, symbol=node.qualified, own=location.own)
    return Location(path=location.path, heading=node.path, own=location.own)


def _did_you_mean(near: Sequence[str]) -> str:
    return f"did you mean {' or '.join(near)}?" if near else ""
