"""One case of a suite, run as the test runs it, and the facts that explain its result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rankgate.corpora.corpus import Corpus
from rankgate.errors import Code, InputError, did_you_mean
from rankgate.flow import measure
from rankgate.gates.decide import Tested
from rankgate.model import Case, Query, Ranking, Suite, System
from rankgate.project.configuration import SystemEntry
from rankgate.project.settings import Rules, RunOptions, Settings, counts_tokens, read_rules, settings_of
from rankgate.report import CaseResult
from rankgate.truth.lookup import CorpusReader
from rankgate.truth.resolve import resolve
from rankgate.truth.target_texts import same_text, target_text

DEEP = 100
"""The number of results that are requested for the text of a target."""
LONGEST = 300
"""The number of characters of a target's text that are sent as a query."""


@dataclass(frozen=True, slots=True)
class CaseQuery:
    """A case, and how the test of a system runs it."""

    suite: Suite
    alone: Suite
    """The suite with this case only."""
    case: Case
    query: Query
    rules: Rules


def case_query(name: str, files: Sequence[Path], system: SystemEntry, root: Path, k: int | None) -> CaseQuery:
    """Return a case as the test of a system runs it.

    Raises:
        InputError: if no suite has the case, or its suite is invalid.
    """
    from rankgate.suites.suite_part import suite_part

    _, suite, case = find_case(name, files)
    rules = read_rules(suite, settings_of(system, suite, RunOptions(k=k), root))
    return CaseQuery(
        suite, suite_part(suite, [case]), case, Query(case.query, rules.depth, case.filters), rules
    )


def find_case(name: str, files: Sequence[Path]) -> tuple[Path, Suite, Case]:
    """Find a case by its id in the one of some suites that has it.

    Raises:
        InputError: where none has it, several have, or it is not asked any more.
    """
    from rankgate.suites.asked_suite import asked_suite
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
    return file, asked_suite(suite), case


def score_answer(
    one: CaseQuery, system: SystemEntry, ranking: Ranking, corpus: Corpus | None
) -> tuple[CaseResult, list[str]]:
    """Locate and score the results of a case as the test does; also name the map rules that matched nothing.

    Raises:
        InputError: for a target that is invalid.
    """
    from rankgate.cases import case_results

    tested, unused = measure_answer(one, system, ranking, corpus)
    (case,) = case_results(tested, ())
    return case, unused


def measure_answer(
    one: CaseQuery, system: SystemEntry, ranking: Ranking, corpus: Corpus | None
) -> tuple[Tested, list[str]]:
    """Locate and score the results of a case as the test does; also name the map rules that matched nothing.

    Raises:
        InputError: for a target that is invalid.
    """
    from rankgate.project.suite_run import SuiteRun
    from rankgate.runs.asking.ask import AnswerRecord, packed_answers, with_tokens
    from rankgate.runs.store.tables import MemoryRun
    from rankgate.truth.locate import Placer
    from rankgate.truth.urls import judged_names

    suite = one.alone
    names, counting = judged_names(suite), counts_tokens(one.rules.metrics)
    placer = Placer(corpus, suite.map_rules, system.locate, count_tokens=counting, names=names)
    # The system may return more results than requested.
    counted, estimated = with_tokens(replace(ranking, hits=ranking.hits[: one.query.k]))
    shard = packed_answers([AnswerRecord(one.case.id, counted)], "full", placer.place)
    run = MemoryRun(system.name, (shard,), estimated=estimated)
    truth = resolve(suite, corpus)
    rules = replace(one.rules, gates=())
    tested = measure(suite, truth, truth.gone, SuiteRun(run), corpus, rules, Settings(), {})
    return tested, [rule.pattern for rule in placer.unused_rules]


def own_text(reader: CorpusReader, row: Mapping[str, Any]) -> str:
    """Return the first words of the text of a target; an empty string if it has none."""
    text = " ".join((target_text(reader, row) or "").split())
    return text if len(text) <= LONGEST else text[:LONGEST].rpartition(" ")[0] or text[:LONGEST]


def index_facts(one: CaseQuery, system: System, entry: SystemEntry, corpus: Corpus | None) -> list[str]:
    """Run the text of each relevant target as a query, and name the targets that are not returned for it."""
    from rankgate.plugins import exchange_with

    reader = CorpusReader(corpus)
    facts = []
    for at, row in enumerate(_relevant(one, corpus)):
        text = own_text(reader, row)
        if not text:
            continue
        query = Query(text, DEEP)
        found = exchange_with(system, query)
        if found.error is not None:
            return [f"not checked whether the targets are indexed: {found.error}"]
        case, _ = score_answer(replace(one, query=query), entry, found.ranking, corpus)
        target = [target for target in case.targets if target.grade > 0][at]
        if target.rank is None:
            facts.append(
                f"not indexed: {target.location} is not among the first {DEEP} results for its own text"
            )
    return facts


def text_facts(one: CaseQuery, case: CaseResult, corpus: Corpus | None) -> Iterator[str]:
    """Name the missing targets, and the results above a target that have the same text."""
    yield from (
        f"missing target: {target.location}: {target.missing}" for target in case.targets if target.missing
    )
    reader = CorpusReader(corpus)
    targets = [target for target in case.targets if target.grade > 0]
    for target, row in zip(targets, _relevant(one, corpus), strict=True):
        for hit in case.hits[: target.rank - 1 if target.rank else None]:
            if same_text(reader, row, _place(hit.location)):
                yield f"duplicate: {hit.location} at rank {hit.rank} has the text of {target.location}"


def _place(location: str) -> dict[str, Any]:
    """Return a location of a report as a row of hits has it."""
    path, _, lines = location.rpartition(":")
    start, _, end = lines.partition("-")
    if not path or not start.isdigit():
        return {"id": location, "path": location, "start": None, "end": None}
    return {"id": None, "path": path, "start": int(start), "end": int(end or start)}


def _relevant(one: CaseQuery, corpus: Corpus | None) -> list[dict[str, Any]]:
    targets = resolve(one.alone, corpus).judgments.targets
    return [row for row in targets.to_dicts() if row["grade"] > 0]
