"""``rankgate baseline``: save the rankings of a system, and compare later tests with them."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import ExitStack, suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankgate.cli.options import (
    asking_of,
    echo_names,
    exit_codes,
    pace_options,
    run_option,
    suites_argument,
    system_option,
    systems_option,
)
from rankgate.errors import Code, ExitCode, InputError, RankgateError, SystemFailedError
from rankgate.wording import many

if TYPE_CHECKING:
    from rankgate.corpora.corpus import Corpus
    from rankgate.gates.decide import Tested
    from rankgate.model import Suite, System
    from rankgate.project.settings import Rules, Settings
    from rankgate.runs.store.tables import Run

_NAMED = 5
_SHARE = 5
"""If more than one of so many queries is unstable, the gates that no longer protect are printed."""


@click.group()
def baseline() -> None:
    """Save the results of a system, and compare later tests with them."""


@baseline.command("set")
@suites_argument
@systems_option
@run_option
@click.option("--once", is_flag=True, help="Run the queries once, without looking for unstable ones.")
@pace_options
@exit_codes(ExitCode.PASSED, ExitCode.WRONG_CALL, ExitCode.SYSTEM_FAILED)
def set_(
    suites: tuple[Path, ...], systems: tuple[str, ...], folder: Path | None, *, once: bool, **options: Any
) -> int:
    """Run all queries twice, and save the second run as the baseline.

    \b
    rankgate baseline set
    rankgate baseline set search.yaml --system app

    Commit the file. With a baseline, no query may be lost, and gates such as drop(ndcg@10) <= 0.01 compare
    with it. Queries with other results in the second run are marked as unstable. The first baseline of a
    suite adds a gate to it. A failed gate does not prevent a baseline, but errors and missing targets do.
    """
    from rankgate.project.find import configuration_for, find_configuration

    for path in suites or find_configuration(Path.cwd()).chosen_suites(suites):
        for system in systems or configuration_for(path).tested_systems(path):
            for line in _save(path, system, folder, options, once=once):
                echo_names(line)
    return 0


@baseline.command()
@suites_argument
@system_option
@click.option("--query", "-q", metavar="ID", help="Show the ranking of one query.")
def show(suites: tuple[Path, ...], system: str | None, query: str | None) -> int:
    """Show what a baseline is of, and what it scores under today's judgments."""
    from rankgate.gates.compare import match_cases
    from rankgate.project.project import projects
    from rankgate.reports.answers import baseline_lines, ranking_lines

    for project, suite in projects(suites):
        saved = project.baseline(suite, system)
        if query is None:
            name = project.configuration.entry(system).name
            found, _ = match_cases(suite, saved.asked)
            part = replace(suite, cases=tuple(case for case in suite.cases if case.id in found))
            lines = baseline_lines(saved, name, part, project.judgments(part))
        else:
            lines = ranking_lines(saved, query)
        click.echo("\n".join(lines))
    return 0


def _save(
    path: Path, name: str | None, folder: Path | None, options: dict[str, Any], *, once: bool
) -> list[str]:
    """Save the baseline of a system on a suite, and return the lines to print.

    Raises:
        InputError: for missing targets.
        SystemFailedError: for errors, and for results that can't be located.
    """
    from tempfile import TemporaryDirectory

    from rankgate.gates.compare import unstable_queries
    from rankgate.project.baseline_set import add_gate, first_gate
    from rankgate.project.baselines import save_baseline
    from rankgate.project.configuration import SystemSource
    from rankgate.project.find import configuration_for
    from rankgate.project.needs import missing_needs, needs_error
    from rankgate.project.opening import open_corpus, opened
    from rankgate.project.settings import counts_tokens, read_rules, settings_of
    from rankgate.runs.store.run_folder import StoredRun
    from rankgate.suites.asked_suite import asked_suite
    from rankgate.suites.formats import load_suite
    from rankgate.wording import shortest

    configuration = configuration_for(path)
    suite, entry = asked_suite(load_suite(path)), configuration.entry(name)
    if folder is None and (missing := missing_needs(entry, configuration.root)):
        raise needs_error(entry, missing, "Set it up.")
    asking = asking_of(entry, options, None, "replace", configuration.root)
    settings = settings_of(entry, suite, asking, configuration.corpus_root)
    rules = read_rules(suite, settings)
    baselines = settings.baselines
    assert baselines is not None  # noqa: S101 - those of an entry
    corpus = open_corpus(suite, configuration.corpus_root)
    with ExitStack() as stack:
        aside = Path(stack.enter_context(TemporaryDirectory(prefix="rankgate-")))
        if folder is not None:
            system: System | Run = StoredRun.open(folder)
        else:
            system = stack.enter_context(opened(entry, configuration.root, suite, configuration.corpus_root))
        live = folder is None and entry.source is not SystemSource.RUN
        every: list[Tested] = []
        for number in range(2 if live and not once else 1):
            mine = replace(settings, max_errors=0, asking=replace(asking, folder=aside / str(number)))
            every.append(_measure(suite, system, corpus, rules, mine))
        tested = every[-1]
        runs = [*(one.run for one in every), *tested.repeats]
        unstable: frozenset[str] = frozenset()
        if len(runs) > 1:
            found = unstable_queries(tested.gating, runs, rules.metrics[0], rules.depth)
            unstable = frozenset(found)
        first = not baselines.saved()
        run, judgments = tested.run, tested.judgments
        tokens = counts_tokens(rules.metrics)
        file = save_baseline(baselines, run, judgments, corpus, rules.depth, unstable, tokens=tokens)
    lines = [f"baseline saved: {shortest(file.resolve())} ({many(len(suite.cases), 'query', 'queries')})"]
    lines += _unstable_lines(unstable, len(suite.cases))
    if first and (gate := first_gate(suite, rules.gates, tested)):
        lines.append(add_gate(suite, configuration, entry.name, gate))
    return lines


def _measure(
    suite: Suite, system: System | Run, corpus: Corpus | None, rules: Rules, settings: Settings
) -> Tested:
    """Run the queries of a suite and score them.

    Raises:
        InputError: for missing targets.
        SystemFailedError: for errors, and for results that can't be located.
    """
    from rankgate.flow import measure
    from rankgate.project.baselines import read_reference
    from rankgate.project.settings import counts_tokens
    from rankgate.project.suite_run import run_suite
    from rankgate.reports.problems import suite_problems, system_problems
    from rankgate.truth.resolve import plan, resolve

    # Scenarios and invariants are not part of a baseline.
    suite = replace(suite, scenarios=(), invariants=(), unlisted=settings.unlisted or suite.unlisted)
    truth = resolve(suite, corpus)
    asking = replace(settings.asking, tokens=counts_tokens(rules.metrics))
    answers = run_suite(suite, system, corpus, plan(suite, corpus), rules.depth, asking)
    reference = None
    if settings.baselines is not None:
        # Results that the former baseline could locate are no mapping problem.
        with suppress(RankgateError):
            reference = read_reference(settings.baselines, None, suite, corpus)
    tested = measure(suite, truth, truth.gone, answers, corpus, rules, settings, {None: reference})
    missing = any(one.counts for one in tested.missing)
    wrong = suite_problems(tested, ()) if missing else system_problems(tested, corpus, settings.max_errors)
    stops = list(islice(wrong, 1 if missing else None))
    if not stops:
        return tested
    where = suite.path or suite.name
    causes = ", ".join(one.cause for one in stops)
    errors = [case.id for case, bad in zip(suite.cases, tested.errored.tolist(), strict=True) if bad]
    if errors:
        causes += f" ({', '.join(errors[:_NAMED])}{'' if len(errors) <= _NAMED else ', …'})"
    fixes = [sentence for one in stops for sentence in one.sentences]
    fixes += [f"Run: {one.command}" for one in stops if one.command]
    said = "\n".join([f"{where}: the baseline was not saved: {causes}.", *fixes])
    if missing:
        raise InputError(Code.TARGETS_GONE(where, causes, "targets in the documents", "", said))
    raise SystemFailedError(Code.MISSING_ANSWERS(where, causes, "results of every query", "", said))


def _unstable_lines(unstable: Collection[str], total: int) -> list[str]:
    """Return how many queries are unstable, and what no longer protects."""
    if not unstable:
        return []
    verb = "is" if len(unstable) == 1 else "are"
    count = f"{len(unstable):,} of {many(total, 'query', 'queries')}"
    lines = [f"{count} {verb} unstable: they count in drop, not in lost and regressed"]
    if len(unstable) == total:
        lines.append("gates on lost and regressed queries protect no query")
    elif len(unstable) * _SHARE > total:
        stable = many(total - len(unstable), "query", "queries")
        lines.append(f"gates on lost and regressed queries protect the other {stable} only")
    return lines
