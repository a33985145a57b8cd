"""Find the locations that a suite names in a corpus, and read their texts.

Titles are compared as a whole, without case and repeated spaces, from the innermost outwards:
``keys.md#Rotation`` is the only section with that title, ``keys.md#Keys/Rotation`` the one below Keys. A
single name may be an anchor as web sites have it: an id that the text declares for a heading comes first,
then the slug of its title, ``keys.md#key-rotation``, then the title. ``keys.md#`` is the text before all
headings. Symbols are compared by their dotted names, from the innermost outwards. If several fit, the one
whose whole path is written is meant.

A quote is where its words are (`rankgate.truth.textsearch`): one that occurs as it is comes before one that
differs in punctuation or markup. Of several equal places, the one nearest to `start_char` is meant if the
quote has one; otherwise each of up to five will do.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import cached_property
from itertools import accumulate
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from rankgate.corpora.corpus import Corpus, is_chosen
from rankgate.errors import Code, FormatError, LocationError, escaped, near_names
from rankgate.io.text import split_lines
from rankgate.locations import OPENING, Characters, Lines, Location
from rankgate.outline import OutlineNode, needed_extra, own_end, read_outline
from rankgate.outline.markdown import opening_of
from rankgate.wording import many

if TYPE_CHECKING:
    from rankgate.outline.slugs import PageAnchor

    # The index takes NumPy, and most suites have no quotes.
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
    """The other places of a quote that occurs several times, as alternatives."""
    share: float = 1.0
    """The part of a quote's letters and digits that is there."""

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
    """The reason."""
    nodes: tuple[OutlineNode, ...] = ()
    """The sections or symbols with that name if there are several, else all of the file."""
    error: str = ""
    """The problem of a file that can't be outlined."""
    near: str = ""
    """The place that may be meant by a missing quote, or the places of one that occurs too often."""


class Lookup:
    """Finds locations in a corpus; each file is outlined once."""

    def __init__(self, corpus: Corpus | None) -> None:
        self._corpus = corpus
        self._outlines: dict[str, tuple[OutlineNode, ...] | Miss] = {}
        self._anchors: dict[str, dict[str, PageAnchor]] = {}
        self._indexes: dict[str | None, TextIndex] = {}

    def find(self, location: Location) -> Spot | Miss:
        """Find one location. Without a corpus, only ids, paths and lines can be found."""
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


# ---- headings by their anchors

_NOT_IN_ANCHORS = re.compile(r"[^\w\s-]")
_DASHES = re.compile(r"[\s-]+")
_BREAKS = re.compile(r"\s")


def anchored(anchor: str, sections: Sequence[OutlineNode]) -> list[OutlineNode]:
    r"""Return the sections that an anchor means; none where it is no anchor of any.

    A heading that declares an id has no other anchor. Of headings that have one title, the first has the
    anchor, and the others have it with a number: ``steps-1`` (GitHub) or ``steps_1`` (Python-Markdown).

    >>> from rankgate.outline import read_outline
    >>> text = "# Install {#pip}\n# Setup { #install }\n# Keys & logs\n# Keys & logs"
    >>> nodes = read_outline("a.md", text)[1:]
    >>> [anchored(name, nodes)[0].start for name in ("install", "keys-logs", "keys--logs-1", "keys-logs_1")]
    [2, 3, 4, 4]
    """
    declared = [node for node in sections if anchor in node.ids]
    # Only what is written as an anchor is one: as anchors, 1.0.0 would be 10.0 and C would be C++.
    if declared or _NOT_IN_ANCHORS.search(anchor) or _BREAKS.search(anchor) or anchor != anchor.lower():
        return declared
    seen: Counter[str] = Counter()
    found: dict[bool, list[OutlineNode]] = {True: [], False: []}
    for node in sections:
        if node.ids:
            continue
        for made in set(_made_of(node.name)):
            number = seen[made]
            seen[made] += 1
            if anchor in ((made,) if not number else (f"{made}-{number}", f"{made}_{number}")):
                found[number == 0].append(node)
    # A title that ends with a number comes before the second of a title without one.
    return (found[True] or found[False])[:1]


def _made_of(title: str) -> Iterator[str]:
    """Make anchors of a title: as most do; in ASCII, as Python-Markdown; with every space, as GitHub."""
    words = _NOT_IN_ANCHORS.sub("", title.lower())
    yield _DASHES.sub("-", words).strip("-")
    if not words.isascii():
        letters = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode()
        yield _DASHES.sub("-", letters).strip("-")
    yield _BREAKS.sub("-", words.strip())


# ---- texts

KEPT = 16_000_000
"""The characters of documents that are cached."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Lines of a file."""

    path: str
    """The file."""
    start: int
    """The first line, from 1."""
    end: int
    """The last line, included."""

    def overlaps(self, other: Span) -> bool:
        """Check whether the two share a line."""
        return self.path == other.path and self.start <= other.end and other.start <= self.end

    def holds(self, other: Span) -> bool:
        """Check whether every line of the other lies in this one."""
        return self.path == other.path and self.start <= other.start and other.end <= self.end


class DocumentText:
    r"""The text of a document, by lines.

    >>> DocumentText("a\nb\nc").between(1, 2)
    'a\nb\n'
    """

    def __init__(self, whole: str) -> None:
        self.whole = whole
        """All of it."""

    @cached_property
    def lines(self) -> list[str]:
        """The lines, without their ends."""
        return split_lines(self.whole)

    @cached_property
    def _starts(self) -> list[int]:
        """Where each line begins, and where one more would."""
        return [0, *accumulate(len(line) + 1 for line in self.whole.split("\n"))]

    @property
    def last_line(self) -> int:
        """The number of the last line; behind a line feed at the end there is one more, which is empty."""
        return len(self._starts) - 1

    def offsets(self, start: int | None, end: int | None) -> tuple[int, int]:
        """Return the first offset of some lines and the one behind their last; by default of all of it."""
        last, whole = self.last_line, len(self.whole)
        first = self._starts[min((start or 1) - 1, last)]
        return first, whole if end is None else min(self._starts[min(end, last)], whole)

    def lines_of(self, start: int, end: int) -> Lines:
        r"""Return the lines of the characters from one offset to another, which is excluded.

        >>> DocumentText("a\nbc\nd").lines_of(2, 6)
        Lines(start=2, end=3)
        """
        return Lines(bisect_right(self._starts, start), bisect_right(self._starts, end - 1))

    def code_points(self, characters: Characters) -> tuple[int, int]:
        """Return offsets as Python counts characters; one behind the last where they lie behind the end.

        >>> DocumentText("größer").code_points(Characters(4, 7, "bytes"))
        (3, 5)
        """
        if characters.unit == "characters":
            return characters.start, characters.end
        encoding = "utf-8" if characters.unit == "bytes" else "utf-16-le"
        width = 1 if characters.unit == "bytes" else 2
        encoded = self.whole.encode(encoding, "surrogatepass")
        if characters.end * width > len(encoded):
            return characters.start, len(self.whole) + 1
        start = encoded[: characters.start * width].decode(encoding, "ignore")
        between = encoded[characters.start * width : characters.end * width].decode(encoding, "ignore")
        return len(start), len(start) + len(between)

    def between(self, start: int | None, end: int | None) -> str:
        """Return the text of some lines, both included, with the last line feed; by default all of it."""
        first, behind = self.offsets(start, end)
        return self.whole[first:behind]


class CorpusReader:
    """Reads documents of a corpus and finds locations in it; each location is looked up once.

    The texts that were asked for last are kept, up to `KEPT` characters. Without a corpus there are no texts,
    and only what needs none is found.
    """

    def __init__(self, corpus: Corpus | None) -> None:
        self.corpus = corpus
        self.lookup = Lookup(corpus)
        self._found: dict[Location, Spot | Miss] = {}
        self._texts: OrderedDict[str, DocumentText] = OrderedDict()
        self._kept = 0

    def find(self, location: Location) -> Spot | Miss:
        """Find one location, as `Lookup.find` does."""
        found = self._found.get(location)
        if found is None:
            found = self._found[location] = self.lookup.find(location)
        return found

    def span(self, location: Location) -> Span | None:
        """Find the lines that a location means; None for a whole file, an id, and where there are none."""
        spot = self.find(location)
        if not isinstance(spot, Spot) or spot.path is None or spot.start is None or spot.end is None:
            return None
        return Span(spot.path, spot.start, spot.end)

    def has(self, document: str) -> bool:
        """Check whether the corpus has a document."""
        return self.corpus is not None and document in self.corpus

    def absence(self, path: str) -> str:
        """Return why the corpus does not have a file that it had, in words."""
        why = None if self.corpus is None else self.corpus.skipped.get(path)
        return "the file is gone" if why is None else f"the file is there but {why}"

    def document(self, spot: Spot) -> str | None:
        """Return the document that a spot is in; None for an opaque id, and without a corpus."""
        if self.corpus is None or (spot.path is None and not self.corpus.records):
            return None
        name = spot.id if spot.path is None else spot.path
        return name if name is not None and name in self.corpus else None

    def text_of(self, document: str) -> DocumentText:
        """Read a document, unless it is cached.

        Raises:
            KeyError: for one that the corpus does not have.
            InputError: for one that changed since the corpus was opened.
        """
        known = self._texts.get(document)
        if known is not None:
            self._texts.move_to_end(document)
            return known
        known = self._texts[document] = DocumentText(
            "" if self.corpus is None else self.corpus.text(document)
        )
        self._kept += len(known.whole)
        while self._kept > KEPT and len(self._texts) > 1:
            self._kept -= len(self._texts.popitem(last=False)[1].whole)
        return known

    def text(self, spot: Spot) -> str | None:
        """Read the text at a spot; None for an opaque id, and without a corpus."""
        document = self.document(spot)
        if document is None:
            return None
        text = self.text_of(document)
        if spot.start_char is not None:
            return text.whole[spot.start_char : spot.end_char]
        return text.between(spot.start, spot.end)

    def lines(self, path: str) -> list[str]:
        """Read the lines of a file."""
        return self.text_of(path).lines
