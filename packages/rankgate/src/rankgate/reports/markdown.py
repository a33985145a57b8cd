"""The report of a test as GitHub Markdown: for a file, a job summary or a pull request comment.

Everything from a suite or a system is escaped, or shown as code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rankgate.reports.sections import MARKS, first_screen, further_sections, hit_changes
from rankgate.reports.text.github import Escapes, fenced, link, plain, table
from rankgate.reports.text.printable import printable, printable_block

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rankgate.report import Report
    from rankgate.reports.sections import FirstScreen, Item, QueryItem, Section

QUERIES: Final = 100
"""The number of queries and rows that a table lists."""
_WHOLE: Final = Escapes(line=2000, name=500)
_LOCATION_LENGTH: Final = 90
_PROBLEMS: Final = 20
_DETAILS: Final = {"expected": "expected", "first": "first result"}


def render(*reports: Report, url: str = "") -> str:
    """Return reports as one document.

    Args:
        reports: The reports.
        url: Where to read the HTML report; empty if that is not known.
    """
    parts: list[str] = []
    for report in reports:
        screen = first_screen(report)
        parts += [f"# {_WHOLE.text(screen.headline)}", *opening(screen, _WHOLE)]
        if queries := query_table(screen.queries, _WHOLE, QUERIES):
            parts.append(queries)
        parts += [*verdicts(screen, _WHOLE), *commands(screen)]
        shown = [query.case.name for query in screen.queries[:QUERIES]]
        for section in further_sections(report, queries=QUERIES, shown=shown):
            parts += [f"## {_WHOLE.title(section.title)}", section_body(section, _WHOLE, QUERIES)]
        parts += [link("HTML report", url)] if link("HTML report", url) else []
    return "\n\n".join(parts) + "\n"


def opening(screen: FirstScreen, by: Escapes) -> Iterator[str]:
    """Return the figures, the problems and what else must be seen."""
    if screen.numbers:
        yield by.text(screen.numbers)
    for problem in screen.problems[:_PROBLEMS]:
        yield by.text(problem) if "\n" not in problem else fenced(printable_block(problem).split("\n"))
    lines = [*screen.facts, *screen.changes]
    if len(screen.problems) > _PROBLEMS:
        lines.append(f"{len(screen.problems) - _PROBLEMS:,} more problems")
    if lines:
        yield "\n".join(f"- {by.text(line)}" for line in lines)


def query_table(
    queries: Sequence[QueryItem], by: Escapes, most: int, details: Mapping[str, str] = _DETAILS
) -> str:
    """Return a table of queries; empty without any.

    Args:
        queries: The queries.
        by: The escapes.
        most: The number of queries to list.
        details: The details that have a column, with its title. The others follow the change.
    """
    if not queries:
        return ""
    rows = []
    for query in queries[:most]:
        own = {label: "; ".join(text for name, text in query.details if name == label) for label in details}
        others = (text for label, text in query.details if label not in details)
        cells = (by.code(text, cell=True) for text in (*own.values(), query.where))
        rows.append((by.title(query.title), by.text("; ".join((query.change, *others))), *cells))
    text = table(("query", "change", *map(by.title, details.values()), "case"), "", rows)
    return text + (f"\n\n… {len(queries) - most:,} more" if len(queries) > most else "")


def verdicts(screen: FirstScreen, by: Escapes) -> Iterator[str]:
    """Return the gates, scenarios and invariants that did not pass, and the changes of the test."""
    if items := (*screen.gates, *screen.probes):
        yield "\n".join(_item(item, by) for item in items[:QUERIES])
    if screen.test is not None:
        yield f"**{screen.test.title}**\n\n{section_body(screen.test, by, QUERIES)}"


def commands(screen: FirstScreen) -> Iterator[str]:
    """Return the commands to run next."""
    if screen.next and not screen.quiet:
        yield fenced([printable(command) for command in screen.next], "sh")
    elif screen.next:
        yield fenced([printable(screen.next[0])], "sh")


def section_body(section: Section, by: Escapes, most: int, details: Mapping[str, str] = _DETAILS) -> str:
    """Return the content of a section; `details` is that of `query_table`."""
    more, body = section.more, ""
    if section.table is not None:
        found = section.table
        sides = "".join("r" if at in found.numbers else "l" for at in range(len(found.head)))
        # Values such as times and fingerprints are code: nothing in them is markup.
        plain_values = section.name == "provenance"
        rows = [
            tuple(
                by.code(cell, cell=True) if at and plain_values else by.text(cell)
                for at, cell in enumerate(row)
            )
            for row in found.rows[:most]
        ]
        body = table(tuple(map(by.text, found.head)), sides, rows)
        more += max(0, len(found.rows) - most)
    elif section.queries:
        body = query_table(section.queries[:most], by, most, details)
        more += max(0, len(section.queries) - most)
    else:
        body = "\n".join(_item(item, by) for item in section.items[:most])
        more += max(0, len(section.items) - most)
    return f"{body}\n\n… {more:,} more" if more else body


def _item(item: Item, by: Escapes) -> str:
    mark = f"{MARKS[item.mood]} " if item.mood else ""
    where = f" ({by.code(item.where)})" if item.where else ""
    lines = [f"- {mark}{by.text(item.text)}{where}", *(f"  - {by.text(detail)}" for detail in item.details)]
    return "\n".join(lines)


def ranking(query: QueryItem, by: Escapes) -> str:
    """Return the results of a query that changed, each once, as a block of a diff; empty without any."""
    changes = hit_changes(query.case)
    if all(one.sign == " " for one in changes):
        return ""
    width = max(len(one.ranks) for one in changes)
    lines = [
        f"{one.sign} {one.ranks.rjust(width)}  {last_part(printable(one.text), _LOCATION_LENGTH)}"
        + ("  ← expected" if one.expected else "")
        for one in changes
    ]
    return f"{by.title(query.title)}: {plain(query.change)}\n\n{fenced(lines, 'diff')}"


def last_part(location: str, most: int) -> str:
    """Cut a location at its front, where a folder begins: its file and lines distinguish it from others.

    >>> last_part("docs/a/very/deep/folder/keys.md:10-20", 24)
    '…/folder/keys.md:10-20'
    """
    if len(location) <= most:
        return location
    kept = location[1 - most :]
    start = kept.find("/")
    return "…" + (kept[start:] if 0 <= start < most // 2 else kept)
