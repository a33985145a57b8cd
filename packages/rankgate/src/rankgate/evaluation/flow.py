"""From a suite and a system to a verdict: resolve, ask, score, check, judge, report, in that order."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib import import_module
from typing import TYPE_CHECKING

from rankgate.model import GateText, System
from rankgate.project.configuration import configuration_for
from rankgate.project.evaluation import Evaluation
from rankgate.project.opening import open_corpus, opened_as_given
from rankgate.project.settings import RunOptions, counts_tokens, judging_rules, settings_of
from rankgate.suites.asked_suite import asked_suite

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rankgate.corpora.corpus import Corpus
    from rankgate.gates.scored import Against, Scored
    from rankgate.model import Suite, Verdict
    from rankgate.project.settings import Settings
    from rankgate.reports.evaluation.report import Header
    from rankgate.runs.asking.pace import Pace
    from rankgate.runs.store.tables import Run
    from rankgate.truth.locations.probe_plan import ProbePlan
    from rankgate.truth.locations.resolve import Truth


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
    "truth.locations.resolve",
    "runs.asking.execute",
    "scoring.evaluate",
    "gates.judge",
    "reports.evaluation.report",
    "suites.native.yaml_suite",
)


def import_stages() -> None:
    """Import what the stages stand on, so that their timings show work and not imports."""
    for module in _STAGES:
        import_module(f"rankgate.{module}")


def run_evaluation(suite: Suite, system: System | Run, settings: Settings, watch: Stopwatch) -> Evaluation:
    """Evaluate a system, or a run that was made before."""
    from rankgate.evaluation.advice.findings import checked_facts
    from rankgate.evaluation.advice.gone_facts import with_followed
    from rankgate.gates.judge import judge_run
    from rankgate.gates.outcomes import outcomes
    from rankgate.gates.scored import score_run
    from rankgate.project.baselines.held import held_against
    from rankgate.project.placing import mapping_faults, repeat_notes
    from rankgate.project.suite_run import ask_suite, noise
    from rankgate.reports.evaluation.report import evaluation_report
    from rankgate.reports.evaluation.summary.listed import MOST_QUERIES
    from rankgate.truth.estimate import answered_cases
    from rankgate.truth.locations.outline_below import OutlineTitles

    with watch.stage("read"):
        rules = judging_rules(suite := asked_suite(suite), settings)
    with watch.stage("resolve"):
        corpus = open_corpus(suite, settings.root) if settings.corpus is None else settings.corpus
        truth, probe_plan = _resolved(suite, corpus)
        _, unused = answered_cases(suite.cases)
    with watch.stage("ask"):
        asking = settings.asking
        asking = replace(asking, tokens=asking.tokens or counts_tokens(rules.metrics))
        asked = ask_suite(suite, system, corpus, probe_plan, rules.depth, asking)
    with watch.stage("score"):
        scored = score_run(
            suite,
            truth,
            asked.run,
            rules.metrics,
            rules.today,
            asked.probed.checks,
            asked.repeats,
            rules.depth,
        )
    with watch.stage("judge"):
        baselines = held_against(scored, rules.gates, settings.baselines, rules.depth, corpus)
        faults = mapping_faults(scored, corpus, settings.asking.locate)
        scored = replace(scored, baselines=baselines, faults=faults, titles=OutlineTitles(corpus))
        scored = judge_run(scored, rules)
    with watch.stage("advise"):
        scored = with_followed(scored, corpus, settings.root)
        ended = outcomes(scored)
        facts = checked_facts(scored, corpus, ended)
    with watch.stage("report"):
        about = (*suite.notes, *truth.notes, *(() if corpus is None else corpus.notes))
        seen = (*map(str, scored.faults[1:]), *asked.notes, *noise(scored), *unused)
        notes = (*about, *seen, *repeat_notes(scored), *_verdict_notes(scored, settings, corpus))
        header = _header(scored, system, settings, rules.depth)
        most = None if settings.list_all else MOST_QUERIES
        report = evaluation_report(scored, header, notes, facts, most, ended)
    if settings.timings:
        taken = tuple((stage, f"{seconds:.2f} s") for stage, seconds in watch.seconds.items())
        report = replace(report, timings=taken)
    return Evaluation(scored, report, corpus, rules.depth if settings.metrics else settings.asking.k)


def _resolved(suite: Suite, corpus: Corpus | None) -> tuple[Truth, ProbePlan]:
    """Find every location that a suite names, those of scenarios and invariants among them."""
    from rankgate.truth.locations.probe_plan import plan
    from rankgate.truth.locations.resolve import resolve

    truth, probe_plan = resolve(suite, corpus), plan(suite, corpus)
    return replace(truth, gone=(*truth.gone, *probe_plan.gone)), probe_plan


def evaluate(
    suite: Suite,
    system: object,
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
        system: a name of the configuration, which is asked and judged as ``rankgate test`` does it; or a
            function of query and k, an object with a ``search`` method, a retriever of LangChain, LlamaIndex
            or Haystack, or ``module:attr``, which takes the suite's gates. The configuration is the nearest
            upward from the suite's file, or else from here.
        metrics: metrics in place of the suite's.
        gates: gates in place of the suite's, or of the system's.
        k: how many hits to ask for; by default what the metrics need.
        pace: how hard to ask; a function is then called from several threads, and each gets its own of a
            class.
        chunks: how the corpus is cut for a system that builds its own index: ``"file"``, ``"section"`` or
            ``{"by": "window", "lines": 40, "overlap": 0}``.

    Raises:
        InputError: where the suite or the call is wrong.
    """
    from rankgate.chunks.chunking import read_chunking

    configuration = configuration_for(suite.path)
    with opened_as_given(system, configuration, suite) as (asked, entry):
        asking = RunOptions(
            k=k,
            pace=pace or entry.pace,
            chunks=entry.chunks if chunks is None else read_chunking(chunks, "chunks"),
            locate=entry.locate,
        )
        settings = settings_of(entry, suite, asking, configuration.corpus_root)
        settings = replace(settings, metrics=tuple(metrics), list_all=True)
        if gates is not None:
            settings = replace(settings, gates=tuple(map(GateText, gates)))
        return run_evaluation(suite, asked, settings, Stopwatch())


def _verdict_notes(scored: Scored, settings: Settings, corpus: Corpus | None) -> tuple[str, ...]:
    """Return what is to be done before gates are judged as they are meant."""
    from rankgate.truth.facts.texts import changed_words
    from rankgate.truth.gone import gone_notes, mend_command

    command = mend_command(scored.suite.path, scored.followed.commit)
    gone = (*gone_notes(scored.gone, command), *changed_words(scored.suite, corpus, command))
    unreviewed = _unreviewed(scored.suite.path, scored.verdicts) if settings.enforce else ()
    return (*gone, *unreviewed, *_baseline_notes(scored.verdicts, scored.own_baseline))


def _unreviewed(path: str | None, verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    from rankgate.gates.context import UNREVIEWED

    if not any(verdict.reason.endswith(UNREVIEWED) for verdict in verdicts):
        return ()
    what = "delete `reviewed: false` from the right ones"
    return (f"to enforce the gates, read the cases of {path or 'the suite'} and {what}",)


def _baseline_notes(verdicts: Sequence[Verdict], own: Against | None) -> Iterator[str]:
    """Return the command that makes a baseline: where gates wait for one, or the system's own is out of date.

    What a verdict says already is not said again. What this version does not know of the baseline is named.
    """
    from rankgate.project.baselines.held import NO_BASELINE

    if own is None:
        return
    reasons = [verdict.reason for verdict in verdicts]
    if NO_BASELINE in reasons:
        yield f"to make the baseline that gates compare with: {own.command}"
    if own.why and not own.absent and not any(own.why in reason for reason in reasons):
        yield f"nothing was compared with {own.name}: {own.why}"
    if own.moved:
        yield f"the documents changed since {own.name} was set; its locations: {own.moved}"
    if own.overlap.too_deep:
        few = f"{own.name} has {own.overlap.depth} hits a query, too few to compare"
        yield f"{few} {', '.join(own.overlap.too_deep)}; to set it again: {own.command}"
    yield from (f"{own.name}: {note}" for note in getattr(own.run, "notes", ()))


def _header(scored: Scored, system: System | Run, settings: Settings, depth: int) -> Header:
    from importlib import metadata
    from platform import python_version

    from rankgate.project.kept_answers import commit_words
    from rankgate.reports.evaluation.report import Header

    run = scored.run
    # A run that was made before says what answered then.
    manifest = getattr(run, "manifest", None)
    version = getattr(manifest or system, "version", None)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    made = None if manifest is None or isinstance(system, System) else manifest.finished
    return Header(
        system=f"{run.name}, {version}" if version else run.name,
        asked=str(settings.asking.pace),
        time=made or now,
        scored=now if made else "",
        commit=commit_words(manifest) if manifest else "",
        k=manifest.k if manifest else depth,
        versions={"rankgate": metadata.version("rankgate"), "Python": python_version()},
        max_errors=settings.max_errors,
        max_gone=settings.max_gone,
        located=scored.located,
        fixed=manifest is None and not isinstance(system, System),
    )
