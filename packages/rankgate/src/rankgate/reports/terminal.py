"""The report of a test for a terminal: the first screen, and with `details` every section."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

from click import style, unstyle

from rankgate.report import CaseState, State
from rankgate.reports.sections import MARKS, first_screen, further_sections
from rankgate.reports.text.printable import columns, printable, printable_block
from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TextIO

    from rankgate.report import Report
    from rankgate.reports.sections import FirstScreen, Item, QueryItem, Section, Table

QUIET_QUERIES: Final = 5
"""The number of queries that a green test lists."""
QUERIES: Final = 8
"""The number of queries that a red test lists."""
ENTRIES: Final = 100
"""The number of queries and rows that a section lists."""
_LINES: Final = 5
"""The number of problems, missing targets and the like on the first screen."""
_TITLE_WIDTH: Final = 44
_CELL_WIDTH: Final = 60
_PIPE_WIDTH: Final = 120
_COLOURS: Final = {
    State.PASSED: "green",
    State.NO_GATES: "blue",
    State.NOT_TESTED: "yellow",
    State.INCONCLUSIVE: "yellow",
}
_MOODS: Final = {"good": "green", "bad": "red", "warning": "yellow"}


def render(
    report: Report,
    *,
    width: int | None = None,
    colour: bool = True,
    details: bool = False,
    stream: TextIO | None = None,
) -> str:
    """Return a report as text for a terminal.

    Args:
        report: The report.
        width: The width to align columns in; by default the terminal's.
        colour: Whether to use colours if the stream is a terminal.
        details: Whether to print the sections below the first screen.
        stream: The stream that the text is for; standard output by default.
    """
    stream = stream or sys.stdout
    width = line_width(stream) if width is None else width
    screen = first_screen(report)
    lines = [*_screen(screen, width, details=details)]
    if details:
        shown = () if screen.quiet else [query.case.name for query in screen.queries[:ENTRIES]]
        for section in further_sections(report, queries=ENTRIES, shown=shown):
            lines += section_lines(section, width)
    return written(lines, stream, colour=colour)


def written(lines: Iterable[str], stream: TextIO, *, colour: bool = True) -> str:
    """Return lines as one text, without colours if the stream is not a terminal."""
    text = "\n".join(line.rstrip() for line in lines) + "\n"
    # Escape sequences of others are escaped, so that only our own are removed.
    return text if colour and stream.isatty() and not os.environ.get("NO_COLOR") else unstyle(text)


def line_width(stream: TextIO) -> int:
    """Return the width of a terminal, or the default for a pipe."""
    if not stream.isatty() and "COLUMNS" not in os.environ:
        return _PIPE_WIDTH
    if (given := os.environ.get("COLUMNS", "")).isdecimal() and int(given):
        return int(given)
    try:
        return os.get_terminal_size(stream.fileno()).columns or _PIPE_WIDTH
    except (OSError, ValueError, AttributeError):
        return _PIPE_WIDTH


# --- the first screen ------------------------------------------------------------------------------------


def _screen(screen: FirstScreen, width: int, *, details: bool) -> Iterator[str]:
    most = ENTRIES if details else QUIET_QUERIES if screen.quiet else QUERIES
    symbol, _, words = printable(screen.headline).partition(" ")
    yield f"{style(symbol, fg=_COLOURS.get(screen.state, 'red'), bold=True)} {style(words, bold=True)}"
    if screen.numbers:
        yield f"  {printable(screen.numbers)}"
    limit = ENTRIES if details else _LINES
    yield from _bounded(
        [line for problem in screen.problems for line in printable_block(problem).split("\n")],
        max(limit, 12),
        "line",
    )
    for line in (*screen.facts, *screen.changes):
        yield f"  {printable(line)}"
    queries = screen.queries[:most]
    if screen.quiet:
        yield from _aligned(queries, width, lambda query: query.line)
    elif queries:
        yield ""
        for query, line in zip(queries, _aligned(queries, width, lambda one: one.change), strict=True):
            yield line
            yield from _query_details(query)
    if left := screen.queries[most:]:
        yield f"  … {left_out(left)}"
    judged = [
        style(printable("; ".join((item.text, *item.details[:1]))), fg=_MOODS[item.mood])
        for item in (*screen.gates, *screen.probes)
    ]
    yield from ([""] if judged else [])
    yield from _bounded(judged, max(limit, 10), "line")
    if screen.test is not None:
        yield from (f"  {line}" for line in section_lines(screen.test, width))
    yield from _footer(screen, details=details)


def left_out(queries: Sequence[QueryItem]) -> str:
    """Count queries that are left out, by what happened to them."""
    errors = sum(query.case.state is CaseState.ERROR for query in queries)
    return f"{len(queries):,} more" + (f", {errors:,} of them not tested" if errors else "")


def _bounded(lines: Sequence[str], most: int, noun: str) -> Iterator[str]:
    yield from (f"  {line}" for line in lines[:most])
    if len(lines) > most:
        yield f"  … {many(len(lines) - most, f'more {noun}')}"


def _footer(screen: FirstScreen, *, details: bool) -> Iterator[str]:
    files = [(name, path) for name, path in screen.files if details or name == "report"]
    report = [f"  {printable(name)}: {printable(path)}" for name, path in files]
    commands = [f"  next: {style(printable(command), fg='cyan')}" for command in screen.next[:1]]
    if screen.state is State.PASSED:
        yield from ("", *report) if screen.test else report
    elif screen.state in (State.NO_GATES, State.NOT_TESTED) and not screen.test:
        yield from (*report, *commands)
    elif report or commands:
        yield from ("", *commands, *report)


def _aligned(queries: Sequence[QueryItem], width: int, change: Callable[[QueryItem], str]) -> Iterator[str]:
    """Return a line per query: its title, what happened, and where its case is."""
    rows = [(printable(query.title), printable(change(query)), printable(query.where)) for query in queries]
    titles = min(max((columns(title) for title, _, _ in rows), default=0), _TITLE_WIDTH, width // 2)
    for title, text, where in rows:
        padded = title + " " * (titles - columns(title))
        yield f"  {style(padded, bold=True)}   {text}" + (f"      {style(where, dim=True)}" if where else "")


def _query_details(query: QueryItem) -> Iterator[str]:
    width = max((columns(label) for label, _ in query.details), default=0)
    for label, text in query.details:
        yield f"    {style(label.ljust(max(width, 9)), dim=True)} {printable(text)}"


# --- the sections below ----------------------------------------------------------------------------------


def section_lines(section: Section, width: int, entries: int = ENTRIES) -> Iterator[str]:
    """Return a section, with an empty line before it, and with at most so many items."""
    yield ""
    yield style(printable(section.title), bold=True)
    if section.table is not None:
        yield from table_lines(section.table)
    lines = _aligned(section.queries, width, lambda query: query.change)
    for query, line in zip(section.queries, lines, strict=True):
        yield line
        yield from _query_details(query)
    for item in section.items[:entries]:
        yield f"  {_item(item)}"
        yield from (f"    {printable(detail)}" for detail in item.details)
    if more := section.more + len(section.items[entries:]):
        yield f"  … {more:,} more"


def _item(item: Item) -> str:
    mark = f"{style(MARKS[item.mood], fg=_MOODS[item.mood])} " if item.mood else ""
    return (
        mark
        + printable(item.text)
        + (f"      {style(printable(item.where), dim=True)}" if item.where else "")
    )


def table_lines(
    table: Table, entries: int | None = ENTRIES, width: int | None = _CELL_WIDTH
) -> Iterator[str]:
    """Return the rows of a table; text in the last column is not padded or cut.

    Args:
        table: The table.
        entries: The number of rows to list; all without it.
        width: The number of characters of a cell; any without it.
    """
    last = len(table.head) - 1
    rows = [
        [printable(cell, None if at == last else width) for at, cell in enumerate(row)]
        for row in (table.head, *table.rows[:entries])
    ]
    widths = [max(columns(row[at]) for row in rows) for at in range(len(table.head))]
    for number, row in enumerate(rows):
        cells = []
        for at, cell in enumerate(row):
            space = " " * (widths[at] - columns(cell))
            cells.append(space + cell if at in table.numbers else cell if at == last else cell + space)
        line = "  ".join(cells)
        if number or line.strip():
            yield f"  {line if number else style(line, dim=True)}"
    if entries is not None and len(table.rows) > entries:
        yield f"  … {len(table.rows) - entries:,} more"
