"""How to evaluate: how a system is asked, and what its answers are scored and judged by."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.errors import Code, ExpressionError, InputError
from rankgate.model.placing import LocateRules
from rankgate.runs.asking.pace import Pace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date

    from rankgate.chunks.chunking import Chunking
    from rankgate.corpora.corpus import Corpus
    from rankgate.gates.judge import JudgingRules
    from rankgate.gates.language import Gate
    from rankgate.model import GateText, Suite
    from rankgate.project.baselines.kept import Baselines
    from rankgate.project.configuration import SystemEntry
    from rankgate.runs.asking.deadline import RunDeadline
    from rankgate.runs.asking.progress import Progress
    from rankgate.runs.parts import Part
    from rankgate.runs.store.run_writer import Existing

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
    progress: Progress | None = None
    """What to tell how far it is."""
    entry: SystemEntry | None = None
    """What the configuration says of the system; None where it says nothing."""
    project: Path | None = None
    """The folder of the project, whose commit and files a kept run notes; by default the current one."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How to evaluate, where the suite does not say."""

    metrics: tuple[str, ...] = ()
    """Metrics in place of the suite's."""
    gates: tuple[GateText, ...] | None = None
    """Gates in place of the suite's."""
    enforce: bool = True
    """False to report only."""
    asking: RunOptions = field(default_factory=RunOptions)
    """How the system is asked."""
    max_errors: int = 0
    """How many queries may fail."""
    max_gone: int = 0
    """How many targets may be gone from the documents."""
    on_inconclusive: str = "fail"
    """``fail``: an inconclusive gate is exit code 4. ``warn``: it is reported and fails nothing."""
    baselines: Baselines | None = None
    """Where the baselines of the suite are; None to compare with none."""
    root: Path | None = None
    """The folder that a corpus must be in; by default the project's."""
    today: date | None = None
    """The day on which known misses are judged; by default this one."""
    timings: bool = False
    """True to report how long each stage took."""
    corpus: Corpus | None = None
    """What the suite's locations are in, where it is open already."""
    list_all: bool = False
    """True to report every case of a large suite one by one, as a test runner and Python want them."""


def settings_of(entry: SystemEntry, suite: Suite, asking: RunOptions, root: Path) -> Settings:
    """Return how a system of the configuration is evaluated on a suite."""
    from rankgate.project.baselines.kept import Baselines

    settings = Settings(
        gates=entry.gates,
        enforce=entry.gate,
        asking=asking,
        max_errors=entry.max_errors,
        max_gone=entry.max_gone,
        on_inconclusive=entry.on_inconclusive,
        baselines=Baselines(suite, entry.name, entry.systems, required=entry.require_baseline),
        root=root,
    )
    if suite.whole is None:
        return settings
    # What a part of a suite shows is no verdict, and no comparison with a baseline of the whole.
    targets = sum(len(case.targets) for case in suite.cases)
    return replace(settings, enforce=False, max_gone=max(targets, entry.max_gone), baselines=None)


@contextmanager
def metrics_located(suite: Suite) -> Iterator[None]:
    """Raise what is wrong with the metrics of a suite with the line of its file that names them.

    Raises:
        ExpressionError: in place of one that does not know where the metric is written.
    """
    try:
        yield
    except ExpressionError as error:
        from rankgate.scoring.expressions import parse
        from rankgate.suites.native.yaml_suite import metric_locations

        wrong = []
        for text, where in metric_locations(Path(suite.path)).items() if suite.path else ():
            try:
                parse(text)
            except ExpressionError as own:
                wrong += [replace(problem, where=where) for problem in own.problems]
        if not wrong:
            raise
        raise ExpressionError(wrong) from error


def judging_rules(suite: Suite, settings: Settings) -> JudgingRules:
    """Read what a run is scored and judged by.

    Raises:
        InputError: for gates and metrics that cannot be read, and for a gate on a system which nobody has.
    """
    with metrics_located(suite):
        return _judging_rules(suite, settings)


def _judging_rules(suite: Suite, settings: Settings) -> JudgingRules:
    from rankgate.gates.judge import JudgingRules
    from rankgate.gates.language import parse_gates, written
    from rankgate.scoring.expressions import parse_all

    gates = parse_gates(suite.gates if settings.gates is None else settings.gates, suite.metrics)
    if settings.baselines is not None:
        settings.baselines.check_names(gates)
    own = settings.metrics or suite.metrics
    today = settings.today or datetime.now(UTC).date()
    k = depth(suite, own, gates, settings.asking.k)
    gates = tuple(gate.at_depth(k) for gate in gates)
    cut = (written(metric.at_depth(k)) for metric in parse_all(own))
    metrics = tuple(dict.fromkeys([*cut, *(gate.metric for gate in gates if gate.metric)]))
    lenient = settings.on_inconclusive == "warn"
    return JudgingRules(
        gates, metrics, today, k, settings.max_errors, settings.max_gone, settings.enforce, lenient
    )


def depth(suite: Suite, wanted: Sequence[str], gates: Sequence[Gate], k: int | None) -> int:
    """Return how many hits to ask for: enough for every metric, gate, check and budget of tokens.

    Raises:
        InputError: for metrics that cannot be read, and for a `k` that is smaller than one of them needs.
    """
    from rankgate.scoring.expressions import parse_all

    metrics = parse_all(wanted)
    needs = {metric.label: max((size or 0 for size in metric.depths), default=0) for metric in metrics}
    needs |= {gate.text: gate.needs_hits for gate in gates}
    # A part of a suite is asked as the whole is.
    cases = (suite.whole or suite).cases
    needs |= {f"top of {case.id}": top.within for case in cases for top in case.top}
    given = k or suite.k
    if given is None:
        every = (*metrics, *parse_all(gate.metric for gate in gates if gate.metric))
        budgets = [BUDGET_DEPTH for metric in every if "tokens" in metric.reads]
        return max([DEPTH, *needs.values(), *budgets])
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
