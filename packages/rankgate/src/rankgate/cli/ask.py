"""``rankgate ask``: one query, and everything that happens to its answer."""

from __future__ import annotations

import json
from pathlib import Path  # noqa: TC003 - click reads it
from typing import TYPE_CHECKING

import click

from rankgate.cli.options import PATH, echo_names
from rankgate.errors import InputError, Problem, SystemFailedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.evaluation.configuration import Configuration
    from rankgate.model import Suite
    from rankgate.truth.locations.locate import PlacedHit


@click.command()
@click.argument("system")
@click.argument("query")
@click.option("--k", default=10, show_default=True, type=click.IntRange(min=1), help="How many hits to want.")
@click.option("--suite", "-S", type=PATH, help="Find places as this suite would.")
@click.option("--save-case", is_flag=True, help="Append the query to the suite, its first hit unreviewed.")
def ask(system: str, query: str, k: int, suite: Path | None, save_case: bool) -> int:
    """Ask a system one query: the request, the raw answer, the hits, and where they are.

    \b
    rankgate ask app "rotate an API key"
    rankgate ask ./search.py:search "rotate an API key" --save-case
    """  # noqa: D301 - click wants the character itself
    from rankgate.evaluation.configuration import configuration_for
    from rankgate.evaluation.indexing import have_index
    from rankgate.evaluation.project.opening import open_corpus, opened
    from rankgate.model import ExitCode, Query, System
    from rankgate.model.systems import exchange_with, shortfall_of
    from rankgate.reports.answers import exchange_text
    from rankgate.runs.asking.progress import TerminalProgress
    from rankgate.suites.formats import load_suite
    from rankgate.truth.locations.placing import Placer

    configuration = configuration_for(suite)
    file = suite or _default_suite(configuration)
    loaded = load_suite(file) if file else None
    corpus = open_corpus(loaded, None) if loaded else None
    entry = configuration.entry(system)
    placer = Placer(corpus, loaded.map_rules if loaded else (), entry.locate)
    with opened(entry, configuration.root, loaded) as asked:
        if not isinstance(asked, System):
            raise InputError(Problem(system, "a run that was made before", "a system that can be asked"))
        notes = have_index(asked, corpus, entry.chunks, TerminalProgress(), suite=loaded).notes
        notes = (*notes, *shortfall_of(asked, k))
        found = exchange_with(asked, Query(query, k))
    hits = placer.place_hits(found.ranking.hits)
    unused = [rule.pattern for rule in placer.unused_rules]
    click.echo(exchange_text(found, hits, unused, notes), nl=False)
    if found.error:
        return int(ExitCode.SYSTEM_FAILED)
    if save_case:
        _save(file, loaded, query, hits)
    return 0


def _default_suite(configuration: Configuration) -> Path | None:
    """Take the configured suite, where there is just one."""
    files = configuration.suite_files
    return files[0] if len(files) == 1 and files[0].is_file() else None


def _save(file: Path | None, suite: Suite | None, query: str, hits: Sequence[PlacedHit]) -> None:
    from rankgate.runs.store.hits import location_text
    from rankgate.suites.editing.revision import append_case

    if file is None or suite is None:
        raise InputError(Problem("--save-case", "no suite to append to", "--suite FILE"))
    if not hits:
        raise SystemFailedError(Problem("--save-case", "no hit", "a hit to propose as the target"))
    first = hits[0]
    location = location_text(None, first.path, first.start, first.end)
    target = {"at": location} if location and suite.corpus else {"id": first.id or location}
    append_case(file, {"query": query, **target, "reviewed": False, "source": "engine"})
    echo_names(f"\nappended to {file}, unreviewed: {json.dumps(query)} -> {next(iter(target.values()))}")
