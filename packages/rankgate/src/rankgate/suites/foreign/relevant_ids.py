"""Records of questions whose metadata names the relevant ids.

Harnesses of retrieval for language models keep them so. The question stands under ``query``, ``question``,
``input`` or ``inputs``. The ids stand under ``relevantIds``, ``relevantChunkIds``, ``relevantDocIds``,
``evidenceIds``, ``evidence`` or ``answerCorpusIds`` (or the same in snake case), in the record or one level
down in ``metadata``, ``labels``, ``expected`` or ``reference``. They are a list of ids or of objects with
an ``id``, ``doc_id`` or ``source``; or an object of ids and labels. An unordered list has grade 1. Where a
file has several of these fields, the option ``field`` says which is meant. An expected answer is kept. Ids
of chunks break when the documents are cut anew, and a note says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankgate.files.objects import write_objects
from rankgate.files.tree.json_records import record, shape_of
from rankgate.suites.foreign.case_collector import CaseCollector, collected
from rankgate.suites.foreign.losses import losses, refuse_nothing
from rankgate.suites.formats import SuiteFormat

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rankgate.files.tree.json_records import Json
    from rankgate.model.suite import Suite
    from rankgate.suites.foreign.case_collector import Draft


QUERY = ("query", "question", "input", "inputs")
"""Where the question may stand."""
WITHIN = ("metadata", "labels", "expected", "reference")
"""What may hold the labels, one level down."""
FIELDS = frozenset(
    {"relevantids", "relevantchunkids", "relevantdocids", "evidenceids", "evidence", "answercorpusids"}
)
"""What the labels may be called, in small letters and without underscores."""

_ANSWER = (
    "answer",
    "expected_answer",
    "expectedAnswer",
    "ground_truth",
    "groundTruth",
    "expected",
    "reference",
)
_IDS = ("id", "_id", "question_id", "questionId")
_CATEGORY = ("category", "question_type", "questionType")
_KEPT = frozenset({"ids", "lines", "headings", "symbols", "ids of cases", "answer", "category", "tags"})
_KNOWN = frozenset({*QUERY, *WITHIN, *_ANSWER, *_IDS, *_CATEGORY, "tags"})


@collected
def read_labels(cases: CaseCollector) -> dict[str, Any]:
    """Read questions with labels in their metadata; several fields of labels are a problem."""
    records = cases.records()
    chosen = _chosen(cases, records)
    for found in records:
        query = _query(found)
        if query is None:
            continue
        draft = cases.entry(query, found.where, **_about(cases, found))
        for name, labels in _labels(found):
            if _plain(name) == _plain(chosen):
                _take(cases, draft, labels)
            elif labels:
                cases.note(f"field {name!r} left out in {{}} record{{s}}, as {chosen!r} was chosen")
        draft.keeps = "answer" in draft.about
    unjudged = sum(not draft.targets and draft.keeps for draft in cases.drafts.values())
    if unjudged:
        cases.note("{} case{s} with an expected answer and no labels", unjudged)
    if "chunk" in chosen.lower():
        cases.note("targets are ids of chunks, which break when the documents are cut into chunks again")
    return {}


def write_labels(suite: Suite, path: Path) -> tuple[str, ...]:
    """Write a record a case with its relevant ids in ``metadata.relevantIds``, and tell what is lost."""
    ids = {
        case.id: [str(target.location) for target in case.targets if target.grade > 0] for case in suite.cases
    }
    kept = [case for case in suite.cases if ids[case.id] or case.answer]
    refuse_nothing(kept, path, "a case with relevant targets or an answer")
    written = [
        {
            "id": case.id,
            "query": case.query,
            "answer": case.answer,
            "category": case.category,
            "metadata": {"relevantIds": ids[case.id], **({"tags": sorted(case.tags)} if case.tags else {})},
        }
        for case in kept
    ]
    write_objects(path, written)
    return losses(suite, _KEPT, kept)


def _query(found: Json) -> str | None:
    query = found.get(*QUERY)
    if isinstance(query.value, dict):
        query = query.get(*QUERY)
    return query.text(f"a question under one of {', '.join(QUERY)}")


def _labels(found: Json) -> Iterator[tuple[str, Json]]:
    for holder in (found, *(found.at(name) for name in WITHIN)):
        for name, value in holder.pairs():
            if _plain(name) in FIELDS:
                yield name, value


def _chosen(cases: CaseCollector, records: list[Json]) -> str:
    names = {name: None for found in records for name, labels in _labels(found) if labels}
    asked = cases.reading.options.get("field")
    plain = {_plain(name) for name in names}
    where = str(cases.path)
    if asked is None and len(plain) > 1:
        fix = f"say which is meant: --option field={next(iter(names))}"
        cases.wrong(where, f"the fields {', '.join(names)}", "one field of labels", fix)
    elif not plain or (asked is not None and _plain(asked) not in plain):
        found = f"the fields {', '.join(names)}" if names else "no field of labels"
        cases.wrong(where, found, asked or f"one such as {', '.join(sorted(FIELDS))}")
    cases.problems.check()
    return asked or next(iter(names))


def _about(cases: CaseCollector, found: Json) -> dict[str, Any]:
    cases.left_out(found, {*_KNOWN, *(name for name, _ in _labels(found))})
    inner = [found.at(name) for name in WITHIN]
    for holder in inner:
        cases.left_out(holder, {*_KNOWN, *(name for name, _ in holder.pairs() if _plain(name) in FIELDS)})
    holders = [found, *inner]
    tags = next((holder.at("tags") for holder in holders if holder.at("tags")), found.at("tags"))
    words = tags.items("a list of tags") if isinstance(tags.value, list) else []
    return {
        "id": _first(holders, _IDS),
        "answer": _first(holders, _ANSWER),
        "category": _first(holders, _CATEGORY),
        "tags": frozenset(tag for word in words if (tag := word.text("a tag")) is not None),
    }


def _first(holders: list[Json], names: tuple[str, ...]) -> str | None:
    """Take the first text that stands under one of several names; other kinds of values are not meant."""
    for holder in holders:
        for name in names:
            value = holder.at(name)
            if (
                isinstance(value.value, (str, int))
                and not isinstance(value.value, bool)
                and value.value != ""
            ):
                return value.text("text")
    return None


def _take(cases: CaseCollector, draft: Draft, labels: Json) -> None:
    if isinstance(labels.value, dict):
        for name, label in labels.pairs():
            cases.rated(draft, name, label.value, label.where)
        return
    items = labels.items("a list of ids") if not isinstance(labels.value, str) else [labels]
    for item in items:
        named = item.get("id", "doc_id", "docId", "source") if isinstance(item.value, dict) else item
        text = named.text("an id")
        if text is not None:
            cases.target(draft, cases.id(text, item.where), 1.0, item.where)


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def _recognise(_path: Path, start: bytes) -> bool:
    shape = shape_of(start)
    at = record(shape)
    if at is None or not set(QUERY) & shape.keys(*at):
        return False
    names = set(shape.keys(*at)).union(*(shape.keys(*at, holder) for holder in WITHIN))
    return any(_plain(name) in FIELDS for name in names)


FORMAT = SuiteFormat(
    "labels",
    "questions with relevantIds, relevantChunkIds or evidence in their metadata, in JSON or JSON lines",
    read_labels,
    _recognise,
    write_labels,
    {"field": "which field has the labels, where a file has several"},
)
