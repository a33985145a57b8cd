"""A test is one pass from a suite to a report. Every stage takes values and returns a value."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankgate.cases import case_results, gating_judgments, is_regressed
from rankgate.chunks.chunking import read_chunking
from rankgate.corpora.corpus import Corpus
from rankgate.errors import ExitCode, InputError
from rankgate.gates.checks import CheckResult, check_cases, current_probes, expired_xfails, in_every_repeat
from rankgate.gates.compare import Reference, as_today, compare, unstable_queries
from rankgate.gates.decide import Tested, decide, not_believed
from rankgate.gates.language import Gate, Kind, default_gate, parse_gate
from rankgate.headline import length_text, query_title, rank_text
from rankgate.model import Answer, GateText, Suite, System
from rankgate.project.baselines import live_reference, read_references
from rankgate.project.configuration import SystemEntry
from rankgate.project.find import configuration_for, suite_option
from rankgate.project.followed import followed_targets
from rankgate.project.needs import check_needs
from rankgate.project.opening import open_corpus, opened, opened_as_given, read_suite
from rankgate.project.results import ResultFolder
from rankgate.project.settings import (
    Against,
    AtBase,
    Rules,
    RunOptions,
    Settings,
    counts_tokens,
    read_rules,
    settings_of,
)
from rankgate.project.suite_run import SuiteRun, located_again, run_suite
from rankgate.report import Report, TestChange
from rankgate.reports.build import About, build_report
from rankgate.reports.problems import (
    NOT_LOCATED,
    against_problems,
    no_baseline,
    suite_problems,
    system_problems,
)
from rankgate.runs.asking.pace import Pace
from rankgate.runs.store.hits import kept_texts
from rankgate.runs.store.run_folder import locked
from rankgate.runs.store.tables import Run
from rankgate.scoring.evaluate import score
from rankgate.scoring.matches import Bools
from rankgate.scoring.placements import JudgedHits
from rankgate.scoring.repeats import mean_scores, usual_ranks
from rankgate.scoring.scores import Scores
from rankgate.suites.asked_suite import asked_suite
from rankgate.suites.suite_part import CaseSelection
from rankgate.truth.estimate import answered_cases, estimate
from rankgate.truth.judgments.table import Judgments
from rankgate.truth.outline_below import OutlineTitles
from rankgate.truth.resolve import GoneLocation, Truth, plan, resolve
from rankgate.wording import many

if TYPE_CHECKING:
    from rankgate.project.base import Base


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


def evaluate_suite(suite: Suite, system: System | Run, settings: Settings) -> Evaluation:
    """Test a system, or a run that was made before, on a suite."""
    started = time.perf_counter()
    if settings.unlisted is not None:
        suite = replace(suite, unlisted=settings.unlisted)
    baselines, base, against = settings.baselines, settings.base, settings.against
    rules = read_rules(suite, settings)
    corpus = settings.corpus or open_corpus(suite, settings.root)
    truth, probe_plan = resolve(suite, corpus), plan(suite, corpus)
    instead = {} if settings.yardstick is None else settings.yardstick.instead
    references = read_references(baselines, rules.gates, suite, corpus, own=against is None, instead=instead)
    asking = replace(
        settings.asking,
        tokens=settings.asking.tokens or counts_tokens(rules.metrics),
        whole_texts=settings.yardstick is not None and settings.yardstick.map_rules is not None,
    )
    deepest = rules.depth if base is None else max(rules.depth, base.depth)
    answers = run_suite(suite, system, corpus, probe_plan, deepest, asking, against)
    if against is not None:
        references[None] = live_reference(against.name, answers.beside, suite)
    missing = (*truth.gone, *probe_plan.gone, *(() if base is None else base.missing))
    tested = measure(suite, truth, missing, answers, corpus, rules, settings, references)
    gates = with_defaults(rules.gates, tested)
    results = decide(gates, tested)
    problems = [*suite_problems(tested, tuple(zip(gates, results, strict=True)))]
    if baselines is not None and baselines.required and tested.comparison is None:
        problems.append(no_baseline(baselines.system, baselines.command()))
    failures = (
        *system_problems(tested, corpus, settings.max_errors, answers.probed.failed, answers.silent_rules),
        *against_problems(tested, corpus, settings.max_errors, answers.beside),
    )
    if failures:
        # Only now: what is wrong with the suite does not depend on the results.
        results = tuple(map(not_believed, results))
    decided = tuple(zip(gates, results, strict=True))
    about = About(
        command_system="" if baselines is None else baselines.system,
        suite_option="" if baselines is None else suite_option(suite.path),
        version=getattr(getattr(answers.run, "manifest", None) or system, "version", None),
        corpus="" if corpus is None else corpus.fingerprint,
        requests=str(settings.asking.pace),
        seconds=time.perf_counter() - started,
        notes=(*suite.notes, *truth.notes, *(() if corpus is None else corpus.notes), *answers.notes),
        lenient=settings.on_inconclusive == "warn",
    )
    report = build_report(tested, decided, case_results(tested, decided), (*problems, *failures), about)
    if base is not None:
        if base.decides and base.map_rules is not None and NOT_LOCATED in report.causes:
            used = TestChange(change="map of the change used", details=(f"{base.name}: locates nothing",))
            suite = replace(suite, map_rules=base.map_rules)
            base = replace(base, map_rules=None, changes=(*base.changes, used))
            answers = replace(located_again(answers, suite, corpus, asking), version=about.version)
            return evaluate_suite(suite, answers, replace(settings, base=base))
        fell = () if base.decides else regressed_at_base(base, answers, report)
        report = replace(report, base=base.note, changes=(*base.changes, *fell))
    return Evaluation(report, suite, tested.judgments, answers.run, tested.scores, tested, corpus)


def measure(
    suite: Suite,
    truth: Truth,
    missing: Sequence[GoneLocation],
    answers: SuiteRun,
    corpus: Corpus | None,
    rules: Rules,
    settings: Settings,
    references: Mapping[str | None, Reference | None],
) -> Tested:
    """Score a run by the judgments that gates count, compare it, and evaluate the checks of its cases."""
    run, runs = answers.run, (answers.run, *answers.repeats)
    left_out = () if settings.yardstick is None else settings.yardstick.left_out
    judgments = _with_estimates(truth.judgments, suite, (*runs, *answers.beside))
    gating = gating_judgments(judgments, suite.gating_sources)
    each = [score(gating, one, rules.metrics, depth=rules.depth) for one in runs]
    scores = mean_scores(each)
    compared = {
        name: None
        if other is None
        else compare(suite, gating, other, scores, run, corpus, settings.fresh, left_out)
        for name, other in references.items()
    }
    several = [check_cases(suite, truth.tops, one, own) for one, own in zip(runs, each, strict=True)]
    checks: dict[str, tuple[CheckResult, ...]] = {}
    for found in (*in_every_repeat(several), *expired_xfails(suite, rules.today)):
        checks[found.case] = (*checks.get(found.case, ()), found)
    returned = dict(row for shard in run.shards() for row in shard.queries.select("query", "hits").rows())
    known = _marked(case.xfail is not None and case.xfail.active(rules.today) for case in suite.cases)
    read = _marked(case.id not in settings.fresh for case in suite.cases)
    judged = gating.targets.filter((pl.col("grade") > 0) | pl.lit(suite.no_relevant == "zero"))["query"]
    hits, own, same = [JudgedHits(gating, one) for one in runs], compared.get(None), gating is judgments
    return Tested(
        suite=suite,
        judgments=judgments,
        gating=gating,
        run=run,
        repeats=answers.repeats,
        depth=rules.depth,
        scores=scores,
        own=read,
        counted=read & ~known,
        known=known,
        judged=scores.queries.is_in(judged.unique().implode()).to_numpy(),
        errored=scores.status.is_in([Answer.ERROR.value, Answer.TIMEOUT.value]).to_numpy(),
        expects_empty=_marked(case.expects_nothing for case in suite.cases),
        results=np.array([returned.get(case.id, 0) for case in suite.cases], dtype=np.int64),
        first=usual_ranks([one.first_relevant() for one in hits]),
        hits=hits[0] if same else JudgedHits(judgments, run),
        gating_hits=hits[0],
        hits_before=None if own is None else own.hits if same else JudgedHits(judgments, own.run),
        references=compared,
        comparison=own,
        checks=checks,
        probes=current_probes(answers.probed.results, rules.today, strict=settings.xfail_strict),
        missing=tuple(missing),
        moved=followed_targets(suite, missing, corpus, settings.root),
        unstable=tuple(unstable_queries(gating, runs, rules.metrics[0], rules.depth)),
        titles=OutlineTitles(corpus),
        xfail_strict=settings.xfail_strict,
        fresh=settings.fresh,
        left_out=left_out,
    )


def _marked(cases: Iterable[bool]) -> Bools:
    return np.array(list(cases), dtype=bool)


def _with_estimates(judgments: Judgments, suite: Suite, runs: Sequence[Run]) -> Judgments:
    """Add the labels that expected answers give to the texts of a run and its repeats."""
    answered, unused = answered_cases(suite.cases)
    judgments = replace(judgments, notes=(*judgments.notes, *unused))
    names = [case.id for case in answered]
    texts = (text for run in runs for text in kept_texts(run, names))
    return estimate(judgments, answered, texts) if answered else judgments


def with_defaults(gates: Sequence[Gate], tested: Tested) -> tuple[Gate, ...]:
    """Add the gates that hold without being written.

    Scenarios and invariants must pass. With a baseline, no query may be lost.
    """
    suite, added = tested.suite, list(gates)
    for kind, probes in ((Kind.SCENARIOS, suite.scenarios), (Kind.INVARIANTS, suite.invariants)):
        if probes and not any(gate.kind is kind for gate in gates):
            added.append(replace(parse_gate(f"{kind} = 100%"), default=True))
    if tested.comparison is not None:
        number = sum(case.id not in tested.fresh for case in (suite.whole or suite).cases)
        default = default_gate(gates, tested.depth, number)
        added += [default] if default is not None else []
    return tuple(added)


def regressed_at_base(base: AtBase, answers: SuiteRun, report: Report) -> Iterator[TestChange]:
    """List what regressed against the baseline of the base commit, under its judgments."""
    names = {case.name: case for case in report.cases}
    found = {old: new for old, new in base.names.items() if new in names}
    if base.suite is None or base.settings is None or not found:
        return
    suite = replace(base.suite, cases=tuple(case for case in base.suite.cases if case.id in found))
    run, *repeats = (as_today(run, found, None) for run in (answers.run, *answers.repeats))
    settings = replace(base.settings, base=replace(base, decides=True, map_rules=None))
    then = evaluate_suite(suite, SuiteRun(run, repeats=tuple(repeats)), settings).report
    cases = {case.name: case for case in then.cases}
    fell = [cases[name] for name in then.attention if is_regressed(cases[name])]
    fell = [case for case in fell if not is_regressed(names[found[case.name]])]
    if fell:
        lines = tuple(f"{query_title(case)}: {rank_text(case, then.primary)}" for case in fell)
        count = many(len(fell), "query", "queries")
        yield TestChange(change=f"{count} regressed against {base.name}", details=lines)
    ratio = None if then.comparison is None else then.comparison.length
    if ratio is not None and (report.comparison is None or report.comparison.length is None):
        yield TestChange(change=length_text(ratio, f"the baseline of {base.name}"))


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
    against: str | None = None,
    base: Base | None = None,
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
        against: Another system, to run too and to compare with in place of the baseline.
        base: The commit to compare the test with.

    Raises:
        NotTestedError: if the test is skipped because something is missing that the system needs.
    """
    configuration = configuration_for(path)
    entry = configuration.entry(system)
    suite, settings = read_test(path, entry, base)
    selection = CaseSelection(limit, tuple(only))
    if selection:
        suite = selection.of(suite)
    others = [] if against is None else [configuration.entry(against)]
    for one in (entry, *others):
        check_needs(one, configuration.root, suite.name, skip=skip_missing)

    def run_options(one: SystemEntry, folder: Path | None) -> RunOptions:
        if asking is not None:
            return asking(one, folder, configuration.root)
        return RunOptions(pace=one.pace, chunks=one.chunks, locate=one.locate)

    folder = ResultFolder.made(configuration.root, suite, entry.name) if save and not selection else None
    options = run_options(entry, None if folder is None else folder.run)
    settings = replace(settings, asking=options, metrics=tuple(metrics), today=today)
    with ExitStack() as stack:
        if folder is not None:
            # Until the report is written: another test of the same pair would replace the run.
            stack.enter_context(locked(folder.path))
        live = [
            stack.enter_context(opened(one, configuration.root, suite, configuration.corpus_root))
            for one in (entry, *others)
        ]
        for one in others:
            settings = replace(settings, against=Against(one.name, live[1], run_options(one, None)))
        evaluation = evaluate_suite(suite, live[0], settings)
        if folder is not None:
            evaluation = replace(evaluation, report=folder.write(evaluation.report))
    return evaluation


def read_test(path: Path, entry: SystemEntry, base: Base | None = None) -> tuple[Suite, Settings]:
    """Read the suite to test, and the settings of its test.

    Args:
        path: The suite.
        entry: The system, as the configuration of the suite has it.
        base: The commit to compare with.

    Raises:
        InputError: for an invalid suite.
    """
    options = RunOptions(pace=entry.pace, chunks=entry.chunks, locate=entry.locate)
    written, suite, settings = None, None, Settings(asking=options)
    if base is None or path.exists():
        written = read_suite(path)
        suite = asked_suite(written)
        settings = settings_of(entry, suite, options, entry.corpus_root)
    if base is not None:
        from rankgate.project.yardstick import against_base

        suite, settings = against_base(base, path, written, settings, entry)
    return suite or read_suite(path), settings


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
        return evaluate_suite(suite, opened_system, settings)
