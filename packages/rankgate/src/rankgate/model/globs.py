"""Globs over paths: ``*`` stays inside a segment, ``**`` takes any number of them."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def matches(path: str, glob: str) -> bool:
    """Check whether a whole path fits a glob.

    >>> matches("runbooks/db/restore.md", "runbooks/**"), matches("old/runbooks/a.md", "runbooks/**")
    (True, False)
    >>> matches("a.md", "**/*.md"), matches("docs/a.md", "*.md")
    (True, False)
    """
    wanted = _segments(glob + "**" if glob.endswith("/") else glob)
    here = _segments(path)
    # The positions in the glob up to which the segments so far fit: time grows with a product at most.
    reached = _skipped({0}, wanted)
    for segment in here:
        after = set()
        for at in reached:
            if at < len(wanted):
                if wanted[at] == "**":
                    after.add(at)
                elif fnmatchcase(segment, wanted[at]):
                    after.add(at + 1)
        reached = _skipped(after, wanted)
    return len(wanted) in reached and (bool(here) or not wanted)


def _skipped(positions: set[int], wanted: Sequence[str]) -> set[int]:
    """Add the positions that are reached by letting ``**`` take nothing."""
    found = set(positions)
    for at in positions:
        while at < len(wanted) and wanted[at] == "**":
            at += 1  # noqa: PLW2901 - walks on from where it is
            found.add(at)
    return found


def _segments(text: str) -> list[str]:
    return [segment for segment in text.split("/") if segment not in ("", ".")]
