"""Queries with the ids they expect: ``{query: [id, …]}``, or records ``{"query": …, "expected": [id, …]}``.

The order of the ids is no grade: all get 1 unless grades are given by position, ``1=3,2=2,3=1``. The list
of a record stands under ``expected``, ``expected_ids``, ``expectedIds``, ``ids`` or ``results``; one id
alone may stand without a list. Records come as a JSON list or one a line. An empty list is left out and
counted, unless the option ``empty=nothing`` says that it means no hit at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankgate.errors import Code, InputError
from rankgate.files.tree.json_records import (
    EACH,
    Json,
    file_text,
    read_json,
    record,
    shape_of,
    write_json,
)
from rankgate.suites.foreign.case_collector import CaseCollector, collected
from rankgate.suites.foreign.losses import losses, refuse_nothing
from rankgate.suites.formats import SuiteFormat

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.model.suite import Case, Suite
    from rankgate.suites.formats import ReadOptions


KEYS = ("expected", "expected_ids", "expectedIds", "ids", "results")
"""Where the ids of a record may stand."""

_QUERY = ("query", "question")
_IDS = {None, "text", "other"}
_KNOWN = frozenset({*KEYS, *_QUERY, "id", "category"})


@collected
def read_expected(cases: CaseCollector) -> dict[str, Any]:
    """Read queries with the ids they expect."""
    nothing = _means_nothing(cases.reading)
    for query, ids, found in _entries(cases):
        if not query.strip():
            ids.wrong("a query", found="an empty query")
            continue
        about = {} if found is None else _about(cases, found)
        draft = cases.entry(query, ids.where, **about)
        items = ids.items("a list of ids") if isinstance(ids.value, list) else [ids]
        for position, item in enumerate(items, 1):
            text = item.text("an id")
            grade = cases.grades.grade(position) if cases.grades else 1.0
            if text is not None:
                cases.target(draft, cases.id(text, item.where), grade, item.where)
        if not items and nothing:
            draft.about["expect_empty"] = draft.keeps = True
    if not cases.grades and any(len(draft.targets) > 1 for draft in cases.drafts.values()):
        cases.note("the order of the ids is no grade: all have 1; --grades 1=3,2=2,… gives the first 3")
    return {}


def write_expected(suite: Suite, path: Path) -> tuple[str, ...]:
    """Write records with the relevant ids, best grade first, and tell what they cannot hold."""
    kept = [case for case in suite.cases if any(target.grade > 0 for target in case.targets)]
    refuse_nothing(kept, path, "a case with relevant targets")
    write_json(path, [{"query": case.query, "expected": _best(case)} for case in kept])
    return losses(suite, {"ids", "lines", "headings", "symbols"}, kept)


def _best(case: Case) -> list[str]:
    relevant = [target for target in case.targets if target.grade > 0]
    return [str(target.location) for target in sorted(relevant, key=lambda target: -target.grade)]


def _entries(cases: CaseCollector) -> list[tuple[str, Json, Json | None]]:
    if _is_object(file_text(cases.path)):
        whole = read_json(cases.path, cases.problems)
        if any(isinstance(ids.value, dict) for _, ids in whole.pairs()):
            whole.wrong("lists of ids by query", found="an object that holds objects")
        return [(query, ids, None) for query, ids in whole.pairs()]
    entries: list[tuple[str, Json, Json | None]] = []
    for found in cases.records():
        query = found.get(*_QUERY).text("a query")
        ids = found.get(*KEYS)
        if not ids:
            found.wrong(f"ids under one of {', '.join(KEYS)}", found="a record without ids")
        elif query is not None:
            entries.append((query, ids, found))
    return entries


def _is_object(text: str) -> bool:
    """Return one object from records one a line: a record names its query."""
    if not text.lstrip().startswith("{"):
        return False
    shape = shape_of(text[: 1 << 16].encode())
    return not (set(_QUERY) & shape.keys() and set(KEYS) & shape.keys())


def _about(cases: CaseCollector, found: Json) -> dict[str, str | None]:
    cases.left_out(found, _KNOWN)
    return {
        "id": found.at("id").text("an id", required=False),
        "category": found.at("category").text("a category", required=False),
    }


def _means_nothing(reading: ReadOptions) -> bool:
    value = reading.options.get("empty", "")
    if value not in {"", "nothing"}:
        raise InputError(Code.WRONG_OPTION("option empty", repr(value), "nothing"))
    return value == "nothing"


def _recognise(_path: Path, start: bytes) -> bool:
    shape = shape_of(start)
    at = record(shape)
    if at is None:
        return False
    keys = shape.keys(*at)
    lists = {key for key in keys if shape.kind(*at, key) == "list" and shape.kind(*at, key, EACH) in _IDS}
    if set(_QUERY) & keys:
        return bool(lists & set(KEYS))
    return at == () and bool(keys) and lists == keys


FORMAT = SuiteFormat(
    "expected",
    "queries with the ids they expect, in JSON",
    read_expected,
    _recognise,
    write_expected,
    {"empty": "nothing: an empty list means that no hit is right; without it such queries are left out"},
)
