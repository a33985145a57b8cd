"""What the HTML page is given: the report, and every query with its targets, its hits and their texts.

The page lays it out and computes no figure: every number that people read is a string that was made in
Python. Names of fields are those that the page's script reads.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankgate.reports.evaluation import EvaluationReport
    from rankgate.reports.failures import Mark, Unmarked

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class PageText:
    """The text of a hit, once however many hits have it."""

    text: str
    """As it was returned or as the corpus has it, cut to a bound."""
    first: int | None = None
    """The number of its first line in the file; None where it has no lines."""
    tokens: tuple[tuple[int, str], ...] = ()
    """How it is coloured: how many characters, and what they are (k keyword, s string, c comment, n name, d
    digit, h heading, or nothing); none where it is plain."""
    cut: bool = False
    """True where there was more."""


@dataclass(frozen=True, slots=True)
class PageHit:
    """One hit."""

    place: str
    """Where it points, as people read it."""
    mark: Mark | Unmarked
    """Found what was expected, wrong by judgment, or empty where nobody has judged it."""
    grade: str = ""
    """The best grade that it reached; empty where it reached none."""
    targets: tuple[int, ...] = ()
    """Which of the query's targets it reaches, by their place in the list."""
    score: str = ""
    """The system's own score."""
    text: int | None = None
    """Its text, by its place in `Page.texts`; None where there is none."""
    marked: tuple[tuple[int, int], ...] = ()
    """The lines of the file that targets cover, first and last, as far as the hit shows them."""
    move: str = ""
    """In a comparison: where it came from, ↑2, ↓1, = or new."""


@dataclass(frozen=True, slots=True)
class PageTarget:
    """One place that should be found, or that is judged wrong."""

    place: str
    """As the suite names it."""
    grade: str
    """How good it is."""
    rank: int | None
    """Where the first hit on it stands; None where none is."""
    ended: str
    """Where it ended up, in words."""
    mark: Mark | Unmarked
    """Whether it was found."""
    before: int | None = None
    """Its rank in the baseline; None where it had none, or there is no baseline."""


@dataclass(frozen=True, slots=True)
class PageBefore:
    """The same query in the baseline."""

    values: tuple[float | None, ...]
    """What it scored, a value a metric."""
    shown: tuple[str, ...]
    """The same for people."""
    hits: tuple[PageHit, ...]
    """What was found, best first; without texts."""
    first: str = ""
    """Where its first relevant hit was and is, in words."""
    differences: tuple[str, ...] = ()
    """Now less then, with its sign, for people; a text a metric."""


@dataclass(frozen=True, slots=True)
class PageQuery:
    """One query, whole."""

    case: str
    """The case's id."""
    query: str
    """What was asked."""
    mark: Mark
    """❌ part of why the run failed, ⚠️ fell short or may for now, ✅ neither."""
    ended: str
    """How it ended in a word: passed, short, failed, known, error, timeout, missing."""
    category: str = ""
    """Its category."""
    tags: tuple[str, ...] = ()
    """Its tags."""
    where: str = ""
    """The file and line of the case."""
    filters: str = ""
    """The facets it was asked with."""
    reasons: tuple[str, ...] = ()
    """What is wrong, in words."""
    ms: float | None = None
    """How long the system took."""
    values: tuple[float | None, ...] = ()
    """What it scored, a value a metric in the order of `Page.metrics`; null where that is undefined."""
    shown: tuple[str, ...] = ()
    """The same for people."""
    targets: tuple[PageTarget, ...] = ()
    """What should be found."""
    hits: tuple[PageHit, ...] = ()
    """What was found, best first."""
    returned: str = ""
    """How many hits there were, in words."""
    before: PageBefore | None = None
    """The same query in the baseline; None where it was not asked, or there is none."""
    ask: str = ""
    """The command that asks it again; empty where none can."""


@dataclass(frozen=True, slots=True)
class PageMetric:
    """One metric of the page's columns."""

    name: str
    """Its label."""
    unit: str
    """What a value counts: empty for shares and gains, ms, tokens."""
    less: bool = False
    """True where less is better."""


@dataclass(frozen=True, slots=True)
class Latency:
    """How long the system took, over all queries that were answered."""

    edges: tuple[float, ...] = ()
    """Where the bars of the histogram begin and end, in ms; one more than there are bars."""
    counts: tuple[int, ...] = ()
    """How many queries each bar has."""
    shown: tuple[tuple[str, str], ...] = ()
    """p50, p95, p99 and the longest, for people."""
    marks: tuple[tuple[str, float], ...] = ()
    """Where p50 and p95 stand on the scale of the edges."""


@dataclass(frozen=True, slots=True)
class Page:
    """Everything that the page shows."""

    report: EvaluationReport
    """Verdicts, metrics, slices, comparison, notes and provenance; without its cases and failures, which are
    in `queries`."""
    metrics: tuple[PageMetric, ...]
    """The columns."""
    queries: tuple[PageQuery, ...]
    """Every query, in the order of the suite."""
    texts: tuple[PageText, ...] = ()
    """The texts of hits."""
    latency: Latency = field(default_factory=Latency)
    """How long the system took."""
    command: str = ""
    """How to reproduce it."""
    notes: tuple[str, ...] = ()
    """What the page leaves out to stay small, with counts."""
    schema: int = SCHEMA
    """The version of this layout."""
