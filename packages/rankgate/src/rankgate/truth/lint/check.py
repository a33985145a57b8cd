"""What a lint rule is, what it reports, and the suite as all rules see it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from rankgate.progress import steps
from rankgate.truth.anchors import compare
from rankgate.truth.lookup import CorpusReader, Spot
from rankgate.truth.resolve import probe_locations
from rankgate.truth.words import Stems, fold
from rankgate.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rankgate.corpora.corpus import Corpus
    from rankgate.locations import Location
    from rankgate.model import Case, Suite, Target
    from rankgate.truth.anchors import AnchorComparison, Anchors
    from rankgate.truth.lookup import Miss
    from rankgate.truth.resolve import NamedLocation

_WHERE = re.compile(r"(?P<file>.+?):(?P<line>\d{1,9})(?::(?P<column>\d{1,9}))?", re.DOTALL)
_QUERY = 60


class Severity(StrEnum):
    """How bad a finding is, the worst first."""

    ERROR = "error"
    """The suite is wrong: its scores mean nothing until this is corrected."""
    WARNING = "warning"
    """The suite measures something else than it seems to."""
    HINT = "hint"
    """Worth knowing; no score depends on it."""

    @property
    def order(self) -> int:
        """The position, 0 for errors."""
        return list(Severity).index(self)


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem of a suite.

    >>> found = Finding("duplicate-query", Severity.WARNING, "a.yaml:4:3", "The query occurs twice.")
    >>> found.place
    ('a.yaml', 4, 3)
    """

    rule: str
    severity: Severity
    where: str
    """File, line and column, or what it is about."""
    message: str
    """The problem and the fix, in sentences."""
    case: str | None = None
    """The id of the case; None for the whole suite."""

    @property
    def place(self) -> tuple[str, int | None, int | None]:
        """File, line and column; null for an unknown line or column."""
        found = _WHERE.fullmatch(self.where)
        if found is None:
            return self.where, None, None
        return found["file"], int(found["line"]), int(found["column"]) if found["column"] else None


@dataclass(frozen=True, slots=True)
class Remark:
    """A message of a rule, for one case or for the whole suite."""

    message: str
    case: Case | None = None
    where: str = ""
    """File, line and column, if it is neither the case's nor the suite's."""
    severity: Severity | None = None
    """The severity, if it differs from the rule's."""


@dataclass(frozen=True, slots=True)
class LintRule:
    """One rule of `rankgate suite lint`."""

    name: str
    severity: Severity
    check: Callable[[LintContext], Iterator[Remark]]
    needs_corpus: bool


def rule(
    name: str, severity: Severity, *, needs_corpus: bool = False
) -> Callable[[Callable[[LintContext], Iterator[Remark]]], LintRule]:
    """Make a rule of a function."""
    return lambda check: LintRule(name, severity, check, needs_corpus)


@dataclass(frozen=True, slots=True)
class CaseLocation:
    """A location that a case names, looked up in the corpus."""

    case: Case
    location: Location
    found: Spot | Miss
    target: Target | None
    """The target; None for a location of `top` or `never`."""

    @property
    def grade(self) -> float:
        """The grade of the target; 0 if there is none."""
        return 0.0 if self.target is None else self.target.grade


@dataclass
class LintContext:
    """A suite with its corpus and its anchors."""

    suite: Suite
    corpus: Corpus | None
    anchors: Anchors
    today: str
    """The date with which known misses are compared, as YYYY-MM-DD."""
    tell: Callable[[str], None]
    """Called with the name of the current step."""
    not_checked: tuple[str, ...] = ()
    """The selected rules that need a corpus."""
    stems: Stems = field(default_factory=Stems)

    @cached_property
    def reader(self) -> CorpusReader:
        """Looks up locations and their texts."""
        return CorpusReader(self.corpus)

    @cached_property
    def folded(self) -> dict[str, str]:
        """The query of each case without case, white space and punctuation, by the id of the case."""
        return {case.id: fold(case.query) for case in self.suite.cases}

    @cached_property
    def case_locations(self) -> tuple[CaseLocation, ...]:
        """Every location that a case names, in the order of the suite."""
        find = self.reader.find
        named: list[CaseLocation] = []
        for case in steps(self.suite.cases, "looking up the locations of cases"):
            named += (CaseLocation(case, each.location, find(each.location), each) for each in case.targets)
            named += (CaseLocation(case, each.location, find(each.location), None) for each in case.top)
        return tuple(named)

    @cached_property
    def probe_locations(self) -> tuple[tuple[NamedLocation, Spot | Miss], ...]:
        """Every location that a scenario or an invariant names; none without a corpus."""
        if self.corpus is None:
            return ()
        return tuple((each, self.reader.find(each.location)) for each in probe_locations(self.suite))

    @cached_property
    def comparison(self) -> AnchorComparison:
        """The texts of the targets beside their anchors."""
        return compare(self.suite, self.reader, self.anchors)

    def relevant(self) -> Iterator[tuple[str, CaseLocation, Spot]]:
        """Iterate over the relevant targets that have a text by document, so that each is read once."""
        found = [
            (document, each, each.found)
            for each in self.case_locations
            if each.grade > 0
            and isinstance(each.found, Spot)
            and (document := self.reader.document(each.found)) is not None
        ]
        yield from steps(sorted(found, key=lambda each: each[0]), "reading the texts of targets")

    @property
    def where(self) -> str:
        """The file of the suite, or its name."""
        return self.suite.path or f"suite {self.suite.name}"

    @property
    def fix_command(self) -> str:
        """The command that follows changed documents."""
        return f"`rankgate suite fix {self.suite.path or 'SUITE'}`"


def query_text(case: Case) -> str:
    """Quote the query of a case, shortened."""
    return quoted(case.query, _QUERY)


def other_case(case: Case) -> str:
    """Name another case by its id and line.

    >>> from rankgate.model import Case
    >>> other_case(Case("rotate", "rotate a key", where="search.yaml:4:5"))
    'case rotate (line 4)'
    """
    _, line, _ = Finding("", Severity.HINT, case.where, "").place
    return f"case {case.id}" + ("" if line is None else f" (line {line})")


def marked(case: Case, mark: str) -> bool:
    """Check whether a case has a mark as its category, a tag, or the value of a tag.

    >>> from rankgate.model import Case
    >>> marked(Case("a", "b", tags=frozenset({"difficulty=hard"})), "hard")
    True
    """
    return case.category == mark or any(
        tag == mark or tag.partition("=")[2].strip() == mark for tag in case.tags
    )
