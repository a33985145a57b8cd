"""Pages that a suite declares to be copies of each other: versions, translations.

``docs/{version}/{page}`` says that files with the same ``{page}`` are copies. What a target names in one of
them it names in the others, where it is there: the same heading, symbol or passage, or lines with the same
text. A page that is translated has other headings; what is not found there is counted by lint.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from rankgate.model.copies import PAGE, copy_pattern
from rankgate.truth.locations.lookup import Miss, MissReason, Spot

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.corpora.corpus import Corpus
    from rankgate.model.locations import Location
    from rankgate.truth.locations.lookup import Lookup

COPY = "copy"
"""How a target in a copy was found."""


@dataclass(frozen=True, slots=True)
class LocationCopy:
    """A location in one copy of its page."""

    path: str
    """The copy."""
    location: Location
    """What was looked for there."""
    found: Spot | Miss
    """Where it is, or why it is not."""


class PageCopies:
    """Finds the copies of pages and of what stands in them.

    Args:
        sets: Patterns, of which those in one set name copies of the same pages.
        corpus: What the pages are in; without one nothing has a copy.
    """

    def __init__(self, sets: Sequence[Sequence[str]], corpus: Corpus | None) -> None:
        self._sets, self._corpus = sets, corpus

    @cached_property
    def pages(self) -> tuple[dict[str, tuple[str, ...]], ...]:
        """The files of each set, by what they have in common."""
        return tuple(self._pages(each) for each in self._sets)

    def of(self, path: str) -> tuple[str, ...]:
        """Return the other copies of a page; none of one that no pattern fits."""
        return self._others.get(path, ())

    def find(self, location: Location, spot: Spot, lookup: Lookup) -> Iterator[LocationCopy]:
        """Go through the copies of a location whose own place was found."""
        for path in self.of(spot.path or ""):
            named = replace(location, path=path, start_char=None)
            found = lookup.find(named) if location.lines is None else self._same_text(spot, path)
            yield LocationCopy(path, named, found)

    @cached_property
    def _others(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for pages in self.pages:
            for files in pages.values():
                for path in files:
                    others = (one for one in files if one != path)
                    found[path] = tuple(dict.fromkeys([*found.get(path, ()), *others]))
        return found

    def _pages(self, patterns: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Sort files by page; of several patterns that fit, the one that leaves the shortest page counts."""
        if self._corpus is None or self._corpus.records:
            return {}
        compiled = [copy_pattern(pattern) for pattern in patterns]
        pages: dict[str, list[str]] = defaultdict(list)
        for path in self._corpus.paths():
            fitting = [match[PAGE] for one in compiled if (match := one.fullmatch(path)) is not None]
            if fitting:
                pages[min(fitting, key=len)].append(path)
        return {page: tuple(files) for page, files in pages.items()}

    def _same_text(self, spot: Spot, path: str) -> Spot | Miss:
        """Find lines by their text: at the same numbers, or where alone it stands."""
        if self._corpus is None or spot.path is None or spot.start is None or spot.end is None:
            return Miss(MissReason.NO_LINES)
        wanted = self._corpus.text(spot.path).split("\n")[spot.start - 1 : spot.end]
        lines = self._corpus.text(path).split("\n")
        first = spot.start - 1
        if lines[first : spot.end] == wanted:
            return replace(spot, path=path)
        length = len(wanted)
        places = [at for at in range(len(lines) - length + 1) if lines[at : at + length] == wanted]
        if len(places) != 1 or not any(line.strip() for line in wanted):
            return Miss(MissReason.NO_LINES)
        return replace(spot, path=path, start=places[0] + 1, end=places[0] + length)
