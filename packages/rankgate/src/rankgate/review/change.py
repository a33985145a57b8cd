"""Proposed changes of a suite: what, why, how the file differs, and the text to look at before accepting."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import unified_diff
from enum import StrEnum
from typing import TYPE_CHECKING

from rankgate.reports.text.printable import printable
from rankgate.truth.locations.lookup import Spot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.model.locations import Location
    from rankgate.suites.editing.edits import Edit
    from rankgate.truth.locations.corpus_reader import CorpusReader


AROUND = 2
"""How many lines before and behind a place are shown."""
MOST = 16
"""How many lines of a place are shown."""
_WIDTH = 110


class Category(StrEnum):
    """What kind of change it is, which is how changes are accepted."""

    CREATE = "create"
    """Targets proposed by the engine for cases that have none; unreviewed, so that no gate counts them."""
    FIX = "fix"
    """What is wrong by the corpus, or too lenient by the run; never what the engine would have liked."""
    TRIM = "trim"
    """What says the same twice, or points at nothing."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change that a person may accept."""

    category: Category
    """How it is accepted."""
    case: str
    """The case it was found in."""
    what: str
    """What changes, in words."""
    why: str
    """The reason, in words."""
    edit: Edit
    """How the file changes."""
    sources: tuple[Location, ...] = ()
    """The places whose text shows whether it is right."""


@dataclass(frozen=True, slots=True)
class ReviewRemark:
    """Something that wants a person and for which nothing is proposed."""

    case: str
    """The case."""
    what: str
    """What there is to see, and why nothing is proposed."""


def difference(before: str, after: str, name: str, label: str, around: int = 2) -> Iterator[str]:
    """Return the lines of a diff; the ends of lines are not shown.

    Args:
        before: The file as it is.
        after: The file as it would be.
        name: The file.
        label: What would make it so.
        around: How many lines around each change are shown.
    """
    old, new = (text.splitlines() for text in (before, after))
    for line in unified_diff(old, new, name, f"{name} ({label})", lineterm="", n=around):
        # Tabs stay: what is indented by them should look so.
        yield "\t".join(printable(part) for part in line.split("\t"))


def source_lines(reader: CorpusReader, location: Location) -> Iterator[str]:
    """Show a place in its document; the lines that it means are marked."""
    spot = reader.find(location)
    document = reader.document(spot) if isinstance(spot, Spot) else None
    if not isinstance(spot, Spot) or document is None:
        why = "an id, without a text" if isinstance(spot, Spot) else "not in the corpus"
        yield f"{printable(str(location))}: {why}"
        return
    text = reader.text_of(document)
    last = text.last_line
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
