"""Hard checks: what must be among the first hits, what must not appear, and what must find nothing.

A query that the system failed to answer is an error, which is counted elsewhere: its checks are not run.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

import polars as pl

from rankgate.model import Answer
from rankgate.model.wording import many
from rankgate.scoring.placements import placements
from rankgate.truth.judgments.table import CASES, TARGETS, Judgments

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.model import Case, Matching, Relation, Suite, Top
    from rankgate.runs.store.tables import Run
    from rankgate.scoring.scores import Scores
    from rankgate.truth.locations.resolve import ResolvedTop


class CheckResult(StrEnum):
    """How a check ended."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not run"
    GONE = "target gone"
    """What it is about is gone from the documents, so that it can neither hold nor fail."""


_WORSE = (CheckResult.GONE, CheckResult.PASSED, CheckResult.NOT_RUN, CheckResult.FAILED)
"""Of several times that a query was asked, the worst counts."""


@dataclass(frozen=True, slots=True)
class Check:
    """One hard check of one case."""

    case: str
    """The case's id."""
    expected: str
    """What must hold, in words."""
    result: CheckResult
    """Whether it does."""
    found: str
    """What was found, in words."""

    def __str__(self) -> str:
        return f"expected {self.expected}, {self.found}"


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """How one scenario ended."""

    name: str
    """The scenario's name."""
    result: CheckResult
    """Whether it succeeded; not run where the system failed, and nothing else fell short."""
    reasons: tuple[str, ...] = ()
    """What fell short, in words, in the order of the steps."""
    calls: int = 0
    """How many calls were made to the system."""
    tokens: int = 0
    """What reading all its answers costs, estimated."""
    where: str = ""
    """The file, line and column it was written at."""


@dataclass(frozen=True, slots=True)
class InvariantResult:
    """How one invariant ended."""

    name: str
    """The invariant's name."""
    relation: Relation
    """What must hold."""
    result: CheckResult
    """Whether it does."""
    reasons: tuple[str, ...] = ()
    """Why it does not, in words."""
    where: str = ""
    """The file, line and column it was written at."""


@dataclass(frozen=True, slots=True)
class Checks:
    """Every check of a suite, in the order of its cases, its scenarios and its invariants."""

    results: tuple[Check, ...] = ()
    """One for each `top` and `never`, and one for each `expect: empty`."""
    scenarios: tuple[ScenarioResult, ...] = ()
    """One for each scenario."""
    invariants: tuple[InvariantResult, ...] = ()
    """One for each invariant."""
    probes: int = 0
    """How often the system was asked for scenarios and invariants: searches and steps."""
    probes_errored: int = 0
    """How many of these it failed on."""

    def with_probes(self, probed: Checks) -> Checks:
        """Put the scenarios and invariants of others beside these checks."""
        return replace(probed, results=self.results)

    def failed(self) -> dict[str, tuple[Check, ...]]:
        """Return the checks that failed, by case."""
        failed: dict[str, tuple[Check, ...]] = {}
        for check in self.results:
            if check.result is CheckResult.FAILED:
                failed[check.case] = (*failed.get(check.case, ()), check)
        return failed


def run_checks(
    suite: Suite,
    tops: Mapping[str, Sequence[ResolvedTop]],
    run: Run,
    scores: Scores,
    gone: Mapping[str, Sequence[Top]] | None = None,
) -> Checks:
    """Check what must be at the top or must not appear, as scores match hits, and what must find nothing.

    A check whose location is gone, as `gone` has them by case, is none that holds or fails.
    """
    gone = gone or {}
    status = dict(zip(scores.queries.to_list(), scores.status.to_list(), strict=True))
    checked = [case for case in suite.cases if tops.get(case.id) or gone.get(case.id) or case.expect_empty]
    ranks = first_ranks(suite.matching, tops, run)
    empty = {case.id for case in checked if case.expect_empty}
    returned = _returned(run, empty) if empty else {}
    results: list[Check] = []
    for case in checked:
        answer = Answer(status.get(case.id, Answer.MISSING))
        if case.expect_empty:
            results.append(_empty(case, answer, returned.get(case.id, 0)))
        for number, top in enumerate(tops.get(case.id, ())):
            rank = ranks.get((case.id, number))
            if top.top.never:
                results.append(_never(case, answer, top.top, rank, scores.depth))
            else:
                results.append(_top(case, answer, top.top, rank))
        results += [_gone(case, top, scores.depth) for top in gone.get(case.id, ())]
    return Checks(tuple(results))


def in_every_repeat(checked: Sequence[Checks]) -> Checks:
    """Return the checks of a run and its repeats: what is hard must hold every time."""
    first, *again = checked
    results = list(first.results)
    for number, other in enumerate(again, 2):
        for at, check in enumerate(other.results):
            if _WORSE.index(check.result) > _WORSE.index(results[at].result):
                results[at] = replace(check, found=f"{check.found} in repeat {number}")
    return replace(first, results=tuple(results))


def first_ranks(
    matching: Matching, tops: Mapping[str, Sequence[ResolvedTop]], run: Run
) -> dict[tuple[str, int], int | None]:
    """Return the rank of the first hit on each location, by query and number, as scores match hits."""
    judgments = as_targets(matching, tops)
    if judgments.targets.is_empty():
        return {}
    return {(query, number): rank for query, number, rank in placements(judgments, run).iter_rows()}


_PLACE = ("id", "path", "start", "end", "start_char", "end_char")


def as_targets(matching: Matching, tops: Mapping[str, Sequence[ResolvedTop]]) -> Judgments:
    """Make targets of locations, so that they are reached as targets are."""
    rows = [
        (query, number, *(getattr(place, name) for name in _PLACE))
        for query, some in tops.items()
        for number, top in enumerate(some)
        # The copies of a quote have its number: the first that is reached counts.
        for place in (top, *top.copies)
    ]
    names = ["query", "target", *_PLACE]
    kinds = {name: pl.Int64() if kind.is_integer() else kind for name, kind in TARGETS.types.items()}
    frame = pl.DataFrame(rows, schema={name: kinds[name] for name in names}, orient="row")
    # `Judgments.of` would merge two checks of one location, which may differ in how many hits count.
    return Judgments(
        targets=TARGETS.conform(frame, "top"),
        cases=CASES.conform(frame.select("query").unique(maintain_order=True), "top"),
        matching=matching,
    )


def _returned(run: Run, wanted: set[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for shard in run.shards():
        rows = shard.queries.select("query", "hits").filter(pl.col("query").is_in(list(wanted)))
        counts.update(rows.iter_rows())
    return counts


def _unanswered(answer: Answer) -> tuple[CheckResult, str] | None:
    if answer is Answer.MISSING:
        return CheckResult.FAILED, "but the run does not have the query"
    if answer in (Answer.ERROR, Answer.TIMEOUT):
        return CheckResult.NOT_RUN, "but the system did not answer"
    return None


def _empty(case: Case, answer: Answer, hits: int) -> Check:
    result = CheckResult.FAILED if hits else CheckResult.PASSED
    found = f"got {many(hits, 'hit')}" if hits else "got none"
    return Check(case.id, "no hits", *(_unanswered(answer) or (result, found)))


def _gone(case: Case, top: Top, depth: int | None) -> Check:
    expected = _never_words(top, depth) if top.never else _top_words(top)
    return Check(case.id, expected, CheckResult.GONE, "but it is gone from the documents")


def _never_words(top: Top, depth: int | None) -> str:
    return f"{top.location} never" + ("" if depth is None else f" in the top {depth}")


def _top_words(top: Top) -> str:
    return f"{top.location} first" if top.within == 1 else f"{top.location} in the top {top.within}"


def _never(case: Case, answer: Answer, top: Top, rank: int | None, depth: int | None) -> Check:
    """Check that a location is not among the hits asked for; a system may return more of its own accord."""
    there = rank is not None and (depth is None or rank <= depth)
    result = CheckResult.FAILED if there else CheckResult.PASSED
    found = f"found at rank {rank}" if there else "not found"
    return Check(case.id, _never_words(top, depth), *(_unanswered(answer) or (result, found)))


def _top(case: Case, answer: Answer, top: Top, rank: int | None) -> Check:
    expected = _top_words(top)
    if rank is None:
        return Check(case.id, expected, *(_unanswered(answer) or (CheckResult.FAILED, "not found")))
    result = CheckResult.PASSED if rank <= top.within else CheckResult.FAILED
    return Check(case.id, expected, result, f"found at rank {rank}")
