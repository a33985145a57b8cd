"""From a hit as a system returns it to the location in the corpus that it shows.

In this order, and the first that applies decides: the path and lines that the hit declares, where the corpus
has them; the map rules of the suite, which see paths and ids and keep declared lines; an id or a path that is
itself a location in the corpus; the hit's text, where it or most of it stands in the corpus. Declared lines
are compared with the hit's own text: where that stands elsewhere, the text is right. Among records: an id
that the corpus has; the map rules, whose templates are ids; the text of one record. Without a corpus paths
and ids are one name space: what a map rule makes of a path or an id, or the path or id as it is.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, cast

from rankgate.errors import LocationError
from rankgate.hit_classes import HitClass, LocateRules, Strategy
from rankgate.locations import Characters, Lines, Location, normal_path
from rankgate.model import PAGES
from rankgate.suites.schema import compiled
from rankgate.truth.locations.corpus_reader import CorpusReader
from rankgate.truth.locations.lookup import MissReason, Spot
from rankgate.truth.locations.pages import Page, PageFinder

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rankgate.corpora.corpus import Corpus
    from rankgate.locations import Unit
    from rankgate.model import MapRule
    from rankgate.truth.textsearch import FoundText, Passage

ANY_LINE = 1 << 32


class GivenHit(NamedTuple):
    """What a hit says of where it is."""

    id: str | None = None
    """The system's own name for it."""
    path: str | None = None
    """Its file, as the system names it."""
    lines: Lines | None = None
    text: str | None = None
    characters: Characters | None = None
    """Its offsets in the file."""


class HitCopy(NamedTuple):
    """One of several places where a hit may be."""

    id: str | None = None
    """The record; None in a file."""
    path: str | None = None
    """The file; None for a record."""
    start: int | None = None
    """The first line."""
    end: int | None = None
    """The last line, included."""
    start_char: int | None = None
    """The first character, from 0."""
    end_char: int | None = None
    """The first character behind it."""


class PlacedHit(NamedTuple):
    """Where a hit is."""

    id: str | None
    """The system's name for it, or the record."""
    path: str | None
    """Its file; None where there is none, or several."""
    start: int | None
    """Its first line."""
    end: int | None
    """Its last line, included."""
    start_char: int | None
    """Its first character, from 0; None where it is not known."""
    end_char: int | None
    """The first character behind it."""
    hit_class: HitClass
    """Where it ended."""
    strategy: Strategy = Strategy.NONE
    """How it got there."""
    copies: tuple[HitCopy, ...] = ()
    """The places of a text that stands in several; none where there are too many to tell apart."""


class Locator:
    r"""Locates hits.

    Map rules are regular expressions that the author of the suite wrote; one that takes too long on an id
    is an `InputError`.

    >>> from rankgate.model import MapRule
    >>> locator = Locator(None, [MapRule("https://docs[.]example[.]org/(.*)", r"docs/\1.md")])
    >>> found = locator.locate(GivenHit("https://docs.example.org/keys"))
    >>> found.path, str(found.hit_class), str(found.strategy)
    ('docs/keys.md', 'file', 'map')
    """

    def __init__(
        self,
        corpus: Corpus | None,
        map_rules: Sequence[MapRule] = (),
        locate_rules: LocateRules = LocateRules(),  # noqa: B008 - frozen
        names: Sequence[str] = (),
    ) -> None:
        """Prepare the rules: those of the suite, and those of the system.

        Args:
            corpus: The documents.
            map_rules: The rules of the suite.
            locate_rules: The rules of the system.
            names: The judged paths and ids if there is no corpus (`pages.judged_names`).

        Raises:
            InputError: for a rule whose pattern or template cannot be used.
        """
        self.corpus = corpus
        self._rules = [
            (rule, None if rule == PAGES else compiled(rule, f"map[{number}]"))
            for number, rule in enumerate(map_rules)
        ]
        self._names = dict.fromkeys(names)
        self._pages: PageFinder | None = None
        self._matched: Counter[int] = Counter()
        self.reader = CorpusReader(corpus)
        """Reads the corpus."""
        self._folded: dict[str, str] | None = None
        self.rules = locate_rules
        """How the system names locations."""

    @property
    def has_rules(self) -> bool:
        """Whether there are map rules."""
        return bool(self._rules)

    @property
    def unused_rules(self) -> tuple[MapRule, ...]:
        """The rules that no hit has matched so far."""
        return tuple(rule for number, (rule, _) in enumerate(self._rules) if not self._matched[number])

    def last_line(self, path: str) -> int:
        """Return the last line of a file, 0 where the corpus has none; without a corpus any will do."""
        if self.corpus is None:
            return ANY_LINE
        return self.corpus.lines(path) if path in self.corpus else 0

    def locate(self, hit: GivenHit) -> PlacedHit:
        """Find where a hit is; its id stays, unless a record has another or a rule made one.

        A path that is no path of the corpus becomes the id of a hit that has none.
        """
        hit = self._counted(hit)
        if self.corpus is not None and self.corpus.records:
            return self._record(hit, self.corpus)
        declared = None if hit.path is None else _normal(hit.path)
        names = [name for name in (hit.path, hit.id) if name is not None]
        if self.corpus is None:
            return self._as_named(hit, declared, names)
        if declared is not None and declared in self.corpus:
            return self._in_file(hit, declared, hit.lines, Strategy.DECLARED)
        for location, strategy in self._named(names):
            if (found := self._at(hit, location, strategy)) is not None:
                return found
        return self._by_text(hit, self._found(hit.text)) or self._unlocated(hit, declared)

    def _as_named(self, hit: GivenHit, declared: str | None, names: Sequence[str]) -> PlacedHit:
        """Name a hit without a corpus: by what the map rules make of its names, or as it is."""
        for name in names:
            made = self._made(name)
            location = _location(made)
            if location is not None and location.path is not None:
                placed = self._in_file(hit, location.path, location.lines or hit.lines, Strategy.MAP)
                # A judged id may look like a path with lines.
                return placed._replace(
                    id=made if isinstance(made, str) and made in self._names else location.path
                )
            if isinstance(made, str):
                # An id may be written in any way.
                return _placed(hit, None, None, HitClass.OPAQUE, Strategy.MAP)._replace(id=made)
        if declared is None:
            return self._unlocated(hit, declared)
        placed = self._in_file(hit, declared, hit.lines, Strategy.DECLARED)
        return placed._replace(id=declared) if hit.id is None else placed

    def _counted(self, hit: GivenHit) -> GivenHit:
        """Read start and end as the system counts them."""
        rules, offsets = self.rules, hit.characters
        if rules.counts_lines or (offsets is not None and offsets.unit != "unknown"):
            return hit
        if offsets is not None:
            start, end = offsets.start, offsets.end
        elif hit.lines is not None:
            start, end = hit.lines.start, hit.lines.end
        else:
            return hit
        if rules.start_end == "lines":
            return hit._replace(lines=Lines(start + 1, max(start, end) + 1), characters=None)
        unit = cast("Unit", rules.start_end)
        return hit._replace(lines=None, characters=Characters(start, max(start, end), unit))

    def _named(self, names: Sequence[str]) -> Iterable[tuple[Location, Strategy]]:
        """Return the locations that names stand for: by the first map rule that matches, or as they are."""
        for name in names:
            if (mapped := self.mapped(name)) is not None:
                yield mapped, Strategy.MAP
        for name in names if self.rules.changes_paths else ():
            if (path := self._rewritten(name)) is not None:
                yield Location(path=path), Strategy.MAP
        for name in names:
            if (location := self._location_in_corpus(name)) is not None:
                yield location, Strategy.ID

    def _rewritten(self, name: str) -> str | None:
        """Return the file of the corpus that the system's rules make of a name."""
        made = self.rules.path(name)
        path = None if made is None or self.corpus is None else _normal(made)
        if path is None or self.corpus is None:
            return None
        if path in self.corpus:
            return path
        if not self.rules.ignore_case:
            return None
        if self._folded is None:
            names = Counter(one.casefold() for one in self.corpus.paths())
            self._folded = {one.casefold(): one for one in self.corpus.paths() if names[one.casefold()] == 1}
        return self._folded.get(path.casefold())

    def _unlocated(self, hit: GivenHit, path: str | None) -> PlacedHit:
        """Say what is wrong with a hit that has no location; what it declares stays, where it can."""
        why = HitClass.OPAQUE
        if self.corpus is not None and hit.path is not None:
            why = HitClass.NO_FILE
        elif self.corpus is not None and hit.text is not None:
            why = HitClass.NO_TEXT
        lines = hit.lines if path is not None else None
        return _placed(hit, path, lines, why, Strategy.NONE)

    def _at(self, hit: GivenHit, location: Location, strategy: Strategy) -> PlacedHit | None:
        """Find a hit at a location that a rule or its id names; None where the corpus has no such file."""
        path = str(location.path)
        if self.corpus is None or path not in self.corpus:
            return None
        if not location.heading and location.symbol is None:
            return self._in_file(hit, path, location.lines or hit.lines, strategy)
        found = self.reader.find(location)
        if isinstance(found, Spot):
            lines = None if found.start is None or found.end is None else Lines(found.start, found.end)
            return self._in_file(hit, path, lines, strategy)
        if found.why is MissReason.SEVERAL and hit.lines is None:
            copies = tuple(HitCopy(None, path, node.start, node.end) for node in found.nodes)
            return _several(hit, copies, strategy)
        return self._in_file(hit, path, hit.lines, strategy)

    def _in_file(self, hit: GivenHit, path: str, lines: Lines | None, strategy: Strategy) -> PlacedHit:
        """Find a hit in a file that is known: at its lines, unless its text says otherwise."""
        if self.corpus is None:
            return _placed(hit, path, lines, HitClass.FILE if lines is None else HitClass.EXACT, strategy)
        if hit.characters is not None and hit.characters.unit != "unknown":
            return self._at_characters(hit, path, hit.characters)
        if hit.characters is not None:
            return self._by_text_in(hit, path, HitClass.PAST_END, Strategy.NONE)
        if lines is None:
            return self._by_text_in(hit, path, HitClass.FILE, strategy)
        last = self.corpus.lines(path)
        if lines.end == last + 1 and lines.start <= last:
            # Whoever splits at line feeds counts one more behind the last.
            lines = Lines(lines.start, last)
        if lines.end > last:
            return self._by_text_in(hit, path, HitClass.PAST_END, Strategy.NONE)
        return self._at_lines(hit, path, lines, strategy)

    def _by_text_in(self, hit: GivenHit, path: str, otherwise: HitClass, strategy: Strategy) -> PlacedHit:
        """Find a hit in its file by its text alone; where that is not there, only the file is known."""
        found = self._by_text(hit, self._found(hit.text, path))
        return found or _placed(hit, path, None, otherwise, strategy)

    def _at_lines(self, hit: GivenHit, path: str, lines: Lines, strategy: Strategy) -> PlacedHit:
        declared = _placed(hit, path, lines, HitClass.EXACT, strategy)
        if not (said := (hit.text or "").strip()):
            return declared
        document = self.reader.text_of(path)
        first, behind = document.offsets(lines.start, lines.end)
        at = document.whole.find(said, first, behind)
        if at >= 0:
            return declared._replace(start_char=at, end_char=at + len(said))
        return self._checked(hit, declared, document.whole[first:behind])

    def _checked(self, hit: GivenHit, declared: PlacedHit, shown: str) -> PlacedHit:
        """Compare what a hit declares with its text, which does not stand there word for word."""
        from rankgate.truth.textsearch import LEAST, fold

        said = fold(hit.text or "")
        if len(said) < LEAST or said in fold(shown):
            return declared
        found = self._found(hit.text, declared.path)
        if found is not None and any(_within(one, declared) for one in found.passages):
            return declared
        if found is None or not found.passages:
            found = self._found(hit.text)
        # A text that stands nowhere says nothing about the lines: it may be a summary, or marked up.
        return self._by_text(hit, found) or declared

    def _at_characters(self, hit: GivenHit, path: str, characters: Characters) -> PlacedHit:
        document = self.reader.text_of(path)
        start, end = document.code_points(characters)
        if end > len(document.whole) or start >= end:
            return self._by_text_in(hit, path, HitClass.PAST_END, Strategy.NONE)
        lines = document.lines_of(start, end)
        declared = _placed(hit, path, lines, HitClass.EXACT, Strategy.CHARACTERS)
        declared = declared._replace(start_char=start, end_char=end)
        said = (hit.text or "").strip()
        if not said or document.whole.find(said, start, end) >= 0:
            return declared
        return self._checked(hit, declared, document.whole[start:end])

    def _by_text(self, hit: GivenHit, found: FoundText | None) -> PlacedHit | None:
        if found is None or not found.passages:
            return None
        strategy = Strategy.TEXT if found.share == 1 else Strategy.PART
        if len(found.passages) > 1:
            paths = {one.path for one in found.passages}
            placed = _several(hit, tuple(map(_copy, found.passages)), strategy)
            return placed._replace(path=paths.pop()) if len(paths) == 1 else placed
        [one] = found.passages
        placed = _placed(hit, one.path, one.lines, HitClass.EXACT, strategy)
        return placed._replace(start_char=one.start, end_char=one.end)

    def _record(self, hit: GivenHit, corpus: Corpus) -> PlacedHit:
        """Find the record of a hit; a path that it declares is one more name for it."""
        names = [name for name in (hit.id, hit.path) if name is not None]
        for name in names:
            if name in corpus:
                return _of_record(name, HitClass.EXACT, Strategy.ID)
        for name in names:
            made = self._made(name)
            record = made.document if isinstance(made, Page) else made
            if record is not None and record in corpus:
                return _of_record(record, HitClass.EXACT, Strategy.MAP)
        found = self._found(hit.text)
        records = {} if found is None else dict.fromkeys(one.path for one in found.passages)
        own = hit.id or hit.path
        if found is None or not records:
            return _of_record(own, HitClass.NO_FILE if own is not None else HitClass.NO_TEXT, Strategy.NONE)
        strategy = Strategy.TEXT if found.share == 1 else Strategy.PART
        if len(records) == 1:
            return _of_record(next(iter(records)), HitClass.EXACT, strategy)
        several = _of_record(own, HitClass.SEVERAL, strategy)
        return several._replace(copies=_few(tuple(map(HitCopy, records)), len(found.passages)))

    def mapped(self, name: str) -> Location | None:
        """Return the location that the first matching map rule makes of a name."""
        location = _location(self._made(name))
        return None if location is None or location.path is None else location

    def _made(self, name: str) -> str | Page | None:
        """Return what the first rule that matches makes of a name."""
        for number, (rule, pattern) in enumerate(self._rules):
            if pattern is None:
                if self._pages is None:
                    self._pages = PageFinder(self._names if self.corpus is None else self.corpus.paths())
                if (page := self._pages.find(name)) is not None:
                    self._matched[number] += 1
                    return page
            elif found := pattern.fullmatch(name):
                self._matched[number] += 1
                return str(found.expand(rule.template))
        return None

    def _location_in_corpus(self, name: str) -> Location | None:
        if self.corpus is None:
            return None
        try:
            # A file's own name comes first: it may hold what would otherwise be read as lines or a heading.
            if (path := normal_path(name)) in self.corpus:
                return Location(path=path)
            location = Location.at(name)
        except LocationError:
            return None
        return location if location.path is not None and location.path in self.corpus else None

    def _found(self, text: str | None, path: str | None = None) -> FoundText | None:
        """Look for a text in the corpus, which is read when the first text is looked for."""
        if self.corpus is None or not text:
            return None
        return self.reader.lookup.find_text(text, path)


def _location(made: str | Page | None) -> Location | None:
    """Return the location that a rule made; None for an id, which may be written in any way."""
    try:
        if isinstance(made, Page):
            return Location(path=made.document, heading=(made.fragment,) if made.fragment else ())
        return None if made is None else Location.at(made)
    except LocationError:
        return None


def _normal(path: str) -> str | None:
    try:
        return normal_path(path)
    except LocationError:
        return None


def _placed(
    hit: GivenHit, path: str | None, lines: Lines | None, hit_class: HitClass, strategy: Strategy
) -> PlacedHit:
    name = hit.id or (hit.path if path is None else None)
    start, end = (None, None) if lines is None else (lines.start, lines.end)
    return PlacedHit(name, path, start, end, None, None, hit_class, strategy)


def _several(hit: GivenHit, copies: tuple[HitCopy, ...], strategy: Strategy) -> PlacedHit:
    placed = _placed(hit, None, None, HitClass.SEVERAL, strategy)
    return placed._replace(copies=_few(copies, len(copies)))


def _few(copies: tuple[HitCopy, ...], places: int) -> tuple[HitCopy, ...]:
    """Return the places of a hit, or none where they are too many to tell apart."""
    from rankgate.truth.textsearch import COPIES

    return copies if places <= COPIES else ()


def _of_record(name: str | None, hit_class: HitClass, strategy: Strategy) -> PlacedHit:
    return PlacedHit(name, None, None, None, None, None, hit_class, strategy)


def _copy(one: Passage) -> HitCopy:
    return HitCopy(None, one.path, one.lines.start, one.lines.end, one.start, one.end)


def _within(one: Passage, declared: PlacedHit) -> bool:
    """Check whether a passage lies in the lines that a hit declares, or holds them all."""
    start, end = declared.start or 0, declared.end or 0
    inside = start <= one.lines.start and one.lines.end <= end
    return inside or (one.lines.start <= start and end <= one.lines.end)
