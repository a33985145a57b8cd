"""Answers that somebody named, a run, a baseline or the latest test of a system, compared with each other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError
from rankgate.gates.compare import Reference, as_today, match_cases
from rankgate.gates.language import parse_gates
from rankgate.project.baselines import STATES
from rankgate.project.kept_answers import at_one_depth, run_facts
from rankgate.project.settings import DEPTH
from rankgate.reports.compare import ComparedRuns
from rankgate.runs.store.run_folder import StoredRun
from rankgate.scoring.comparison import compare
from rankgate.scoring.expressions import parse, parse_all
from rankgate.scoring.repeats import score_all
from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.model import Suite
    from rankgate.project.kept_answers import EqualDepths
    from rankgate.runs.store.tables import Run
    from rankgate.scoring.comparison import Comparison
    from rankgate.truth.judgments.table import Judgments

_RENEW = "test again, and set the baseline again"
LATENCY = "latency"
"""What is compared as well, of systems that were asked in turn."""


@dataclass(frozen=True, slots=True)
class NamedAnswers:
    """Answers that somebody named."""

    name: str
    """What people call them."""
    run: Run
    baseline: Reference | None = None
    """The baseline that they are, where they are one."""
    in_turn: bool = False
    """True where all that are compared were asked in turn, so that their latencies can be compared."""
    depth: int | None = None
    """How many hits were asked for, where the answers do not say so themselves."""
    asked: frozenset[str] | None = None
    """The cases that were asked as they are today; None where all were."""
    repeats: tuple[Run, ...] = ()
    """The answers to the same, asked again: a query's value is its mean over all of them."""

    def has(self, case: str) -> bool:
        """Check whether a case was asked as it is today."""
        return self.asked is None or case in self.asked

    @property
    def k(self) -> int | None:
        """How many hits of each query were asked for; None where nobody knows."""
        if self.baseline is not None:
            return self.baseline.depth
        return self.run.manifest.k if isinstance(self.run, StoredRun) else self.depth

    @property
    def facts(self) -> str:
        """What the answers say of themselves: when they were given, by which version, over which corpus."""
        if self.baseline is not None:
            return f"k {self.baseline.depth}"
        return run_facts(self.run.manifest) if isinstance(self.run, StoredRun) else ""


def compared_metrics(suite: Suite) -> tuple[str, ...]:
    """Return what answers to a suite are compared by: its metrics, then those that its gates look at.

    Of the latter only what every run can be scored by: tokens and latencies are not kept by all.

    Raises:
        InputError: for metrics or gates that cannot be read.
    """
    own = {metric.at_depth(suite.k or DEPTH).label for metric in parse_all(suite.metrics)}
    gates = (gate.metric for gate in parse_gates(suite.gates, suite.metrics) if gate.metric)
    more = {
        metric: None
        for metric, read in ((each, parse(each)) for each in gates)
        if not read.reads and read.at_depth(suite.k or DEPTH).label not in own
    }
    return (*suite.metrics, *more)


def compared_answers(
    suite: Suite,
    judgments: Judgments,
    base: NamedAnswers,
    others: Sequence[NamedAnswers],
    metrics: Sequence[str],
) -> list[ComparedRuns]:
    """Compare each of some answers with a base.

    Raises:
        InputError: where answers are to another suite or another corpus, with what differs.
    """
    _check_alike(judgments, (base, *others))
    if all(one.in_turn for one in (base, *others)):
        metrics = [*metrics, LATENCY]
    found = []
    for named in others:
        comparison, pair = compared_pair(suite, judgments, (base, named), metrics)
        notes = (*pair.notes, *_notes(base, named))
        found.append(ComparedRuns((base.name, named.name), comparison, pair.runs, notes))
    return found


def _check_alike(judgments: Judgments, answers: Sequence[NamedAnswers]) -> None:
    """Check that all answer what is asked today."""
    problems = [
        Code.OTHER_ANSWERS(named.name, what, "answers to the same questions over the same documents", _RENEW)
        for named in answers
        for what in _different(judgments, named)
    ]
    if problems:
        raise InputError(problems)


def compared_pair(
    suite: Suite,
    judgments: Judgments,
    both: tuple[NamedAnswers, NamedAnswers],
    metrics: Sequence[str],
) -> tuple[Comparison, EqualDepths]:
    """Compare two answers at one depth, by the queries that both were asked as they are today.

    Raises:
        InputError: where they are to another suite or another corpus, with what differs.
    """
    _check_alike(judgments, both)
    base, named = (_as_asked_today(suite, one) for one in both)
    asked = [case.id for case in suite.cases if base.has(case.id) and named.has(case.id)]
    pair = at_one_depth((base.name, base.run, base.k), (named.name, named.run, named.k))
    again = pair.of(base.repeats), pair.of(named.repeats)
    before, after = (
        score_all(judgments, (run, *more), metrics, pair.depth)
        for run, more in zip(pair.runs, again, strict=True)
    )
    both_runs = (pair.runs[0], before), (pair.runs[1], after)
    left_out = _left_out_today(suite, named) | _left_out_today(suite, base)
    return compare(judgments, *both_runs, asked, again, left_out), pair


def _as_asked_today(suite: Suite, named: NamedAnswers) -> NamedAnswers:
    """Return the answers of a baseline under the names of today's cases."""
    if named.baseline is None:
        return named
    found, _ = match_cases(suite, named.baseline.asked)
    return replace(named, run=as_today(named.run, found, None), asked=frozenset(found))


def _left_out_today(suite: Suite, named: NamedAnswers) -> frozenset[str]:
    """Return the cases whose relevant results in a baseline can't be located."""
    if named.baseline is None:
        return frozenset()
    found, _ = match_cases(suite, named.baseline.asked)
    return frozenset(name for name, query in found.items() if query in named.baseline.unlocated)


def _different(judgments: Judgments, named: NamedAnswers) -> list[str]:
    if named.baseline is not None or not isinstance(named.run, StoredRun):
        return []
    return [] if named.run.manifest.corpus == judgments.corpus else ["answers over other documents"]


def _notes(*both: NamedAnswers) -> list[str]:
    if all(one.in_turn for one in both):
        return []
    kept = [one for one in both if one.baseline is not None or isinstance(one.run, StoredRun)]
    unknown = [f"{one.name}: {note}" for one in kept for note in getattr(one.run, "notes", ())]
    files = [one.name for one in both if one.baseline is None and not isinstance(one.run, StoredRun)]
    said = [f"{name} has no record of its suite and corpus, so they were not checked" for name in files]
    facts = [
        f"{one.name}: {len(one.repeats) + 1} repeats; the value of a query is their mean"
        for one in both
        if one.repeats
    ]
    facts += [f"{one.name}: {one.facts}" for one in both if one.facts]
    facts += [note for one in both for note in _located_notes(one)]
    return [*unknown, *said, *facts, "latencies are not compared: --ask runs the systems now, interleaved"]


def _located_notes(named: NamedAnswers) -> Iterator[str]:
    """Return what became of the locations of a baseline."""
    located, name = named.baseline, named.name
    if located is None:
        return
    yield from located.notes
    if located.states.keys() - {"same"}:
        states = (f"{count:,} {state}" for state in STATES if (count := located.states.get(state)))
        yield f"the documents changed since {name} was set; its locations: {', '.join(states)}"
    if located.unlocated:
        queries = many(len(located.unlocated), "query", "queries")
        yield f"{queries} left out, whose relevant results in {name} can't be located"
