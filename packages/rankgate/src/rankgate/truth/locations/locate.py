"""From a hit as a system returns it to the location in the corpus that it shows.

In this order, and the first that applies decides: the path and lines that the hit declares; the map rules of
the suite; an id that is itself a location in the corpus; the hit's text, where it or most of it stands in one
place of the corpus. Where the file is known and the lines are not, the text gives the lines, if it stands in
that file once. Among records: an id that the corpus has; the map rules, whose templates are ids; the text of
one record.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING

from rankgate.errors import LocationError
from rankgate.model.locations import Lines, Location, normal_path, surely_normal
from rankgate.model.search import Hit
from rankgate.truth.locations.corpus_reader import CorpusReader
from rankgate.truth.locations.lookup import MissReason, Spot
from rankgate.truth.locations.sites.rules import opened_rule

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.corpora.corpus import Corpus
    from rankgate.model.suite import MapRule
    from rankgate.truth.locations.passages import FoundText, PassageIndex


STRATEGIES = ("declared", "map", "id", "text", "part", "opaque", "file_only", "ambiguous", "unlocated")
"""How a hit was located. `part`: by most of its text. `opaque`: there is no corpus, so its id is all there is
to know. `file_only`: its file is known, but the heading or symbol named is not in it."""


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
        self._rules = [
            (rule, opened_rule(rule, f"map[{number}]", corpus)) for number, rule in enumerate(map_rules)
        ]
        self._matched: Counter[int] = Counter()
        self._lookup = CorpusReader(corpus).lookup
        self._index: PassageIndex | None = None
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
        found = self._found(hit.text or "")
        records = {one.path for one in found.passages}
        if len(records) == 1:
            return _by(found), replace(bare, id=records.pop())
        return "ambiguous" if records else "unlocated", bare

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
        found = self._found(hit.text, hit.path)
        if len(found.passages) != 1:
            return strategy, hit
        return _by(found), replace(hit, lines=found.passages[0].lines)

    def _by_text(self, text: str, bare: Hit) -> tuple[str, Hit]:
        found = self._found(text)
        if not found.passages:
            return "unlocated", bare
        if len(found.passages) > 1:
            return "ambiguous", bare
        return _by(found), replace(bare, path=found.passages[0].path, lines=found.passages[0].lines)

    def _found(self, text: str, path: str | None = None) -> FoundText:
        """Look for a text in the corpus, which is read when the first text is looked for."""
        from rankgate.truth.locations.passages import FoundText, PassageIndex

        if self._corpus is None or (path is not None and path not in self._corpus):
            return FoundText()
        if self._index is None:
            self._index = PassageIndex((one.id, one.text) for one in self._corpus.documents())
        return self._index.find(text, path)


def _by(found: FoundText) -> str:
    return "text" if found.share == 1 else "part"


def _located(hit: Hit, name: str | None, path: str | None, lines: Lines | None) -> Hit:
    """Return the hit with another id and location; the hit itself where it has them already, as most do."""
    if name == hit.id and path == hit.path and lines is hit.lines:
        return hit
    return Hit(name, path, lines, hit.score, hit.text, hit.tokens, hit.matches)
