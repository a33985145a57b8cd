"""The text of a place with some lines around it, numbered: what a person reads before accepting a change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.reports.printable import printable
from rankgate.truth.lookup import Spot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.model.places import Location
    from rankgate.truth.passages import Passages

AROUND = 2
"""How many lines before and behind a place are shown."""
MOST = 16
"""How many lines of a place are shown."""
_WIDTH = 110


def source_lines(passages: Passages, location: Location) -> Iterator[str]:
    """Show a place in its document; the lines that it means are marked."""
    spot = passages.find(location)
    document = passages.document(spot) if isinstance(spot, Spot) else None
    if not isinstance(spot, Spot) or document is None:
        why = "an id, without a text" if isinstance(spot, Spot) else "not in the corpus"
        yield f"{printable(str(location))}: {why}"
        return
    text = passages.text_of(document)
    last = len(text.starts) - 1
    start, end = spot.start or 1, spot.end or last
    shown = min(end, start + MOST - 1)
    yield f"{printable(str(location))}"
    digits = len(str(min(last, shown + AROUND)))
    for number in range(max(1, start - AROUND), min(last, shown + AROUND) + 1):
        inside = start <= number <= end
        if number > shown and inside:
            break
        line = printable(text.between(number, number).rstrip("\n"), _WIDTH)
        yield f"  {'>' if inside else ' '} {number:>{digits}}  {line}".rstrip()
    if end > shown:
        yield f"    … and {end - shown} more lines"
