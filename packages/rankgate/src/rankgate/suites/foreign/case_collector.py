"""Cases gathered from a file of another tool: what is said twice is merged, what is torn is refused."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rankgate.errors import Code, LocationError
from rankgate.files.problems import Problems
from rankgate.files.tree.json_records import read_json, read_records
from rankgate.model.locations import Lines, Location, normal_path
from rankgate.model.suite import Case, Suite, Target
from rankgate.model.wording import quoted
from rankgate.suites.foreign.grades import Grades
from rankgate.suites.native.cases import TakenNames, slug
from rankgate.suites.native.settings import RECORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from rankgate.files.tree.json_records import Json
    from rankgate.model.suite import CorpusSource
    from rankgate.suites.formats import ReadOptions


SOURCE = "import"
"""Who says so, for what comes from the file of another tool."""

_SHOWN = 10
_MARK = "~"
_DECIDE = "decide which is right"


@dataclass(slots=True)
class Draft:
    """A case that is still being read."""

    query: str
    """What is asked."""
    where: str
    """Where it was first written."""
    id: str | None = None
    """The id that the file gives; None to make one of the query."""
    about: dict[str, Any] = field(default_factory=dict)
    """Other fields of the case."""
    targets: dict[tuple[Location, str | None], tuple[Target, str]] = field(default_factory=dict)
    """The targets by location and group, each with where it was written."""
    keeps: bool = False
    """True to keep the case though it has no targets."""


class CaseCollector:
    """Takes cases and targets as they are found, and makes a suite of them."""

    def __init__(self, path: Path, reading: ReadOptions) -> None:
        self.path = path
        self.reading = reading
        self.problems = Problems(str(path))
        self.grades = Grades(reading.grades, self.problems)
        self.drafts: dict[object, Draft] = {}
        self._notes: Counter[str] = Counter()
        self._left_out: Counter[str] = Counter()

    def records(self) -> list[Json]:
        """Read the objects of a file that holds a list of them, or one a line."""
        return read_records(self.path, self.problems)

    def whole(self, key: str) -> Json:
        """Read the object of a file in which all that counts stands under one key."""
        found = read_json(self.path, self.problems)
        if found.is_object(f"an object with {key}") and not found.at(key):
            found.wrong(key, found=f"an object without {key}")
        return found

    def wrong(self, where: str, found: str, expected: str, fix: str = "") -> None:
        """Add a problem."""
        self.problems.add(Code.WRONG_FORMAT(where, found, expected, fix))

    def note(self, words: str, count: int = 1) -> None:
        """Count something to be told; ``{}`` in the words stands for the number, ``{s}`` for a plural."""
        self._notes[words] += count

    def left_out(self, found: Json, known: Collection[str]) -> None:
        """Count the fields of an object that have no place in a suite."""
        self._left_out.update(key for key, value in found.pairs() if key not in known and _says(value.value))

    def case(self, query: str, where: str, *, id: str | None = None, **about: Any) -> Draft:  # noqa: A002 - a field's name
        """Return the draft of a query, which is the one there is where the same was asked before.

        An id of the file is its own; the same id twice is a problem.
        """
        said = {key: value for key, value in about.items() if value not in (None, "", (), {}, frozenset())}
        key: object = id if id is not None else (query, frozenset(said.items()))
        draft = self.drafts.get(key)
        if draft is None:
            draft = self.drafts[key] = Draft(query, where, id, said)
        elif id is not None:
            self.wrong(where, f"the id {quoted(id)} a second time", f"once, as at {draft.where}")
        return draft

    def entry(self, query: str, where: str, *, id: str | None = None, **about: Any) -> Draft:  # noqa: A002
        """Start a case of its own, for a file in which each entry is one; `suite lint` tells those alike."""
        named = id if id is not None else f"\0{where}"
        draft = self.case(query, where, id=named, **about)
        draft.id = id
        return draft

    def again(self, draft: Draft, where: str) -> None:
        """Count a query that is written more than once, and merged."""
        if draft.where != where:
            self.note("{} repeated quer{ies}, merged with the first of the same text")

    def id(self, text: str, where: str) -> Location | None:
        """Take an opaque id."""
        if text.strip():
            return Location.of_id(text)
        self.wrong(where, "an empty id", "an id")
        return None

    def location(
        self, path: str, where: str, start: int | None = None, end: int | None = None
    ) -> Location | None:
        """Take a path, with lines where there are any."""
        try:
            lines = None if start is None or end is None else Lines(start, end)
            return Location(path=normal_path(path), lines=lines)
        except LocationError as error:
            problem = error.problems[0]
            self.wrong(where, f"{quoted(path)}, {problem.found}", problem.expected, problem.fix)
            return None

    def rated(self, draft: Draft, name: str, label: object, where: str) -> None:
        """Add a target that is an opaque id, with the grade of its label."""
        grade = self.grades.grade(label)
        self.target(draft, self.id(name, where), grade, where)

    def target(
        self,
        draft: Draft,
        location: Location | None,
        grade: float | None,
        where: str,
        **about: Any,
    ) -> None:
        """Add a target; the same location judged otherwise is a problem, judged alike it is merged."""
        if location is None or grade is None:
            return
        target = Target(location, grade, source=SOURCE, **about)
        before = draft.targets.setdefault((location, target.group), (target, where))
        if before[0].grade != grade:
            found = f"{location} with grade {grade:g} for {quoted(draft.query, 60)}"
            expected = f"one grade; it has {before[0].grade:g} at {before[1]}"
            self.wrong(where, found, expected, _DECIDE)
        elif before[1] != where:
            self.note("{} repeated judgment{s}, merged")

    def group(self, draft: Draft) -> str:
        """Name the next group of alternatives of a case."""
        names = {name for _, name in draft.targets if name}
        return f"any-{len(names) + 1}"

    def suite(self, **about: Any) -> Suite:
        """Make the suite.

        Raises:
            FormatError: with all that is wrong with the file.
        """
        self.grades.check()
        self.problems.check()
        kept = [draft for draft in self.drafts.values() if draft.targets or draft.keeps]
        if empty := len(self.drafts) - len(kept):
            self.note("{} quer{ies} without judgments left out", empty)
        if not kept:
            self.wrong(str(self.path), "no judged query", "a case or more")
            self.problems.check()
        cases = self._named(kept)
        corpus, said = corpus_for(self.reading.corpus, cases)
        return Suite(
            **{
                "name": self.path.name.split(".")[0] or "suite",
                "cases": cases,
                "corpus": corpus,
                "path": str(self.path),
                "notes": (*self.notes(), *said),
                **about,
            }
        )

    def notes(self) -> tuple[str, ...]:
        """Return in words what was merged, dropped and mapped."""
        said = [counted(words, count) for words, count in self._notes.items()]
        for key, count in list(self._left_out.items())[:_SHOWN]:
            said.append(f"field {quoted(key, 60)} " + counted("left out {} time{s}", count))
        if (more := len(self._left_out) - _SHOWN) > 0:
            said.append(f"{more} other fields left out")
        return tuple(said)

    def _named(self, drafts: list[Draft]) -> tuple[Case, ...]:
        cases = []
        names = names_of([draft.query for draft in drafts], [draft.id for draft in drafts])
        told = sum(_MARK in name for name, draft in zip(names, drafts, strict=True) if draft.id is None)
        if told:
            self.note("{} quer{ies} whose id another query would have too: a digest tells them apart", told)
        for name, draft in zip(names, drafts, strict=True):
            targets = tuple(target for target, _ in draft.targets.values())
            cases.append(Case(name, draft.query, targets, where=draft.where, **draft.about))
        return tuple(cases)


def collected(fill: Callable[[CaseCollector], dict[str, Any]]) -> Callable[[Path, ReadOptions], Suite]:
    """Make the reader of a format of a function that takes the cases of a file.

    The function returns the fields of the suite that the file says itself. The reader raises FormatError with
    all that is wrong with the file.
    """

    def read(path: Path, reading: ReadOptions) -> Suite:
        cases = CaseCollector(path, reading)
        return cases.suite(**fill(cases))

    return read


def corpus_for(
    source: CorpusSource | None, cases: Sequence[Case]
) -> tuple[CorpusSource | None, tuple[str, ...]]:
    """Keep a corpus that the targets can be in, and say so where they cannot: ids are no files."""
    if source is None or source.kind in RECORDS:
        return source, ()
    if any(target.location.id is None for case in cases for target in case.targets):
        return source, ()
    return None, (f"the corpus, {source}, left out: it holds files, and every target is an id",)


def names_of(queries: Sequence[str], given: Sequence[str | None] | None = None) -> list[str]:
    """Return the ids of cases: those that a file gives, and else slugs of their queries.

    Logs hold queries that differ by a sign only, and a file of another tool may have no field for an id, so
    that queries with one slug get a digest each, in whatever order they stand. The same query a second time
    is numbered.

    >>> names_of(["keys", "c++", "c#", "keys"])
    ['keys', 'c~cedb1bac', 'c~951a4d36', 'keys-2']
    """
    ids = given or [None] * len(queries)
    written = [name for name in ids if name is not None]
    made = {query: slug(query) for query, name in zip(queries, ids, strict=True) if name is None}
    shared, taken = Counter([*made.values(), *written]), TakenNames(written)
    return [
        taken.free(_told_apart(query, made[query], shared)) if name is None else name
        for query, name in zip(queries, ids, strict=True)
    ]


def _told_apart(query: str, name: str, shared: Mapping[str, int]) -> str:
    if shared[name] == 1:
        return name
    return f"{name}{_MARK}{hashlib.sha256(query.encode(errors='surrogatepass')).hexdigest()[:8]}"


def counted(words: str, count: int) -> str:
    """Put a number into words: at ``{}``, with ``{s}``, ``{ies}`` and ``{v}`` for the ends of words.

    >>> counted("{} quer{ies} that name{v} {nobody}", 1), counted("{} row{s}", 2)
    ('1 query that names {nobody}', '2 rows')
    """
    # What stands in the words may hold braces of its own, so they are not a format.
    for end, (single, several) in {"{s}": ("", "s"), "{ies}": ("y", "ies"), "{v}": ("s", "")}.items():
        words = words.replace(end, single if count == 1 else several)
    return words.replace("{}", str(count))


def told(*counts: tuple[int, str]) -> tuple[str, ...]:
    """Return the words of those counts that are not 0."""
    return tuple(counted(words, count) for count, words in counts if count)


def _says(value: object) -> bool:
    return value not in (None, "", [], {})
