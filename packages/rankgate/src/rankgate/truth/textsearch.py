"""Find texts in the documents of a corpus.

`TextIndex` compares folded texts: letters and digits in lower case. It holds each document as it is and
without its markup. Windows of bytes that are chosen by their content (winnowing) show where a text may be,
so a search costs the length of the text and not of the corpus. If the whole text is nowhere, its equal runs
are aligned: a title before the text, an ellipsis or line numbers leave such runs, and the best chain of them
is the place.

Anchors and baselines store hashes and no text. `LineIndex` finds lines by a hash for each, also if some of
them were edited, and `LineHashes` finds ranges by one hash for all of their lines.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankgate.io.text import split_lines
from rankgate.locations import Lines

Offsets: TypeAlias = NDArray[np.int64]
Codes: TypeAlias = NDArray[np.uint32]
Range: TypeAlias = tuple[str, int | None, int | None]
"""A path, its first line and its last line; without lines, the whole document."""

LEAST = 24
"""The bytes that a folded text needs for the index. A shorter text must be in a document word for word."""
COPIES = 5
"""The number of places of one text that are told apart. With more places a text has no location."""


# ---- folding

_LOWER = bytes(code + 32 if 65 <= code <= 90 else code for code in range(256))
_DROPPED = bytes(code for code in range(128) if not chr(code).isalnum())
_KEPT = np.array([chr(code).isalnum() for code in range(128)])
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_MARKUP = re.compile(
    r"</?[A-Za-z!?][^<>\n]{0,300}>"  # a tag
    r"|(?<=\])\([^()\s]{1,500}(?:[ \t]+\"[^\"\n]{0,200}\")?\)"  # the target of a link
    r"|^[ \t]{0,12}\d{1,4}[.)](?=[ \t])"  # the number of an item
    r"|^[ \t]{0,12}(?:```|~~~)[^\n`]{0,200}$"  # a fence, with its language
    r"|&(?:[A-Za-z]{2,8}|#\d{1,7});",  # an entity
    re.MULTILINE,
)


@lru_cache(maxsize=10_000)
def _folded(character: str) -> str:
    """Fold a character that is not ASCII: é becomes e, ﬁ becomes fi, a quotation mark nothing."""
    parts = unicodedata.normalize("NFKD", character.casefold())
    return "".join(one for one in parts if one.isalnum()).casefold()


def fold(text: str) -> bytes:
    r"""Return the letters and digits of a text in lower case, as UTF-8.

    >>> fold("**Rotate** the\n`API`-key"), fold("\ufb01lter \u201cCafe\u0301\u201d")
    (b'rotatetheapikey', b'filtercafe')
    """
    if not text.isascii():
        text = _NOT_ASCII.sub(lambda found: _folded(found[0]), text)
    return text.encode(errors="surrogatepass").translate(_LOWER, _DROPPED)


@lru_cache(maxsize=10_000)
def _folded_size(code: int) -> int:
    return len(fold(chr(code)))


def folded_offsets(text: str) -> Offsets:
    """Return the character that each byte of the folded text comes from.

    >>> folded_offsets("a, \ufb01 b").tolist()
    [0, 3, 3, 5]
    """
    if text.isascii():
        return _KEPT[np.frombuffer(text.encode(), dtype=np.uint8)].nonzero()[0]
    codes = np.frombuffer(text.encode("utf-32-le", errors="surrogatepass"), dtype=np.uint32)
    sizes = np.zeros(len(codes), dtype=np.int64)
    ascii_ = codes < 128
    sizes[ascii_] = _KEPT[codes[ascii_]]
    others, which = np.unique(codes[~ascii_], return_inverse=True)
    sizes[~ascii_] = np.array([_folded_size(code) for code in others.tolist()], dtype=np.int64)[which]
    return np.repeat(np.arange(len(codes)), sizes)


def without_markup(text: str) -> tuple[str, Offsets] | None:
    """Return a text without tags, link targets, item numbers, fences and entities, as renderers leave it.

    Returns:
        The text, and the offset of each of its characters in the original; None for a text without markup.

    >>> without_markup("see [keys](a.md)")[0]
    'see [keys]'
    """
    spans = [found.span() for found in _MARKUP.finditer(text)]
    if not spans:
        return None
    kept = np.ones(len(text), dtype=bool)
    for start, end in spans:
        kept[start:end] = False
    ends = [0, *(at for span in spans for at in span), len(text)]
    left = "".join(text[start:end] for start, end in zip(ends[::2], ends[1::2], strict=True))
    return left, np.flatnonzero(kept)


# ---- texts by their words


class Passage(NamedTuple):
    """A piece of a document."""

    path: str
    start: int
    """The first character, from 0."""
    end: int
    """The first character after the passage."""
    lines: Lines


def passage_at(path: str, text: str, start: int, end: int) -> Passage:
    """Return the characters of a document from one offset to another as a passage."""
    top = text.count("\n", 0, start) + 1
    return Passage(path, start, end, Lines(top, top + text.count("\n", start, end)))


@dataclass(frozen=True, slots=True)
class FoundText:
    """The places of a text."""

    passages: tuple[Passage, ...] = ()
    """At most `COPIES` + 1 places, unless the caller allows more."""
    share: float = 0.0
    """The part of the text's letters and digits that is there."""


class _Part:
    """A document in the index, with or without its markup."""

    def __init__(self, path: str, text: str, start: int, *, bare: bool) -> None:
        self.path, self.text, self.start = path, text, start
        self.bare = bare
        left = without_markup(text) if bare else None
        self.folded = fold(text if left is None else left[0])
        offsets = folded_offsets(text) if left is None else left[1][folded_offsets(left[0])]
        lines = np.array([0, *(found.end() for found in re.finditer("\n", text))], dtype=np.int64)
        # The start of each line in the folded text. No markup continues on the next line.
        # Reading one value of an array of the standard library is faster than of NumPy.
        self._starts = array("q", np.searchsorted(offsets, lines).astype(np.int64).tobytes())
        self._lines = array("q", lines.tobytes())

    def passage(self, first: int, last: int) -> Passage:
        """Return the characters from one folded byte to another, both included."""
        (start, top), (end, bottom) = self._character(first - self.start), self._character(last - self.start)
        return Passage(self.path, start, end + 1, Lines(top, bottom))

    def _character(self, at: int) -> tuple[int, int]:
        """Return the character of a folded byte, and the number of its line."""
        line = bisect_right(self._starts, at)
        start = self._lines[line - 1]
        end = self._lines[line] if line < len(self._lines) else len(self.text)
        offsets = _line_offsets(self.text[start:end], self.bare)
        return start + int(offsets[at - self._starts[line - 1]]), line


@lru_cache(maxsize=256)
def _line_offsets(line: str, bare: bool) -> Offsets:
    left = without_markup(line) if bare else None
    return folded_offsets(line) if left is None else left[1][folded_offsets(left[0])]


_FLOOR = 0.5
"""The part of a text that must be in one place."""
_MOST_EXACT = 64
_MOST_SHORT = 1000
"""The number of places that are compared for a short text."""
_MOST_ALIGNED = 100_000
"""The bytes of a text that can be aligned. A longer text is only found as a whole."""
_MOST_SHIFTS = 32
_CLEAR = 8
_NEAR = 512
"""The bytes between two shifts that show one place."""
_SMALL_GAPS = 1 / 8
"""The part of a chain that may be missing inside it without looking for other places."""
_CUT_ANYWHERE = 20
"""The characters from which on a short text may begin or end inside a word, as chunkers cut."""


class TextIndex:
    r"""Find texts in documents, also if a renderer, a chunker or a server has changed them.

    >>> said = "Rotate the **API key** every [90 days](ttl.md), and when somebody leaves the team."
    >>> index = TextIndex([("keys.md", f"# Keys\n\n{said}\n")])
    >>> found = index.find("Handbook: rotate the API key every 90 days, and when somebody leaves the team")
    >>> found.passages, round(found.share, 2)
    ((Passage(path='keys.md', start=8, end=89, lines=Lines(start=3, end=3)),), 0.87)
    """

    def __init__(self, documents: Iterable[tuple[str, str]]) -> None:
        self._parts: list[_Part] = []
        at = 0
        for path, text in documents:
            for bare in (False, True) if _MARKUP.search(text) else (False,):
                part = _Part(path, text, at, bare=bare)
                self._parts.append(part)
                at += len(part.folded) + 1
        self._starts = [part.start for part in self._parts]
        self._texts = {part.path: part.text for part in self._parts}
        self._whole = b"\0".join(part.folded for part in self._parts)
        self._windows = _Windows(self._whole)

    def find(self, text: str, path: str | None = None, most: int = COPIES + 1) -> FoundText:
        """Find a text in one document, or in all if `path` is None; a whole text comes before a part."""
        tried: list[tuple[str, bytes]] = []
        for form in _forms(text):
            wanted = fold(form)
            if len(wanted) < LEAST:
                return self._short(form, wanted, path, most) if wanted and not tried else FoundText()
            if found := self._exact(form, wanted, path)[:most]:
                return FoundText(found, 1.0)
            tried.append((form, wanted))
        aligned = [(form, wanted, self._aligned(wanted, path)) for form, wanted in tried]
        found_parts = (self._lined_up(*one) for one in aligned if one[2])
        return max(found_parts, key=lambda one: one.share, default=FoundText())

    def _short(self, text: str, wanted: bytes, path: str | None, most: int) -> FoundText:
        """Find a short text word for word. A very short one must begin and end where words do."""
        said = _spaced(text)
        found: list[Passage] = []
        at = self._whole.find(wanted)
        for _ in range(_MOST_SHORT):
            if at < 0 or len(found) >= most:
                break
            part = self._parts[self._part_at(at)]
            if not part.bare and path in (None, part.path):
                one = part.passage(at, at + len(wanted) - 1)
                same = _spaced(part.text[one.start : one.end]) == said
                if same and (len(said) >= _CUT_ANYWHERE or _has_whole_words(part.text, one)):
                    found.append(one)
            at = self._whole.find(wanted, at + 1)
        return FoundText(tuple(found), 1.0 if found else 0.0)

    def _exact(self, text: str, wanted: bytes, path: str | None) -> tuple[Passage, ...]:
        """Find all of a folded text; if one place alone has the same punctuation, only that."""
        size = len(wanted)
        places: Iterable[int] | None = self._windows.candidates(wanted)
        if places is None:
            places = (found.start() for found in re.finditer(b"(?=%s)" % re.escape(wanted), self._whole))
        same = (at for at in places if at >= 0 and self._whole[at : at + size] == wanted)
        passages = [self._passage(at, at + size) for at in islice(same, _MOST_EXACT) if self._is_in(path, at)]
        found = _apart(passages)
        if len(found) > 1:
            said = _spaced(text)
            alike = [one for one in found if _spaced(self._texts[one.path][one.start : one.end]) == said]
            found = alike if len(alike) == 1 else found
        return tuple(found)

    def _aligned(self, wanted: bytes, path: str | None) -> list[_Chain]:
        """Return the best chain of equal runs, and its rivals in other places."""
        if len(wanted) > _MOST_ALIGNED:
            return []
        shifts, times = self._windows.shifts(wanted)
        if times.max(initial=0) >= _CLEAR:
            # Beside a place with so many windows, a single window is chance.
            shifts, times = shifts[times > 1], times[times > 1]
            # Equally good places have the same windows: one with fewer than half as many is no rival.
            place = np.concatenate([[0], np.cumsum(np.diff(shifts) > _NEAR)])
            votes = np.bincount(place, weights=times)
            first = shifts[(2 * votes >= votes.max())[place]]
            found = self._chains(wanted, first.tolist(), path) if len(first) <= _MOST_SHIFTS else []
            if found and found[0].gaps <= found[0].covered * _SMALL_GAPS:
                return found
        likely = shifts[np.argsort(-times, kind="stable")[:_MOST_SHIFTS]].tolist()
        return self._chains(wanted, likely, path)

    def _chains(self, wanted: bytes, shifts: Sequence[int], path: str | None) -> list[_Chain]:
        runs = _equal_runs(wanted, self._whole, shifts)
        return _best_chains([run for run in runs if self._is_in(path, run.there)], self._part_at, COPIES + 2)

    def _lined_up(self, text: str, wanted: bytes, chains: Sequence[_Chain]) -> FoundText:
        """Return the place of the best chain, and those that are as good."""
        best = _trimmed(text, len(wanted), chains[0])
        if best is None or best.covered < max(_FLOOR * len(wanted), 2 * LEAST):
            return FoundText()
        # The gaps may be found in a rival, and what was trimmed off shows no place.
        least = best.score - best.gaps - (chains[0].covered - best.covered)
        rivals = [one for one in chains[1:] if one.score >= least]
        found = _apart(self._passage(one.start, one.end) for one in (best, *rivals))
        return FoundText(tuple(found[: COPIES + 1]), best.covered / len(wanted))

    def _passage(self, start: int, end: int) -> Passage:
        return self._parts[self._part_at(start)].passage(start, end - 1)

    def _part_at(self, at: int) -> int:
        return bisect_right(self._starts, at) - 1

    def _is_in(self, path: str | None, at: int) -> bool:
        return path is None or self._parts[self._part_at(at)].path == path


_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,300}>")
_LINE_NUMBER = re.compile(r"^[ \t]*(?:[^\s:|]{1,200}:)?\d{1,7}(?:[:|→\t]|[ ]{2,}|-(?!\d))", re.MULTILINE)
_IN_A_WORD = re.compile(r"[^\W\u2e80-\U0010ffff]{2}")
"""Two letters or digits of a script that separates words by spaces."""


def _forms(text: str) -> Iterator[str]:
    """Return a text as it is, then without escapes, without tags, and without line numbers."""
    yield text
    plain = html.unescape(text) if "&" in text else text
    if plain != text:
        yield plain
    if "<" in plain and (bare := _TAG.sub("", plain)) != plain:
        yield bare
        plain = bare
    if len(_LINE_NUMBER.findall(plain)) > plain.count("\n") // 2:
        yield _LINE_NUMBER.sub("", plain)


def _spaced(text: str) -> str:
    """Return a text from its first letter to its last, with every run of white space as one space."""
    offsets = folded_offsets(text)
    return " ".join(text[int(offsets[0]) : int(offsets[-1]) + 1].split())


def _has_whole_words(text: str, one: Passage) -> bool:
    """Check that a passage begins and ends where words do: key is not in keyboard."""
    before, after = text[max(0, one.start - 1) : one.start + 1], text[one.end - 1 : one.end + 1]
    return not (_IN_A_WORD.fullmatch(before) or _IN_A_WORD.fullmatch(after))


def _apart(passages: Iterable[Passage]) -> list[Passage]:
    """Leave out passages that overlap an earlier one: documents are indexed with and without markup."""
    found: list[Passage] = []
    for one in passages:
        if not any(
            one.path == other.path and one.start < other.end and other.start < one.end for other in found
        ):
            found.append(one)
    return found


# ---- windows of bytes

_SIZE = 16
_SAMPLE = np.uint64(7)
"""One window in eight is indexed, chosen by the last bits of its hash."""
_FREQUENT = 64
"""The number of places from which on a window says too little."""
_MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)


class _Windows:
    """The places of windows of bytes in a long text.

    >>> windows = _Windows(b"the api key is rotated when somebody leaves the team " * 2)
    >>> windows.candidates(b"is rotated when somebody leaves the team")
    [12, 65]
    """

    def __init__(self, whole: bytes) -> None:
        keys, places = _sampled(whole)
        # A table by the first bits: most entries have at most one window, so a lookup is two reads.
        bits = max(1, len(keys).bit_length())
        self._shift = np.uint64(64 - bits)
        entries = keys >> self._shift
        order = np.argsort(entries, kind="stable")
        self._keys, self._places = keys[order], places[order]
        counts = np.bincount(entries.astype(np.int64), minlength=1 << bits)
        self._first = np.concatenate([[0], np.cumsum(counts)])

    def _entries(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the first row and the number of rows of the entry of each window."""
        entries = (keys >> self._shift).astype(np.int64)
        first = self._first[entries]
        return first, self._first[entries + 1] - first

    def candidates(self, wanted: bytes) -> list[int] | None:
        """Return where a whole text may be, by its rarest window; None if it has no window."""
        keys, here = _sampled(wanted[: 8 * _SIZE])
        if not len(keys):
            return None
        first, count = self._entries(keys)
        rarest = count.argmin()
        start = first[rarest]
        found: list[int] = (self._places[start : start + count[rarest]] - here[rarest]).tolist()
        return found

    def shifts(self, wanted: bytes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the shifts of a text at which its windows agree, and the number of windows for each."""
        keys, here = _sampled(wanted)
        first, count = self._entries(keys)
        # Very frequent windows are not even listed. An entry may have two different windows.
        count = np.where(count > 2 * _FREQUENT, 0, count)
        behind = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        found, window = np.repeat(first, count) + behind, np.repeat(np.arange(len(keys)), count)
        same = self._keys[found] == keys[window]
        found, window = found[same], window[same]
        rare = (np.bincount(window, minlength=len(keys)) <= _FREQUENT)[window]
        moved, times = np.unique(self._places[found[rare]] - here[window[rare]], return_counts=True)
        return moved, times


def _sampled(data: bytes) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the hashes of the windows that are indexed, and their starts."""
    size = len(data) - _SIZE + 1
    if size <= 0:
        return np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64)
    words = np.ndarray((len(data) - 7,), dtype="<u8", buffer=data, strides=(1,))
    mixed = words[:size] * _MIX[0] ^ words[8 : 8 + size] * _MIX[1]
    mixed ^= mixed >> np.uint64(29)
    mixed *= _MIX[0]
    mixed ^= mixed >> np.uint64(32)
    places = (mixed & _SAMPLE == 0).nonzero()[0]
    return mixed[places], places


# ---- alignment

_SHORTEST = 8
"""The least bytes of a run."""
_JOIN = 16
"""The cost of going from one run to the next, in bytes: one long run is better than several."""
_GAP = 400
"""The most bytes of the corpus between two runs of a chain."""
_MOST_RUNS = 200
_SLACK = 64
"""The bytes that a place may have more than another by chance, such as the last words of a title."""
_TITLE = 48
"""The most bytes at the end of a title that may be before the text in the corpus, too."""


class _Run(NamedTuple):
    """Equal bytes of a text and the corpus."""

    here: int
    """Their start in the text."""
    there: int
    """Their start in the corpus."""
    size: int

    def after(self, count: int) -> _Run:
        """Return the run without its first bytes."""
        return _Run(self.here + count, self.there + count, self.size - count)


class _Chain(NamedTuple):
    """Runs in the order of both texts, close together."""

    runs: tuple[_Run, ...]
    score: int
    """The bytes that they cover, less the cost of their gaps."""

    @property
    def covered(self) -> int:
        """The bytes of the text that are in a run."""
        return sum(run.size for run in self.runs)

    @property
    def gaps(self) -> int:
        """The bytes of the text between the runs."""
        last = self.runs[-1]
        return last.here + last.size - self.runs[0].here - self.covered

    @property
    def start(self) -> int:
        """The first byte in the corpus."""
        return self.runs[0].there

    @property
    def end(self) -> int:
        """The byte after the last one in the corpus."""
        return self.runs[-1].there + self.runs[-1].size


def _equal_runs(wanted: bytes, whole: bytes, shifts: Sequence[int]) -> list[_Run]:
    """Return the equal bytes of two texts at these shifts.

    >>> _equal_runs(b"12 rotate the api key", b"then rotate the api token", [2])
    [_Run(here=2, there=4, size=16)]
    """
    ours, theirs = np.frombuffer(wanted, dtype=np.uint8), np.frombuffer(whole, dtype=np.uint8)
    size, moved = len(wanted), np.array(shifts, dtype=np.int64)
    if not size or not len(moved):
        return []
    # One row per shift, with an unequal byte at both ends, so no run continues in the next row.
    equal = np.zeros((len(moved), size + 2), dtype=bool)
    places = moved[:, None] + np.arange(size)
    inside = (places >= 0) & (places < len(whole))
    equal[:, 1:-1] = (theirs.take(places, mode="clip") == ours) & inside
    flat = equal.ravel()
    edges = np.flatnonzero(flat[1:] != flat[:-1])
    starts, sizes = edges[::2], edges[1::2] - edges[::2]
    long = sizes >= _SHORTEST
    rows, here = np.divmod(starts[long], size + 2)
    return list(map(_Run, here.tolist(), (here + moved[rows]).tolist(), sizes[long].tolist()))


def _best_chains(runs: Sequence[_Run], part_of: Callable[[int], int], most: int) -> list[_Chain]:
    """Return the best chain of runs within one document, and those that could be as good without gaps."""
    if len(runs) > _MOST_RUNS:
        runs = sorted(runs, key=lambda run: -run.size)[:_MOST_RUNS]
    runs = sorted(runs, key=lambda run: run.there)
    parts = [part_of(run.there) for run in runs]
    ends: list[tuple[int, int]] = []
    for at, run in enumerate(runs):
        best = run.size, -1
        if run.size > _JOIN:
            before = (
                (ends[other][0] + gain, other)
                for other in range(at)
                if parts[other] == parts[at] and (gain := _gain(runs[other], run)) > 0
            )
            best = max(best, max(before, default=best))
        ends.append(best)
    found: list[_Chain] = []
    for at in sorted(range(len(runs)), key=lambda number: -ends[number][0]):
        if found and ends[at][0] < found[0].score - found[0].gaps - _SLACK:
            break
        chain = _traced(runs, ends, at)
        if not any(chain.start < one.end and one.start < chain.end for one in found):
            found.append(chain)
            if len(found) == most:
                break
    return found


def _gain(before: _Run, run: _Run) -> int:
    """Return the bytes that a run adds to a chain that ends with another; at most 0 if it can't follow."""
    ours, theirs, size = before
    here, there, added = run
    apart = there - theirs - size
    if here <= ours or apart > _GAP:
        return 0
    return added - _JOIN - max(0, ours + size - here, -apart)


def _traced(runs: Sequence[_Run], ends: Sequence[tuple[int, int]], at: int) -> _Chain:
    score, chain = ends[at][0], [runs[at]]
    while (at := ends[at][1]) >= 0:
        before, after = runs[at], chain[-1]
        # Bytes that two runs share belong to the first.
        shared = max(0, before.here + before.size - after.here, before.there + before.size - after.there)
        chain[-1] = after.after(shared)
        chain.append(before)
    return _Chain(tuple(reversed(chain)), score)


def _trimmed(text: str, size: int, chain: _Chain) -> _Chain | None:
    """Remove parts of words at both ends of a chain, and words of a title before the text."""
    offsets = folded_offsets(text)
    first, *others = chain.runs
    if first.here:
        cut = int(np.searchsorted(offsets, _own_start(text, int(offsets[first.here]), offsets))) - first.here
        if cut >= first.size:
            return _trimmed(text, size, _Chain(tuple(others), chain.score)) if others else None
        first = first.after(cut)
    runs = [first, *others]
    last = runs[-1]
    if last.here + last.size < size:
        at = end = int(offsets[last.here + last.size - 1]) + 1
        while end < len(text) and text[end].isalnum() and at and text[at - 1].isalnum():
            at -= 1
        left = int(np.searchsorted(offsets, at)) - last.here
        if left <= 0:
            return _trimmed(text, size, _Chain(tuple(runs[:-1]), chain.score)) if len(runs) > 1 else None
        runs[-1] = last._replace(size=left)
    return _Chain(tuple(runs), chain.score)


def _own_start(text: str, start: int, offsets: Offsets) -> int:
    """Return where the text itself begins after a title, if a run begins at a character.

    A title may end with words that the corpus has before the text: the last word of "Keys and rotation" may
    be the heading above it.
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


# ---- lines by their hashes


@dataclass(frozen=True, slots=True, eq=False)
class HashedLines:
    """The lines of a document without blank ones: a hash and a number for each row.

    >>> lines = HashedLines.of(["# Keys", "", "Rotate them.", "Once a month."])
    >>> len(lines.codes), lines.rows(3, 4)
    (3, (1, 3))
    """

    codes: Codes
    numbers: NDArray[np.int64]
    last: int
    """The number of the last line."""

    @classmethod
    def of(cls, lines: Sequence[str]) -> HashedLines:
        """Hash the lines of a document, without indentation."""
        kept = [(number, said) for number, line in enumerate(lines, 1) if (said := line.strip())]
        data = b"".join(
            hashlib.blake2b(said.encode(errors="surrogatepass"), digest_size=4).digest() for _, said in kept
        )
        numbers = np.array([number for number, _ in kept], dtype=np.int64)
        return cls(np.frombuffer(data, dtype="<u4"), numbers, len(lines))

    def rows(self, start: int, end: int) -> tuple[int, int]:
        """Return the first row of some lines, and the row after their last."""
        return int(np.searchsorted(self.numbers, start)), int(np.searchsorted(self.numbers, end, "right"))

    def lines(self, row: int, size: int, length: int) -> tuple[int, int]:
        """Return the first and last line of some rows, with blank lines up to a length."""
        first, last = int(self.numbers[row]), int(self.numbers[row + size - 1])
        behind = row + size
        blank_end = int(self.numbers[behind]) - 1 if behind < len(self.numbers) else self.last
        blank_start = int(self.numbers[row - 1]) + 1 if row else 1
        end = max(last, min(blank_end, first + length - 1))
        return min(first, max(blank_start, end - length + 1)), end


class LineIndex:
    """The hashed lines of documents."""

    def __init__(self, documents: Iterable[tuple[str, str]]) -> None:
        self.documents = {path: HashedLines.of(split_lines(text)) for path, text in documents}
        self._paths = list(self.documents)

    @cached_property
    def _starts(self) -> list[int]:
        """The first row of each document among all, with a row between two documents."""
        sizes = [len(one.codes) + 1 for one in self.documents.values()]
        return [0, *np.cumsum(sizes, dtype=np.int64).tolist()]

    @cached_property
    def _codes(self) -> NDArray[np.int64]:
        end = np.array([-1], dtype=np.int64)
        parts = [part for one in self.documents.values() for part in (one.codes.astype(np.int64), end)]
        return np.concatenate(parts) if parts else end

    @cached_property
    def _sorted(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        order = np.argsort(self._codes, kind="stable")
        return self._codes[order], order

    def places(self, code: int) -> NDArray[np.int64]:
        """Return the rows of a line among those of all documents."""
        codes, order = self._sorted
        first, behind = np.searchsorted(codes, code, "left"), np.searchsorted(codes, code, "right")
        return order[first:behind]

    def path_of(self, row: int) -> str:
        """Return the document of a row among those of all documents."""
        return self._paths[bisect_right(self._starts, row) - 1]

    def find(self, wanted: Codes) -> list[tuple[str, int]]:
        """Return the document and first row of each place of these lines, by the rarest of them."""
        if not len(wanted):
            return []
        listed, size = wanted.astype(np.int64), len(wanted)
        candidates = ((at, self.places(int(code))) for at, code in enumerate(listed))
        shift, rows = min(candidates, key=lambda one: len(one[1]))
        found = []
        for at in (int(row) - shift for row in rows):
            if at >= 0 and np.array_equal(self._codes[at : at + size], listed):
                number = bisect_right(self._starts, at) - 1
                found.append((self._paths[number], at - self._starts[number]))
        return found


def common_rows(wanted: Codes, codes: Codes) -> list[tuple[int, int]]:
    """Return the longest rising sequence of equal rows of two texts, as pairs."""
    there: dict[int, list[int]] = {}
    for row, code in enumerate(codes.tolist()):
        there.setdefault(code, []).append(row)
    # Each row of the document counts once: descending within one line.
    ends: list[int] = []
    last: list[int] = []
    pairs: list[tuple[int, int]] = []
    before: list[int] = []
    for here, code in enumerate(wanted.tolist()):
        for row in reversed(there.get(code, [])):
            at = bisect_left(ends, row)
            pairs.append((here, row))
            before.append(last[at - 1] if at else -1)
            ends[at : at + 1] = [row]
            last[at : at + 1] = [len(pairs) - 1]
    found = []
    at = last[-1] if last else -1
    while at >= 0:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]


def packed(codes: Codes) -> str:
    """Encode hashes of lines for a file."""
    return base64.b64encode(codes.astype("<u4").tobytes()).decode().rstrip("=")


def unpacked(written: str) -> Codes:
    """Decode hashes of lines from a file."""
    data = base64.b64decode(written + "=" * (-len(written) % 4))
    return np.frombuffer(data, dtype="<u4")


_BASE = 0x9E3779B97F4A7C15  # odd, and so with an inverse modulo 2^64
_INVERSE = pow(_BASE, -1, 1 << 64)
_BLANK = "0" * 16


class LineHashes:
    r"""The hashes of ranges of lines, as polynomials over the hashes of their lines.

    Indentation does not count, nor do blank lines at the end of a range.

    >>> lines = LineHashes([("a.md", "one\ntwo\n"), ("b.md", "zero\n one\ntwo")])
    >>> lines.find({("c.md", 7, 8): lines.hash(("a.md", 1, 2))})
    {('c.md', 7, 8): [('a.md', 1, 2), ('b.md', 2, 3)]}
    """

    def __init__(self, documents: Iterable[tuple[str, str]]) -> None:
        self._rows: dict[str, tuple[int, int]] = {}
        codes, total = [], 0
        for path, text in documents:
            found = b"".join(map(_line_hash, split_lines(text)))
            self._rows[path] = total, total + len(found) // 8
            total += len(found) // 8
            codes.append(found)
        values = np.frombuffer(b"".join(codes), dtype="<u8")
        self._ends = np.repeat(
            [end for _, end in self._rows.values()], [end - start for start, end in self._rows.values()]
        ).astype(np.int64)
        sums = np.cumsum(values * _powers(_BASE, total), dtype=np.uint64)
        self._sums = np.concatenate([np.zeros(1, dtype=np.uint64), sums])
        self._inverse = _powers(_INVERSE, total)

    def hash(self, place: Range) -> str | None:
        """Return the hash of a range; null for a whole document, and if there are no such lines."""
        path, start, end = place
        if start is None or end is None or path not in self._rows:
            return None
        first, behind = self._rows[path]
        row = first + start - 1
        return f"{int(self._hashes(slice(row, row + 1), end - start + 1)[0]):016x}" if row < behind else None

    def find(self, ranges: Mapping[Range, str]) -> dict[Range, list[Range]]:
        """Return the places of the text of each range: as many lines with the same hash."""
        sizes: dict[int, set[int]] = {}
        for (_, start, end), text in ranges.items():
            if text != _BLANK:
                sizes.setdefault((end or 0) - (start or 0) + 1, set()).add(int(text, 16))
        paths, starts = [*self._rows], [start for start, _ in self._rows.values()]
        found: dict[tuple[int, str], list[Range]] = {}
        for size, wanted in sizes.items():
            hashes = self._hashes(slice(None), size)
            for row in np.flatnonzero(np.isin(hashes, np.array([*wanted], dtype=np.uint64))).tolist():
                path = paths[int(np.searchsorted(starts, row, side="right")) - 1]
                start, end = (
                    one - self._rows[path][0] for one in (row, min(row + size, self._rows[path][1]))
                )
                found.setdefault((size, f"{int(hashes[row]):016x}"), []).append((path, start + 1, end))
        keys = {place: ((place[2] or 0) - (place[1] or 0) + 1, text) for place, text in ranges.items()}
        return {place: found[key] for place, key in keys.items() if key in found}

    def _hashes(self, rows: slice, size: int) -> NDArray[np.uint64]:
        """Return the hashes of ranges of so many lines, each from one of these rows to its document's end."""
        first = np.arange(len(self._ends), dtype=np.int64)[rows]
        behind = np.minimum(first + size, self._ends[rows])
        return np.asarray((self._sums[behind] - self._sums[first]) * self._inverse[rows])


def _line_hash(line: str) -> bytes:
    text = line.strip()
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest() if text else bytes(8)


def _powers(base: int, count: int) -> NDArray[np.uint64]:
    factors = np.full(count, base, dtype=np.uint64)
    factors[:1] = 1
    return np.cumprod(factors, dtype=np.uint64)
