"""``rankgate query``: one query, and everything that happens to its answer."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankgate.cli.options import PATH, announced, echo_names
from rankgate.errors import Code, ExitCode, InputError, SystemFailedError
from rankgate.project.find import configuration_for

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rankgate.corpora.corpus import Corpus
    from rankgate.model import Query, Suite, System
    from rankgate.plugins import Exchange
    from rankgate.project.configuration import Configuration, SystemEntry
    from rankgate.truth.locate import PlacedHit


@click.command()
@click.argument("system")
@click.argument("query", required=False)
@click.option(
    "--case", "-c", metavar="ID", help="Ask what the test asks of this case, and show what is expected."
)
@click.option(
    "--k", type=click.IntRange(min=1), help="How many hits to want. Default: 10, or as the test of the case."
)
@click.option(
    "--suite",
    "-S",
    type=PATH,
    callback=announced,
    help="The suite that has the case, or whose locations are meant.",
)
@click.option("--raw", is_flag=True, help="Show the request and all of the answer, as it came.")
@click.option(
    "--explain",
    is_flag=True,
    help="With --case: missing targets, targets that are not indexed, and duplicates.",
)
@click.option("--save-case", is_flag=True, help="Append the query to the suite, its first hit as a proposal.")
def query(
    system: str,
    query: str | None,
    case: str | None,
    k: int | None,
    suite: Path | None,
    raw: bool,
    explain: bool,
    save_case: bool,
) -> int:
    """Ask a system one query: the request, the raw answer, the hits, and where they are.

    With --case it asks exactly what the test asked: the query, filters and number of hits of that case.

    \b
    rankgate query app "rotate an API key"
    rankgate query app --case rotate-an-api-key --explain
    rankgate query ./search.py:search "rotate an API key" --save-case
    """
    configuration = configuration_for(suite)
    if (query is None) == (case is None):
        found = "neither a query nor --case" if query is None else "a query and --case"
        raise InputError(
            Code.MISSING_OPTION("rankgate query", found, 'one of the two: "a query", or --case ID')
        )
    if case is not None:
        if save_case:
            raise InputError(Code.CONFLICT("--save-case", "--case", "a query of no case"))
        return _ask_case(system, case, k, suite, configuration, raw=raw, explain=explain)
    if explain:
        raise InputError(
            Code.MISSING_OPTION("--explain", "a query of no case", "--case ID, whose targets are explained")
        )
    return _ask_query(system, query or "", k or 10, suite, configuration, raw=raw, save_case=save_case)


def _ask_query(
    system: str,
    query: str,
    k: int,
    suite: Path | None,
    configuration: Configuration,
    *,
    raw: bool,
    save_case: bool,
) -> int:
    from rankgate.model import Query
    from rankgate.project.opening import open_corpus
    from rankgate.reports.answers import exchange_text
    from rankgate.suites.formats import load_suite, suites_in
    from rankgate.truth.locate import Placer
    from rankgate.truth.outline_below import OutlineTitles
    from rankgate.truth.urls import judged_names

    file = suite or _default_suite(configuration)
    loaded = load_suite(file) if file else None
    corpus = open_corpus(loaded, None) if loaded else None
    entry = configuration.entry(system)
    rules, names = (loaded.map_rules, judged_names(loaded)) if loaded else ((), None)
    placer = Placer(corpus, rules, entry.locate, names=names)
    found, notes = _exchange(entry, Query(query, k), configuration, loaded, corpus)
    hits = placer.place_hits(found.ranking.hits)
    unused = [rule.pattern for rule in placer.unused_rules]
    opens = "" if file else "".join(f"-S {shlex.quote(name)}" for name in suites_in(Path.cwd())[:1])
    titles = OutlineTitles(corpus)
    click.echo(exchange_text(found, hits, unused, notes, titles, raw=raw, opens=opens), nl=False)
    if found.error:
        return int(ExitCode.SYSTEM_FAILED)
    if save_case:
        _save(file, loaded, query, hits, corpus)
    return 0


def _ask_case(
    system: str,
    name: str,
    k: int | None,
    suite: Path | None,
    configuration: Configuration,
    *,
    raw: bool,
    explain: bool,
) -> int:
    from rankgate.cli.one_case import case_query, index_facts, score_answer, text_facts
    from rankgate.project.opening import open_corpus
    from rankgate.reports.answers import case_text

    files = configuration.chosen_suites([suite] if suite else [])
    entry = configuration.entry(system)
    one = case_query(name, files, entry, configuration.corpus_root, k)
    corpus = open_corpus(one.suite, configuration.corpus_root)
    facts: list[str] = []

    def also(opened: System) -> None:
        facts.extend(index_facts(one, opened, entry, corpus))

    after = also if explain else None
    found, _ = _exchange(entry, one.query, configuration, one.suite, corpus, after)
    case, unused = score_answer(one, entry, found.ranking, corpus)
    named = ([] if suite is None else ["--suite", str(suite)]) + ([] if k is None else ["--k", str(k)])
    again = shlex.join(["rankgate", "query", system, *named, "--case", name]) if name.isprintable() else ""
    click.echo(case_text(case, found, entry.name, one.query.k, unused, again, raw=raw), nl=False)
    if explain and not found.error:
        facts = [*text_facts(one, case, corpus), *facts]
        echo_names(
            "\n".join(["", *(facts or ["no missing target, no target that is not indexed, no duplicate"])])
        )
    return int(ExitCode.SYSTEM_FAILED) if found.error else 0


def _exchange(
    entry: SystemEntry,
    query: Query,
    configuration: Configuration,
    suite: Suite | None,
    corpus: Corpus | None,
    after: Callable[[System], None] | None = None,
) -> tuple[Exchange, tuple[str, ...]]:
    """Ask one query, and return what is known about the system; `after` is called while it is open."""
    from rankgate.plugins import exchange_with, shortfall_of
    from rankgate.project.indexing import have_index
    from rankgate.project.opening import askable, opened
    from rankgate.runs.asking.progress import TerminalProgress

    with opened(entry, configuration.root, suite, configuration.corpus_root) as made:
        asked = askable(made, entry.name)
        notes = have_index(asked, corpus, entry.chunks, TerminalProgress(), suite=suite).notes
        found = exchange_with(asked, query)
        if after is not None and found.error is None:
            after(asked)
        return found, (*notes, *shortfall_of(asked, query.k))


def _default_suite(configuration: Configuration) -> Path | None:
    """Take the configured suite, where there is just one."""
    files = configuration.suite_files
    return files[0] if len(files) == 1 and files[0].is_file() else None


def _save(
    file: Path | None, suite: Suite | None, query: str, hits: Sequence[PlacedHit], corpus: Corpus | None
) -> None:
    from rankgate.locations import Lines
    from rankgate.model import PROPOSED
    from rankgate.runs.store.hits import location_text
    from rankgate.suites.edit import append_case
    from rankgate.truth.lookup import Lookup
    from rankgate.truth.outline_below import location_around

    if file is None or suite is None:
        raise InputError(Code.MISSING_OPTION("--save-case", "no suite to append to", "--suite FILE"))
    if not hits:
        raise SystemFailedError(Code.NO_ANSWERS("--save-case", "no hit", "a hit to propose as the target"))
    first = hits[0]
    location = location_text(None, first.path, first.start, first.end)
    path, start, end = first.path, first.start, first.end
    if corpus is not None and path is not None and path in corpus and start and end:
        # A heading stays where it is when lines above it come and go.
        named = location_around(Lookup(corpus), path, Lines(start, end))
        location = location if named is None else str(named)
    target = {"at": location} if location and suite.corpus else {"id": first.id or location}
    append_case(file, {"query": query, **target, "source": PROPOSED})
    echo_names(f"\nappended to {file} as a proposal: {json.dumps(query)} -> {next(iter(target.values()))}")
