"""One reader for judged sets: which field is the query, which are its passages, its ids and its answer.

The fields are options, ``--option query=question --option quotes=contexts``. A preset names them for files of
one tool, and an option comes before its preset. Passages become quotes, in the file that ``path`` names: a
field, or a template of fields such as ``corpora/{corpus_id}.md``. A passage may be a text, or an object with
its text and its first character. Where there are no passages, places and ids are taken as they are; where a
set has none of them, its expected answer is kept.

A set whose records are judgments, one for each pair of a query and what was found, names the field of its
grades: ``--option grade=rating``. Records of the same query are one case then.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError, LocationError, did_you_mean
from rankgate.files.tree.json_records import Json
from rankgate.model.locations import Location
from rankgate.suites.foreign.case_collector import CaseCollector
from rankgate.suites.foreign.rag.records import Entry, read_entries
from rankgate.suites.formats import SuiteFormat

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from rankgate.model.suite import Suite
    from rankgate.suites.foreign.case_collector import Draft
    from rankgate.suites.formats import ReadOptions

OPTIONS = {
    "query": "the field of the query, such as question or inputs.question",
    "quotes": "the field of the passages that answer it: a text, a list, or objects with a text",
    "path": "the file of the passages: a field, or a template such as docs/{source}.md",
    "at": "the field of locations: path, path:10-50, path#Heading or path::symbol",
    "ids": "the field of relevant ids",
    "grade": "the field of the grade of a record, one judgment each; 0 is judged, and not relevant",
    "answer": "the field of the expected answer",
    "id": "the field of the id of a case",
    "category": "the field of the category of a case",
    "separator": "what stands between passages in one text, such as | in a cell of CSV",
    "records": "the way to the records where the file is one object, such as data.items",
}
"""What every judged set may be told."""

_TEXT = ("content", "text", "page_content", "context", "quote")
_START = ("start_index", "start_char")
_FIELD = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True, slots=True)
class FieldMap:
    """Where a judged set has what: names of fields, the first that is there counts."""

    query: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    """The passages that answer it."""
    path: tuple[str, ...] = ()
    """The file of the passages: fields, or one template."""
    at: tuple[str, ...] = ()
    """Places, as a suite of ours writes them."""
    ids: tuple[str, ...] = ()
    """Relevant ids."""
    grade: tuple[str, ...] = ()
    """The grade of what the record names; a record is a case of its own where there is none."""
    answer: tuple[str, ...] = ()
    """The expected answer."""
    id: tuple[str, ...] = ()
    """The id of a case."""
    category: tuple[str, ...] = ()
    """The category of a case."""
    separator: str = ""
    """What stands between passages in one text; nothing where a text is one passage."""
    records: str = ""
    """The way to the records where the file is one object."""
    known: tuple[str, ...] = ()
    """Fields that mean nothing here and are not told."""
    skip: Callable[[Entry], str | None] = lambda _record: None
    """Return why a record is left out, in words with a count; None where it is not."""

    def told(self, options: dict[str, str]) -> FieldMap:
        """Return the same with what the options say instead."""
        plain = {name: options[name] for name in ("records", "separator") if name in options}
        named = {name: (value,) for name, value in options.items() if name not in plain}
        return replace(self, **plain, **named)  # type: ignore[arg-type]


def judged_set(
    name: str,
    about: str,
    fields: FieldMap,
    recognise: Callable[[Path, bytes], bool],
    entries: Callable[[CaseCollector, FieldMap], Iterable[Entry]] | None = None,
) -> SuiteFormat:
    """Make the format of the judged sets of one tool.

    Args:
        name: What people call it.
        about: One line that says whose files these are.
        fields: Where they have what.
        recognise: Whether a file is one.
        entries: How their records are read where the way to them does not say it all.
    """

    def read(path: Path, reading: ReadOptions) -> Suite:
        cases = CaseCollector(path, reading)
        told = fields.told(dict(reading.options))
        if not told.query or not (told.quotes or told.at or told.ids or told.answer):
            lacks = "what answers a query" if told.query else "the query"
            fix = f"such as --option query={told.query[0] if told.query else 'question'} --option at=page"
            raise InputError(
                Code.MISSING_OPTION(
                    str(path),
                    f"no field named as {lacks}",
                    "query, and one of at, ids, quotes and answer",
                    fix,
                )
            )
        records = list(entries(cases, told) if entries else read_entries(cases, told.records))
        _check_named(cases, records, told, reading.options)
        for record in records:
            _take(cases, record, told)
        return cases.suite()

    return SuiteFormat(name, about, read, recognise, options=OPTIONS)


def _take(cases: CaseCollector, record: Entry, fields: FieldMap) -> None:
    if (why := fields.skip(record)) is not None:
        cases.note(why)
        return
    query = record.text(*fields.query)
    if query is None:
        named = " or ".join(fields.query)
        cases.problems.add_alike(Code.WRONG_VALUE(record.own.where, f"no query under {named}", "a text"))
        return
    grade = _grade(cases, record, fields)
    if grade is None:
        return
    answer, category = record.text(*fields.answer), record.text(*fields.category)
    about = {"id": record.text(*fields.id), "answer": answer, "category": category}
    draft = (_judged if fields.grade else CaseCollector.entry)(cases, query, record.own.where, **about)
    path = _path(cases, record, fields.path)
    passages = [part for each in record.several(*fields.quotes) for part in _parts(each, fields.separator)]
    for passage in passages:
        _quote(cases, draft, passage, path, grade)
    if not passages:
        for place in record.several(*fields.at):
            cases.target(draft, _place(cases, place), grade, place.where)
        for name in record.several(*fields.ids):
            text = name.text("an id")
            cases.target(draft, None if text is None else cases.id(text, name.where), grade, name.where)
    draft.keeps = answer is not None
    if draft.keeps and not draft.targets:
        cases.note("{} case{s} with an expected answer alone: what is estimated from it is marked")
    targets = (fields.quotes, fields.path, fields.at, fields.ids)
    every = (fields.query, *targets, fields.grade, fields.answer, fields.id, fields.category)
    names = {name.split(".")[0] for group in every for part in group for name in _names(part)}
    cases.left_out(record.own, names | set(fields.known))


def _check_named(
    cases: CaseCollector, records: list[Entry], fields: FieldMap, options: Mapping[str, str]
) -> None:
    """Refuse, once, a field that an option names and no record has."""
    there = dict.fromkeys(key for record in records for holder in record.holders for key, _ in holder.pairs())
    for option in options if there else ():
        if option in ("records", "separator"):
            continue
        for name in (name for part in getattr(fields, option) for name in _names(part)):
            if name.split(".")[0] not in there:
                shown = ", ".join(there)[:200]
                fix = did_you_mean(name, there, otherwise=f"--option {option}=FIELD names one that is there")
                expected = f"one of {shown}"
                cases.problems.add(Code.WRONG_OPTION(f"option {option}", f"no field {name!r}", expected, fix))
    cases.problems.check()


def _grade(cases: CaseCollector, record: Entry, fields: FieldMap) -> float | None:
    """Return the grade of a record, 1 where no field is named; None, counted or told, where it has none."""
    if not fields.grade:
        return 1.0
    found = record.values(*fields.grade)
    if not found:
        cases.note("{} record{s} without a grade left out")
        return None
    grade = cases.grades.grade(found[0].value)
    if grade == 0:
        cases.note("{} judgment{s} of grade 0: judged, and not relevant")
    return grade


def _judged(cases: CaseCollector, query: str, where: str, *, id: str | None, **about: str | None) -> Draft:  # noqa: A002
    """Return the case of a query, which several records judge."""
    draft = cases.drafts.get(id) if id is not None else None
    if draft is not None and draft.query == query:
        return draft
    return cases.case(query, where, id=id, **about)


def _parts(passage: Json, separator: str) -> list[Json]:
    if not separator or not isinstance(passage.value, str):
        return [passage]
    parts = [part for part in passage.value.split(separator) if part.strip()]
    return [Json(part, passage.file, passage.problems, passage.path) for part in parts]


def _names(part: str) -> list[str]:
    return _FIELD.findall(part) or [part]


def _path(cases: CaseCollector, record: Entry, names: tuple[str, ...]) -> str | None:
    """Return the file of the passages; one outside of any corpus is left out and counted."""
    if len(names) == 1 and _FIELD.search(names[0]):
        path: str | None = _FIELD.sub(lambda field: record.text(field[1]) or "", names[0])
    else:
        path = record.text(*names)
    try:
        return None if path is None else Location.of_quote("-", path).path
    except LocationError:
        cases.note("{} path{s} left out that no corpus can have, such as absolute ones")
        return None


def _place(cases: CaseCollector, place: Json) -> Location | None:
    text = place.text("a location")
    try:
        return None if text is None else Location.at(text)
    except LocationError as error:
        problem = error.problems[0]
        cases.wrong(place.where, f"{text!r:.80}, {problem.found}", problem.expected, problem.fix)
        return None


def _quote(cases: CaseCollector, draft: Draft, passage: Json, path: str | None, grade: float) -> None:
    start: int | None = None
    text = passage
    if isinstance(passage.value, dict):
        start = passage.get(*_START).count("the first character, from 0")
        text = passage.get(*_TEXT)
    words = text.text("the words of a passage")
    if words is not None:
        cases.target(draft, Location.of_quote(words, path, start), grade, passage.where)
