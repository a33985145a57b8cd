"""Tables that a benchmark writes into a page of the docs, between two marks; the words around them stay."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

END = "<!-- end -->"
"""What stands after a table."""

_MARK = re.compile(rf"^<!-- table: (\S+) -->\n(.*?){END}", re.MULTILINE | re.DOTALL)


def line_of(cells: Iterable[str]) -> str:
    """Write a row.

    >>> line_of(["Tantivy", "0.68"])
    '| Tantivy | 0.68 |'
    """
    return f"| {' | '.join(cells)} |"


def cells_of(line: str) -> list[str]:
    """Read a row; empty for a line that is none.

    >>> cells_of("| Tantivy | 0.68 |"), cells_of("Tantivy")
    (['Tantivy', '0.68'], [])
    """
    return [cell.strip() for cell in line.strip().strip("|").split(" | ")] if line.startswith("|") else []


def table_of(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Lay out a table."""
    return "\n".join((line_of(columns), f"|{'---|' * len(columns)}", *map(line_of, rows)))


def rows_of(table: str) -> list[dict[str, str]]:
    """Read a table: what stands in each row, by column.

    >>> rows_of(table_of(["engine", "nDCG"], [["Tantivy", "0.68"]]))
    [{'engine': 'Tantivy', 'nDCG': '0.68'}]
    """
    head, _, *rows = [cells for line in table.splitlines() if (cells := cells_of(line))]
    return [dict(zip(head, row, strict=True)) for row in rows]


def with_rows(table: str, newer: str, order: Sequence[str]) -> str:
    """Put the rows of a newer table into one, in place of those that begin alike, in a given order.

    >>> old = table_of(["a", "b"], [["x", "1"], ["y", "2"]])
    >>> print(with_rows(old, table_of(["a", "b"], [["w", "3"], ["y", "4"]]), "wxyz"))
    | a | b |
    |---|---|
    | w | 3 |
    | x | 1 |
    | y | 4 |
    """
    head, mark, *rows = newer.splitlines()
    known = {cells_of(line)[0]: line for line in (*table.splitlines()[2:], *rows)}
    return "\n".join([head, mark, *(known[name] for name in order if name in known)])


def read_tables(page: str) -> dict[str, str]:
    """Return every table of a page, by its name."""
    return {name: table.rstrip("\n") for name, table in _MARK.findall(page)}


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


def exit_where_wrong(wrong: Sequence[str], left: Sequence[str]) -> None:
    """End with what a page says wrongly; what could not be compared is as bad in CI, and said elsewhere."""
    if os.environ.get("CI"):
        wrong = [*wrong, *left]
    elif left:
        print("\n".join(["not compared:", *left]))
    if wrong:
        sys.exit("\n".join(wrong))
