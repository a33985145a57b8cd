"""Texts by the hashes of their lines: what is kept of one, and every place where it stands today."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankgate.locations import Location
from rankgate.truth.anchor_records import TextRecord
from rankgate.truth.anchors import anchor_of
from rankgate.truth.drift.refinding import HashedLines, Refinder, chain, grown, packed, unpacked
from rankgate.truth.locations.corpus_reader import Span
from rankgate.truth.locations.lookup import Miss

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from rankgate.outline import OutlineNode
    from rankgate.truth.drift.refinding import Codes
    from rankgate.truth.locations.corpus_reader import CorpusReader

MOST_LINES = 400
"""Of how many lines of a text the hashes are kept: of a longer one the first and the last half of them."""
LIKELY = 5
"""How many documents are looked through for an edited text."""
RARE = 8
"""A line that stands in more places than that does not choose a document."""
LEAST = 0.3
"""Which part of its lines must be left for a place to be proposed."""

_RULE = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}")


class Held(NamedTuple):
    """Lines of a text that are left near each other."""

    span: Span
    """Where: from the first of them to the last, with edited ones at both ends."""
    rows: frozenset[int]
    """The numbers of the lines that are left."""


class TextFinder(Refinder):
    """Finds recorded texts in the documents of today."""

    def of(self, path: str) -> HashedLines:
        """Return the hashed lines of a document."""
        return self._documents[path]

    def everywhere(self, codes: Codes, digest: str, size: int) -> list[tuple[str, int]]:
        """Return every place of some lines: the document, and the row of the first."""
        if not len(codes):
            return []
        head = codes if size == len(codes) else codes[: MOST_LINES // 2]
        found = []
        for at in self._exact(head):
            number = self._number(at)
            path, row = self._paths[number], at - self._starts[number]
            if digest_of(self._documents[path].codes[row : row + size]) == digest:
                found.append((path, row))
        return found

    def stands(self, code: int) -> bool:
        """Check whether a line stands anywhere."""
        return len(self._places(int(code))) > 0

    def span(self, path: str, row: int, size: int, length: int) -> Span:
        """Return the lines of some rows of a document, with blank ones up to as many as there were."""
        return self._span(self._starts[self._paths.index(path)] + row, size, length)

    def agreement(self, path: str, row: int, size: int, record: TextRecord) -> tuple[int, int]:
        """Return how many lines before and behind some rows are those that were there."""
        codes = self._documents[path].codes
        above = codes[max(0, row - 2) : row][::-1]
        below = codes[row + size : row + size + 2]
        return _alike(unpacked(record.before)[::-1], above), _alike(unpacked(record.behind), below)

    def left(self, record: TextRecord) -> list[Held]:
        """Return where lines of a text are left, in their order, those with most lines first."""
        wanted = unpacked(record.lines)
        found = []
        for path in self._voted(record.path, wanted):
            document = self._documents[path]
            pairs = _dense(chain(wanted, document.codes), record.size)
            if len(pairs) < max(1, LEAST * len(wanted)) or not self._tells(pairs, wanted, path, record):
                continue
            first, last = grown(pairs, wanted, document.codes, (record.before, record.behind))
            span = Span(path, int(document.numbers[first]), int(document.numbers[last]))
            found.append(Held(span, frozenset(int(document.numbers[row]) for _, row in pairs)))
        return sorted(found, key=lambda one: (-len(one.rows), one.span.path != record.path, one.span))

    def _tells(self, pairs: Sequence[tuple[int, int]], wanted: Codes, path: str, record: TextRecord) -> bool:
        """Check that a line that is left is no line that stands everywhere."""
        most = RARE if path == record.path else RARE // 2
        return any(len(self._places(int(wanted[here]))) <= most for here, _ in pairs)

    def _voted(self, path: str, wanted: Codes) -> list[str]:
        votes: dict[int, int] = {}
        for code in set(wanted.tolist()):
            places = self._places(code)
            if len(places) <= RARE:
                for number in {self._number(int(at)) for at in places}:
                    votes[number] = votes.get(number, 0) + 1
        ranked = sorted(votes, key=lambda number: (-votes[number], self._paths[number]))[:LIKELY]
        names = [self._paths[number] for number in ranked]
        return [path, *(name for name in names if name != path)] if self.has(path) else names


def _dense(pairs: list[tuple[int, int]], size: int) -> list[tuple[int, int]]:
    """Return the most of some pairs that lie among no more lines than a text may have grown to."""
    best: list[tuple[int, int]] = []
    start = 0
    for end in range(len(pairs)):
        while pairs[end][1] - pairs[start][1] >= 2 * size + 2:
            start += 1
        if end - start + 1 > len(best):
            best = pairs[start : end + 1]
    return best


def _alike(one: Codes, other: Codes) -> int:
    number = 0
    for ours, theirs in zip(one.tolist(), other.tolist(), strict=False):
        if ours != theirs:
            break
        number += 1
    return number


def digest_of(codes: Codes | NDArray[np.uint32]) -> str:
    """Return the hash of lines that are given by their hashes."""
    return hashlib.sha256(codes.astype("<u4").tobytes()).hexdigest()[:16]


def words_of(text: str) -> str:
    r"""Return the hash of the words of a text, however they are cut into lines.

    >>> words_of("Rotate the\n  key.") == words_of("Rotate\nthe key.\n")
    True
    """
    folded = " ".join(text.split())
    return hashlib.sha256(folded.encode(errors="replace")).hexdigest()[:16]


def kept_part(codes: Codes) -> Codes:
    """Return the hashes that are kept of a text: of many the first and the last."""
    half = MOST_LINES // 2
    return codes if len(codes) <= MOST_LINES else np.concatenate([codes[:half], codes[-half:]])


def title_rows(lines: Sequence[str], node: OutlineNode) -> int:
    """Return how many lines of a section are its title, with what underlines it; 0 for what is no section."""
    if node.kind != "section":
        return 0
    words = set(re.findall(r"\w+", node.name.casefold()))
    for number in range(3):
        at = node.start - 1 + number
        if at >= len(lines):
            break
        if words & set(re.findall(r"\w+", lines[at].casefold())) or not words:
            under = lines[at + 1].strip() if at + 1 < len(lines) else ""
            return number + 1 + bool(_RULE.fullmatch(under))
    return 1


def node_of(location: Location, reader: CorpusReader) -> OutlineNode | None:
    """Return the section or symbol that a location names; None where it names none."""
    if not location.heading and location.symbol is None:
        return None
    if location.path is None or not reader.has(location.path):
        return None
    found = reader.lookup.node(location)
    return None if isinstance(found, Miss) else found


def span_of(location: Location, reader: CorpusReader) -> Span | None:
    """Return the lines of a location in a file, of a whole file too; None where it is not there."""
    span, path = reader.span(location), location.path
    if span is None and path is not None and location == Location(path=path) and reader.has(path):
        return Span(path, 1, max(1, len(reader.lines(path))))
    return span


def record_of(
    location: Location, reader: CorpusReader, finder: TextFinder, corpus: str | None = None
) -> TextRecord | None:
    """Return what finds the text of a location again; None for what has no lines."""
    span = span_of(location, reader)
    if span is None or location.quote is not None or not finder.has(span.path):
        return None
    document = finder.of(span.path)
    first, behind = document.rows(span.start, span.end)
    codes = document.codes[first:behind]
    node = node_of(location, reader)
    title = 0 if node is None else title_rows(reader.lines(span.path), node)
    title = min(title, len(codes))
    before, after = document.around(first, behind)
    spot = reader.text_of(span.path).between(span.start, span.end)
    body = codes[title:]
    return TextRecord(
        anchor_of(spot),
        span.path,
        span.start,
        span.end,
        size=len(codes),
        name=() if node is None else node.path,
        title=title,
        digest=digest_of(codes),
        words=words_of(spot),
        lines=packed(kept_part(codes)),
        before=before,
        behind=after,
        copies=max(1, len(finder.everywhere(kept_part(codes), digest_of(codes), len(codes)))),
        bodies=max(1, len(finder.everywhere(kept_part(body), digest_of(body), len(body)))) if title else 1,
        corpus=corpus,
    )
