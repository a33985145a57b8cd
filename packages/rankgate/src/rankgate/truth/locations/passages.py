"""Where a text stands in a corpus, whatever was done to it on the way.

Texts are compared folded (`rankgate.truth.locations.folding`), and beside each document stands the same one
without its markup. An index of windows that are chosen by their content finds where a text may stand, at the
cost of the text and not of the corpus. What stands nowhere as a whole is lined up: a title in front, an
ellipsis or a number before each line leaves runs that are equal, and the chain of them that covers most is
the place.
"""

from __future__ import annotations

import html
import re
from array import array
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankgate.locations import Lines
from rankgate.truth.locations.alignment import Chain, best_chains, equal_runs
from rankgate.truth.locations.folding import fold, folded_offsets, has_markup, without_markup
from rankgate.truth.locations.windows import WindowIndex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from rankgate.truth.locations.folding import Offsets

LEAST = 24
"""How many bytes of a folded text are enough to look for it; a shorter one stands anywhere."""
FLOOR = 0.5
"""How much of a text must stand in one place for the text to be placed there."""
COPIES = 5
"""How many places of one text are told apart; one with more is nowhere in particular."""
_SHIFTS = 32
_CLEAR = 8
_NEAR = 512
"""How far two shifts are apart that show one place."""
_SMALL_GAPS = 1 / 8
"""How much may be missing between the runs of a place that need not be compared with others."""
_LONG = 20
"""A text of so many characters may be cut inside a word, as chunkers do."""
_TITLE = 48
"""How many bytes at the end of a title may stand before the text in the corpus, too."""
_COPIES_LOOKED_AT = 64
_CANDIDATES = 1000
"""In how many places a short text is looked at."""
_ALIGNED = 100_000
"""How many bytes of a text are lined up; one that is longer is only looked for as a whole."""
_LINE_END = re.compile("\n")
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,300}>")
_NUMBERED = re.compile(r"^[ \t]*(?:[^\s:|]{1,200}:)?\d{1,7}(?:[:|→\t]|[ ]{2,}|-(?!\d))", re.MULTILINE)
"""What programs put in front of lines: their number, or a file and the number."""


class Passage(NamedTuple):
    """A piece of a document."""

    path: str
    """The document."""
    start: int
    """Its first character, from 0."""
    end: int
    """Where it ends: the first character behind it."""
    lines: Lines


@dataclass(frozen=True, slots=True)
class FoundText:
    """Where a text stands."""

    passages: tuple[Passage, ...] = ()
    """Every place, `COPIES` and one more at most; none where it does not stand in the corpus."""
    share: float = 0.0
    """How much of it stands there, of its letters and digits."""


class _Part:
    """One document as it is kept: whole, or without its markup."""

    def __init__(self, path: str, text: str, start: int, *, bare: bool) -> None:
        self.path, self.text, self.start = path, text, start
        self.bare = bare
        left = without_markup(text) if bare else None
        self.folded = fold(text if left is None else left[0])
        offsets = folded_offsets(text) if left is None else left[1][folded_offsets(left[0])]
        lines = np.array([0, *(found.end() for found in _LINE_END.finditer(text))], dtype=np.int64)
        # Where each line begins in the folded text; no markup goes on behind the end of a line.
        # Arrays of the standard library, since a look at one value is what they are for.
        self._starts = array("q", np.searchsorted(offsets, lines).astype(np.int64).tobytes())
        self._lines = array("q", lines.tobytes())

    def passage(self, first: int, last: int) -> Passage:
        """Return the characters from one folded byte to another, both included."""
        (start, top), (end, bottom) = self._character(first - self.start), self._character(last - self.start)
        return Passage(self.path, start, end + 1, Lines(top, bottom))

    def _character(self, at: int) -> tuple[int, int]:
        """Return the character that a folded byte comes from, and the number of its line."""
        line = bisect_right(self._starts, at)
        start = self._lines[line - 1]
        end = self._lines[line] if line < len(self._lines) else len(self.text)
        offsets = _line_offsets(self.text[start:end], self.bare)
        return start + int(offsets[at - self._starts[line - 1]]), line


@lru_cache(maxsize=256)
def _line_offsets(line: str, bare: bool) -> Offsets:
    left = without_markup(line) if bare else None
    return folded_offsets(line) if left is None else left[1][folded_offsets(left[0])]


class PassageIndex:
    r"""Finds texts in documents.

    >>> said = "Rotate the **API key** every [90 days](ttl.md), and when somebody leaves the team."
    >>> index = PassageIndex([("keys.md", f"# Keys\n\n{said}\n")])
    >>> found = index.find("Handbook: rotate the API key every 90 days, and when somebody leaves the team")
    >>> found.passages, round(found.share, 2)
    ((Passage(path='keys.md', start=8, end=89, lines=Lines(start=3, end=3)),), 0.87)
    """

    def __init__(self, documents: Iterable[tuple[str, str]]) -> None:
        """Fold every document, and index it."""
        self._parts: list[_Part] = []
        at = 0
        for path, text in documents:
            for bare in (False, True) if has_markup(text) else (False,):
                part = _Part(path, text, at, bare=bare)
                self._parts.append(part)
                at += len(part.folded) + 1
        self._starts = [part.start for part in self._parts]
        self._texts = {part.path: part.text for part in self._parts}
        self._whole = b"\0".join(part.folded for part in self._parts)
        self._windows = WindowIndex(self._whole)

    def find(self, text: str, path: str | None = None, most: int = COPIES + 1) -> FoundText:
        """Find a text, in one document where a path is given, and so many places of it at most.

        A text that stands word for word in one place and otherwise in another stands in the first.
        """
        tried: list[tuple[str, bytes]] = []
        for form in _forms(text):
            wanted = fold(form)
            if len(wanted) < LEAST:
                return self._short(form, wanted, path, most) if wanted and not tried else FoundText()
            if found := self._whole_text(form, wanted, path)[:most]:
                return FoundText(found, 1.0)
            tried.append((form, wanted))
        aligned = [(form, wanted, self._aligned(wanted, path)) for form, wanted in tried]
        return max(
            (_lined_up(self, *one) for one in aligned if one[2]),
            key=lambda one: one.share,
            default=FoundText(),
        )

    def _short(self, text: str, wanted: bytes, path: str | None, most: int) -> FoundText:
        """Find a short text, which must stand there word for word; a very short one ends where words end."""
        said = _words(text)
        found: list[Passage] = []
        at = self._whole.find(wanted)
        for _ in range(_CANDIDATES):
            if at < 0 or len(found) >= most:
                break
            part = self._parts[self._part_at(at)]
            if not part.bare and path in (None, part.path):
                one = part.passage(at, at + len(wanted) - 1)
                same = _words(part.text[one.start : one.end]) == said
                if same and (len(said) >= _LONG or _whole_words(part.text, one)):
                    found.append(one)
            at = self._whole.find(wanted, at + 1)
        return FoundText(tuple(found), 1.0 if found else 0.0)

    def _part_at(self, at: int) -> int:
        return bisect_right(self._starts, at) - 1

    def passage(self, start: int, end: int) -> Passage:
        """Return what folded bytes, of one document, are."""
        return self._parts[self._part_at(start)].passage(start, end - 1)

    def _in(self, path: str | None, at: int) -> bool:
        return path is None or self._parts[self._part_at(at)].path == path

    def _whole_text(self, text: str, wanted: bytes, path: str | None) -> tuple[Passage, ...]:
        places = [at for at in self._exact(wanted) if self._in(path, at)]
        if not places:
            return ()
        found = _apart([self.passage(at, at + len(wanted)) for at in places])
        if len(found) > 1:
            said = _words(text)
            same = [one for one in found if _words(self._texts[one.path][one.start : one.end]) == said]
            found = same if len(same) == 1 else found
        return tuple(found)

    def _exact(self, wanted: bytes) -> list[int]:
        """Return where folded bytes stand, as they are."""
        size, whole = len(wanted), self._whole
        if (places := self._windows.candidates(wanted)) is None:
            return _scan(whole, wanted)
        same = (at for at in places if at >= 0 and whole[at : at + size] == wanted)
        return list(islice(same, _COPIES_LOOKED_AT))

    def _aligned(self, wanted: bytes, path: str | None) -> list[Chain]:
        """Return how folded bytes line up with the corpus: the best way, and others elsewhere."""
        if len(wanted) > _ALIGNED:
            return []
        shifts, times = self._windows.shifts(wanted)
        if times.max(initial=0) >= _CLEAR:
            # Beside a place that so many windows show, one window alone is chance.
            shifts, times = shifts[times > 1], times[times > 1]
            first = shifts[_in_question(shifts, times)]
            found = self._chains(wanted, first.tolist(), path) if len(first) <= _SHIFTS else []
            if found and found[0].gaps <= found[0].covered * _SMALL_GAPS:
                return found
        likely = shifts[np.argsort(-times, kind="stable")[:_SHIFTS]].tolist()
        return self._chains(wanted, likely, path)

    def _chains(self, wanted: bytes, shifts: Sequence[int], path: str | None) -> list[Chain]:
        runs = equal_runs(wanted, self._whole, shifts)
        return best_chains([run for run in runs if self._in(path, run.there)], self._part_at, COPIES + 2)


def _in_question(shifts: NDArray[np.int64], times: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which shifts show a place that may be the best one.

    Two places that are as good as each other show the same windows, so that one with fewer than half as many
    as another need not be looked at.
    """
    place = np.concatenate([[0], np.cumsum(np.diff(shifts) > _NEAR)])
    votes = np.bincount(place, weights=times)
    found: NDArray[np.bool_] = (2 * votes >= votes.max())[place]
    return found


def _scan(whole: bytes, wanted: bytes) -> list[int]:
    found: list[int] = []
    at = whole.find(wanted)
    while at >= 0 and len(found) < _COPIES_LOOKED_AT:
        found.append(at)
        at = whole.find(wanted, at + 1)
    return found


def _forms(text: str) -> Iterator[str]:
    """Return a text as it is, and as it was before somebody escaped it, marked it or numbered its lines."""
    yield text
    plain = html.unescape(text) if "&" in text else text
    if plain != text:
        yield plain
    if "<" in plain and (bare := _TAG.sub("", plain)) != plain:
        yield bare
        plain = bare
    if len(_NUMBERED.findall(plain)) > plain.count("\n") // 2:
        yield _NUMBERED.sub("", plain)


def _words(text: str) -> str:
    """Return a text from its first letter to its last, every run of white space as one space."""
    offsets = folded_offsets(text)
    return " ".join(text[int(offsets[0]) : int(offsets[-1]) + 1].split())


_IN_A_WORD = re.compile(r"[^\W\u2e80-\U0010ffff]{2}")
"""Two letters or digits side by side; scripts that write no spaces have no such."""


def _whole_words(text: str, one: Passage) -> bool:
    """Check whether a passage begins and ends where words do: key does not stand in keyboard."""
    before, after = text[max(0, one.start - 1) : one.start + 1], text[one.end - 1 : one.end + 1]
    return not (_IN_A_WORD.fullmatch(before) or _IN_A_WORD.fullmatch(after))


def _apart(passages: Iterable[Passage]) -> list[Passage]:
    """Return the passages that are not part of one before: a document is kept with its markup and without."""
    found: list[Passage] = []
    for one in passages:
        if not any(
            one.path == other.path and one.start < other.end and other.start < one.end for other in found
        ):
            found.append(one)
    return found


def _lined_up(index: PassageIndex, text: str, wanted: bytes, chains: Sequence[Chain]) -> FoundText:
    """Return the place that the best chain shows, and all that are as good."""
    best = _trimmed(text, len(wanted), chains[0])
    if best is None or best.covered < max(FLOOR * len(wanted), 2 * LEAST):
        return FoundText()
    # Where bytes between its runs are not found, another place may be the right one; and what was cut from
    # it, as a part of a title that happens to stand before it, speaks for no place.
    least = best.score - best.gaps - (chains[0].covered - best.covered)
    rivals = [one for one in chains[1:] if one.score >= least]
    found = _apart(index.passage(one.start, one.end) for one in (best, *rivals))
    return FoundText(tuple(found[: COPIES + 1]), best.covered / len(wanted))


def _trimmed(text: str, size: int, chain: Chain) -> Chain | None:
    """Cut from a chain, at both ends, what it has of a word that it has not as a whole, or of a title."""
    offsets = folded_offsets(text)
    first, *others = chain.runs
    if first.here:
        cut = int(np.searchsorted(offsets, _own_start(text, int(offsets[first.here]), offsets))) - first.here
        if cut >= first.size:
            return _trimmed(text, size, Chain(tuple(others), chain.score)) if others else None
        first = first.after(cut)
    runs = [first, *others]
    last = runs[-1]
    if last.here + last.size < size:
        at = end = int(offsets[last.here + last.size - 1]) + 1
        while end < len(text) and text[end].isalnum() and at and text[at - 1].isalnum():
            at -= 1
        left = int(np.searchsorted(offsets, at)) - last.here
        if left <= 0:
            return _trimmed(text, size, Chain(tuple(runs[:-1]), chain.score)) if len(runs) > 1 else None
        runs[-1] = last._replace(size=left)
    return Chain(tuple(runs), chain.score)


def _own_start(text: str, start: int, offsets: Offsets) -> int:
    """Return where the text itself begins, if a run begins at a character: behind what was put in front.

    A title may end with words that the corpus has before the text: of "Keys and rotation" the last one is the
    heading above it.
    """
    at = start
    while start and text[start - 1].isalnum() and at < len(text) and text[at].isalnum():
        at += 1
    first = int(np.searchsorted(offsets, at))
    if first == len(offsets):
        return at
    before = text[: int(offsets[first])].rstrip(" \t")
    line_end = text.find("\n", at)
    if line_end >= 0 and before and before[-1].isalnum():
        rest = int(np.searchsorted(offsets, line_end)) - first
        at = line_end if rest <= _TITLE else at
    return at
