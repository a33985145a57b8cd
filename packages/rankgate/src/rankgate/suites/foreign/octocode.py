"""CSV with a row a query and a location a cell: ``query,result1,result2,…``.

A cell is ``path:start-end:relevance``, as octocode keeps its benchmark; ``path:relevance`` is a whole file
and ``path:line:relevance`` one line. A path may hold colons: the relevance stands behind the last one, and
the lines before it. A cell without relevance is refused, empty cells are skipped. A query that has several
rows becomes one case.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from rankgate.files.compressed import write_text
from rankgate.model.wording import quoted
from rankgate.suites.foreign.case_collector import CaseCollector, collected, told
from rankgate.suites.foreign.csv_rows import csv_text, header_of, read_rows
from rankgate.suites.foreign.grades import spelt
from rankgate.suites.foreign.losses import losses, merged, refuse_nothing
from rankgate.suites.formats import SuiteFormat

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.model.locations import Location
    from rankgate.model.suite import Suite, Target
    from rankgate.suites.foreign.case_collector import Draft


_CELL = re.compile(
    r"(?P<path>.+?)(?::(?P<start>\d{1,10})(?:-(?P<end>\d{1,10}))?)?:(?P<label>[^:]*)", re.DOTALL
)
_LINES = re.compile(r"\d+-\d+")
_RESULT = re.compile(r"result[ _]?\d*", re.IGNORECASE)
_EXPECTED = "path:start-end:relevance"
_KEPT = frozenset({"lines", "headings", "symbols", "paths", "grades", "irrelevant"})


@collected
def read_cells(cases: CaseCollector) -> dict[str, Any]:
    """Read a file of cells."""
    header, rows = read_rows(cases.path, cases.problems, _is_header, "query,result1,result2,…")
    for row in rows:
        query, *results = (row.cells[name] for name in header)
        if not query:
            cases.wrong(row.where, "a row without a query", "a query in the first cell")
            continue
        draft = cases.case(query, row.where)
        cases.again(draft, row.where)
        for name, cell in zip(header[1:], results, strict=True):
            if cell:
                _take(cases, draft, cell, f"{row.where}: {name}")
    return {}


def write_cells(suite: Suite, path: Path) -> tuple[str, ...]:
    """Write a row a case, and tell what cells cannot hold."""
    rows = []
    named = []
    unwritable = 0
    for case in suite.cases:
        cells = [(target, _cell(target)) for target in case.targets if target.location.path is not None]
        good = [(target, cell) for target, cell in cells if _reads_back(cell, target.location)]
        unwritable += len(cells) - len(good)
        if good:
            rows.append([case.query, *(cell for _, cell in good)])
            named.append((case, [(str(target.location), target.grade) for target, _ in good]))
    written = [case for case, _ in named]
    refuse_nothing(written, path, "a case with a file or lines of one")
    more = merged(named, path, str.strip)
    width = max([len(row) for row in rows], default=2)
    header = ["query", *(f"result{number}" for number in range(1, width))]
    write_text(path, [csv_text([header, *([*row, *[""] * (width - len(row))] for row in rows)])])
    lost = told((unwritable, "{} location{s} that a cell cannot hold left out"))
    return (*losses(suite, _KEPT, written), *more, *lost)


def _take(cases: CaseCollector, draft: Draft, cell: str, where: str) -> None:
    found = _CELL.fullmatch(cell)
    if found is None or not found["label"].strip() or _LINES.fullmatch(found["label"]):
        cases.wrong(where, f"{quoted(cell)}, without a relevance", _EXPECTED)
        return
    start = None if found["start"] is None else int(found["start"])
    end = start if found["end"] is None else int(found["end"])
    location = cases.location(found["path"], where, start, end)
    cases.target(draft, location, cases.grades.grade(found["label"]), where)


def _cell(target: Target) -> str:
    lines = "" if target.location.lines is None else f":{target.location.lines}"
    return f"{target.location.path}{lines}:{spelt(target.grade)}"


def _reads_back(cell: str, location: Location) -> bool:
    """Check whether a cell says this location; a path may end in what looks like a line."""
    found = _CELL.fullmatch(cell)
    if found is None or location.heading or location.symbol is not None:
        return False
    lines = None if location.lines is None else (str(location.lines.start), str(location.lines.end))
    return found["path"] == location.path and (lines or (None, None)) == (found["start"], found["end"])


def _is_header(header: list[str]) -> bool:
    return len(header) > 1 and header[0].lower() == "query" and all(map(_RESULT.fullmatch, header[1:]))


FORMAT = SuiteFormat(
    "cells",
    "CSV with cells path:start-end:relevance, as octocode's",
    read_cells,
    lambda _path, start: _is_header(header_of(start)),
    write_cells,
)
