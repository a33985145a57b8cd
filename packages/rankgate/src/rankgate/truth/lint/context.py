"""What a rule of lint is, what it finds, and the suite as all rules see it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from rankgate import wording
from rankgate.progress import steps
from rankgate.truth.anchors import compare
from rankgate.truth.locations.corpus_reader import CorpusReader
from rankgate.truth.locations.lookup import Spot
from rankgate.truth.locations.probe_plan import probe_locations, step_owner
from rankgate.truth.words import Stems, fold

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator
    from datetime import date

    from rankgate.corpora.corpus import Corpus
    from rankgate.errors import Problem
    from rankgate.locations import Location
    from rankgate.model import Case, Step, Suite, Target
    from rankgate.truth.anchors import AnchorComparison, Anchors
    from rankgate.truth.locations.lookup import Miss
    from rankgate.truth.locations.probe_plan import NamedLocation


_WHERE = re.compile(r"(?P<file>.+?):(?P<line>\d{1,9})(?::(?P<column>\d{1,9}))?", re.DOTALL)


class Severity(StrEnum):
    """How bad a finding is."""

    ERROR = "error"
    """The suite is wrong: what it scores means nothing until this is corrected."""
    WARNING = "warning"
    """The suite measures something else than it seems to."""
    HINT = "hint"
    """Worth knowing; nothing depends on it."""

    @property
    def weight(self) -> int:
        """Order severities from the worst."""
        return list(Severity).index(self)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a rule found.

    >>> from rankgate.errors import Problem
    >>> found = Finding("leak", Severity.WARNING, Problem("a.yaml:4:3", "x", "y"))
    >>> found.file, found.line, found.column, found.message
    ('a.yaml', 4, 3, 'found x, expected y')
    """

    rule: str
    """The name of the rule."""
    severity: Severity
    """How bad it is."""
    problem: Problem
    """Where it is, what was found, what was expected and what to do."""
    case: str | None = None
    """The case it is about; None where it is about the whole suite."""

    @property
    def file(self) -> str:
        """The file it is in, or whatever else `where` names."""
        return file_line_column(self.problem.where)[0]

    @property
    def line(self) -> int | None:
        """The line, where it is known."""
        return file_line_column(self.problem.where)[1]

    @property
    def column(self) -> int | None:
        """The column, where it is known."""
        return file_line_column(self.problem.where)[2]

    @property
    def message(self) -> str:
        """The finding in one sentence, without where it is."""
        problem = self.problem
        text = problem.said.removeprefix(f"{problem.where}: ")
        text = text or f"found {problem.found}, expected {problem.expected}"
        return f"{text}; {problem.fix}" if problem.fix else text


def file_line_column(where: str) -> tuple[str, int | None, int | None]:
    """Parse file, line and column.

    >>> file_line_column("a.yaml:4:3"), file_line_column("a.jsonl:7"), file_line_column("case rotate")
    (('a.yaml', 4, 3), ('a.jsonl', 7, None), ('case rotate', None, None))
    """
    found = _WHERE.fullmatch(where)
    if found is None:
        return where, None, None
    return found["file"], int(found["line"]), int(found["column"]) if found["column"] else None


QUOTED = 60
"""How many characters of a query are quoted."""

MEND = "run rankgate suite fix"
"""What to do where the corpus changed under a suite: the command follows texts, and asks where it must."""


@dataclass(frozen=True, slots=True)
class LintRemark:
    """What a check has to say; the rule gives it its name and severity."""

    found: str
    """What stands there now."""
    expected: str
    """What should stand there."""
    fix: str = ""
    """What to do about it."""
    case: Case | None = None
    """The case it is about; None where it is about the whole suite."""
    where: str = ""
    """The file, line and column, where it is not the case's."""
    severity: Severity | None = None
    """How bad it is, where it is not as bad as the rule says."""


@dataclass(frozen=True, slots=True)
class CaseLocation:
    """One location that a case names."""

    case: Case
    """Whose it is."""
    location: Location
    """The location as it is written."""
    found: Spot | Miss
    """Where it is, or why it is not."""
    target: Target | None
    """The target; None for a location that is only to be among the first hits."""


@dataclass(frozen=True, slots=True)
class LocatedStep:
    """One step of a scenario whose location was found."""

    step: Step
    at: Location
    """The location as it is written."""
    spot: Spot
    where: str
    """Where the step was written, or what it is."""


@dataclass
class LintContext:
    """A suite with its corpus and its anchors."""

    suite: Suite
    """What is looked at."""
    corpus: Corpus | None
    """What its locations are in."""
    anchors: Anchors
    """What was anchored; empty where nothing was."""
    today: date
    """The day on which known misses are judged."""
    tell: Callable[[str], None]
    """Told in words what is under way."""
    unread: tuple[Problem, ...] = ()
    """What is wrong with the file of anchors, where it could not be read."""
    idle: tuple[str, ...] = ()
    """The rules that need a corpus, of those that are run."""
    stems: Stems = field(default_factory=Stems)
    """The stems of words, each worked out once."""

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        """The cases; a large suite reads them as they are needed, and rules go through them often."""
        return tuple(self.suite.cases)

    @cached_property
    def reader(self) -> CorpusReader:
        """What finds locations and their texts."""
        return CorpusReader(self.corpus)

    @cached_property
    def case_locations(self) -> tuple[CaseLocation, ...]:
        """Every location that a case names, in the order of the suite."""
        find = self.reader.find
        named: list[CaseLocation] = []
        for case in steps(self.cases, "looking up the locations of cases"):
            named += (CaseLocation(case, each.location, find(each.location), each) for each in case.targets)
            named += (CaseLocation(case, each.location, find(each.location), None) for each in case.top)
        return tuple(named)

    @cached_property
    def probe_locations(self) -> tuple[tuple[NamedLocation, Spot | Miss], ...]:
        """Every location that a scenario or an invariant names, and where it is; none without a corpus."""
        if self.corpus is None:
            return ()
        return tuple((each, self.reader.find(each.location)) for each in probe_locations(self.suite))

    def located_steps(self) -> Iterator[LocatedStep]:
        """Go through the steps that list a tree or read, and whose location is in the corpus."""
        if self.corpus is None:
            return
        for scenario in self.suite.scenarios:
            for number, step in enumerate(scenario.steps):
                spot = None if step.at is None else self.reader.find(step.at)
                if step.at is not None and isinstance(spot, Spot) and spot.path is not None:
                    where = self.where_of(step.where, step_owner(scenario, number))
                    yield LocatedStep(step, step.at, spot, where)

    def where_of(self, where: str, owner: str) -> str:
        """Return where something was written, or else what it is."""
        return where or f"{self.where}: {owner}"

    @cached_property
    def folded(self) -> tuple[str, ...]:
        """The query of each case, without regard to case, white space and punctuation."""
        return tuple(fold(case.query) for case in self.cases)

    @cached_property
    def comparison(self) -> AnchorComparison:
        """The suite beside its anchors."""
        return compare(self.suite, self.reader, self.anchors)

    def relevant(self) -> Iterator[tuple[str, CaseLocation, Spot]]:
        """Go through the relevant targets that have a text by document, so that each is read once."""
        found = [
            (document, each, each.found)
            for each in self.case_locations
            if each.target is not None
            and each.target.grade > 0
            and isinstance(each.found, Spot)
            and (document := self.reader.document(each.found)) is not None
        ]
        yield from steps(sorted(found, key=lambda each: each[0]), "reading the texts of targets")

    @property
    def where(self) -> str:
        """Name the suite: by its file, or by its name."""
        return self.suite.path or f"suite {self.suite.name}"

    @property
    def command(self) -> str:
        """What names the suite on a command line."""
        return self.suite.path or "SUITE"

    @property
    def mend(self) -> str:
        """What to do where the documents changed."""
        return f"{MEND} {self.command}"


@dataclass(frozen=True, slots=True)
class LintRule:
    """One rule of `rankgate suite lint`."""

    name: str
    """What people call it, in kebab-case."""
    severity: Severity
    """How bad its findings are, unless one says otherwise."""
    about: str
    """What it finds, in a few words."""
    check: Callable[[LintContext], Iterator[LintRemark]]
    """Goes through a suite and says what it finds."""
    needs_corpus: bool = False
    """True where it has nothing to look at without a corpus."""


def rule(
    name: str, severity: Severity, about: str, *, needs_corpus: bool = False
) -> Callable[[Callable[[LintContext], Iterator[LintRemark]]], LintRule]:
    """Make a rule of a check."""
    return lambda check: LintRule(name, severity, about, check, needs_corpus)


def quoted(text: str) -> str:
    """Quote a query, cut where it is long."""
    return wording.quoted(text, QUOTED)


def named(case: Case) -> str:
    """Name another case so that it is found: by its line, where it has one.

    >>> from rankgate.model import Case
    >>> named(Case("rotate", "rotate a key", where="search.yaml:4:5"))
    'case rotate in line 4'
    """
    _, line, _ = file_line_column(case.where)
    return f"case {case.id}" + ("" if line is None else f" in line {line}")


def asked_like(case: Case) -> Hashable:
    """Return the slice and the filters of a case: its category, its tags with a value, and its facets."""
    tags = frozenset(tag for tag in case.tags if "=" in tag)
    return case.category, tags, case.facets


def marked(case: Case, mark: str) -> bool:
    """Check whether a case is marked by its category, a tag, or the value of a tag.

    >>> from rankgate.model import Case
    >>> marked(Case("a", "b", tags=frozenset({"difficulty=hard"})), "hard")
    True
    """
    return case.category == mark or any(
        tag == mark or tag.partition("=")[2].strip() == mark for tag in case.tags
    )
