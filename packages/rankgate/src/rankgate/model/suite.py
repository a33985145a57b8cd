"""What should be found: targets, cases and suites, and the rules by which a hit reaches a target."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError
from rankgate.model.fingerprints import fingerprint
from rankgate.model.probes import Action, XFail, query_id, step_id
from rankgate.model.search import Query

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rankgate.model.locations import Location
    from rankgate.model.probes import Invariant, Scenario


class MatchBy(StrEnum):
    """What of a place must agree."""

    LINES = "lines"
    """The same path and overlapping lines; a hit without lines reaches no line target."""
    PATH = "path"
    """The same path; lines are ignored."""


@dataclass(frozen=True, slots=True)
class Matching:
    """When a hit reaches a target. The default: same path, any overlap of lines.

    >>> Matching(min_fraction=0.5).min_fraction
    0.5
    """

    by: MatchBy = MatchBy.LINES
    """Lines, or the path alone."""
    min_lines: int = 1
    """How many lines the hit and the target must share."""
    min_fraction: float = 0.0
    """Which part of the target's lines the hit must hold."""
    iou: float = 0.0
    """How large lines in both / lines in either must be."""

    def __post_init__(self) -> None:
        for name in ("min_fraction", "iou"):
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(
                    Code.WRONG_VALUE(f"match.{name}", str(getattr(self, name)), "a number from 0 to 1")
                )
        if self.min_lines < 1:
            raise InputError(Code.WRONG_VALUE("match.min_lines", str(self.min_lines), "1 or more"))


@dataclass(frozen=True, slots=True)
class Target:
    """One thing that a query should find, and how good it is."""

    location: Location
    """An id, or a place in the corpus."""
    grade: float = 1.0
    """How relevant it is; 0 or less is judged and not relevant."""
    group: str | None = None
    """Targets of one group are alternatives: any of them will do, and together they count once."""
    source: str = "person"
    """Who says so: person, a model and its prompt, clicks, an import."""
    reviewed: bool = True
    """False for what was proposed and nobody has looked at; no gate counts it."""


@dataclass(frozen=True, slots=True)
class Top:
    """A check: a location must be within the first results, or must not be."""

    location: Location
    """The location to look for."""
    within: int | None = 1
    """The number of results to look at; None, with `never`, for the whole depth."""
    never: bool = False
    """True if the location must not be there."""

    def __post_init__(self) -> None:
        if self.within is None and not self.never:
            raise InputError(Code.WRONG_VALUE("top.within", "None", "1 or more"))
        if self.within is not None and self.within < 1:
            raise InputError(Code.WRONG_VALUE("top.within", str(self.within), "1 or more"))


@dataclass(frozen=True, slots=True)
class Sampled:
    """How a query was drawn from a log."""

    seen: int
    """How often it was asked."""
    inclusion: float
    """How likely it was to be drawn."""


@dataclass(frozen=True, slots=True)
class Case:
    """One query and everything that is expected of its answer."""

    id: str
    """Unique in its suite."""
    query: str
    """What is asked."""
    targets: tuple[Target, ...] = ()
    """What should be found, and what is judged not relevant."""
    weight: float = 1.0
    """Its share in every mean."""
    group: str | None = None
    """Cases of one group are paraphrases and are resampled together."""
    category: str | None = None
    """The slice it belongs to."""
    tags: frozenset[str] = frozenset()
    """More slices; ``language=go`` is the slice ``language`` with the value ``go``."""
    filters: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    """Facets to ask with."""
    top: tuple[Top, ...] = ()
    """Locations that must be within the first results, and locations that must not be there."""
    targets_within: int | None = None
    """The number of first results that must reach each relevant target; None for no such check."""
    exhaustive: bool = False
    """True where the targets are all that is relevant, so that anything else is wrong."""
    expect_empty: bool = False
    """True if the query must return no results."""
    max_score: float | None = None
    """The highest score that a result may have; None for no such check."""
    xfail: XFail | None = None
    """Why it may fail for now."""
    answer: str | None = None
    """The answer that is expected, where nobody has judged places; labels made from it are estimates."""
    notes: str = ""
    """For people."""
    sampled: Sampled | None = None
    """How it was drawn from a log; None where somebody wrote it."""
    where: str = field(default="", compare=False)
    """The file, line and column it was written at."""

    @property
    def facets(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The filters that it is asked with, in one order, so that two cases can be compared."""
        return tuple(
            (key, (value,) if isinstance(value, str) else tuple(value))
            for key, value in sorted(self.filters.items())
        )

    @property
    def expects_nothing(self) -> bool:
        """True if the query should return no results, or none with a high score."""
        return self.expect_empty or self.max_score is not None

    @property
    def locations(self) -> tuple[Location, ...]:
        """What it names: its targets, then what must be among the first hits."""
        tops = (top.location for top in self.top)
        return (*(target.location for target in self.targets), *tops)

    def __post_init__(self) -> None:
        if not self.weight > 0:
            raise InputError(Code.WRONG_VALUE(f"case {self.id}.weight", str(self.weight), "more than 0"))
        if self.expect_empty and (self.targets or self.top):
            raise InputError(Code.CONFLICT(f"case {self.id}", "targets and expect: empty", "one of the two"))
        if self.max_score is not None and (self.expect_empty or self.targets or self.answer is not None):
            found = "expect: max_score beside targets, an answer or expect: empty"
            raise InputError(Code.CONFLICT(f"case {self.id}", found, "one of the two"))


@dataclass(frozen=True, slots=True)
class GateText:
    """A gate as it was written, to be read by `gates`."""

    text: str
    """One line, such as ``ndcg@10 >= 0.65 where category = exact``."""
    where: str = field(default="", compare=False)
    """The file, line and column it was written at."""


@dataclass(frozen=True, slots=True)
class MapRule:
    """How a hit's id becomes a place: a regular expression, and a template for what it matched."""

    pattern: str
    """Matched against the whole id, such as ``https://docs[.]example[.]org/(.*)``."""
    template: str
    """The place, with ``\\1`` or ``\\g<name>`` for groups, such as ``docs/\\1.md``."""


PAGES = MapRule("", "")
"""The built-in rule for pages of static sites, written ``map: pages``; no other rule has an empty pattern."""


@dataclass(frozen=True, slots=True)
class CorpusSource:
    """Where a corpus comes from, as a suite names it.

    >>> str(CorpusSource("docs/"))
    'docs/'
    >>> str(CorpusSource("docs.zip", "archive", {"under": "src"}))
    'archive docs.zip, under src'
    """

    place: str
    """A folder or a file, relative to the suite's file."""
    kind: str = "folder"
    """Which plugin of ``rankgate.corpora`` opens it: folder, git, archive, beir, jsonl, …"""
    options: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    """What else the kind needs: the commit of a repository, the hash of an archive, a folder inside."""

    def __str__(self) -> str:
        named = self.place if self.kind == "folder" else f"{self.kind} {self.place}"
        return ", ".join(
            [named, *(f"{key} {value}" for key, value in self.options.items() if isinstance(value, str))]
        )


SOURCE_KINDS = ("person", "import", "model", "clicks", "estimated")
"""The kinds of sources of judgments that gates may count."""
PROPOSED = "proposed"
"""The kind of source of judgments that a command proposed, which gates never count."""
GATING_SOURCES = ("person", "import")
"""The kinds of sources that gates count by default."""
UNLISTED = ("irrelevant", "unjudged")
"""What a result without a judgment is: irrelevant, or unknown because the judgments are pooled."""
NO_RELEVANT = ("exclude", "zero")
"""How a query without relevant judgments is scored: excluded from means, or 0 as in trec_eval."""


@dataclass(frozen=True)
class Suite:
    """Cases that are asked and scored together."""

    name: str
    """For people and files."""
    cases: tuple[Case, ...]
    """In the order they were written; those of a large suite are read as they are needed."""
    metrics: tuple[str, ...] = ("ndcg@10",)
    """Metric expressions to score."""
    gates: tuple[GateText, ...] = ()
    """What must hold."""
    matching: Matching = Matching()
    """When a hit reaches a target."""
    max_grade: float | None = None
    """The top of the grade scale, where it is declared; ERR needs it."""
    corpus: CorpusSource | None = None
    """What places are in; None where every target is an id."""
    k: int | None = None
    """How many hits to ask for; by default what the metrics need."""
    map_rules: tuple[MapRule, ...] = ()
    """How ids that the system returns become places, tried in order."""
    scenarios: tuple[Scenario, ...] = ()
    """Navigation to try."""
    invariants: tuple[Invariant, ...] = ()
    """Relations between answers that must hold."""
    unlisted: str = UNLISTED[0]
    """One of `UNLISTED`."""
    no_relevant: str = NO_RELEVANT[0]
    """One of `NO_RELEVANT`."""
    gating_sources: tuple[str, ...] = GATING_SOURCES
    """The kinds of sources, of `SOURCE_KINDS`, whose judgments gates count."""
    guidelines: str | None = None
    """The file that says how to judge, relative to the suite's."""
    show: tuple[str, ...] = ()
    """The fields of results that reports show, the title first."""
    path: str | None = field(default=None, compare=False)
    """The file it was read from."""
    notes: tuple[str, ...] = field(default=(), compare=False)
    """What an import dropped, merged or mapped, in words and with counts."""
    whole: Suite | None = field(default=None, compare=False, repr=False)
    """The suite that this is a part of; None where it is whole, so that gates may be enforced."""

    def __post_init__(self) -> None:
        seen: dict[str, int] = {}
        for number, case in enumerate(self.cases):
            if case.id in seen:
                where = case.where or f"cases[{number}].id"
                raise InputError(
                    Code.REPEATED(where, f"{case.id!r}, as in cases[{seen[case.id]}]", "an id of its own")
                )
            seen[case.id] = number

    @cached_property
    def fingerprint(self) -> str:
        """Name the suite by its content."""
        return fingerprint(self)


def map_fingerprint(suite: Suite) -> str | None:
    """Name the rules by which ids become locations; None where there are none."""
    return fingerprint(suite.map_rules) if suite.map_rules else None


def probes(suite: Suite) -> Iterator[tuple[str, Query]]:
    """Go through everything that is asked for scenarios and invariants, by name."""
    for scenario in suite.scenarios:
        for number, step in enumerate(scenario.steps):
            if step.action is Action.SEARCH:
                yield step_id(scenario.name, number), Query(step.query, step.k, step.filters)
    for invariant in suite.invariants:
        for number, query in enumerate(invariant.queries):
            yield query_id(invariant.name, number), query
