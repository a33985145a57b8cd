"""From a hit as a system returns it to the location in the corpus that it shows.

In this order, and the first that applies decides: the path and lines that the hit declares; the map rules of
the suite; an id that is itself a location in the corpus; the hit's text, found verbatim in one location of
the corpus. Where the file is known and the lines are not, the text gives the lines, if it stands in that file
once. Among records: an id that the corpus has; the map rules, whose templates are ids; the text of one
record.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections import Counter
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING

from rankgate.errors import LocationError
from rankgate.model.locations import Lines, Location, normal_path, surely_normal
from rankgate.model.search import Hit
from rankgate.suites.native.settings import compiled
from rankgate.truth.locations.corpus_reader import CorpusReader
from rankgate.truth.locations.lookup import MissReason, Spot

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rankgate.corpora.corpus import Corpus
    from rankgate.model.suite import MapRule


STRATEGIES = ("declared", "map", "id", "text", "opaque", "file_only", "ambiguous", "unlocated")
"""How a hit was located. `opaque`: there is no corpus, so its id is all there is to know. `file_only`: its
file is known, but the heading or symbol named is not in it."""


class Locator:
    r"""Locates hits and counts how; threads may share it.

    Map rules are regular expressions that the author of the suite wrote; one that takes too long on an id
    is an `InputError`.

    >>> from rankgate.model import Hit, MapRule
    >>> locator = Locator(None, [MapRule("https://docs[.]example[.]org/(.*)", r"docs/\1.md")])
    >>> locator.locate(Hit(id="https://docs.example.org/keys")).path
    'docs/keys.md'
    >>> locator.counts["map"]
    1
    """

    def __init__(self, corpus: Corpus | None, map_rules: Sequence[MapRule] = ()) -> None:
        """Prepare the rules.

        Raises:
            InputError: for a rule whose pattern or template cannot be used.
        """
        self._corpus = corpus
        self._records = corpus is not None and corpus.records
        self._rules = [(rule, compiled(rule, f"map[{number}]")) for number, rule in enumerate(map_rules)]
        self._matched: Counter[int] = Counter()
        reader = CorpusReader(corpus)
        self._lookup = reader.lookup
        self._verbatim = Verbatim(reader)
        self._counts: Counter[str] = Counter()
        self._lock = Lock()

    @property
    def counts(self) -> Mapping[str, int]:
        """How many hits were located how, every one of `STRATEGIES` named."""
        return {strategy: self._counts[strategy] for strategy in STRATEGIES}

    @property
    def unused_rules(self) -> tuple[MapRule, ...]:
        """The rules that no hit has matched so far."""
        return tuple(rule for number, (rule, _) in enumerate(self._rules) if not self._matched[number])

    def locate(self, hit: Hit) -> Hit:
        """Return the hit with its location, or without one where none or several were found; its id stays.

        A path that is absolute or climbs out of the corpus is no location. It is left to the map rules, and
        becomes the id of a hit that has none; if no rule matches, the hit is unlocated.
        """
        return self.locate_all((hit,))[0]

    def locate_all(self, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
        """Do the same for all hits of a ranking."""
        # What has nothing left to find, as most have, is told without looking; `_locate` would say the same.
        declared, opaque = not self._records, self._corpus is None and not self._rules
        found, counts = [], self._counts
        with self._lock:
            for hit in hits:
                path, lines = hit.path, hit.lines
                if declared and path is not None and lines is not None and surely_normal(path):
                    counts["declared"] += 1
                    found.append(hit)
                elif opaque and path is None and lines is None and hit.id:
                    counts["opaque"] += 1
                    found.append(hit)
                else:
                    strategy, located = self._locate(hit)
                    counts[strategy] += 1
                    found.append(located)
        return tuple(found)

    def _locate(self, hit: Hit) -> tuple[str, Hit]:
        if self._corpus is not None and self._corpus.records:
            return self._record(hit, self._corpus)
        name = hit.id
        if hit.path is not None:
            try:
                return self._completed("declared", _located(hit, hit.id, normal_path(hit.path), hit.lines))
            except LocationError:
                name = hit.path
        bare = _located(hit, hit.id or hit.path, None, None)
        if name is not None and (mapped := self._mapped(name)) is not None:
            return self._at(mapped, bare, "map")
        if hit.path is not None:
            return "unlocated", bare
        if name is not None and (location := self._location_in_corpus(name)) is not None:
            return self._at(location, bare, "id")
        if self._corpus is None and name is not None:
            return "opaque", bare
        if hit.text is None:
            return "unlocated", bare
        return self._by_text(hit.text, bare)

    def _record(self, hit: Hit, corpus: Corpus) -> tuple[str, Hit]:
        """Find the record of a hit; a path that it declares is one more name for it."""
        bare = _located(hit, hit.id or hit.path, None, None)
        names = [name for name in (hit.id, hit.path) if name is not None]
        for name in names:
            if name in corpus:
                return "id", _located(bare, name, None, None)
        for name in names:
            if (mapped := self._expanded(name)) is not None:
                return ("map", replace(bare, id=mapped)) if mapped in corpus else ("unlocated", bare)
        found = self._verbatim.find(hit.text or "")
        if len(found) == 1:
            return "text", replace(bare, id=found[0][0])
        return "ambiguous" if found else "unlocated", bare

    def _mapped(self, name: str) -> Location | str | None:
        if not self._rules:
            return None
        text = self._expanded(name)
        try:
            return None if text is None else Location.at(text)
        except LocationError:
            return text

    def _expanded(self, name: str) -> str | None:
        """Return what the first rule that matches makes of a name."""
        for number, (rule, pattern) in enumerate(self._rules):
            if found := pattern.fullmatch(name):
                self._matched[number] += 1
                return str(found.expand(rule.template))
        return None

    def _location_in_corpus(self, name: str) -> Location | None:
        if self._corpus is None:
            return None
        try:
            # A file's own name comes first: it may hold what would otherwise be read as lines or a heading.
            if (path := normal_path(name)) in self._corpus:
                return Location(path=path)
            location = Location.at(name)
        except LocationError:
            return None
        return location if location.path is not None and location.path in self._corpus else None

    def _at(self, location: Location | str, bare: Hit, strategy: str) -> tuple[str, Hit]:
        if isinstance(location, str):
            return "unlocated", bare
        found = self._lookup.find(location)
        if isinstance(found, Spot):
            lines = location.lines
            if lines is None and found.start is not None and found.end is not None:
                lines = Lines(found.start, found.end)
            return self._completed(strategy, _located(bare, bare.id, found.path, lines))
        match found.why:
            case MissReason.NO_FILE:
                return "unlocated", bare
            case MissReason.NO_LINES:
                # A chunk may run past the last line; that is the system's own count.
                return strategy, replace(bare, path=location.path, lines=location.lines)
            case MissReason.SEVERAL:
                return "ambiguous", replace(bare, path=location.path)
            case _:
                return "file_only", replace(bare, path=location.path)

    def _completed(self, strategy: str, hit: Hit) -> tuple[str, Hit]:
        """Add to a hit whose file is known the lines of its text, where that stands in the file once."""
        if hit.path is None or hit.lines is not None or hit.text is None:
            return strategy, hit
        found = self._verbatim.find_in(hit.path, hit.text)
        return ("text", replace(hit, lines=found[0])) if len(found) == 1 else (strategy, hit)

    def _by_text(self, text: str, bare: Hit) -> tuple[str, Hit]:
        found = self._verbatim.find(text)
        if not found:
            return "unlocated", bare
        if len(found) > 1:
            return "ambiguous", bare
        path, lines = found[0]
        return "text", replace(bare, path=path, lines=lines)


def _located(hit: Hit, name: str | None, path: str | None, lines: Lines | None) -> Hit:
    """Return the hit with another id and location; the hit itself where it has them already, as most do."""
    if name == hit.id and path == hit.path and lines is hit.lines:
        return hit
    return Hit(name, path, lines, hit.score, hit.text, hit.tokens, hit.matches)


_BETWEEN_FILES = "\0"
_LONG = 20
_IN_A_WORD = re.compile(r"[^\W\u2e80-\U0010ffff]{2}")
"""Two letters or digits side by side; scripts that write no spaces have no such."""


class _Folded:
    """Texts end to end, every run of white space as one space, with the file and number of every line."""

    def __init__(self, documents: Iterable[tuple[str, str]]) -> None:
        self._offsets: list[int] = []
        self._lines: list[tuple[str, int]] = []
        pieces: list[str] = []
        offset = 0
        for path, text in documents:
            for number, line in enumerate(text.split("\n"), 1):
                if words := " ".join(line.split()):
                    self._offsets.append(offset)
                    self._lines.append((path, number))
                    pieces += (words, " ")
                    offset += len(words) + 1
            pieces.append(_BETWEEN_FILES)
            offset += 1
        self._whole = "".join(pieces)

    def find(self, wanted: str, *, records: bool = False) -> tuple[tuple[str, Lines], ...]:
        found: list[tuple[str, Lines]] = []
        at = self._whole.find(wanted)
        while at >= 0 and len(found) < 2:
            if not self._whole_words(at, at + len(wanted)):
                at = self._whole.find(wanted, at + 1)
                continue
            path, first = self._line_at(at)
            _, last = self._line_at(at + len(wanted) - 1)
            found.append((path, Lines(first, last)))
            # A record is one location, however often it says something.
            after = self._whole.find(_BETWEEN_FILES, at) if records else at + 1
            at = self._whole.find(wanted, after)
        return tuple(found)

    def _whole_words(self, start: int, end: int) -> bool:
        """Check whether a short text ends where words end: key does not stand in keyboard.

        A long one may be cut anywhere, as chunkers do.
        """
        whole = self._whole
        if end - start >= _LONG:
            return True
        before, after = whole[max(0, start - 1) : start + 1], whole[end - 1 : end + 1]
        return not (_IN_A_WORD.fullmatch(before) or _IN_A_WORD.fullmatch(after))

    def _line_at(self, offset: int) -> tuple[str, int]:
        return self._lines[bisect_right(self._offsets, offset) - 1]


class Verbatim:
    """Looks for texts in a corpus; the corpus is read when the first text is looked for.

    Every run of white space counts as one space. The corpus is kept as one string, with the offset of every
    line, so that a text is found by one search at the speed of memory; a text that comes again is remembered.
    """

    def __init__(self, reader: CorpusReader) -> None:
        self._reader = reader
        self._everything: _Folded | None = None
        self._files: dict[str, _Folded] = {}
        self._known: dict[bytes, tuple[tuple[str, Lines], ...]] = {}

    def find(self, text: str) -> tuple[tuple[str, Lines], ...]:
        """Return the location of a text: none, the only one, or the first two of several.

        In a corpus of records the locations are records; a text that stands twice in one has one location.
        """
        wanted, corpus = _fold(text), self._reader.corpus
        if corpus is None or not wanted:
            return ()
        key = hashlib.sha256(wanted.encode(errors="surrogatepass")).digest()
        if key not in self._known:
            if self._everything is None:
                self._everything = _Folded((one.id, one.text) for one in corpus.documents())
            self._known[key] = self._everything.find(wanted, records=corpus.records)
        return self._known[key]

    def find_in(self, path: str, text: str) -> tuple[Lines, ...]:
        """Return the lines of a text in one file: none, the only ones, or the first two of several."""
        wanted = _fold(text)
        if not wanted or not self._reader.has(path):
            return ()
        if path not in self._files:
            self._files[path] = _Folded([(path, self._reader.text_of(path).whole)])
        return tuple(lines for _, lines in self._files[path].find(wanted))


def _fold(text: str) -> str:
    """Make every run of white space one space; empty for a text that no file can hold."""
    folded = " ".join(text.split())
    return "" if _BETWEEN_FILES in folded else folded
