"""``rankgate run``: ask a system every query of a suite, keep the answers; ``rankgate runs``: join them."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankgate.cli.options import (
    PATH,
    asking_of,
    asking_options,
    exit_codes,
    output_folder_option,
    system_option,
)
from rankgate.errors import Code, ExitCode, InputError

if TYPE_CHECKING:
    from rankgate.project.suite_run import SuiteRun


@click.command()
@click.argument("suite", type=PATH)
@system_option
@output_folder_option
@click.option(
    "--shard", metavar="I/N", help="Ask only the I-th of N parts; `rankgate runs merge` joins them."
)
@click.option("--replace", is_flag=True, help="Write over a run that is in the folder.")
@asking_options
@click.option("--resume", is_flag=True, help="Run the queries that the last run did not complete.")
@exit_codes(ExitCode.WRONG_CALL, ExitCode.SYSTEM_FAILED, passed="answered")
def run(
    suite: Path,
    system: str | None,
    folder: Path,
    shard: str | None,
    replace: bool,
    **options: Any,
) -> int:
    """Ask a system every query of a suite, and keep the answers for `score` or `test`.

    \b
    rankgate run search.yaml --system app -o runs/app --concurrency 16
    rankgate run search.yaml --system app -o part-2 --shard 2/4

    What is stored is safe: a run that was killed goes on with --resume and asks what is missing and what
    failed, where questions, corpus and system are the same. A complete one is asked again.
    """
    from rankgate.project.find import configuration_for
    from rankgate.project.opening import askable, open_corpus, opened
    from rankgate.project.settings import counts_tokens, read_rules, settings_of
    from rankgate.project.suite_run import run_suite
    from rankgate.runs.parts import Part
    from rankgate.suites.asked_suite import asked_suite
    from rankgate.suites.formats import load_suite
    from rankgate.truth.resolve import plan

    if replace and options["resume"]:
        raise InputError(Code.CONFLICT("--replace", "--resume too", "one of the two"))
    configuration = configuration_for(suite)
    loaded, entry = asked_suite(load_suite(suite)), configuration.entry(system)
    asking = asking_of(entry, options, folder, "replace" if replace else "refuse", configuration.root)
    if shard is not None:
        asking = dataclasses.replace(asking, part=Part.parse(shard))
    with opened(entry, configuration.root, loaded, configuration.corpus_root) as made:
        asked = askable(made, entry.name)
        rules = read_rules(loaded, settings_of(entry, loaded, asking, configuration.corpus_root))
        corpus = open_corpus(loaded, configuration.corpus_root)
        asking = dataclasses.replace(asking, tokens=counts_tokens(rules.metrics))
        answered = run_suite(loaded, asked, corpus, plan(loaded, corpus), rules.depth, asking)
    return _told(answered, folder, configuration.max_errors)


def _told(answered: SuiteRun, folder: Path, max_errors: int) -> int:
    """Print what came of a run, and return the exit code."""
    from rankgate.reports.answers import run_summary
    from rankgate.runs.store.hits import error_texts
    from rankgate.wording import many

    failed = answered.probed.failed
    probes = (f"{many(failed, 'probe')} of scenarios and invariants failed",) if failed else ()
    again = [set(error_texts(one)) for one in answered.repeats]
    repeats = [f"{len(names)} failed in repeat {number}" for number, names in enumerate(again, 2) if names]
    told = run_summary(answered.run, str(folder), (*answered.notes, *probes, *repeats))
    click.echo(told.text, nl=False)
    # A query that failed in one repeat has failed.
    errored = set(error_texts(answered.run)).union(*again)
    too_many = len(errored) + failed > max_errors
    return int(ExitCode.SYSTEM_FAILED if too_many else ExitCode.PASSED)


@click.group()
def runs() -> None:
    """Work with runs that were made."""


@runs.command()
@click.argument("folders", nargs=-1, required=True, metavar="RUN...", type=PATH)
@output_folder_option
def merge(folders: tuple[Path, ...], folder: Path) -> int:
    """Join the parts that `rankgate run --shard` made into one run.

    \b
    rankgate runs merge part-1 part-2 part-3 part-4 -o whole
    """
    from rankgate.reports.answers import run_summary
    from rankgate.runs.parts import merge as join

    click.echo(run_summary(join(folders, folder), str(folder)).text, nl=False)
    return 0
