"""Suites, cases, queries and results: plain frozen types, and the protocols of systems."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from datetime import date
from enum import Enum, StrEnum
from functools import cache, cached_property
from itertools import repeat
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from rankgate.errors import Code, InputError
from rankgate.locations import Lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rankgate.locations import Characters, Location


@dataclass(frozen=True, slots=True)
class Query:
    """One question to a system."""

    text: str
    """What the user typed."""
    k: int = 10
    """How many hits are wanted at most."""
    filters: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    """Facets that every hit must carry."""

    def values(self, name: str) -> tuple[str, ...]:
        """Return the values of a filter, any of which will do; none where there is no such filter.

        >>> query = Query("rotate", filters={"lang": "py", "kind": ("class", "function")})
        >>> query.values("lang"), query.values("kind"), query.values("other")
        (('py',), ('class', 'function'), ())
        """
        value = self.filters.get(name, ())
        return (value,) if isinstance(value, str) else tuple(value)


@dataclass(frozen=True, slots=True, init=False)
class Hit:
    """One result: an id, a location, or both.

    >>> Hit(path="auth/keys.md", lines=None, score=1.5).id is None
    True
    """

    id: str | None = None
    """The system's own name for it."""
    path: str | None = None
    """The file it comes from."""
    lines: Lines | None = None
    """The lines it shows."""
    score: float | None = None
    """The system's score; the order of the ranking counts, not this."""
    text: str | None = None
    """The text it returned."""
    tokens: int | None = None
    """What reading it costs, as the system reports."""
    characters: Characters | None = None
    """The characters it shows, where the system counts those."""
    fields: Mapping[str, Any] | None = None
    """What else the system returned, such as a price. Reports show those that a suite's `show` names."""

    def __init__(
        self,
        id: str | None = None,  # noqa: A002 - the name of the field
        path: str | None = None,
        lines: Lines | None = None,
        score: float | None = None,
        text: str | None = None,
        tokens: int | None = None,
        characters: Characters | None = None,
        fields: Mapping[str, Any] | None = None,
    ) -> None:
        # Hits are what there is most of, and the way that a frozen class writes itself takes twice as long.
        _set_id(self, id)
        _set_path(self, path)
        _set_lines(self, lines)
        _set_score(self, score)
        _set_text(self, text)
        _set_tokens(self, tokens)
        _set_characters(self, characters)
        _set_fields(self, fields)


def as_given(item: object) -> str:
    """Write one answer of a system as it came; of a hit what is set.

    >>> as_given(Hit(path="keys.md", lines=Lines(3, 5), score=1.5)), as_given("keys.md:3-5")
    ("path='keys.md' lines=3-5 score=1.5", "'keys.md:3-5'")
    """
    if not isinstance(item, Hit):
        return repr(item)
    given = ((one.name, getattr(item, one.name)) for one in fields(Hit))
    shown = ((name, str(value) if isinstance(value, Lines) else repr(value)) for name, value in given)
    return " ".join(f"{name}={value}" for name, value in shown if value != "None")


_set_id, _set_path, _set_lines, _set_score, _set_text, _set_tokens, _set_characters, _set_fields = (
    vars(Hit)[item.name].__set__ for item in fields(Hit)
)


@dataclass(frozen=True, slots=True)
class Ranking:
    """The hits of one query, best first. The order is the answer; scores do not reorder it."""

    hits: tuple[Hit, ...] = ()
    """Best first."""
    tokens: int | None = None
    """What the whole answer costs to read, as the system reports."""


class ColumnRanking(Ranking):
    """A ranking that is kept by columns, as adapters make it of the usual answers, which they have checked.

    Its hits are made when somebody asks for them; between a system and the tables of a run nobody does.

    >>> ranking = ColumnRanking.of({"path": ("a.md", "b.md"), "start": (1, 5), "end": (3, 9)}, 2)
    >>> ranking.hits[1].path, str(ranking.hits[1].lines), ranking == Ranking(ranking.hits)
    ('b.md', '5-9', True)
    """

    __slots__ = ("columns", "size")

    columns: Mapping[str, Sequence[Any]]
    """Some of id, path, start, end (lines), score, text and tokens, each with a value for every hit."""
    size: int
    """How many hits there are."""

    def __new__(cls, hits: tuple[Hit, ...] = (), tokens: int | None = None) -> Ranking:  # type: ignore[misc]
        """Return a plain ranking: with hits that are others, such as `replace` makes, columns are nothing."""
        return Ranking(hits, tokens)

    @classmethod
    def of(cls, columns: Mapping[str, Sequence[Any]], size: int) -> ColumnRanking:
        """Keep columns."""
        self: ColumnRanking = object.__new__(cls)
        _set_columns(self, columns)
        _set_size(self, size)
        _set_ranking_tokens(self, None)
        return self

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The hits, best first."""
        try:
            made: tuple[Hit, ...] = _get_hits(self)
        except AttributeError:
            made = tuple(self._each())
            _set_hits(self, made)
        return made

    def _each(self) -> Iterable[Hit]:
        column, nothing = self.columns.get, repeat(None, self.size)
        start = column("start")
        lines: Iterable[Lines | None] = nothing if start is None else map(Lines, start, self.columns["end"])
        strings = (column(name) or repeat(None, self.size) for name in ("id", "path"))
        others = (column(name) or repeat(None, self.size) for name in ("score", "text", "tokens"))
        return map(Hit, *strings, lines, *others)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ranking):
            return NotImplemented
        return (self.hits, self.tokens) == (other.hits, other.tokens)

    __hash__ = Ranking.__hash__

    def __reduce__(self) -> tuple[Any, ...]:
        return ColumnRanking.of, (self.columns, self.size)


_set_columns, _set_size = (vars(ColumnRanking)[name].__set__ for name in ColumnRanking.__slots__)
_get_hits, _set_hits = vars(Ranking)["hits"].__get__, vars(Ranking)["hits"].__set__
_set_ranking_tokens = vars(Ranking)["tokens"].__set__


@runtime_checkable
class System(Protocol):
    """Anything that can be asked."""

    def search(self, query: Query) -> Ranking:
        """Answer one query."""
        ...


@runtime_checkable
class BatchSystem(System, Protocol):
    """A system that answers several queries in one call."""

    batch: int
    """How many queries it is given at once; 1 where each is asked by `search`."""

    def search_many(self, queries: Sequence[Query]) -> Sequence[Ranking]:
        """Return one answer for each query, in their order."""
        ...


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a corpus."""

    id: str
    """Unique in the corpus; for files, the path."""
    text: str
    """Its whole text."""
    facets: Mapping[str, str] = field(default_factory=dict)
    """What it can be filtered by."""
    title: str = ""
    """What a person would call it."""
    path: str | None = None
    """The file it is, or is a piece of; None for a record."""
    lines: Lines | None = None
    """The lines of the file that it is; None for all of them, and for a piece that could not be placed."""
    characters: Characters | None = None
    """The characters of the file that it is; None where it is whole lines."""


@dataclass(frozen=True, slots=True)
class KeptText:
    """What a run has of the text of one hit."""

    query: str
    """The query."""
    rank: int
    """The hit's rank, from 1."""
    hash: str | None
    """The name of the text that was returned; None where none was."""
    text: str | None
    """What was kept of it; None where nothing was."""
    whole: bool
    """False where only the start was kept, or nothing."""


@runtime_checkable
class Indexer(Protocol):
    """A system that can build its own index.

    Documents are cut for it. One that makes pieces of its own has `whole_documents = True`, and is given the
    documents as they are.
    """

    @property
    def wants_documents(self) -> bool:
        """True where it searches what it builds; False where its options name an index that is there."""
        ...

    def build(self, documents: Iterable[Document], name: str) -> bool:
        """Build an index of this name, unless there is one, and search it from now on.

        Where there is one already, whole, the documents are not looked at: equal names, equal content.

        Returns:
            True where it was built, False where it was there.
        """
        ...


@dataclass(frozen=True, slots=True)
class Node:
    """A piece of a document's tree: a section, a symbol, or the document itself."""

    id: str
    """The system's name for it."""
    title: str
    """What a person sees."""
    location: Location
    """Where it is."""
    parent: str | None = None
    """The id of the node above."""


@runtime_checkable
class Navigator(Protocol):
    """A system whose documents can be walked."""

    def documents(self) -> Sequence[Node]:
        """List the roots."""
        ...

    def tree(self, document: str) -> Sequence[Node]:
        """List a document's nodes, parents before children."""
        ...

    def read(self, node: str) -> str:
        """Read one node's own text."""
        ...

    def subtree(self, node: str) -> str:
        """Read the text of a node and of all below it, depth first."""
        ...


@dataclass(frozen=True, slots=True)
class XFail:
    """A known miss: a case or an invariant that is expected to fail."""

    reason: str
    """Why it fails."""
    until: date | None = None
    """The last day on which it may fail; None for no limit."""

    def active(self, today: date) -> bool:
        """Return True if the known miss has not expired."""
        return self.until is None or today <= self.until


class Action(StrEnum):
    """What a step does."""

    SEARCH = "search"
    """Asks a query."""
    TREE = "tree"
    """Lists the nodes of a document."""
    READ = "read"
    """Reads one node."""
    SUBTREE = "subtree"
    """Reads a node and all below it."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a scenario, and what it must show."""

    action: Action
    """What it does."""
    query: str = ""
    """What is searched for."""
    filters: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    """Facets to search with."""
    k: int = 10
    """How many hits of a search count."""
    at: Location | None = None
    """The document of a tree, the location of what is read; None for a search."""
    finds: tuple[Location, ...] = ()
    """Reachability: what must be among the hits of a search."""
    has: tuple[str, ...] = ()
    """Reachability: titles that a tree must have."""
    under: tuple[tuple[str, str], ...] = ()
    """Hierarchy: a title, and the title of the node that must be its parent."""
    contains: tuple[str, ...] = ()
    """What the text must hold; runs of white space count as one."""
    excludes: tuple[str, ...] = ()
    """What the text must not hold."""
    complete: bool = False
    """True where the text must hold the title of everything that the corpus has below the location."""
    where: str = field(default="", compare=False)
    """The file, line and column it was written at."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """Steps that somebody who looks for something would take, in order."""

    name: str
    """Unique in its suite."""
    steps: tuple[Step, ...]
    """What is done, and what it must show."""
    where: str = field(default="", compare=False)
    """The file, line and column it was written at."""


@dataclass(frozen=True, slots=True)
class Waypoint:
    """The location of a step, found in the corpus: what a node of a tree is recognised by."""

    path: str
    """The file."""
    start: int | None = None
    """Its first line; None for a whole file, and for a name where there is no corpus to look in."""
    end: int | None = None
    """Its last line."""
    titles: tuple[str, ...] = ()
    """The titles, or the parts of a symbol's name, from the outermost to the one meant; empty for a file."""
    below: tuple[str, ...] = ()
    """The titles of all that the corpus has below it, in order."""


class Relation(StrEnum):
    """A relation between the results of queries."""

    SAME_RESULTS = "same-results"
    """All queries return the same results."""
    DIFFERENT_RESULTS = "different-results"
    """No two of the queries return the same results."""
    RANKS_ABOVE = "ranks-above"
    """Every location of one list is found, and ranks before every location of another."""
    FILTER_ONLY = "filter-only"
    """With filters, all results match the allowed paths."""
    SINGLE_TERM_NO_BONUS = "single-term-no-bonus"
    """A word alone scores no higher than the same word beside an unknown word."""
    RARE_TERM = "rare-term"
    """A rare term that is added to a query does not push its first result out of the first results."""
    MONOTONE = "monotone"
    """A larger number of results does not change the first ones."""
    STABLE = "stable"
    """A repeated query returns the same results."""
    EMPTY = "empty"
    """The queries return no results."""


@dataclass(frozen=True, slots=True)
class Invariant:
    """One relation between the results of some queries."""

    name: str
    """Unique in its suite."""
    relation: Relation
    """The relation that must hold."""
    queries: tuple[Query, ...]
    """The queries, in the order that the relation defines."""
    above: tuple[Location, ...] = ()
    """For ranks-above: the locations that must be found."""
    below: tuple[Location, ...] = ()
    """For ranks-above: the locations that must rank after all of `above`, or be absent."""
    only: tuple[str, ...] = ()
    """For filter-only: globs of the allowed paths."""
    by: Literal["place", "document"] = "place"
    """For same-results and different-results: compare locations or documents."""
    order: bool = True
    """For same-results and different-results: False to ignore the order of the results."""
    xfail: XFail | None = None
    """Why it may fail."""
    notes: str = ""
    """For people."""
    where: str = field(default="", compare=False)
    """The file, line and column it was written at."""


def step_id(scenario: str, step: int) -> str:
    """Name the search of one step, counted from 0.

    >>> step_id("rotate a key", 0)
    'scenario:rotate a key:0'
    """
    return f"scenario:{scenario}:{step}"


def query_id(invariant: str, query: int) -> str:
    """Name one query of an invariant, counted from 0.

    >>> query_id("plural", 1)
    'invariant:plural:1'
    """
    return f"invariant:{invariant}:{query}"


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


class Answer(StrEnum):
    """How one query of a run ended."""

    OK = "ok"
    """The system answered; an empty answer is an answer."""
    ERROR = "error"
    """The system failed."""
    TIMEOUT = "timeout"
    """The system did not answer in time."""
    MISSING = "missing"
    """An imported run does not have the query."""


@dataclass(frozen=True, slots=True)
class Counts:
    """The number of cases behind a value, and of the others."""

    scored: int
    """Cases with a value."""
    undefined: int = 0
    """Cases for which the measure has no value."""
    unreviewed: int = 0
    """Cases whose targets nobody has looked at."""
    errored: int = 0
    """Cases that the system failed to answer; they score 0."""
    missing: int = 0
    """Cases that an imported run does not have; they score 0."""
    estimated: int = 0
    """Scored cases whose labels are estimated from an expected answer."""
    gone: int = 0
    """Cases whose relevant targets are all gone from the documents; they are not scored."""


ESTIMATE = "bytes/4, a CJK letter 1"
"""What the estimate is called in manifests and reports."""

_BYTES = 4
_LETTERS = re.compile(
    r"[\u1100-\u11ff\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u3131-\u318e"
    r"\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]+"
)


def estimated_tokens(text: str) -> int:
    """Estimate the number of tokens of a text, rounded up.

    Four bytes are a token, which is close for Latin letters and code. A letter of Han, kana or Hangul has
    three bytes and counts as one token: at four bytes a token, Chinese, Japanese and Korean would come out a
    quarter too low.

    >>> estimated_tokens("größer"), estimated_tokens("轮换密钥"), estimated_tokens("API密钥")
    (2, 4, 3)
    """
    size = len(text.encode(errors="replace"))
    if size == len(text):
        return -(-size // _BYTES)
    letters = "".join(_LETTERS.findall(text))
    return len(letters) - (len(letters.encode()) - size) // _BYTES


def canonical_json(value: object) -> str:
    """Write JSON in one spelling: sorted keys, no spaces, no NaN, UTF-8 as it is.

    >>> canonical_json({"b": 1.0, "a": [None, "é"]})
    '{"a":[null,"é"],"b":1.0}'
    """
    return _dumped(_plain(value, defaults=True))


def fingerprint(value: object) -> str:
    """Name data by its content: equal data, equal name, on every machine and Python.

    Fields that do not take part in comparison, such as where a case was written, do not count, nor do those
    that have their default: a field that a later version adds renames nothing.

    >>> fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    True
    """
    digest = hashlib.sha256()
    for piece in _pieces(value):
        digest.update(piece.encode())
    return digest.hexdigest()


def anchor(text: str) -> str:
    r"""Name a piece of text, so that a target can be found again after it moved.

    Line ends and white space at the ends of lines do not count; everything else does.

    >>> anchor("def f():  \r\n    pass") == anchor("def f():\n    pass\n")
    True
    """
    lines = [line.rstrip() for line in text.splitlines()]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def _pieces(value: Any) -> Iterator[str]:
    """Write the canonical JSON of data without its defaults in pieces: a million cases need no memory.

    The fields of the whole, and the items of a sequence in it, are pieces.
    """
    if not is_dataclass(value) or isinstance(value, type):
        yield _dumped(_plain(value, defaults=False))
        return
    start = "{"
    for name, default in sorted(_compared(type(value)), key=lambda each: each[0]):
        if (given := getattr(value, name)) != default:
            yield f"{start}{_dumped(name)}:"
            yield from _items(given)
            start = ","
    yield "{}" if start == "{" else "}"


def _items(value: Any) -> Iterator[str]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        yield _dumped(_plain(value, defaults=False))
        return
    start = "["
    for item in value:
        yield start + _dumped(_plain(item, defaults=False))
        start = ","
    yield "[]" if start == "[" else "]"


_PLAIN = frozenset({str, int, float, bool, type(None)})
_dumped = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, check_circular=False
).encode


def _plain(value: Any, *, defaults: bool) -> Any:
    if type(value) in _PLAIN:  # nearly all are, so it is asked first
        return value
    if is_dataclass(value) and not isinstance(value, type):
        # A plain loop: this is gone through for every field of every case and target.
        plain = {}
        for name, default in _compared(type(value)):
            found = getattr(value, name)
            if defaults or found != default:
                plain[name] = found if type(found) in _PLAIN else _plain(found, defaults=defaults)
        return plain
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, dict):
        return {str(key): _plain(item, defaults=defaults) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(_plain(item, defaults=defaults) for item in value)
    if isinstance(value, Sequence):
        return [_plain(item, defaults=defaults) for item in value]
    return value


@cache
def _compared(kind: type) -> tuple[tuple[str, object], ...]:
    """List the fields of a dataclass that count, each with its default, which is only compared with."""
    return tuple((field.name, _default_of(field)) for field in fields(kind) if field.compare)


def _default_of(field: Field[Any]) -> object:
    return field.default if field.default_factory is MISSING else field.default_factory()
