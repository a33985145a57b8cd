"""One case of a suite, asked as the test asks it: its query, its filters and as many hits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError, did_you_mean
from rankgate.model.search import Query
from rankgate.project.settings import RunOptions, counts_tokens, judging_rules, settings_of
from rankgate.suites.asked_suite import asked_suite
from rankgate.suites.suite_part import suite_part

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rankgate.corpora.corpus import Corpus
    from rankgate.gates.scored import Scored
    from rankgate.model import Case, Suite
    from rankgate.model.search import Ranking
    from rankgate.project.configuration import SystemEntry


@dataclass(frozen=True, slots=True)
class AskedCase:
    """A case, and how the test of a system asks it."""

    file: Path
    """The file of its suite."""
    suite: Suite
    """Its suite: what a system builds for it is built for all of it."""
    alone: Suite
    """The same with no other case: what is found and scored is that of this one."""
    case: Case
    """What is asked and expected."""
    query: Query
    """What the test asks."""
    metrics: tuple[str, ...]
    """What the test scores it by."""


def find_case(name: str, files: Sequence[Path]) -> tuple[Path, Suite, Case]:
    """Find a case by its id in the one of some suites that has it.

    Raises:
        InputError: where none has it, several have, or it is not asked any more.
    """
    from rankgate.suites.formats import load_suite

    suites = [(file, load_suite(file)) for file in files]
    found = [(file, suite, case) for file, suite in suites for case in suite.cases if case.id == name]
    if len(found) > 1:
        listed = ", ".join(str(file) for file, _, _ in found)
        raise InputError(
            Code.AMBIGUOUS("--case", f"{name!r} in {len(found)} suites", f"--suite with one of {listed}")
        )
    if not found:
        where = ", ".join(map(str, files))
        near = did_you_mean(name, (case.id for _, suite in suites for case in suite.cases), most=3)
        said = f"unknown case {name!r} in {where}"
        raise InputError(Code.UNKNOWN_CASE("--case", repr(name), f"the id of a case in {where}", near, said))
    file, suite, case = found[0]
    if case.retired:
        told = f"{name!r}, whose targets are all marked gone"
        raise InputError(Code.UNKNOWN_CASE("--case", told, "a case that the test asks"))
    return file, asked_suite(suite), case


def asked_case(name: str, files: Sequence[Path], system: SystemEntry, root: Path, k: int | None) -> AskedCase:
    """Return a case as the test of a system asks it.

    Args:
        name: The id of the case.
        files: The suites that may have it.
        system: What is asked.
        root: The folder that the corpus must be in.
        k: How many hits to ask for; by default as many as the test does.

    Raises:
        InputError: where there is no such case, or the suite does not say how it is asked.
    """
    file, suite, case = find_case(name, files)
    rules = judging_rules(suite, settings_of(system, suite, RunOptions(k=k), root))
    alone = suite_part(suite, [case])
    return AskedCase(file, suite, alone, case, Query(case.query, rules.depth, case.filters), rules.metrics)


def scored_answer(
    asked: AskedCase, system: SystemEntry, ranking: Ranking, corpus: Corpus | None
) -> tuple[Scored, list[str]]:
    """Place and score one answer as the test does, and return the map rules that matched nothing.

    No gate is judged of it.

    Raises:
        InputError: for a target that cannot be found.
    """
    from datetime import UTC, datetime

    from rankgate.gates.scored import score_run
    from rankgate.runs.asking.ask import AnswerRecord, packed_answers, with_tokens
    from rankgate.runs.store.tables import MemoryRun
    from rankgate.truth.locations.outline_below import OutlineTitles
    from rankgate.truth.locations.placing import Placer
    from rankgate.truth.locations.resolve import resolve

    suite = asked.alone
    placer = Placer(corpus, suite.map_rules, system.locate, count_tokens=counts_tokens(asked.metrics))
    # As the test does: the system may have returned more than it was asked for.
    counted, estimated = with_tokens(replace(ranking, hits=ranking.hits[: asked.query.k]))
    shard = packed_answers([AnswerRecord(asked.case.id, counted)], "full", placer.place)
    run = MemoryRun(system.name, (shard,), estimated=estimated)
    today, depth = datetime.now(UTC).date(), asked.query.k
    scored = score_run(suite, resolve(suite, corpus), run, asked.metrics, today, depth=depth)
    unused = [rule.pattern for rule in placer.unused_rules]
    return replace(scored, titles=OutlineTitles(corpus)), unused
