"""Checks of cases: `top`, `never` and `expect`; and the result of a scenario or an invariant."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import polars as pl

from rankgate.model import Answer
from rankgate.runs.store.hits import read_hits
from rankgate.scoring.placements import placements
from rankgate.truth.judgments.table import CASES, TARGETS, Judgments
from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date

    from rankgate.model import Case, Matching, Suite, XFail
    from rankgate.runs.store.hits import HitRow
    from rankgate.runs.store.tables import Run
    from rankgate.scoring.scores import Scores
    from rankgate.truth.resolve import ResolvedTop


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check of a case."""

    case: str
    """The case's id."""
    check: str
    """The check, such as ``top: keys.md#Rotation within 3``."""
    passed: bool
    found: str
    """What was found, such as ``rank 7``."""


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """The result of a scenario or an invariant."""

    kind: Literal["scenario", "invariant"]
    name: str
    passed: bool | None
    """None if it was not run: there is no system, the system failed, or a location is missing."""
    reasons: tuple[str, ...] = ()
    """Why it did not pass."""
    calls: int = 0
    """The number of calls of a scenario to the system."""
    tokens: int = 0
    """The estimated number of tokens in the results of a scenario."""
    where: str = ""
    """The file, line and column of its definition."""
    known: XFail | None = None
    """The known miss, whether or not it has expired."""
    missing: bool = False
    """True if a location that it names is missing from the corpus."""


def check_cases(
    suite: Suite, tops: Mapping[str, Sequence[ResolvedTop]], run: Run, scores: Scores
) -> tuple[CheckResult, ...]:
    """Run the checks of all cases.

    A query with an error or a time-out has no check results. A query that is absent from a stored run has no
    results, so its checks look at an empty ranking.

    Args:
        suite: The cases.
        tops: The located `top` and `never` checks by case. Those with a missing location are not in it.
        run: The results of the queries.
        scores: The scores of the run, for the status of each query and the depth.
    """
    failed = {Answer.ERROR.value, Answer.TIMEOUT.value}
    errors = {name for name, status in zip(scores.queries, scores.status, strict=True) if status in failed}
    ranks = first_ranks(suite.matching, tops, run)
    limited = read_hits(run, [case.id for case in suite.cases if case.expects_nothing])
    results: list[CheckResult] = []
    for case in suite.cases:
        if case.id not in errors:
            results += _expect(case, limited.get(case.id, ()))
            for number, top in enumerate(tops.get(case.id, ())):
                results.append(_top(case, top, ranks.get((case.id, number)), scores.depth))
    return tuple(results)


def in_every_repeat(several: Sequence[tuple[CheckResult, ...]]) -> tuple[CheckResult, ...]:
    """Return one result for each check of a run and its repeats: failed if it failed in any of them."""
    worst: dict[tuple[str, str], CheckResult] = {}
    for number, results in enumerate(several, 1):
        for result in results:
            before = worst.get((result.case, result.check))
            if before is None or (before.passed and not result.passed):
                repeat = "" if number == 1 or result.passed else f" in repeat {number}"
                worst[result.case, result.check] = replace(result, found=result.found + repeat)
    return tuple(worst.values())


def expired_xfails(suite: Suite, today: date) -> tuple[CheckResult, ...]:
    """Return a failed check for each case with an expired `xfail`."""
    return tuple(
        CheckResult(case.id, f"xfail: until {case.xfail.until}", passed=False, found="expired")
        for case in suite.cases
        if case.xfail is not None and not case.xfail.active(today)
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


def first_ranks(
    matching: Matching, tops: Mapping[str, Sequence[ResolvedTop]], run: Run
) -> dict[tuple[str, int], int | None]:
    """Return the rank of the first result that reaches each location, by query and number of the location."""
    judgments = as_targets(matching, tops)
    if judgments.targets.is_empty():
        return {}
    return {(query, number): rank for query, number, rank in placements(judgments, run).iter_rows()}


_PLACE = ("id", "path", "start", "end", "start_char", "end_char")


def as_targets(matching: Matching, tops: Mapping[str, Sequence[ResolvedTop]]) -> Judgments:
    """Return judgments with the locations as targets, so that results reach them by the rules of scoring."""
    rows = [
        (query, number, *(getattr(place, name) for name in _PLACE))
        for query, some in tops.items()
        for number, top in enumerate(some)
        # Alternatives have the number of their check: the first one that is reached counts.
        for place in (top, *top.copies)
    ]
    names = ["query", "target", *_PLACE]
    kinds = {name: pl.Int64() if kind.is_integer() else kind for name, kind in TARGETS.types.items()}
    frame = pl.DataFrame(rows, schema={name: kinds[name] for name in names}, orient="row")
    # `Judgments.of` would merge two checks of one location, although their `within` may differ.
    return Judgments(
        targets=TARGETS.conform(frame, "top"),
        cases=CASES.conform(frame.select("query").unique(maintain_order=True), "top"),
        matching=matching,
    )


def _expect(case: Case, hits: Sequence[HitRow]) -> Iterator[CheckResult]:
    if case.expect_empty:
        found = many(len(hits), "result") if hits else "no results"
        yield CheckResult(case.id, "expect: empty", passed=not hits, found=found)
    if case.max_score is not None:
        check = f"expect: max_score {case.max_score:g}"
        for hit in hits:
            if hit.score is None:
                yield CheckResult(case.id, check, passed=False, found=f"no score at rank {hit.rank}")
                return
        best = max(hits, key=lambda hit: hit.score or 0.0, default=None)
        if best is None or best.score is None:
            yield CheckResult(case.id, check, passed=True, found="no results")
        else:
            found = f"score {best.score:g} at rank {best.rank}"
            yield CheckResult(case.id, check, passed=best.score <= case.max_score, found=found)


def _top(case: Case, resolved: ResolvedTop, rank: int | None, depth: int | None) -> CheckResult:
    top = resolved.top
    # A system may return more results than the depth.
    within = depth if top.within is None else top.within
    there = rank is not None and (within is None or rank <= within)
    locations = dict.fromkeys(str(each.top.location) for each in (resolved, *resolved.copies))
    check = f"{'never' if top.never else 'top'}: {' or '.join(locations)}"
    if top.within is not None:
        check += f" within {top.within}"
    found = "not found" if rank is None else f"rank {rank}"
    return CheckResult(case.id, check, passed=there != top.never, found=found)
