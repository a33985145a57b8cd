"""What the HTML page is given: the report, and every query with its targets, its hits and their texts.

The page lays it out and computes no figure: what people read are strings made here, under the script's names.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from rankgate.reports.evaluation.json_report import SCHEMA
from rankgate.reports.evaluation.report import EvaluationReport
from rankgate.reports.text.marks import Mark, Unmarked
from rankgate.reports.text.printable import Block


@dataclass(frozen=True, slots=True)
class PageText:
    """The text of a hit, once however many hits have it."""

    text: Block
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

    location: str
    """Where it points, as people read it."""
    mark: Mark | Unmarked
    """Found what was expected, wrong by judgment, or empty where nobody has judged it."""
    grade: str = ""
    """The best grade that it reached; empty where it reached none."""
    targets: tuple[int, ...] = ()
    """Which of the query's targets it reaches, by their position in the list."""
    score: str = ""
    """The system's own score."""
    text: int | None = None
    """Its text, by its position in `ReportPage.texts`; None where there is none."""
    marked: tuple[tuple[int, int], ...] = ()
    """The lines of the file that targets cover, first and last, as far as the hit shows them."""
    move: str = ""
    """In a comparison: where it came from, ↑2, ↓1, = or new."""
    title: str = ""
    """The heading or symbol that it is in, where the corpus was at hand."""


@dataclass(frozen=True, slots=True)
class PageTarget:
    """One location that should be found, or that is judged wrong."""

    location: str
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
    group: str = ""
    """What it shares with the targets that are alternatives to it; empty where there are none."""


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
    """What it scored, a value a metric in the order of `ReportPage.metrics`; null where that is undefined."""
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
    weight: float = 1.0
    """Its share in every mean."""
    group: str = ""
    """The group of paraphrases that it is resampled with; empty where it has none."""
    exhaustive: bool = False
    """True where no hit is unjudged: the targets are all that is relevant, or nothing is."""


@dataclass(frozen=True, slots=True)
class PageMetric:
    """One metric of the page's columns."""

    name: str
    """Its label."""
    unit: str
    """What a value counts: empty for shares and gains, ms, tokens."""
    less: bool = False
    """True where less is better."""
    scale: float | None = None
    """The most that the value of one query can move; None where there is no limit, or none is known."""
    lowest: float | None = None
    """The lowest value of a query; None where there is no limit, or none is known."""
    statistic: str = "mean"
    """How the values of all queries become one."""


@dataclass(frozen=True, slots=True)
class MetricGate:
    """A gate on a metric over all queries."""

    metric: str
    """The label of the metric."""
    bar: float
    """What the value is held to."""
    gate: str
    """As it was written."""


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """One evaluation in the course of time."""

    number: int
    """Which one it was, from 1."""
    name: str
    """What people call it: a commit, or ``#3``."""
    time: str
    """When it was made."""
    mark: Mark
    """✅ passed, ⚠️ nothing decided, ❌ failed."""
    status: str
    """How it ended, in a line."""
    values: tuple[float | None, ...]
    """A value a metric, in the order of `PageTrend.metrics`; null where it was not measured then."""
    shown: tuple[str, ...]
    """The same for people."""
    gates: tuple[MetricGate, ...] = ()
    """The gates over all queries, as they were then."""
    changed: tuple[str, ...] = ()
    """What is not as it was at the point before: suite, corpus, system."""


@dataclass(frozen=True, slots=True)
class PageTrend:
    """Every evaluation that is remembered."""

    metrics: tuple[PageMetric, ...] = ()
    """What the values of points are."""
    points: tuple[TrendPoint, ...] = ()
    """The oldest first; the last is the one that the page is of."""
    note: str = ""
    """What is left out, with counts."""


@dataclass(frozen=True, slots=True)
class ReportPage:
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
    top_grade: float | None = None
    """The top of the grade scale; None where the suite judges nothing irrelevant: no hit is unjudged then."""
    command: str = ""
    """How to reproduce it."""
    notes: tuple[str, ...] = ()
    """What the page leaves out to stay small, with counts."""
    trend: PageTrend = field(default_factory=PageTrend)
    """What earlier evaluations were."""
    schema: int = SCHEMA
    """The version of this layout."""
