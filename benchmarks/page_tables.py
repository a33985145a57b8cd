"""Tables that a benchmark writes into a page of the docs, between two marks; the words around them stay."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

END = "<!-- end -->"
"""What stands after a table."""


def write_tables(page: Path, tables: Mapping[str, str]) -> None:
    """Put each table where the page has its mark, ``<!-- table: NAME -->``."""
    text = page.read_text(encoding="utf-8")
    for name, table in tables.items():
        mark = f"<!-- table: {name} -->\n"
        before, found, rest = text.partition(mark)
        _, end, after = rest.partition(END)
        if not found or not end:
            sys.exit(f"{page} has no mark {mark.strip()} with {END} after it")
        text = f"{before}{mark}{table}\n{END}{after}"
    page.write_text(text, encoding="utf-8")
