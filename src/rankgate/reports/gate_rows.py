"""What a report says of one gate and of one metric: marks, values with the digits that tell, reasons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.gates.language import NEGATED, Measure
from rankgate.gates.questions import value_text
from rankgate.gates.wording import decimals_to_tell, figure, tally
from rankgate.model import Counts, Status
from rankgate.reports.failures import BAD, DOUBTFUL, GOOD, Mark, Unmarked
from rankgate.reports.model import NOTHING
from rankgate.reports.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.gates.language import Gate
    from rankgate.model import Verdict
    from rankgate.scoring.metric import Metric
    from rankgate.scoring.scores import Scores

MARKS: dict[Status, Mark] = {
    Status.PASSED: GOOD,
    Status.FAILED: BAD,
    Status.INCONCLUSIVE: DOUBTFUL,
    Status.NOT_ENFORCED: DOUBTFUL,
    Status.REFUSED: BAD,
}


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """One gate."""

    mark: Mark
    """That of its status."""
    status: Status
    """What became of it."""
    gate: str
    """The gate as it was written."""
    value: str
    """What was measured, with the digits that tell it from the bar."""
    reason: str
    """Why, in words, with the comparison."""
    detail: str
    """The same without the comparison, to stand beside gate and value."""
    where: str
    """The file, line and column it was written at; empty where it holds without being written."""
    number: float | None = None
    """The value in full, for machines; a share for a percentage."""
    bar: float | None = None
    """What the value is held to, in the same unit."""
    counts: Counts | None = None
    """What the value stands on."""


@dataclass(frozen=True, slots=True)
class MetricRow:
    """One metric over the whole suite."""

    mark: Mark | Unmarked
    """That of the gate over the whole suite; empty where there is none."""
    metric: str
    """Its canonical spelling, or the name that the suite gives it."""
    value: str
    """The value over all cases where it is defined."""
    counts: Counts
    """What the value stands on."""
    counted: str
    """The counts in words."""
    number: float | None = None
    """The value in full, for machines."""


def verdict_row(gate: Gate, verdict: Verdict) -> VerdictRow:
    """Lay out what became of a gate."""
    value = NOTHING if verdict.value is None else value_text(gate, verdict.value)
    comparisons = [f"{value} {sign} {gate.bar_text}" for sign in (gate.sign, NEGATED[gate.sign])]
    detail = verdict.reason
    for comparison in comparisons:
        detail = detail.removeprefix(comparison).lstrip(":, ")
    return VerdictRow(
        mark=MARKS[verdict.status],
        status=verdict.status,
        gate=printable(verdict.gate),
        value=value,
        reason=printable(verdict.reason),
        detail=printable(detail),
        where=printable(verdict.where),
        number=verdict.value,
        bar=gate.bar,
        counts=verdict.counts,
    )


def metric_row(
    metric: Metric, scores: Scores, gates: Sequence[Gate], verdicts: Sequence[Verdict]
) -> MetricRow:
    """Lay out a metric over the whole suite, with the digits and the mark that its gates ask for."""
    value, counts = scores[metric.label], scores.counts(metric.label)
    about = [
        (gate, verdict)
        for gate, verdict in zip(gates, verdicts, strict=True)
        if gate.measure is Measure.METRIC and gate.label == metric.label and not (gate.only or gate.worst)
    ]
    marks = [MARKS[verdict.status] for _, verdict in about]
    text = NOTHING
    if value is not None:
        bars = [gate.bar for gate, _ in about]
        decimals = max((decimals_to_tell(value, bar, metric.unit) for bar in bars), default=None)
        text = figure(value, metric.unit, decimals=decimals)
    return MetricRow(
        mark=_heaviest(marks),
        metric=printable(metric.label),
        value=text,
        counts=counts,
        counted=tally(counts),
        number=value,
    )


def _heaviest(marks: Sequence[Mark]) -> Mark | Unmarked:
    if BAD in marks:
        return BAD
    if DOUBTFUL in marks:
        return DOUBTFUL
    return GOOD if marks else ""
