"""Two texts of a suite's file as a unified diff that a terminal can be trusted with."""

from __future__ import annotations

from difflib import unified_diff
from typing import TYPE_CHECKING

from rankgate.reports.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator


def difference(before: str, after: str, name: str, label: str, around: int = 2) -> Iterator[str]:
    """Give the lines of a diff; the ends of lines are not shown.

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
