"""What became of lines, a section or a symbol."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankgate.errors import LocationError
from rankgate.model.locations import Lines, Location
from rankgate.outline import own_end
from rankgate.truth.drift.documents import Candidate, DriftStatus, LocationDrift, alike
from rankgate.truth.drift.line_diff import line_map
from rankgate.truth.drift.occurrences import MOST, Fragment, find_fragments, not_blank, split_fragments
from rankgate.truth.locations.corpus_reader import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from rankgate.truth.drift.occurrences import Occurrences
    from rankgate.truth.locations.corpus_reader import CorpusReader

CONTEXT = 10
"""How many lines before and behind a block distinguish repeated text."""

SIMILAR = 0.5
"""Which part of a text must be left for it to be the same, edited."""

SHOWN = 5
"""How many locations of repeated text are listed."""

_WORD = re.compile(r"\w+")


def context(lines: Sequence[str], span: Span) -> tuple[Sequence[str], Sequence[str]]:
    """Return the lines before and behind a span."""
    return lines[max(0, span.start - 1 - CONTEXT) : span.start - 1], lines[span.end : span.end + CONTEXT]


class BlockDrift:
    """Decides for lines, sections and symbols."""

    def __init__(self, old: CorpusReader, new: CorpusReader, before: Occurrences, after: Occurrences) -> None:
        """Take the two corpora, by their readers and by the occurrences of lines."""
        self._old, self._new = old, new
        self._before, self._after = before, after
        self._maps: dict[str, list[int | None]] = {}
        self._own_lines: dict[str, set[str]] = {}

    def drift(self, location: Location, span: Span) -> LocationDrift:
        """Find out what became of a location whose file is not as it was.

        Args:
            location: The location as it is written.
            span: The lines it means in the old corpus.
        """
        block = self._old.block(span)
        now = self._new.span(location)
        named = None if location.lines is not None else now
        if named is not None and self._is_same(span, named, block, own=location.own):
            status = DriftStatus.UNCHANGED if named == span else DriftStatus.MOVED
            why = "" if named == span else "its name still finds it"
            return LocationDrift(status, location, named, why, same=True)
        before, after = self._before.find(block), self._after.find(block, near=span.path)
        blank = not not_blank(block)
        if len(after) == len(before) == 1 and not blank:
            drift = self._once(location, span, named, self._after.span(int(after[0]), len(block)))
        elif named is not None and self._new.block(named) != block:
            drift = self._changed_under_its_name(location, named, block)
        elif len(after):
            drift = self._repeated(location, span, before, after)
        else:
            drift = self._no_longer(location, span, block)
        if blank and drift.status is DriftStatus.AMBIGUOUS:
            drift = replace(drift, why="the lines are blank, so nothing tells where they went")
        return replace(drift, stands=now is not None, same=now is not None and self._new.block(now) == block)

    def _is_same(self, span: Span, named: Span, block: Sequence[str], *, own: bool) -> bool:
        """Check whether one whole name has one text, before and now: then copies elsewhere do not matter."""
        same_name = set(_names(self._old, span, own=own)) & set(_names(self._new, named, own=own))
        return bool(same_name) and self._new.block(named) == block

    def _once(self, location: Location, span: Span, named: Span | None, there: Span) -> LocationDrift:
        if named is not None and named != there and named.overlaps(there):
            kept = Location(path=there.path, lines=Lines(there.start, there.end))
            why = f"the name now means lines {named.start}-{named.end}; the old text stands at {kept}"
            return LocationDrift(DriftStatus.EDITED, location, named, why)
        now = location if self._new.span(location) == there else self._spelt(location, there)
        if now != location:
            return LocationDrift(DriftStatus.MOVED, now, there)
        if there == span:
            return LocationDrift(DriftStatus.UNCHANGED, location, there)
        return LocationDrift(DriftStatus.MOVED, location, there, "its name still finds it")

    def _changed_under_its_name(self, location: Location, named: Span, block: Sequence[str]) -> LocationDrift:
        parts = split_fragments(block, find_fragments(block, self._before, self._after))
        if any(not named.holds(part.span) for part in parts):
            return self._split(location, parts, block)
        return LocationDrift(DriftStatus.EDITED, location, named, "the text under its name changed")

    def _repeated(
        self, location: Location, span: Span, before: NDArray[np.int64], after: NDArray[np.int64]
    ) -> LocationDrift:
        length = span.end - span.start + 1
        above, below = context(self._old.lines(span.path), span)
        score = self._after.agreement(after, length, above, below)
        order = [int(at) for at in np.argsort(-score, kind="stable")[:SHOWN]]
        best = order[0]
        clear = bool(score[best] > 0 and (len(order) == 1 or score[best] > score[order[1]]))
        candidates = tuple(
            Candidate(
                self._spelt(location, self._after.span(int(after[at]), length)),
                likely=clear and at == best,
                note=f"{_lines(int(score[at]))} around it unchanged" if score[at] else "",
            )
            for at in order
        )
        why = f"the same text stood in {_locations(len(before))} and stands in {_locations(len(after))}"
        return LocationDrift(
            DriftStatus.AMBIGUOUS, why=why, candidates=candidates, more=max(0, len(after) - len(candidates))
        )

    def _no_longer(self, location: Location, span: Span, block: Sequence[str]) -> LocationDrift:
        fragments = find_fragments(block, self._before, self._after)
        if parts := split_fragments(block, fragments):
            return self._split(location, parts, block)
        here = self._in_its_file(span, block)
        lines = max(1, len(not_blank(block)))
        away = fragments[0] if fragments and fragments[0].held >= SIMILAR * lines else None
        if away is not None and (here is None or away.held > here.held):
            here = away
        if here is None:
            has = self._new.has(span.path)
            found = "the text is gone" if has else self._new.absence(span.path)
            return LocationDrift(DriftStatus.GONE, why=f"{found}, and nothing is like it")
        why = (
            f"{here.held} of its {_lines(lines)} left" if here.held < lines else "other lines between its own"
        )
        return LocationDrift(DriftStatus.EDITED, self._spelt(location, here.span), here.span, why)

    def _split(self, location: Location, parts: Sequence[Fragment], block: Sequence[str]) -> LocationDrift:
        candidates = tuple(
            Candidate(
                self._spelt(location, part.span), note=f"{part.held} of its {_lines(len(not_blank(block)))}"
            )
            for part in parts[:SHOWN]
        )
        why = f"its lines stand in {len(parts)} pieces"
        return LocationDrift(
            DriftStatus.SPLIT, why=why, candidates=candidates, more=len(parts) - len(candidates)
        )

    def _in_its_file(self, span: Span, block: Sequence[str]) -> Fragment | None:
        """Find what stands where a block stood by the difference of its file; None for another text."""
        if not self._new.has(span.path):
            return None
        mapped = self._map(span.path)
        new = self._new.lines(span.path)
        start, end = _image(mapped, span, len(new))
        while start < end and not new[start].strip():
            start += 1
        while start < end and not new[end - 1].strip():
            end -= 1
        region = new[start:end]
        if not region:
            return None
        held = sum((Counter(not_blank(block)) & Counter(not_blank(region))).values())
        alike = held >= SIMILAR * max(1, len(not_blank(block))) or _same_words(block, region) >= SIMILAR
        if not alike and not self._keeps_a_line_of_its_own(span, mapped):
            return None
        return Fragment(Span(span.path, start + 1, end), held)

    def _keeps_a_line_of_its_own(self, span: Span, mapped: Sequence[int | None]) -> bool:
        """Check whether the difference of the file keeps a line that both states of the file have once."""
        if span.path not in self._own_lines:
            before, after = (Counter(each.lines(span.path)) for each in (self._old, self._new))
            self._own_lines[span.path] = {
                line for line, count in before.items() if count == after[line] == 1 and line.strip()
            }
        own, old = self._own_lines[span.path], self._old.lines(span.path)
        return any(mapped[at] is not None and old[at] in own for at in range(span.start - 1, span.end))

    def _spelt(self, location: Location, span: Span) -> Location:
        """Write the location of some lines as like one that named them before as can be.

        The same heading or symbol where it finds exactly these lines, else the whole name of what has exactly
        these lines, else the lines.
        """
        if location.lines is None:
            same = replace(location, path=span.path)
            named = [
                _named(location, span.path, names) for names in _names(self._new, span, own=location.own)
            ]
            for spelling in (same, *named):
                if spelling is not None and self._new.span(spelling) == span:
                    return spelling
        return Location(path=span.path, lines=Lines(span.start, span.end))

    def _map(self, path: str) -> list[int | None]:
        if path not in self._maps:
            self._maps[path] = line_map(self._old.lines(path), self._new.lines(path))
        return self._maps[path]


def _names(reader: CorpusReader, span: Span, *, own: bool) -> tuple[tuple[str, ...], ...]:
    """List the whole names of what has exactly these lines, or has them for its own text."""
    nodes = reader.lookup.nodes(span.path)
    return tuple(
        node.path
        for node in nodes
        if node.path and node.start == span.start and (own_end(nodes, node) if own else node.end) == span.end
    )


def _named(location: Location, path: str, names: tuple[str, ...]) -> Location | None:
    """Write a whole name; None for a title that has no words, which cannot be written."""
    try:
        if location.heading:
            return Location(path=path, heading=names, own=location.own)
        return Location(path=path, symbol=".".join(names), own=location.own)
    except LocationError:
        return None


def _image(mapped: Sequence[int | None], span: Span, lines: int) -> tuple[int, int]:
    """Return the new lines between what the lines around a block became, from 0, the end not included."""
    first, last = span.start - 1, span.end - 1
    start = mapped[first]
    if start is None:
        before = next((at for at in reversed(mapped[:first]) if at is not None), None)
        start = 0 if before is None else before + 1
    end = mapped[last]
    if end is None:
        behind = next((at for at in mapped[last + 1 :] if at is not None), lines)
        return start, behind
    return start, end + 1


def _same_words(one: Sequence[str], other: Sequence[str]) -> float:
    return alike(*(_WORD.findall("\n".join(lines)) for lines in (one, other)))


def _locations(count: int) -> str:
    return (
        "1 location" if count == 1 else f"{count} locations" if count < MOST else f"{MOST} locations or more"
    )


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"
