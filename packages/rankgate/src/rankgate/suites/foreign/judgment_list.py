"""Judgment lists of OpenSearch's Search Relevance Workbench.

They are ``{"judgmentRatings": [{"query", "ratings": [{"docId", "rating"}]}]}``. Ratings are numbers written
as text, such as ``"100.000"``. Those of the ESCI sample are 100, 10, 1 and 0 for exact, substitute,
complement and irrelevant; taken as they are, an exact hit is worth ten substitutes, so ``--grades
100=3,10=2,1=1,0=0`` is often meant. Nothing is mapped unless it is said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankgate.files.tree.json_records import shape_of, write_json
from rankgate.suites.foreign.case_collector import CaseCollector, collected
from rankgate.suites.foreign.grades import spelt
from rankgate.suites.foreign.losses import rated
from rankgate.suites.formats import SuiteFormat

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.model.suite import Suite


_KNOWN = frozenset({"name", "description", "type", "judgmentRatings"})


@collected
def read_judgment_list(cases: CaseCollector) -> dict[str, Any]:
    """Read a judgment list."""
    whole = cases.whole("judgmentRatings")
    cases.left_out(whole, _KNOWN)
    for found in whole.at("judgmentRatings").items("a list of queries"):
        query = found.at("query").text("a query") if found.is_object() else None
        if query is None:
            continue
        draft = cases.case(query, found.where)
        cases.again(draft, found.where)
        for rating in found.at("ratings").items("a list of ratings"):
            name = rating.at("docId").text("the id of a document") if rating.is_object() else None
            if name is not None and not rating.at("rating"):
                rating.wrong("a rating", found="a document without a rating")
            elif name is not None:
                cases.rated(draft, name, rating.at("rating").value, rating.where)
    name = whole.at("name").text("a name", required=False)
    return {"unlisted": "unjudged", **({"name": name} if name else {})}


def write_judgment_list(suite: Suite, path: Path) -> tuple[str, ...]:
    """Write a judgment list, and tell what it cannot hold."""
    rows, lost = rated(suite, path)
    ratings = [
        {
            "query": case.query,
            "ratings": [{"docId": name, "rating": spelt(grade)} for name, grade in targets],
        }
        for case, targets in rows
    ]
    about = {"name": suite.name, "description": "", "type": "IMPORT_JUDGMENT"}
    write_json(path, {**about, "judgmentRatings": ratings})
    return lost


FORMAT = SuiteFormat(
    "judgment_list",
    "judgments of OpenSearch's Search Relevance Workbench, in JSON",
    read_judgment_list,
    lambda _path, start: shape_of(start).kind("judgmentRatings") == "list",
    write_judgment_list,
)
