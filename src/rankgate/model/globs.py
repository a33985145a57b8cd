"""Globs over paths: ``*`` stays inside a segment, ``**`` takes any number of them."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def matches(path: str, glob: str) -> bool:
    """Tell whether a whole path fits a glob.

    >>> matches("runbooks/db/restore.md", "runbooks/**"), matches("old/runbooks/a.md", "runbooks/**")
    (True, False)
    >>> matches("a.md", "**/*.md"), matches("docs/a.md", "*.md")
    (True, False)
    """
    wanted = _segments(glob + "**" if glob.endswith("/") else glob)
    here = _segments(path)
    # The places in the glob up to which the segments so far fit: no path takes time by more than a product.
    reached = _skipped({0}, wanted)
    for segment in here:
        after = set()
        for place in reached:
            if place < len(wanted):
                if wanted[place] == "**":
                    after.add(place)
                elif fnmatchcase(segment, wanted[place]):
                    after.add(place + 1)
        reached = _skipped(after, wanted)
    return len(wanted) in reached and (bool(here) or not wanted)


def _skipped(places: set[int], wanted: Sequence[str]) -> set[int]:
    """Add the places that are reached by letting ``**`` take nothing."""
    found = set(places)
    for place in places:
        while place < len(wanted) and wanted[place] == "**":
            place += 1  # noqa: PLW2901 - walks on from where it is
            found.add(place)
    return found


def _segments(text: str) -> list[str]:
    return [segment for segment in text.split("/") if segment not in ("", ".")]
