"""The difference of two texts of a file."""

from __future__ import annotations

from difflib import unified_diff
from typing import TYPE_CHECKING

from rankgate.reports.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator


def difference(before: str, after: str, name: str, label: str) -> Iterator[str]:
    """Return the lines of a diff, without the ends of lines.

    Args:
        before: The text of the file.
        after: The text that it would have.
        name: The file.
        label: What makes the difference.
    """
    old, new = (text.splitlines() for text in (before, after))
    for line in unified_diff(old, new, name, f"{name} ({label})", lineterm="", n=2):
        # Tabs are kept, as they may indent a line.
        yield "\t".join(printable(part) for part in line.split("\t"))
