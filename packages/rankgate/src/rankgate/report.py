"""The report of a test: plain data that every renderer reads, and that is the JSON report.

`build.py` computes all of it. A renderer formats and arranges; it computes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

VERSION = 3
"""The version of the JSON report. A change that breaks readers raises it."""


class CaseState(StrEnum):
    """How a case ended."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"


class Change(StrEnum):
    """How a case compares with the baseline."""

    REGRESSED = "regressed"
    UNKNOWN = "unknown"
    """Regressed, and results that nobody judged are in the top k of a pooled suite."""
    IMPROVED = "improved"
    UNCHANGED = "unchanged"
    NEW = "new"


class GateState(StrEnum):
    """How a gate ended."""

    PASSED = "passed"
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"
    NOT_ENFORCED = "not enforced"
    OVER_NOTHING = "over nothing"
    """No case has what the gate reads: exit code 2."""


class State(StrEnum):
    """How a test ended."""

    PASSED = "passed"
    NO_GATES = "no gates"
    """Nothing that could have failed was enforced."""
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"
    INVALID = "invalid"
    """The suite, the call or the project is wrong (exit code 2)."""
    SYSTEM_FAILED = "system failed"
    """The system failed, or its hits could not be located (exit code 3)."""
    NOT_TESTED = "not tested"
    """What the system needs is missing, and the test was skipped."""
    CRASHED = "crashed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownHit:
    """One result of a query."""

    rank: int
    location: str
    """Path and lines, or the id; empty for a result with neither."""
    title: str = ""
    """The heading or symbol at the location."""
    text: str = ""
    """The start of its text."""
    grade: float | None = None
    """The grade of the target that it reaches; null if it is not judged."""
    targets: tuple[int, ...] = ()
    """The targets that it reaches, as positions in `CaseResult.targets`."""
    duplicate: bool = False
    """True if an earlier result reached the same targets, so that it earns nothing."""
    before: int | None = None
    """Its rank in the baseline."""
    score: float | None = None
    """The system's score."""
    lines: int | None = None
    """The number of lines it returned."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """Its fields that the suite's `show` names, as text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownTarget:
    """One expected result of a query."""

    location: str
    """The location or id as the suite has it."""
    title: str = ""
    """The heading or symbol at the location."""
    grade: float = 1.0
    rank: int | None = None
    """The rank of the first result that reaches it."""
    before: int | None = None
    """The same in the baseline."""
    group: str = ""
    """The `any_of` group; targets of one group count once."""
    missing: str = ""
    """Why the target is not in the documents; empty if it is."""
    moved_to: str = ""
    """Where its text is now, if that is known."""
    source: str = "person"
    """Who judged it: person, import, model, clicks, estimated or proposed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCheck:
    """One check of a case."""

    check: str
    """Such as ``top: keys.md within 3``."""
    passed: bool
    found: str
    """What the results show, such as ``rank 7``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownMiss:
    """The `xfail` of a case or an invariant."""

    reason: str
    until: str = ""
    """The last day, as YYYY-MM-DD; empty without a limit."""
    passes: bool = False
    """True if it passes now, so that `xfail` can be removed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """What the results of a query have in common with those that a gate compares with."""

    name: str
    """What the gate compares with: ``baseline``, or the name of a system or baseline."""
    common: int
    of: int
    """The number of results, of the longer list."""
    first: str
    """The first result there; empty without results."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """Everything known about one case."""

    name: str
    query: str
    where: str = ""
    """File and line, such as ``search.yaml:14``."""
    state: CaseState = CaseState.PASSED
    change: Change | None = None
    """Null without a baseline, and for cases that are not scored."""
    reasons: tuple[str, ...] = ()
    """Why it failed, one sentence each."""
    error: str = ""
    """The system's error."""
    known: KnownMiss | None = None
    values: Mapping[str, float | None] = field(default_factory=dict)
    """The value of each metric; null if the case has none."""
    before: Mapping[str, float | None] = field(default_factory=dict)
    """The same in the baseline."""
    rank: int | None = None
    """The rank of the first result that reaches a relevant target."""
    rank_before: int | None = None
    returned: int = 0
    """The number of results."""
    unjudged: int | None = None
    """The number of results in the top k that are not judged; null unless the suite is pooled."""
    top: int = 0
    """The number of results in the top k."""
    unstable: bool = False
    """True if two runs of the baseline differ."""
    overlap: Overlap | None = None
    """Null unless a failed `overlap` or `rbo` gate names the query."""
    checks: tuple[ShownCheck, ...] = ()
    targets: tuple[ShownTarget, ...] = ()
    hits: tuple[ShownHit, ...] = ()
    """The results up to the depth; of a large suite only for the cases that need attention."""
    hits_before: tuple[ShownHit, ...] = ()
    """The results in the baseline, of cases that changed."""
    category: str = ""
    tags: tuple[str, ...] = ()
    filters: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    weight: float = 1.0
    notes: str = ""
    seconds: float | None = None

    @property
    def expected(self) -> ShownTarget | None:
        """The target to show first: the one with the best rank before, else the highest grade."""
        relevant = [target for target in self.targets if target.grade > 0]
        key = lambda target: (target.before is None, target.before or 0, -target.grade)  # noqa: E731
        return min(relevant, key=key, default=None)

    @property
    def first(self) -> ShownHit | None:
        """The first result."""
        return self.hits[0] if self.hits else None


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """The verdict of one gate."""

    gate: str
    """The gate as it is written."""
    state: GateState
    value: float | None = None
    text: str = ""
    """One line: ``drop(ndcg@10) = 0.013 (at most 0.01)``."""
    reason: str = ""
    """Why it is inconclusive or not enforced, or what else to know."""
    queries: tuple[str, ...] = ()
    """The names of the cases that explain a failure, worst first."""
    count: int = 0
    """The number of queries (of `checks`: checks) behind the value."""
    unit: str = ""
    """The unit of the value: empty, ``%``, ``ms``, ``tokens`` or ``count``."""
    threshold: float | None = None
    goal: float | None = None
    where: str = ""
    """File and line; empty for a gate that holds by default."""
    default: bool = False
    """True for a gate that holds without being written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricResult:
    """A metric over the suite. With a baseline, `value` and `before` are over the queries that both have."""

    metric: str
    value: float | None
    count: int
    """The number of queries behind `value`."""
    before: float | None = None
    new: float | None = None
    """The value over the queries that are not in the baseline."""
    new_count: int = 0
    unit: str = ""
    undefined: int = 0
    """Queries without a value, which the mean leaves out."""
    estimated: bool = False
    """True if token counts behind it are estimates."""
    effective: float | None = None
    """The effective number of queries, if weights differ."""
    less_is_better: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceResult:
    """The metrics over the cases of one category or tag."""

    key: str
    """`category`, `tag` or the name of a filter."""
    name: str
    count: int
    values: Mapping[str, float | None]
    before: Mapping[str, float | None] = field(default_factory=dict)
    failed: int = 0
    regressed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeReport:
    """One scenario or invariant."""

    name: str
    state: CaseState | None
    """Null if it was not run."""
    reasons: tuple[str, ...] = ()
    where: str = ""
    known: KnownMiss | None = None
    calls: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonResult:
    """The comparison with the baseline."""

    name: str
    """What the run is compared with: ``baseline``, or the system after ``--against``."""
    regressed: int = 0
    """Queries that regressed, unknown ones included; unstable ones are counted apart."""
    unknown: int = 0
    improved: int = 0
    unchanged: int = 0
    unstable: tuple[str, ...] = ()
    """The names of cases whose results differ between two runs of the baseline."""
    removed: tuple[str, ...] = ()
    """Queries of the baseline that are not in the suite."""
    new: tuple[str, ...] = ()
    """Cases that are not in the baseline."""
    unlocated: int = 0
    """Results of the baseline that can't be located in today's documents."""
    length: float | None = None
    """The median length of results divided by the baseline's, if that is more than 2 or less than 0.5."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """A fact of this run, the queries it is about, and one action."""

    fact: str
    action: str
    queries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NotGating:
    """Figures over judgments whose source does not count in gates."""

    metric: str
    value: float | None
    count: int
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TestChange:
    """A change of the test itself: of the suite, its gates, the settings or the baseline."""

    change: str
    """One line, such as ``1 case removed``."""
    details: tuple[str, ...] = ()
    """What it is about, a line each, such as the names of cases."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A test of one suite with one system."""

    version: int = VERSION
    suite: str
    system: str
    path: str = ""
    """The suite's file."""
    state: State
    exit_code: int
    causes: tuple[str, ...] = ()
    """What decided the exit code, most important first: ``2 missing targets``, ``drop(ndcg@10) failed``."""
    problems: tuple[str, ...] = ()
    """What is wrong with the suite, the call, the mapping of hits or the system, one sentence each."""
    primary: str = ""
    """The primary metric."""
    depth: int = 10
    selected: int | None = None
    """The number of selected queries; null if the whole suite was run."""
    total: int = 0
    """The number of queries of the suite."""
    metrics: tuple[MetricResult, ...] = ()
    gates: tuple[GateResult, ...] = ()
    cases: tuple[CaseResult, ...] = ()
    """Every case that was run, in the order of the suite."""
    attention: tuple[str, ...] = ()
    """The names of the cases to look at, in this order: failed, error, regressed; worst first."""
    slices: tuple[SliceResult, ...] = ()
    scenarios: tuple[ProbeReport, ...] = ()
    invariants: tuple[ProbeReport, ...] = ()
    comparison: ComparisonResult | None = None
    recommendations: tuple[Recommendation, ...] = ()
    not_gating: tuple[NotGating, ...] = ()
    unstable: tuple[str, ...] = ()
    """The names of cases with a value or targets that differ between repeats of this test."""
    base: str = ""
    """What else to know of the base commit (``--base``), such as that it has no such suite."""
    changes: tuple[TestChange, ...] = ()
    """How the test differs from that of the base commit (``--base``)."""
    moved: tuple[tuple[str, str], ...] = ()
    """Targets that were found at a new place, as pairs (written, now)."""
    notes: tuple[str, ...] = ()
    """What was skipped, dropped, retried or undefined, with counts."""
    next: tuple[str, ...] = ()
    """The commands to run next, the first one first."""
    provenance: Mapping[str, str] = field(default_factory=dict)
    """Versions, fingerprints, commit, settings."""
    time: str = ""
    """When the queries were run."""
    seconds: float | None = None
    history: Mapping[str, tuple[float | None, ...]] = field(default_factory=dict)
    """The values of each metric in former tests, oldest first."""
    files: Mapping[str, str] = field(default_factory=dict)
    """The files that were written, such as ``report``: its path."""
