"""From a suite and a system to a verdict: resolve, ask, score, check, judge, report, in that order."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.evaluation.asking import Asking
from rankgate.evaluation.configuration import find_configuration
from rankgate.model import GateText, System
from rankgate.model.search import Indexer
from rankgate.runs.pace import Pace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import date

    from rankgate.corpora.corpus import Corpus, Room
    from rankgate.evaluation.baselines import Baselines
    from rankgate.evaluation.configuration import SystemEntry
    from rankgate.gates.against import Against
    from rankgate.gates.checks import Checks
    from rankgate.gates.language import Gate
    from rankgate.model import Case, ExitCode, Suite, Verdict
    from rankgate.reports.evaluation import EvaluationReport, Header
    from rankgate.reports.failures import Failure
    from rankgate.runs.tables import Run
    from rankgate.scoring.metric import Metric
    from rankgate.scoring.scores import Scores
    from rankgate.truth.judgments import Judgments

DEPTH = 10
"""How many hits are asked for at least."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How to evaluate, where the suite does not say."""

    metrics: tuple[str, ...] = ()
    """Metrics in place of the suite's."""
    gates: tuple[GateText, ...] | None = None
    """Gates in place of the suite's."""
    enforce: bool = True
    """False to report only."""
    asking: Asking = field(default_factory=Asking)
    """How the system is asked."""
    max_errors: int = 0
    """How many queries may fail."""
    on_inconclusive: str | None = None
    """``fail`` or ``warn`` in place of what the suite says."""
    baselines: Baselines | None = None
    """Where the baselines of the suite are; None to compare with none."""
    root: Path | None = None
    """The folder that a corpus must be in; by default the project's."""
    today: date | None = None
    """The day on which known misses are judged; by default this one."""
    timings: bool = False
    """True to report how long each stage took."""
    corpus: Corpus | None = None
    """What the suite's places are in, where it is open already."""


def settings_of(entry: SystemEntry, suite: Suite, asking: Asking, root: Path) -> Settings:
    """Say how a system of the configuration is evaluated on a suite."""
    from rankgate.evaluation.baselines import Baselines

    return Settings(
        gates=entry.gates,
        enforce=entry.gate,
        asking=asking,
        max_errors=entry.max_errors,
        on_inconclusive=entry.on_inconclusive,
        baselines=Baselines(suite, entry.name),
        root=root,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """Everything that came of an evaluation. Printed, it is the terminal report."""

    suite: Suite
    judgments: Judgments
    run: Run
    scores: Scores
    checks: Checks
    verdicts: tuple[Verdict, ...]
    report: EvaluationReport
    against: Mapping[str | None, Against] = field(default_factory=dict)
    corpus: Corpus | None = None

    def __getitem__(self, expression: str) -> float | None:
        """Give the value of a metric over all queries where it is defined."""
        return self.scores[expression]

    @property
    def failures(self) -> tuple[Failure, ...]:
        """The queries that failed, each with its reasons."""
        return self.report.failures

    @property
    def exit_code(self) -> ExitCode:
        """What a command exits with."""
        return self.report.exit_code

    @property
    def passed(self) -> bool:
        """True where nothing that is enforced failed."""
        return self.exit_code == 0

    def __str__(self) -> str:
        from rankgate.reports.evaluation_terminal import render

        return render(self.report)


@dataclass(slots=True)
class Stopwatch:
    """Seconds by stage, in the order in which they ran."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time what happens inside."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start


_STAGES = (
    "truth.resolve",
    "runs.execute",
    "scoring.evaluate",
    "gates.judge",
    "reports.evaluation",
    "suites.native",
)


def import_stages() -> None:
    """Import what the stages stand on, so that their timings show work and not imports."""
    for module in _STAGES:
        import_module(f"rankgate.{module}")


def run_evaluation(suite: Suite, system: System | Run, settings: Settings, watch: Stopwatch) -> Evaluation:
    """Evaluate a system, or a run that was made before."""
    from rankgate.evaluation.baselines import baseline_notes, held_against
    from rankgate.evaluation.probing import check_probes
    from rankgate.evaluation.repeats import errored, noise
    from rankgate.evaluation.running import ask_suite
    from rankgate.gates.checks import run_checks
    from rankgate.gates.judge import judge, waive
    from rankgate.reports.evaluation import evaluation_report
    from rankgate.scoring.evaluate import score
    from rankgate.truth.estimate import answered_cases
    from rankgate.truth.itinerary import plan
    from rankgate.truth.resolve import resolve

    with watch.stage("read"):
        gates, wanted = gates_and_metrics(suite, settings)
    with watch.stage("resolve"):
        corpus = open_corpus(suite, settings.root) if settings.corpus is None else settings.corpus
        truth, itinerary = resolve(suite, corpus), plan(suite, corpus)
        answered, unused = answered_cases(suite)
    with watch.stage("ask"):
        k = depth(suite, wanted, settings.asking.k)
        asked = ask_suite(suite, system, corpus, itinerary, k, settings.asking)
        run = asked.run
    with watch.stage("score"):
        judgments = _with_estimates(truth.judgments, answered, run)
        scores = score(judgments, run, wanted)
        repeats = [score(judgments, one, wanted) for one in asked.repeats]
    with watch.stage("judge"):
        checks = run_checks(suite, truth.tops, run, scores)
        checks = checks.with_probes(check_probes(suite, asked.probed, itinerary))
        checks = replace(checks, repeats_errored=tuple(map(errored, asked.repeats)))
        today = settings.today or datetime.now(UTC).date()
        most = settings.max_errors
        against = held_against(gates, settings.baselines, judgments, (run, scores), k, repeats)
        verdicts = judge(
            gates, scores, judgments, checks, suite=suite, today=today, max_errors=most, against=against
        )
        verdicts = verdicts if settings.enforce else waive(verdicts)
    with watch.stage("report"):
        report = evaluation_report(
            suite,
            judgments,
            scores,
            run,
            verdicts,
            checks,
            header=replace(_header(suite, system, run, today, settings), located=asked.located),
            against=against.get(None),
            notes=(
                *suite.notes,
                *(() if corpus is None else corpus.notes),
                *asked.notes,
                *noise([scores, *repeats], [run, *asked.repeats]),
                *unused,
                *(_unreviewed(suite, verdicts) if settings.enforce else ()),
                *baseline_notes(verdicts, settings.baselines, against.get(None)),
            ),
        )
    if settings.timings:
        taken = tuple((stage, f"{seconds:.2f} s") for stage, seconds in watch.seconds.items())
        report = replace(report, timings=taken)
    return Evaluation(suite, judgments, run, scores, checks, verdicts, report, against, corpus)


def evaluate(
    suite: Suite,
    system: System | Callable[..., object] | str,
    *,
    metrics: Sequence[str] = (),
    gates: Sequence[str] | None = None,
    k: int | None = None,
    pace: Pace | None = None,
    chunks: str | Mapping[str, object] | None = None,
) -> Evaluation:
    """Ask a system every query of a suite, and say how well it did.

    Example::

        result = evaluate(load_suite("search.yaml"), search, metrics=["ndcg@10", "r@5"])
        assert result["ndcg@10"] >= 0.65

    Args:
        suite: what should be found.
        system: a function of query and k, an object with a ``search`` method, or ``module:attr``.
        metrics: metrics in place of the suite's.
        gates: gates in place of the suite's.
        k: how many hits to ask for; by default what the metrics need.
        pace: how hard to ask; a function is then called from several threads, and each gets its own of a
            class.
        chunks: how the corpus is cut for a system that builds its own index: ``"file"``, ``"section"`` or
            ``{"by": "window", "lines": 40, "overlap": 0}``.

    Raises:
        InputError: where the suite or the call is wrong.
    """
    from rankgate.chunks.chunker import read_chunking
    from rankgate.systems.function import FunctionOptions, function_system

    settings = Settings(
        metrics=tuple(metrics),
        gates=None if gates is None else tuple(map(GateText, gates)),
        asking=Asking(
            k=k,
            pace=pace or Pace(),
            chunks=None if chunks is None else read_chunking(chunks, "chunks"),
        ),
    )
    if isinstance(system, System) and (isinstance(system, Indexer) or hasattr(system, "describe")):
        # An adapter: it knows how many threads may ask it, and stays open for whoever opened it.
        return run_evaluation(suite, system, settings, Stopwatch())
    asked = function_system(system, FunctionOptions(thread_safe=not isinstance(system, type)))
    try:
        return run_evaluation(suite, asked, settings, Stopwatch())
    finally:
        asked.close()


def open_corpus(suite: Suite, root: Path | None) -> Corpus | None:
    """Open what a suite's places are in."""
    from rankgate.corpora.opening import open_source

    if suite.corpus is None:
        return None
    return open_source(suite.corpus, corpus_room(suite, root, _tell_who_waits))


def corpus_room(suite: Suite, root: Path | None, tell: Callable[[str], None]) -> Room:
    """Say where the corpus of a suite may come from: by default the project of the suite's file."""
    from rankgate.corpora.corpus import Room

    here = Path(suite.path).parent if suite.path else Path.cwd()
    if root is None:
        configuration = find_configuration(here)
        root = configuration.corpus_root
    return Room(here, root, progress=tell)


def _tell_who_waits(words: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"{words} …\n")


def gates_and_metrics(suite: Suite, settings: Settings) -> tuple[tuple[Gate, ...], list[str]]:
    """Read the gates, and list every metric that they or the suite want.

    Raises:
        InputError: for gates that cannot be read.
    """
    from rankgate.gates.language import parse_gates

    written = suite.gates if settings.gates is None else settings.gates
    gates = parse_gates(written, suite.metrics)
    return gates, [*(settings.metrics or suite.metrics), *(gate.metric for gate in gates if gate.metric)]


def depth(suite: Suite, wanted: Sequence[str], k: int | None) -> int:
    """Say how many hits to ask for: enough for every cut and every check.

    Raises:
        InputError: for metrics that cannot be read.
    """
    from rankgate.scoring.expressions import parse_all

    metrics = parse_all(wanted)
    cuts = [
        cut.size for metric in _parts(metrics) if (cut := getattr(metric, "cut", None)) and not cut.tokens
    ]
    tops = [top.within for case in suite.cases for top in case.top]
    return k or suite.k or max([DEPTH, *cuts, *tops])


def _parts(metrics: Sequence[Metric]) -> Iterator[Metric]:
    for metric in metrics:
        yield from (part for _, part in getattr(metric, "terms", ((1.0, metric),)))


def _unreviewed(suite: Suite, verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    from rankgate.gates.questions import UNREVIEWED

    if not any(verdict.reason.endswith(UNREVIEWED) for verdict in verdicts):
        return ()
    file = suite.path or "the suite"
    what = "delete `reviewed: false` from those that are right"
    return (f"to enforce the gates, read the cases of {file} and {what}",)


def _header(suite: Suite, system: System | Run, run: Run, today: date, settings: Settings) -> Header:
    from importlib import metadata
    from platform import python_version

    from rankgate.reports.evaluation import Header

    # A run that was made before says what answered then.
    version = getattr(getattr(run, "manifest", system), "version", None)
    return Header(
        day=today,
        system=f"{run.name}, {version}" if version else run.name,
        asked=str(settings.asking.pace),
        time=datetime.now(UTC).isoformat(timespec="seconds"),
        versions={"rankgate": metadata.version("rankgate"), "Python": python_version()},
        max_errors=settings.max_errors,
        enforced=settings.enforce,
        lenient=(settings.on_inconclusive or suite.on_inconclusive) == "warn",
    )


def _with_estimates(judgments: Judgments, answered: Sequence[Case], run: Run) -> Judgments:
    """Estimate the labels of the cases that have an answer and no targets."""
    from rankgate.runs.kept_texts import kept_texts
    from rankgate.truth.estimate import estimate

    if not answered:
        return judgments
    return estimate(judgments, answered, kept_texts(run, [case.id for case in answered]))
