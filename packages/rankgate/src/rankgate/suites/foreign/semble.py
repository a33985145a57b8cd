"""Queries with lists of places by relevance, as semble keeps its benchmark.

The lists are ``relevant``, ``secondary`` and ``related``. An item is a path, or an object of a path and
lines. The names of the lists are labels, so grades must be given: ``--grades relevant=2,secondary=1``. The
option ``skip`` names lists to leave out. A ``category`` is kept; a ``seed``, the place an annotator started
from, is counted and left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.files.tree.json_records import is_record, read_records
from rankgate.suites.foreign.case_collector import CaseCollector, read_place
from rankgate.suites.format import SuiteFormat

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.model.suite import Suite
    from rankgate.suites.format import ReadOptions


LISTS = ("relevant", "secondary", "related")
"""The lists that a query may have, which are its labels."""


def read_annotations(path: Path, reading: ReadOptions) -> Suite:
    """Read annotated queries.

    Raises:
        FormatError: with all that is wrong with the file.
    """
    gathering = CaseCollector(path, reading)
    skipped = {name.strip() for name in reading.options.get("skip", "").split(",")}
    for found in read_records(path, gathering.problems):
        gathering.left_out(found, {"query", "category", *LISTS})
        query = found.at("query").text("a query")
        if query is None:
            continue
        category = found.at("category").text("a category", required=False)
        draft = gathering.entry(query, found.where, category=category)
        for name in LISTS:
            items = found.at(name).items("a list of places")
            if name in skipped:
                gathering.note(f"{{}} place{{s}} of the list {name!r} skipped", len(items))
                continue
            for item in items:
                place, grade = read_place(gathering, item), gathering.grades.grade(name)
                fix = f"decide which is right, or leave a list out: --option skip={name}"
                gathering.target(draft, place, grade, item.where, fix=fix)
    return gathering.suite()


FORMAT = SuiteFormat(
    "annotations",
    "JSON with lists relevant, secondary and related, as semble's",
    read_annotations,
    lambda _path, start: is_record(start, query="text", relevant="list"),
    options={"skip": "lists to leave out, such as related; separated by commas"},
)
