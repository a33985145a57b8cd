"""A test is one pass from a suite to a report. Every stage takes values and returns a value."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankgate.cases import Tested, case_results, gating_judgments
from rankgate.errors import Code, ExitCode, InputError
from rankgate.gates.checks import CheckResult, ProbeResult, check_cases, expired_xfails, in_every_repeat
from rankgate.gates.compare import Comparison, compare
from rankgate.gates.decide import Facts, check_names, decide
from rankgate.gates.language import Gate, Kind, default_gate, parse_gate, parse_gates, written
from rankgate.model import GateText, Suite, System
from rankgate.model.report import GateState, Report
from rankgate.reports.build import (
    About,
    Problem,
    build_report,
    could_have_failed,
    suite_problems,
    system_problems,
)
from rankgate.scoring.evaluate import score
from rankgate.scoring.placements import JudgedHits
from rankgate.scoring.repeats import mean_scores, usual_ranks
from rankgate.truth.locations.outline_below import OutlineTitles

if TYPE_CHECKING:
    from rankgate.corpora.corpus import Corpus
    from rankgate.model.report import GateResult
    from rankgate.project.configuration import SystemEntry
    from rankgate.project.settings import RunOptions, Settings
    from rankgate.project.suite_run import SuiteRun
    from rankgate.runs.asking.pace import Pace
    from rankgate.runs.store.tables import Run
    from rankgate.scoring.scores import Scores
    from rankgate.truth.gone import GoneLocation
    from rankgate.truth.judgments.table import Judgments
    from rankgate.truth.locations.resolve import Truth


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """A test's report, and the tables behind it. Printed, it is the terminal report."""

    report: Report
    suite: Suite
    judgments: Judgments
    """All judgments, located."""
    run: Run
    scores: Scores
    """The scores that gates read."""
    tested: Tested
    corpus: Corpus | None = None

    def __getitem__(self, expression: str) -> float | None:
        """Return the value of a metric over all queries that have one.

        Raises:
            InputError: if targets are missing: a value over the rest of a suite is not the suite's.
        """
        if any(one.counts for one in self.tested.missing):
            raise InputError("\n".join(self.report.problems))
        return self.scores[expression]

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of `rankgate test`."""
        return ExitCode(self.report.exit_code)

    @property
    def passed(self) -> bool:
        """True if the exit code is 0."""
        return self.report.exit_code == 0

    def __str__(self) -> str:
        from rankgate.reports.terminal import render

        return render(self.report, details=True)


@dataclass(frozen=True, slots=True)
class Rules:
    """The gates and metrics of a test, cut at the depth that it requests."""

    gates: tuple[Gate, ...]
    metrics: tuple[str, ...]
    depth: int
    today: date
    xfail_strict: bool = False


def test_suite(suite: Suite, system: System | Run, settings: Settings) -> Evaluation:
    """Test a system, or a run that was made before, on a suite."""
    from rankgate.project.baselines.references import read_references
    from rankgate.project.opening import open_corpus
    from rankgate.project.settings import counts_tokens
    from rankgate.project.suite_run import run_suite
    from rankgate.truth.locations.probe_plan import plan
    from rankgate.truth.locations.resolve import resolve

    started = time.perf_counter()
    if settings.unlisted is not None:
        suite = replace(suite, unlisted=settings.unlisted)
    rules = read_rules(suite, settings)
    corpus = settings.corpus or open_corpus(suite, settings.root)
    truth, probe_plan = resolve(suite, corpus), plan(suite, corpus)
    references = read_references(settings.baselines, rules.gates, suite, corpus)
    asking = replace(settings.asking, tokens=settings.asking.tokens or counts_tokens(rules.metrics))
    answers = run_suite(suite, system, corpus, probe_plan, rules.depth, asking)
    tested = measure(suite, truth, (*truth.gone, *probe_plan.gone), answers, corpus, rules, settings)
    facts = tested.facts
    comparisons: dict[str | None, Comparison | None] = dict.fromkeys(references)
    for name, reference in references.items():
        if reference is not None:
            found = compare(suite, facts.judgments, reference, facts.scores, facts.run, lines_of(corpus))
            if suite.no_relevant == "zero":
                found = replace(found, scores=zero_without_relevant(found.scores, facts.judgments))
            comparisons[name] = found
    tested = with_comparisons(tested, comparisons)
    gates = with_defaults(rules.gates, suite, tested.facts, rules.depth)
    results, problems = decide_all(gates, tested, answers, corpus, settings)
    decided = tuple(zip(gates, results, strict=True))
    cases = case_results(tested, decided)
    about = about_test(
        tested, truth, answers, corpus, settings, system, seconds=time.perf_counter() - started
    )
    report = build_report(tested, decided, cases, problems, about)
    return Evaluation(report, suite, tested.judgments, facts.run, facts.scores, tested, corpus)


def read_rules(suite: Suite, settings: Settings) -> Rules:
    """Parse gates and metrics, and derive the depth from them.

    Raises:
        InputError: for invalid gates, metrics and names after `against`, a depth that is too small, and a
            suite in which every case expects nothing.
    """
    from rankgate.project.settings import depth, metrics_located
    from rankgate.scoring.expressions import parse_all

    whole = suite.whole or suite
    if whole.cases and all(case.expects_nothing for case in whole.cases):
        where = suite.path or suite.name
        said = f"{where}: every case expects nothing. Add a query that must find something."
        raise InputError(Code.NOTHING_SCORED(where, "cases that all expect nothing", "a target", "", said))
    with metrics_located(suite):
        gates = parse_gates(suite.gates if settings.gates is None else settings.gates, suite.metrics)
        if settings.baselines is not None:
            check_names(gates, settings.baselines.known())
        own = settings.metrics or suite.metrics
        k = depth(suite, own, gates, settings.asking.k)
        gates = tuple(gate.at_depth(k) for gate in gates)
        cut = (written(metric.at_depth(k)) for metric in parse_all(own))
        metrics = tuple(dict.fromkeys([*cut, *(gate.metric for gate in gates if gate.metric)]))
    return Rules(gates, metrics, k, settings.today or datetime.now(UTC).date(), settings.xfail_strict)


def measure(
    suite: Suite,
    truth: Truth,
    missing: Sequence[GoneLocation],
    answers: SuiteRun,
    corpus: Corpus | None,
    rules: Rules,
    settings: Settings,
) -> Tested:
    """Score a run by the judgments that gates count, and evaluate the checks of its cases."""
    from rankgate.project.followed import followed_targets

    judgments = _with_estimates(suite, truth, answers)
    facts = _facts(suite, truth, gating_judgments(judgments, suite.gating_sources), answers, rules)
    return Tested(
        suite=suite,
        judgments=judgments,
        facts=facts,
        today=rules.today,
        hits=facts.hits if facts.judgments is judgments else JudgedHits(judgments, facts.run),
        missing=tuple(missing),
        moved=followed_targets(suite, missing, corpus, settings.root),
        title=OutlineTitles(corpus),
        repeats=answers.repeats,
        xfail_strict=settings.xfail_strict,
    )


def _with_estimates(suite: Suite, truth: Truth, answers: SuiteRun) -> Judgments:
    """Return all judgments, with those that expected answers add for the texts of this run."""
    from rankgate.runs.store.hits import kept_texts
    from rankgate.truth.estimate import answered_cases, estimate

    answered, _ = answered_cases(suite.cases)
    if not answered:
        return truth.judgments
    names = [case.id for case in answered]
    texts = chain.from_iterable(kept_texts(run, names) for run in (answers.run, *answers.repeats))
    return estimate(truth.judgments, answered, texts)


def _facts(suite: Suite, truth: Truth, gating: Judgments, answers: SuiteRun, rules: Rules) -> Facts:
    """Gather what gates read."""
    runs = (answers.run, *answers.repeats)
    each = [score(gating, run, rules.metrics, depth=rules.depth) for run in runs]
    scores = mean_scores(each)
    if suite.no_relevant == "zero":
        scores = zero_without_relevant(scores, gating)
    several = [check_cases(suite, truth.tops, run, one) for run, one in zip(runs, each, strict=True)]
    checks: dict[str, tuple[CheckResult, ...]] = {}
    for found in (*in_every_repeat(several), *expired_xfails(suite, rules.today)):
        checks[found.case] = (*checks.get(found.case, ()), found)
    returned: dict[str, int] = {}
    for shard in answers.run.shards():
        returned.update(shard.queries.select("query", "hits").iter_rows())
    relevant = gating.targets.filter(pl.col("grade") > 0)["query"]
    judged = gating.targets["query"] if suite.no_relevant == "zero" else relevant
    hits = JudgedHits(gating, answers.run)
    first = [hits.first_relevant(), *(JudgedHits(gating, run).first_relevant() for run in answers.repeats)]
    known = [case.xfail is not None and case.xfail.active(rules.today) for case in suite.cases]
    return Facts(
        cases=suite.cases,
        judgments=gating,
        run=answers.run,
        scores=scores,
        counted=~np.array(known, dtype=bool),
        judged=scores.queries.is_in(judged.unique().implode()).to_numpy() | scores.estimated,
        results=np.array([returned.get(case.id, 0) for case in suite.cases], dtype=np.int64),
        hits=hits,
        first=usual_ranks(first) if len(first) > 1 else first[0],
        checks=checks,
        probes=current_probes(answers.probed.results, rules.today, strict=rules.xfail_strict),
        depth=rules.depth,
        selected=suite.whole is not None,
    )


def current_probes(probes: Sequence[ProbeResult], today: date, *, strict: bool) -> tuple[ProbeResult, ...]:
    """Return scenarios and invariants with the `xfail` that holds today; one that expired has failed."""

    def current(one: ProbeResult) -> ProbeResult:
        if one.known is not None and not one.known.active(today):
            expired = f"xfail expired on {one.known.until}: {one.known.reason}"
            return replace(one, known=None, passed=False, reasons=(*one.reasons, expired))
        if one.known is not None and one.passed and strict:
            return replace(one, known=None, passed=False, reasons=("It is marked xfail and passes.",))
        return one

    return tuple(map(current, probes))


def zero_without_relevant(scores: Scores, judgments: Judgments) -> Scores:
    """Score queries whose judgments are all irrelevant 0, as `no_relevant: zero` asks for."""
    judged = scores.queries.is_in(judgments.targets["query"].unique().implode()).to_numpy() & ~scores.gone
    columns = {
        metric.label: replace(column, defined=column.defined | judged) if metric.about_labels else column
        for metric in scores.metrics
        for column in [scores.columns[metric.label]]
    }
    return replace(scores, columns=columns)


def with_comparisons(tested: Tested, comparisons: Mapping[str | None, Comparison | None]) -> Tested:
    """Return a test with its comparisons; that with the system's own baseline is shown."""
    own = comparisons.get(None)
    before = None
    if own is not None:
        same = tested.facts.judgments is tested.judgments
        before = own.hits if same else JudgedHits(tested.judgments, own.run)
    facts = replace(tested.facts, references=comparisons)
    return replace(tested, facts=facts, comparison=own, hits_before=before)


def with_defaults(gates: Sequence[Gate], suite: Suite, facts: Facts, depth: int) -> tuple[Gate, ...]:
    """Add the gates that hold without being written.

    Scenarios and invariants must pass. With a baseline, no query may be lost.
    """
    added = list(gates)
    for kind, probes in ((Kind.SCENARIOS, suite.scenarios), (Kind.INVARIANTS, suite.invariants)):
        if probes and not any(gate.kind is kind for gate in gates):
            added.append(replace(parse_gate(f"{kind} = 100%"), default=True))
    if facts.references.get(None) is not None:
        default = default_gate(gates, depth, len((suite.whole or suite).cases))
        added += [default] if default is not None else []
    return tuple(added)


def decide_all(
    gates: Sequence[Gate], tested: Tested, answers: SuiteRun, corpus: Corpus | None, settings: Settings
) -> tuple[tuple[GateResult, ...], tuple[Problem, ...]]:
    """Decide every gate, and return what else decides the exit code.

    If the system failed, no gate is enforced: its figures are those of an outage.
    """
    facts = tested.facts
    errors = int(facts.errored.sum()) + answers.probed.failed
    system = [
        *mapping_problems(tested, corpus),
        *system_problems(facts, settings.max_errors, errors, answers.silent_rules),
    ]
    results = decide(gates, facts)
    if system:
        why = "The system failed, and its results say nothing about the search."
        results = tuple(
            one
            if one.state is GateState.OVER_NOTHING
            else replace(one, state=GateState.NOT_ENFORCED, reason=why, queries=())
            for one in results
        )
    decided = tuple(zip(gates, results, strict=True))
    suite = list(suite_problems(tested, results, could_have_failed(facts, decided)))
    baselines = settings.baselines
    if baselines is not None and baselines.required and facts.references.get(None) is None:
        sentence = f"The project requires a baseline of {baselines.system}. Run: {baselines.command()}"
        suite.append(
            Problem(
                ExitCode.WRONG_CALL, f"no baseline of {baselines.system}", (sentence,), baselines.command()
            )
        )
    return results, (*suite, *system)


def mapping_problems(tested: Tested, corpus: Corpus | None) -> Iterator[Problem]:
    """Return why hits could not be located, if that is the problem of a run."""
    from rankgate.truth.mapping import mapping_problem

    facts, suite = tested.facts, tested.suite
    columns = (
        "query",
        "rank",
        "id",
        "path",
        "start",
        "end",
        "text",
        "start_char",
        "class",
        "strategy",
        "given",
    )
    hits = [shard.scan_hits(columns).collect() for shard in facts.run.shards()]
    relevant = tested.judgments.targets.filter((pl.col("grade") > 0) & pl.col("text_hash").is_null())
    if not hits or relevant.is_empty():
        return
    found = mapping_problem(
        pl.concat(hits),
        relevant,
        corpus,
        reached=bool(tested.hits.found),
        baseline_located=tested.comparison is not None and bool(tested.comparison.hits.found),
        match_path=str(suite.matching.by) == "path",
        map_rules=suite.map_rules,
    )
    if found is not None:
        lines = "".join(f"\n  {line}" for line in found.lines)
        fix = f"Add to {suite.path or 'the suite'}:{lines}" if lines else ""
        yield Problem(
            ExitCode.SYSTEM_FAILED, "hits could not be located", (*found.problems, *([fix] if fix else []))
        )


def about_test(
    tested: Tested,
    truth: Truth,
    answers: SuiteRun,
    corpus: Corpus | None,
    settings: Settings,
    system: System | Run,
    seconds: float,
) -> About:
    """Gather what a report says of a test beside its results."""
    from rankgate.project.configuration import suite_option
    from rankgate.reports.build import versions
    from rankgate.runs.store.hits import hit_counts
    from rankgate.truth.estimate import answered_cases

    suite, facts = tested.suite, tested.facts
    manifest = getattr(facts.run, "manifest", None)
    _, unused = answered_cases(suite.cases)
    comparison = tested.comparison
    notes = (
        *suite.notes,
        *truth.notes,
        *(() if corpus is None else corpus.notes),
        *answers.notes,
        *facts.scores.notes,
        *unused,
        *(() if comparison is None else comparison.notes),
    )
    version = getattr(manifest or system, "version", None)
    provenance = {
        "suite": suite.fingerprint[:12],
        "corpus": "" if corpus is None else corpus.fingerprint[:12],
        "system": f"{facts.run.name} {version}" if version else facts.run.name,
        "commit": ""
        if manifest is None or not manifest.commit
        else manifest.commit[:10] + "+" * manifest.changed,
        "results per query": str(facts.depth),
        "located": str(hit_counts(facts.run)),
        "requests": str(settings.asking.pace),
        **versions(),
    }
    own = settings.baselines
    return About(
        suite=suite.name,
        system=facts.run.name,
        path=suite.path or "",
        command_system="" if own is None else own.system,
        suite_option="" if own is None else suite_option(suite.path),
        time=(manifest.finished if manifest is not None else None)
        or datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=seconds,
        notes=notes,
        provenance={name: value for name, value in provenance.items() if value},
        lenient=settings.on_inconclusive == "warn",
    )


def lines_of(corpus: Corpus | None) -> Callable[[str], int | None] | None:
    """Return what counts the lines of a document; null without a corpus of files."""
    if corpus is None or corpus.records:
        return None
    return lambda path: corpus.lines(path) if path in corpus else None


def run_test(  # noqa: PLR0913
    path: Path,
    system: str | None = None,
    *,
    only: Sequence[str] = (),
    limit: int | None = None,
    metrics: Sequence[str] = (),
    today: date | None = None,
    asking: Callable[[SystemEntry, Path | None, Path], RunOptions] | None = None,
    save: bool = False,
    skip_missing: bool = False,
) -> Evaluation:
    """Test the suite in a file, as the command line and pytest do.

    Args:
        path: The suite.
        system: One of rankgate.toml, ``module:attr`` or ``./file.py:attr``; by default the project's.
        only: Select cases by name, tag, glob or words of the query.
        limit: Select the first cases.
        metrics: Metrics in place of the suite's.
        today: The day that `xfail` is compared with.
        asking: Returns how to run the queries, given the entry of the system, the folder to save the run in
            and the project's folder.
        save: Save the run, the report and its page below ``.rankgate``; a selection is never saved.
        skip_missing: Skip the test in CI too if something is missing that the system needs.

    Raises:
        NotTestedError: if the test is skipped because something is missing that the system needs.
    """
    from contextlib import ExitStack

    from rankgate.project.configuration import configuration_for
    from rankgate.project.needs import check_needs
    from rankgate.project.opening import opened
    from rankgate.project.results import ResultFolder
    from rankgate.project.settings import RunOptions, settings_of
    from rankgate.runs.store.run_folder import locked
    from rankgate.suites.asked_suite import asked_suite
    from rankgate.suites.formats import load_suite
    from rankgate.suites.suite_part import CaseSelection

    all_cases, configuration = load_suite(path), configuration_for(path)
    suite = asked_suite(all_cases)
    selection = CaseSelection(limit, tuple(only))
    if selection:
        suite = selection.of(suite, all_cases)
    entry = configuration.entry(system)
    check_needs(entry, configuration.root, suite.name, skip=skip_missing)
    folder = ResultFolder.made(configuration.root, suite, entry.name) if save and not selection else None
    options = RunOptions(pace=entry.pace, chunks=entry.chunks, locate=entry.locate)
    if asking is not None:
        options = asking(entry, None if folder is None else folder.run, configuration.root)
    settings = settings_of(entry, suite, options, configuration.corpus_root)
    settings = replace(settings, metrics=tuple(metrics), today=today)
    with ExitStack() as stack:
        if folder is not None:
            # Until the report is written: another test of the same pair would replace the run.
            stack.enter_context(locked(folder.path))
        opening = opened(entry, configuration.root, suite, configuration.corpus_root)
        evaluation = test_suite(suite, stack.enter_context(opening), settings)
        if folder is not None:
            evaluation = replace(evaluation, report=folder.write(evaluation.report))
    return evaluation


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
    """Run all queries of a suite against a system, and return the verdict with all scores.

    Example::

        result = evaluate(load_suite("search.yaml"), search, metrics=["ndcg@10", "r@5"])
        assert result["ndcg@10"] >= 0.65

    Args:
        suite: The suite.
        system: A name of the configuration; or a function of query and k, an object with a ``search`` method,
            a retriever of LangChain, LlamaIndex or Haystack, or ``module:attr``. The configuration is the
            nearest one upwards from the suite's file, or else from the current folder.
        metrics: Metrics in place of the suite's.
        gates: Gates in place of the suite's.
        k: The number of results to request; by default what metrics, gates and checks need.
        pace: Concurrency, rate and retries.
        chunks: How to split the corpus for a system that builds its own index: ``"file"``, ``"section"`` or
            ``{"by": "window", "lines": 40, "overlap": 0}``.

    Raises:
        InputError: if the suite or the call is wrong.
    """
    from rankgate.chunks.chunking import read_chunking
    from rankgate.project.configuration import configuration_for
    from rankgate.project.opening import opened_as_given
    from rankgate.project.settings import RunOptions, settings_of
    from rankgate.suites.asked_suite import asked_suite

    suite = asked_suite(suite)
    configuration = configuration_for(suite.path)
    with opened_as_given(system, configuration, suite) as (opened_system, entry):
        asking = RunOptions(
            k=k,
            pace=pace or entry.pace,
            chunks=entry.chunks if chunks is None else read_chunking(chunks, "chunks"),
            locate=entry.locate,
        )
        settings = settings_of(entry, suite, asking, configuration.corpus_root)
        settings = replace(settings, metrics=tuple(metrics))
        if gates is not None:
            settings = replace(settings, gates=tuple(map(GateText, gates)))
        return test_suite(suite, opened_system, settings)
