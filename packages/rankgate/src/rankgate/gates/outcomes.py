"""Which cases fell short, and in what: an error, a check, nothing found, or a value under a gate's bar.

A case that falls short does not fail the run by itself; one that `blocks` is part of why the run failed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from rankgate.gates.context import Slices, value_text
from rankgate.gates.language import NEGATED, Measure
from rankgate.model import Answer, Cause, State, Status
from rankgate.scoring.placements import JudgedHits

if TYPE_CHECKING:
    from rankgate.gates.scored import Scored
    from rankgate.model import Case, XFail


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one case ended."""

    case: Case
    answer: Answer
    """How its query ended."""
    reasons: tuple[str, ...] = ()
    """What is wrong, in words; empty where nothing is."""
    blocks: bool = False
    """True where it is part of why the run failed."""
    known: XFail | None = None
    """Why it may fail for now; None where it may not, or no longer."""
    gone: bool = False
    """True where all that it should find is gone from the documents, so that it is not scored."""
    missed: bool = False
    """True where it was answered and nothing relevant was found."""
    unchecked: bool = False
    """True where one of its checks failed."""
    counted: tuple[str, ...] = ()
    """Those of the reasons that say no more than what is so, or by which a gate that failed counts it."""


def outcomes(scored: Scored) -> tuple[Outcome, ...]:
    """Return how every case ended, in the order of the suite."""
    scores, hits = scored.scores, scored.judged_hits
    relevant = scored.judgments.targets.filter(pl.col("grade") > 0)
    again = (JudgedHits(scored.judgments, run).found for run in scored.repeats)
    estimated, found = hits.estimated, set(hits.found).union(*again)
    named = relevant["query"].to_list()
    judged = {*named, *estimated}
    unreviewed = set(named) - set(relevant.filter("reviewed")["query"].to_list())
    answers = dict(zip(scores.queries.to_list(), scores.status.to_list(), strict=True))
    errors = {query: answer.error for query, answer in scored.answers.items()}
    bars, lost = _bars(scored), _lost(scored)
    failed_gate = {one.rule.measure for one in scored.verdicts if one.status is Status.FAILED}
    # An outage decides whether or not the gates are enforced.
    outage = scored.verdict.state is State.SYSTEM_FAILED or Measure.ERRORS in failed_gate
    broken, known = scored.checks.failed(), scored.known_misses
    gone, unscored = _gone(scored), {*scored.judgments.gone}
    missing = judged - unscored - found
    too_many_gone = scored.verdict.cause is Cause.GONE
    results: list[Outcome] = []
    for case in scored.suite.cases:
        answer = Answer(answers.get(case.id, Answer.MISSING))
        if answer in (Answer.ERROR, Answer.TIMEOUT):
            reasons, blocks, missed = [_error(answer, errors.get(case.id))], outage, False
            counted = list(reasons)
        else:
            reasons = [str(check) for check in broken.get(case.id, ())]
            blocks = bool(reasons) and Measure.CHECKS in failed_gate
            short = bars.get(case.id, ())
            missed = case.id in missing
            if missed:
                reasons.append(_nothing(answer, estimated=case.id in estimated))
            short = (*lost.get(case.id, ()), *short)
            counted = [*reasons, *(words for words, failed in short if failed)]
            reasons += [words for words, _ in short]
            blocks = blocks or (case.id not in unreviewed and any(failed for _, failed in short))
        reasons += gone.get(case.id, ())
        counted += gone.get(case.id, ())
        if reasons and case.xfail and case.id not in known:
            reasons.append(f"xfail ended on {case.xfail.until}: {case.xfail.reason}")
        excuse = case.xfail if case.id in known else None
        # A target that is gone is no miss, and nobody is excused for it.
        blocks = (blocks and excuse is None) or (case.id in gone and too_many_gone)
        results.append(
            Outcome(
                case,
                answer,
                tuple(reasons),
                blocks,
                excuse,
                case.id in unscored,
                missed,
                case.id in broken,
                tuple(counted),
            )
        )
    return tuple(results)


def _gone(scored: Scored) -> dict[str, tuple[str, ...]]:
    """Return, for each case, what it should find and the documents do not have any more."""
    words: dict[str, tuple[str, ...]] = {}
    for one in scored.gone:
        if one.case is not None and one.counts:
            likely = f"; {one.likely}" if one.likely else ""
            said = f"target gone: {one.target}, because {one.why}{likely}"
            words[one.case] = (*words.get(one.case, ()), said)
    return words


def _bars(scored: Scored) -> dict[str, tuple[tuple[str, bool], ...]]:
    """Return, for each case, the gated values that miss their bar, and whether that gate failed."""
    scores, gated = scored.scores, scored.gated.scores
    slices = Slices(scored.judgments.cases)
    names = scores.queries.to_list()
    short: dict[str, dict[str, tuple[float, str, bool]]] = {}
    for verdict in scored.verdicts:
        gate = verdict.rule
        # How long one query took says nothing about its answer.
        if gate.measure is not Measure.METRIC or gate.unit == "ms":
            continue
        column, marked = scores.columns[str(gate.label)], scores.approximate(str(gate.label))
        counted = gated.columns[str(gate.label)]
        inside = slices.members(gate.only, verdict.where) if gate.only else column.defined
        for row in (inside & column.defined).nonzero()[0].tolist():
            value = float((counted if counted.defined[row] else column).values[row])
            if not gate.holds(value):
                words = f"{gate.label} {value_text(gate, value)} {NEGATED[gate.sign]} {gate.bar_text}"
                words += " (estimated)" if marked[row] else ""
                mine = short.setdefault(names[row], {})
                far, said, failed = mine.get(str(gate.label), (0.0, words, False))
                apart = abs(value - gate.bar)
                failed = failed or verdict.status is Status.FAILED
                # Of several bars for one metric, the one that is missed most says enough.
                mine[str(gate.label)] = (max(far, apart), words if apart > far else said, failed)
    return {case: tuple((said, failed) for _, said, failed in mine.values()) for case, mine in short.items()}


def _lost(scored: Scored) -> dict[str, tuple[tuple[str, bool], ...]]:
    """Return the cases whose first relevant hit is gone, and whether a gate failed over them."""
    against = scored.own_baseline
    if against is None or against.gated is None:
        return {}
    comparison, names = against.gated, scored.scores.queries.to_list()
    slices = Slices(scored.judgments.cases)
    gone: dict[str, tuple[tuple[str, bool], ...]] = {}
    for verdict in scored.verdicts:
        gate = verdict.rule
        if gate.measure is not Measure.LOST or not gate.lost or gate.against:
            continue
        rows = comparison.lost(*gate.lost)
        rows = rows & slices.members(gate.only, verdict.where) if gate.only else rows
        for row in rows.nonzero()[0].tolist():
            rank, failed = int(comparison.first_before[row]), verdict.status is Status.FAILED
            words = f"lost: rank {rank} in {against.name}, not in the top {gate.lost[1]} now"
            # Of several gates, one that failed says why.
            if failed or names[row] not in gone:
                gone[names[row]] = ((words, failed),)
    return gone


def _nothing(answer: Answer, *, estimated: bool) -> str:
    if answer is Answer.MISSING:
        return "the run does not have the query"
    return "no hit's text is like the expected answer" if estimated else "nothing relevant was found"


def _error(answer: Answer, message: str | None) -> str:
    said = " ".join((message or "").split())
    if answer is Answer.TIMEOUT:
        return f"timed out: {said}" if said else "timed out"
    return f"error: {said}" if said else "the system failed"
