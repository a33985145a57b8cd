"""What became of lines, a section or a symbol. docs/drift.md gives the rules in words."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankgate.model.places import Lines, Location
from rankgate.truth.fate import Candidate, Fate, Status
from rankgate.truth.line_diff import line_map
from rankgate.truth.occurrences import MOST, Span
from rankgate.truth.survivors import Place, split_places, surviving_places, written

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from rankgate.truth.occurrences import Occurrences
    from rankgate.truth.readings import Readings

CONTEXT = 10
"""How many lines before and behind a place tell repeated text apart."""

SIMILAR = 0.5
"""Which part of a text must be left for it to be the same, edited."""

SHOWN = 5
"""How many places of repeated text are listed."""

_WORD = re.compile(r"\w+")


def context(lines: Sequence[str], span: Span) -> tuple[Sequence[str], Sequence[str]]:
    """Give the lines before and behind a place."""
    return lines[max(0, span.start - 1 - CONTEXT) : span.start - 1], lines[span.end : span.end + CONTEXT]


class BlockDrift:
    """Decides for lines, sections and symbols."""

    def __init__(self, old: Readings, new: Readings, before: Occurrences, after: Occurrences) -> None:
        """Take the two corpora, as readings and as occurrences of lines."""
        self._old, self._new = old, new
        self._before, self._after = before, after
        self._maps: dict[str, list[int | None]] = {}
        self._own_lines: dict[str, set[str]] = {}

    def fate(self, location: Location, span: Span) -> Fate:
        """Say what became of a place whose file is not as it was.

        Args:
            location: The place as it is written.
            span: The lines it means in the old corpus.
        """
        block = self._old.block(span)
        now = self._new.span(location)
        named = None if location.lines is not None else now
        if named is not None and self._is_same(span, named, block):
            status = Status.UNCHANGED if named == span else Status.MOVED
            why = "" if named == span else "its name still finds it"
            return Fate(status, location, named, why, same=True)
        before, after = self._before.find(block), self._after.find(block, near=span.path)
        blank = not written(block)
        if len(after) == len(before) == 1 and not blank:
            fate = self._once(location, span, named, self._after.span(int(after[0]), len(block)))
        elif named is not None and self._new.block(named) != block:
            fate = self._changed_under_its_name(location, named, block)
        elif len(after):
            fate = self._repeated(location, span, before, after)
        else:
            fate = self._no_longer(location, span, block)
        if blank and fate.status is Status.AMBIGUOUS:
            fate = replace(fate, why="the lines are blank, so nothing tells where they went")
        return replace(fate, stands=now is not None, same=now is not None and self._new.block(now) == block)

    def _is_same(self, span: Span, named: Span, block: Sequence[str]) -> bool:
        """Tell whether one whole name has one text, before and now: then copies elsewhere do not matter."""
        same_name = set(self._old.names(span)) & set(self._new.names(named))
        return bool(same_name) and self._new.block(named) == block

    def _once(self, location: Location, span: Span, named: Span | None, there: Span) -> Fate:
        if named is not None and named != there and named.overlaps(there):
            kept = Location(path=there.path, lines=Lines(there.start, there.end))
            why = f"the name now means lines {named.start}-{named.end}; the old text stands at {kept}"
            return Fate(Status.EDITED, location, named, why)
        place = location if self._new.span(location) == there else self._new.spelt(location, there)
        if place != location:
            return Fate(Status.MOVED, place, there)
        if there == span:
            return Fate(Status.UNCHANGED, location, there)
        return Fate(Status.MOVED, location, there, "its name still finds it")

    def _changed_under_its_name(self, location: Location, named: Span, block: Sequence[str]) -> Fate:
        parts = split_places(block, surviving_places(block, self._before, self._after))
        if any(not named.holds(part.span) for part in parts):
            return self._split(location, parts, block)
        return Fate(Status.EDITED, location, named, "the text under its name changed")

    def _repeated(
        self, location: Location, span: Span, before: NDArray[np.int64], after: NDArray[np.int64]
    ) -> Fate:
        length = span.end - span.start + 1
        above, below = context(self._old.lines(span.path), span)
        score = self._after.agreement(after, length, above, below)
        order = [int(at) for at in np.argsort(-score, kind="stable")[:SHOWN]]
        best = order[0]
        clear = bool(score[best] > 0 and (len(order) == 1 or score[best] > score[order[1]]))
        candidates = tuple(
            Candidate(
                self._new.spelt(location, self._after.span(int(after[at]), length)),
                likely=clear and at == best,
                note=f"{_lines(int(score[at]))} around it as before" if score[at] else "",
            )
            for at in order
        )
        why = f"the same text stood in {_places(len(before))} and stands in {_places(len(after))}"
        return Fate(
            Status.AMBIGUOUS, why=why, candidates=candidates, more=max(0, len(after) - len(candidates))
        )

    def _no_longer(self, location: Location, span: Span, block: Sequence[str]) -> Fate:
        places = surviving_places(block, self._before, self._after)
        if parts := split_places(block, places):
            return self._split(location, parts, block)
        here = self._in_its_file(span, block)
        lines = max(1, written(block))
        away = places[0] if places and places[0].held >= SIMILAR * lines else None
        if away is not None and (here is None or away.held > here.held):
            here = away
        if here is None:
            found = "the file is gone" if span.path not in self._new.corpus else "the text is gone"
            return Fate(Status.GONE, why=f"{found}, and nothing is like it")
        why = (
            f"{here.held} of its {_lines(lines)} left" if here.held < lines else "other lines between its own"
        )
        return Fate(Status.EDITED, self._new.spelt(location, here.span), here.span, why)

    def _split(self, location: Location, parts: Sequence[Place], block: Sequence[str]) -> Fate:
        candidates = tuple(
            Candidate(
                self._new.spelt(location, part.span), note=f"{part.held} of its {_lines(written(block))}"
            )
            for part in parts[:SHOWN]
        )
        why = f"its lines stand in {len(parts)} pieces"
        return Fate(Status.SPLIT, why=why, candidates=candidates, more=len(parts) - len(candidates))

    def _in_its_file(self, span: Span, block: Sequence[str]) -> Place | None:
        """Find what stands in the place of a block by the difference of its file; None for another text."""
        if span.path not in self._new.corpus:
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
        held = sum((Counter(_written(block)) & Counter(_written(region))).values())
        alike = held >= SIMILAR * max(1, written(block)) or _alike(block, region) >= SIMILAR
        if not alike and not self._keeps_a_line_of_its_own(span, mapped):
            return None
        return Place(Span(span.path, start + 1, end), held)

    def _keeps_a_line_of_its_own(self, span: Span, mapped: Sequence[int | None]) -> bool:
        """Tell whether the difference of the file keeps a line that both states of the file have once."""
        if span.path not in self._own_lines:
            before, after = (Counter(each.lines(span.path)) for each in (self._old, self._new))
            self._own_lines[span.path] = {
                line for line, count in before.items() if count == after[line] == 1 and line.strip()
            }
        own, old = self._own_lines[span.path], self._old.lines(span.path)
        return any(mapped[at] is not None and old[at] in own for at in range(span.start - 1, span.end))

    def _map(self, path: str) -> list[int | None]:
        if path not in self._maps:
            self._maps[path] = line_map(self._old.lines(path), self._new.lines(path))
        return self._maps[path]


def _image(mapped: Sequence[int | None], span: Span, lines: int) -> tuple[int, int]:
    """Give the new lines between what the lines around a block became, from 0, the end not included."""
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


def _written(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if line.strip()]


def _alike(one: Sequence[str], other: Sequence[str]) -> float:
    """Give twice the words that two texts share, over the words of both."""
    words, others = (Counter(_WORD.findall("\n".join(lines))) for lines in (one, other))
    total = words.total() + others.total()
    return 2 * (words & others).total() / total if total else 0.0


def _places(count: int) -> str:
    return "1 place" if count == 1 else f"{count} places" if count < MOST else f"{MOST} places or more"


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"
