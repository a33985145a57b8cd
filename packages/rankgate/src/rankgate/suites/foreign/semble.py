"""Queries with lists of locations by relevance, as semble keeps its benchmark.

The lists are ``relevant``, ``secondary`` and ``related``. An item is a path, or an object of a path and
lines. The names of the lists are labels, so grades must be given: ``--grades relevant=2,secondary=1``. The
option ``skip`` names lists to leave out. A ``category`` is kept; a ``seed``, where an annotator started,
is counted and left out.
"""

from __future__ import annotations

from typing import Any

from rankgate.files.tree.json_records import is_record
from rankgate.suites.foreign.case_collector import CaseCollector, collected, read_location
from rankgate.suites.formats import SuiteFormat

LISTS = ("relevant", "secondary", "related")
"""The lists that a query may have, which are its labels."""


@collected
def read_annotations(cases: CaseCollector) -> dict[str, Any]:
    """Read annotated queries."""
    skipped = {name.strip() for name in cases.reading.options.get("skip", "").split(",")}
    for found in cases.records():
        cases.left_out(found, {"query", "category", *LISTS})
        query = found.at("query").text("a query")
        if query is None:
            continue
        category = found.at("category").text("a category", required=False)
        draft = cases.entry(query, found.where, category=category)
        for name in LISTS:
            items = found.at(name).items("a list of locations")
            if name in skipped:
                cases.note(f"{{}} location{{s}} of the list {name!r} skipped", len(items))
                continue
            for item in items:
                location, grade = read_location(cases, item), cases.grades.grade(name)
                fix = f"decide which is right, or leave a list out: --option skip={name}"
                cases.target(draft, location, grade, item.where, fix=fix)
    return {}


FORMAT = SuiteFormat(
    "annotations",
    "JSON with lists relevant, secondary and related, as semble's",
    read_annotations,
    lambda _path, start: is_record(start, query="text", relevant="list"),
    options={"skip": "lists to leave out, such as related; separated by commas"},
)
