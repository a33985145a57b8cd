"""Ratings as Quepid imports and exports them: CSV with a row a judgment, at least ``query,docid,rating``.

Columns are known by their names, without regard to case, spaces and underscores, so ``Query Text``, ``Doc
ID`` and ``Rating`` of Quepid's detailed and snapshot exports are read too; other columns are left out and
named. Rows without a rating were not judged: they are left out and counted, and so are queries without any
judgment. Files of several raters have several columns of ratings; the option ``rating`` names the one
meant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankgate.errors import Code, InputError
from rankgate.files.compressed import write_text
from rankgate.suites.foreign.case_collector import CaseCollector, collected
from rankgate.suites.foreign.csv_rows import csv_text, header_of, read_rows
from rankgate.suites.foreign.grades import spelt
from rankgate.suites.foreign.losses import rated
from rankgate.suites.formats import SuiteFormat

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.model.suite import Suite
    from rankgate.suites.formats import ReadOptions


_QUERY = frozenset({"query", "querytext"})
_DOCUMENT = frozenset({"docid", "documentid"})
_HEADER = ("query", "docid", "rating")


@collected
def read_quepid(cases: CaseCollector) -> dict[str, Any]:
    """Read rated rows.

    Raises:
        InputError: where it is not said which column has the ratings.
    """
    header, rows = read_rows(cases.path, cases.problems)
    query_column, document_column, rating_column = _columns(cases.path, header, cases.reading)
    if others := [name for name in header if name not in (query_column, document_column, rating_column)]:
        cases.note(f"columns left out: {', '.join(others)[:200]}")
    for row in rows:
        query, name, label = (row.cells[key] for key in (query_column, document_column, rating_column))
        if not query:
            cases.wrong(row.where, "a row without a query", "a query")
            continue
        draft = cases.case(query, row.where)
        if not label:
            cases.note("{} row{s} without a rating left out")
        elif not name:
            cases.wrong(row.where, "a rating without a document", "the id of a document")
        else:
            cases.rated(draft, name, label, row.where)
    return {"unlisted": "unjudged"}


def write_quepid(suite: Suite, path: Path) -> tuple[str, ...]:
    """Write a row a judgment, and tell what they cannot hold."""
    rows, lost = rated(suite, path, str.strip)
    cells = [[case.query, name, spelt(grade)] for case, targets in rows for name, grade in targets]
    write_text(path, [csv_text([_HEADER, *cells])])
    return lost


def _columns(path: Path, header: list[str], reading: ReadOptions) -> tuple[str, str, str]:
    asked = reading.options.get("rating", "rating")
    query = [name for name in header if _plain(name) in _QUERY]
    document = [name for name in header if _plain(name) in _DOCUMENT]
    rating = [name for name in header if _plain(name) == _plain(asked)]
    if len(query) == len(document) == len(rating) == 1:
        return query[0], document[0], rating[0]
    found = f"the columns {', '.join(header)[:120]}"
    likely = [name for name in header if _plain(name).endswith("rating")]
    fix = f"say which has the ratings: --option rating={likely[-1]}" if likely and not rating else ""
    if not (query and document):
        fix = (
            "name columns of other names: --from mapped --option query=COLUMN --option ids=COLUMN "
            "--option grade=COLUMN"
        )
    raise InputError(Code.WRONG_FORMAT(f"{path}:1", found, "one column each of query, docid and rating", fix))


def _plain(name: str) -> str:
    return "".join(char for char in name.lower() if char.isalnum())


def _recognise(_path: Path, start: bytes) -> bool:
    names = [_plain(name) for name in header_of(start)]
    return (
        bool(_QUERY & set(names))
        and bool(_DOCUMENT & set(names))
        and any(name.endswith("rating") for name in names)
    )


FORMAT = SuiteFormat(
    "quepid",
    "CSV of query, docid and rating, as Quepid's",
    read_quepid,
    _recognise,
    write_quepid,
    {"rating": "the column of the ratings, where it is not called rating"},
)
