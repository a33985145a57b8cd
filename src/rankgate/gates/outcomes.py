"""Which cases fell short, and in what: an error, a check, nothing found, or a value under a gate's bar.

A case that falls short does not fail the run by itself; one that `blocks` is part of why the run failed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from rankgate.gates.language import NEGATED, Gate, Measure, parse_gates
from rankgate.gates.questions import excused, value_text
from rankgate.gates.slices import Slices
from rankgate.model import Answer, GateText, Status

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import date

    from rankgate.gates.against import Against
    from rankgate.gates.checks import Checks
    from rankgate.model import Case, Suite, Verdict, XFail
    from rankgate.scoring.scores import Scores
    from rankgate.truth.judgments import Judgments


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one case ended."""

    case: Case
    """The case."""
    answer: Answer
    """How its query ended."""
    reasons: tuple[str, ...] = ()
    """What is wrong, in words; empty where nothing is."""
    blocks: bool = False
    """True where it is part of why the run failed."""
    known: XFail | None = None
    """Why it may fail for now; None where it may not, or no longer."""


def outcomes(  # noqa: PLR0913 - one argument for each file of the flow
    suite: Suite,
    judgments: Judgments,
    scores: Scores,
    checks: Checks,
    verdicts: Sequence[Verdict],
    *,
    errors: Mapping[str, str | None],
    found: Collection[str],
    today: date,
    against: Against | None = None,
) -> tuple[Outcome, ...]:
    """Say of every case how it ended.

    Args:
        suite: the cases.
        judgments: what should be found.
        scores: what they were worth.
        checks: the hard checks.
        verdicts: the gates, judged.
        errors: what the system said where it failed, by case.
        found: the cases in which a hit reached a relevant target.
        today: the day on which known misses are judged.
        against: what the run is held against.
    """
    relevant = judgments.targets.filter(pl.col("grade") > 0)
    estimated = set(judgments.cases.filter("estimated")["query"])
    judged = {*relevant["query"], *estimated}
    unreviewed = set(relevant.filter(~pl.col("reviewed"))["query"])
    answers = dict(zip(scores.queries.to_list(), scores.status.to_list(), strict=True))
    bars = _bars(verdicts, scores, judgments)
    failed_gate = {measure for measure, status in _statuses(verdicts, scores) if status is Status.FAILED}
    lost = _lost(verdicts, scores, against)
    broken, known = checks.failed(), excused(suite, today)
    results: list[Outcome] = []
    for case in suite.cases:
        answer = Answer(answers.get(case.id, Answer.MISSING))
        if answer in (Answer.ERROR, Answer.TIMEOUT):
            reasons, blocks = [_error(answer, errors.get(case.id))], Measure.ERRORS in failed_gate
        else:
            reasons = [str(check) for check in broken.get(case.id, ())]
            blocks = bool(reasons) and Measure.CHECKS in failed_gate
            short = bars.get(case.id, ())
            if case.id in judged and case.id not in found:
                reasons.append(_nothing(answer, estimated=case.id in estimated))
            short = (*lost.get(case.id, ()), *short)
            reasons += [words for words, _ in short]
            blocks = blocks or (case.id not in unreviewed and any(failed for _, failed in short))
        if reasons and case.xfail and case.id not in known:
            reasons.append(f"xfail ended on {case.xfail.until}: {case.xfail.reason}")
        excuse = case.xfail if case.id in known else None
        results.append(Outcome(case, answer, tuple(reasons), blocks and excuse is None, excuse))
    return tuple(results)


def read_back(verdicts: Sequence[Verdict], scores: Scores) -> tuple[Gate, ...]:
    """Read the gates of verdicts again, in the same order."""
    titled = [metric for metric in scores.metrics if getattr(metric, "title", None)]
    expressions = [f"{metric.label} = {metric.formula}" for metric in titled]  # type: ignore[attr-defined]
    return parse_gates([GateText(verdict.gate, verdict.where) for verdict in verdicts], expressions)


def _statuses(verdicts: Sequence[Verdict], scores: Scores) -> list[tuple[Measure, Status]]:
    gates = read_back(verdicts, scores)
    return [(gate.measure, verdict.status) for gate, verdict in zip(gates, verdicts, strict=True)]


def _bars(
    verdicts: Sequence[Verdict], scores: Scores, judgments: Judgments
) -> dict[str, tuple[tuple[str, bool], ...]]:
    """Give, for each case, the gated values that miss their bar, and whether that gate failed."""
    slices = Slices(judgments.cases)
    names = scores.queries.to_list()
    short: dict[str, dict[str, tuple[float, str, bool]]] = {}
    for gate, verdict in zip(read_back(verdicts, scores), verdicts, strict=True):
        # How long one query took says nothing about its answer.
        if gate.measure is not Measure.METRIC or gate.unit == "ms":
            continue
        column, marked = scores.columns[str(gate.label)], scores.marked(str(gate.label))
        inside = slices.members(gate.only, verdict.where) if gate.only else column.defined
        for row in (inside & column.defined).nonzero()[0].tolist():
            value = float(column.values[row])
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


def _lost(
    verdicts: Sequence[Verdict], scores: Scores, against: Against | None
) -> dict[str, tuple[tuple[str, bool], ...]]:
    """Give the cases whose first relevant hit is gone, and whether a gate failed over them."""
    if against is None or against.comparison is None:
        return {}
    comparison, names = against.comparison, scores.queries.to_list()
    gone: dict[str, tuple[tuple[str, bool], ...]] = {}
    for gate, verdict in zip(read_back(verdicts, scores), verdicts, strict=True):
        if gate.measure is Measure.LOST and gate.lost and not gate.against:
            for row in comparison.lost(*gate.lost).nonzero()[0].tolist():
                rank = int(comparison.first_before[row])
                words = f"lost: rank {rank} in {against.name}, not in the first {gate.lost[1]} now"
                gone[names[row]] = ((words, verdict.status is Status.FAILED),)
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
