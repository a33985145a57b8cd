"""How to evaluate: how a system is asked, and what its answers are scored and judged by."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError
from rankgate.hit_classes import LocateRules
from rankgate.runs.asking.pace import Pace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.chunks.chunking import Chunking
    from rankgate.corpora.corpus import Corpus
    from rankgate.gates.language import Gate
    from rankgate.model import Case, GateText, MapRule, Suite, System
    from rankgate.project.baselines import Baselines
    from rankgate.project.configuration import SystemEntry
    from rankgate.report import TestChange
    from rankgate.runs.asking.deadline import RunDeadline
    from rankgate.runs.asking.progress import Progress
    from rankgate.runs.parts import Part
    from rankgate.runs.store.run_writer import Existing
    from rankgate.runs.store.tables import Run
    from rankgate.truth.resolve import GoneLocation

DEPTH = 10
"""How many hits are asked for at least."""
BUDGET_DEPTH = 50
"""How many hits are asked for at least where a budget of tokens says how many are read."""
_NAMED = 3


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How to ask."""

    k: int | None = None
    """How many hits to ask for; by default what the metrics need."""
    folder: Path | None = None
    """Where to keep the run; by default it is in memory only."""
    existing: Existing = "refuse"
    """What to do with a run that is in the folder."""
    pace: Pace = field(default_factory=Pace)
    """How hard."""
    deadline: RunDeadline | None = None
    """When to end; by default what the pace says, from when the system is asked."""
    part: Part | None = None
    """Which part of the queries; None for all."""
    repeat: int = 1
    """How often everything is asked, to see how much the answers vary."""
    chunks: Chunking | None = None
    """How the corpus is cut where the system builds an index; None where the suite's targets say."""
    locate: LocateRules = field(default_factory=LocateRules)
    """How the system names locations."""
    tokens: bool = False
    """True where a metric counts tokens, so that those of hits without text are estimated by the corpus."""
    whole_texts: bool = False
    """True to keep the whole text of each result, so that it can be located again."""
    progress: Progress | None = None
    """What to tell how far it is."""
    entry: SystemEntry | None = None
    """What the configuration says of the system; None where it says nothing."""
    project: Path | None = None
    """The folder of the project, whose commit and files a kept run notes; by default the current one."""


@dataclass(frozen=True, slots=True, eq=False)
class Against:
    """Another system, which runs the same queries and is what gates compare with."""

    name: str
    system: System | Run
    asking: RunOptions


@dataclass(frozen=True, slots=True, eq=False)
class AtBase:
    """The test of the base commit (``--base``), made ready for the documents of the change."""

    name: str
    """What the user calls the commit, such as ``origin/main``."""
    note: str = ""
    """Why there is nothing to compare with, in a sentence."""
    changes: tuple[TestChange, ...] = ()
    suite: Suite | None = None
    """The suite of the base, with new targets where its own are not in the documents; null if it has none."""
    settings: Settings | None = None
    """Its gates, settings and baselines."""
    depth: int = 0
    """The number of results that it needs."""
    decides: bool = False
    """True with ``yardstick = "base"``: the test of the base decides."""
    fresh: frozenset[str] = frozenset()
    """If it decides: the cases of which only the checks count, such as new ones of the change."""
    left_out: tuple[Case, ...] = ()
    """The cases that were removed with their documents."""
    names: Mapping[str, str] = field(default_factory=dict)
    """The name in the change of each case that both have."""
    instead: Mapping[str, str] = field(default_factory=dict)
    """What replaces each target that is not in the documents of the change."""
    missing: tuple[GoneLocation, ...] = ()
    """Further targets that the change's suite names and that are not in its documents."""
    map_rules: tuple[MapRule, ...] | None = None
    """The `map` of the change, for a base whose own locates nothing; null if they are the same."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How to evaluate, where the suite does not say."""

    metrics: tuple[str, ...] = ()
    """Metrics in place of the suite's."""
    gates: tuple[GateText, ...] | None = None
    """Gates in place of the suite's."""
    asking: RunOptions = field(default_factory=RunOptions)
    """How the system is asked."""
    max_errors: int = 0
    """How many queries may fail."""
    on_inconclusive: str = "fail"
    """``fail`` or ``warn``: what an inconclusive gate does."""
    baselines: Baselines | None = None
    """Where the baselines of the suite are; None to compare with none."""
    root: Path | None = None
    """The folder that a corpus must be in; by default the project's."""
    today: date | None = None
    """The day on which known misses are judged; by default this one."""
    xfail_strict: bool = False
    """True if a known miss that passes fails the test."""
    unlisted: str | None = None
    """``irrelevant`` or ``unjudged`` in place of what the suite says; None to leave it."""
    corpus: Corpus | None = None
    """What the suite's locations are in, where it is open already."""
    against: Against | None = None
    """The system to compare with in place of the baseline."""
    base: AtBase | None = None
    """The test of the commit that the change is compared with."""

    @property
    def yardstick(self) -> AtBase | None:
        """The test of the base commit, if it decides."""
        return self.base if self.base is not None and self.base.decides else None

    @property
    def fresh(self) -> frozenset[str]:
        """The cases of which only the checks count."""
        return frozenset() if self.base is None else self.base.fresh


def settings_of(entry: SystemEntry, suite: Suite, asking: RunOptions, root: Path) -> Settings:
    """Return how a system of the configuration is tested on a suite.

    Raises:
        InputError: for a gate that both the suite and its entry in the configuration have.
    """
    from rankgate.project.baselines import Baselines

    project = entry.project
    if project is None:
        return Settings(asking=asking, baselines=Baselines(suite, entry.name), root=root)
    entries = [one for one in project.suite_entries(suite.path) if one.covers(entry.name)]
    # What an entry says of one system comes before what another says of all.
    unlisted = sorted((one for one in entries if one.unlisted), key=lambda one: one.system is None)
    return Settings(
        gates=with_gates(suite, [gate for one in entries for gate in one.gates]),
        asking=asking,
        max_errors=project.max_errors,
        on_inconclusive=project.on_inconclusive,
        baselines=Baselines(
            suite, entry.name, tuple(project.systems), required=entry.name in project.require_baseline
        ),
        root=root,
        xfail_strict=project.xfail_strict,
        unlisted=unlisted[0].unlisted if unlisted else None,
    )


def with_gates(suite: Suite, added: Sequence[GateText]) -> tuple[GateText, ...]:
    """Return the gates of a suite with those of its entries in the configuration.

    Raises:
        InputError: for a gate that is there twice.
    """
    own = {" ".join(gate.text.split()): gate for gate in suite.gates}
    problems = []
    for gate in added:
        other = own.get(" ".join(gate.text.split()))
        if other is not None:
            where = other.where or suite.path
            said = f"{gate.where}: {where} has the gate {gate.text!r} too. Remove one of them."
            problems.append(Code.REPEATED(gate.where, repr(gate.text), "each gate once", "", said))
    if problems:
        raise InputError(problems)
    return (*suite.gates, *added)


@dataclass(frozen=True, slots=True)
class Rules:
    """The gates and metrics of a test, cut at the depth that it requests."""

    gates: tuple[Gate, ...]
    metrics: tuple[str, ...]
    depth: int
    today: date


def read_rules(suite: Suite, settings: Settings) -> Rules:
    """Parse gates and metrics, and derive the depth from them.

    Raises:
        InputError: for invalid gates, metrics and names after `against`, a depth that is too small, and a
            suite in which every case expects nothing.
    """
    from rankgate.gates.decide import check_names
    from rankgate.gates.language import parse_gates, written
    from rankgate.scoring.expressions import parse_all

    whole = suite.whole or suite
    # New cases of a change deepen nothing, if the test of the base commit decides.
    suite = replace(
        suite, whole=None, cases=tuple(case for case in whole.cases if case.id not in settings.fresh)
    )
    if suite.cases and all(case.expects_nothing for case in suite.cases):
        where = suite.path or suite.name
        said = f"{where}: every case expects nothing. Add a query that must find something."
        raise InputError(Code.NOTHING_SCORED(where, "cases that all expect nothing", "a target", "", said))
    gates = parse_gates(suite.gates if settings.gates is None else settings.gates, suite.metrics)
    if settings.baselines is not None:
        check_names(gates, settings.baselines.known())
    own = settings.metrics or suite.metrics
    k = depth(suite, own, gates, settings.asking.k)
    gates = tuple(gate.at_depth(k) for gate in gates)
    cut = (written(metric.at_depth(k)) for metric in parse_all(own))
    metrics = tuple(dict.fromkeys([*cut, *(gate.metric for gate in gates if gate.metric)]))
    return Rules(gates, metrics, k, settings.today or datetime.now(UTC).date())


def depth(suite: Suite, wanted: Sequence[str], gates: Sequence[Gate], k: int | None) -> int:
    """Return how many hits to ask for: enough for every metric, gate, check and budget of tokens.

    Raises:
        InputError: for metrics that cannot be read, and for a `k` that is smaller than one of them needs.
    """
    from rankgate.scoring.expressions import parse_all

    metrics = parse_all(wanted)
    needs = {metric.label: max((size or 0 for size in metric.depths), default=0) for metric in metrics}
    needs |= {gate.text: gate.needs_results for gate in gates}
    # A part of a suite is asked as the whole is.
    cases = (suite.whole or suite).cases
    for case in cases:
        withins = (case.targets_within or 0, *(top.within or 0 for top in case.top))
        needs[f"top of {case.id}"] = max(withins)
    given = k or suite.k
    if given is None:
        every = (*metrics, *parse_all(gate.metric for gate in gates if gate.metric))
        budgets = [BUDGET_DEPTH for metric in every if "tokens" in metric.reads]
        return max([*needs.values(), *budgets], default=0) or DEPTH
    short = [name for name, hits in needs.items() if hits > given]
    if short:
        most = max(needs.values())
        where = "k" if k else f"{suite.path or suite.name}: k"
        more = f" and {len(short) - _NAMED} more" if len(short) > _NAMED else ""
        expected = f"{most} or more, which is what {', '.join(short[:_NAMED])}{more} needs"
        raise InputError(
            Code.DEPTH_TOO_SMALL(where, str(given), expected, "raise it, or take it out: it is derived")
        )
    return given


def counts_tokens(wanted: Sequence[str]) -> bool:
    """Check whether any of these metrics counts tokens.

    Raises:
        InputError: for metrics that cannot be read.
    """
    from rankgate.scoring.expressions import parse_all

    return any("tokens" in metric.reads for metric in parse_all(wanted))


def cuts(wanted: Sequence[str]) -> list[int]:
    """Return how many hits each metric looks at, where it says so.

    Raises:
        InputError: for metrics that cannot be read.
    """
    from rankgate.scoring.expressions import parse_all

    return [size for metric in parse_all(wanted) for size in metric.depths if size is not None]
