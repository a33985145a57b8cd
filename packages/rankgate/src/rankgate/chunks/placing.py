"""Where the pieces of one document stand in it, known by their texts and their order alone.

Splitters trim, drop blank lines and join with other white space; some say where a piece begins by a search
that takes the first copy. Here white space and what does not print play no part, and all pieces are placed
together: the way that leaves the least of the document between them is taken, so that a line that stands
many times, such as a closing brace, is placed where its neighbours say. `truth.locations.passages` finds one
text in a whole corpus, whatever was done to it; that is another question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_STATES = 16
"""How many ways to place what came before are kept."""
_COPIES = 8
"""How many copies of a piece are tried from each."""
_SKIPPED = 2
"""What a character costs of a piece that is placed nowhere; one that is left between two pieces costs 1."""


class _Way(NamedTuple):
    """One way to place the pieces so far."""

    cost: int
    start: int
    """Where the last piece that was placed begins."""
    end: int
    """Where the last piece ends."""
    span: tuple[int, int] | None
    before: _Way | None


def place_in_order(text: str, pieces: Sequence[str], overlap: int | None = 0) -> list[tuple[int, int] | None]:
    r"""Return the first character of each piece and the one behind its last; None where it is not found.

    >>> place_in_order("if a {\n  b\n}\nif c {\n  d\n}\n", ["if a {\n  b", "}", "if c {\n  d", "}"])
    [(0, 10), (11, 12), (13, 23), (24, 25)]
    >>> place_in_order("# Keys\n\nMake\none.", ["Make  \none.", "Gone."])
    [(8, 17), None]

    Args:
        text: The document.
        pieces: What it was cut into, in its order.
        overlap: How many characters a piece may begin before the end of the one before it; None where that is
            not known.
    """
    whole, offsets = _printed(text)
    ways = [_Way(0, -1, 0, None, None)]
    for piece in pieces:
        wanted = _printed(piece)[0]
        found = [way for last in ways for way in _next(whole, wanted, last, overlap)]
        best: dict[tuple[int, int], _Way] = {}
        for way in sorted(found, key=lambda way: way[:3]):
            best.setdefault((way.start, way.end), way)
        ways = list(best.values())[:_STATES]
    last: _Way | None = min(ways, key=lambda way: (way.cost + len(whole) - way.end, way.start))
    spans: list[tuple[int, int] | None] = []
    for piece in reversed(pieces):
        span = None if last is None else last.span
        spans.append(
            None if span is None else _widened(text, piece, offsets[span[0]], offsets[span[1] - 1] + 1)
        )
        last = None if last is None else last.before
    return spans[::-1]


def _widened(text: str, piece: str, first: int, behind: int) -> tuple[int, int]:
    """Add the white space around a piece, where it stands in the document word for word."""
    start = first - (len(piece) - len(piece.lstrip()))
    return (start, start + len(piece)) if start >= 0 and text.startswith(piece, start) else (first, behind)


def _next(whole: str, wanted: str, last: _Way, overlap: int | None) -> Iterator[_Way]:
    """Yield the ways to place one more piece: at the copies near the end of the last, and nowhere."""
    size = len(wanted)
    yield _Way(last.cost + _SKIPPED * size, last.start, last.end, None, last)
    if not size:
        return
    back = last.end if overlap is None else overlap
    low = max(last.start, last.end - back, 0)
    # Nearly every piece holds something that the one before it does not; it may begin where that one does.
    inner = max(low, last.end - size + 1)
    found = {
        *_copies(whole, wanted, max(low, last.start + 1), inner),
        *_copies(whole, wanted, inner, last.end),
        *_copies(whole, wanted, last.end, len(whole), most=1),
    }
    for at in found:
        cost = max(0, at - last.end) + (at < inner)
        yield _Way(last.cost + cost, at, max(last.end, at + size), (at, at + size), last)


def _copies(whole: str, wanted: str, low: int, high: int, most: int = _COPIES) -> tuple[int, ...]:
    """Return where the first copies of a text begin, from `low` on and before `high`."""
    found: list[int] = []
    at = whole.find(wanted, low, high + len(wanted) - 1)
    while at >= 0 and len(found) < most:
        found.append(at)
        at = whole.find(wanted, at + 1, high + len(wanted) - 1)
    return tuple(found)


def _printed(text: str) -> tuple[str, list[int]]:
    """Return a text without white space and what does not print, and where each character of it stands."""
    kept = [(at, one) for at, one in enumerate(text) if one != " " and one.isprintable()]
    return "".join(one for _, one in kept), [at for at, _ in kept]
