"""What a report says of one gate, one metric and one category: marks, reasons, values with enough digits.

And how targets were resolved and hits located, in a line each.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from rankgate.gates.context import errors_are_zero, improvement, value_text
from rankgate.gates.language import NEGATED, Measure
from rankgate.gates.wording import decimals_to_tell, figure, tally
from rankgate.model import Counts, LostQuery, Status, Weighting
from rankgate.reports.text.marks import BAD, DOUBTFUL, ESTIMATED, GOOD, NOTHING, Mark, Unmarked
from rankgate.reports.text.printable import printable
from rankgate.scoring.metric import aggregate
from rankgate.truth.gone import GoneLocation, gone_line, mend_command

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.gates.language import Gate
    from rankgate.gates.scored import GateVerdict, Scored
    from rankgate.scoring.matches import Bools
    from rankgate.scoring.metric import Metric
    from rankgate.scoring.scores import Scores
    from rankgate.truth.judgments.table import Judgments

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
    lost: tuple[LostQuery, ...] = ()
    """Of a gate on lost queries: each that was, by its name and ranks; of more than 20,000, so many."""
    weighting: Weighting | None = None
    """What weights do to the value; null where they are equal, or play no part."""


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
    tokens_estimated: bool = False
    """True where it counts tokens that are an estimate; its value is marked ≈."""


def verdict_row(verdict: GateVerdict, scores: Scores) -> VerdictRow:
    """Lay out what became of a gate."""
    gate = verdict.rule
    value = NOTHING if verdict.value is None else value_text(gate, verdict.value)
    improved = "" if verdict.value is None else improvement(gate, verdict.value)
    comparisons = [f"{value} {sign} {gate.bar_text}" for sign in (gate.sign, NEGATED[gate.sign])]
    if improved:
        value, comparisons = improved, [improved]
    detail = verdict.reason
    for comparison in comparisons:
        detail = detail.removeprefix(comparison).lstrip(":, ")
    reason = verdict.reason
    if verdict.value is not None and _rests_on_tokens(gate, scores):
        reason = ESTIMATED + reason if reason.startswith(value) else reason
        value = ESTIMATED + value
    return VerdictRow(
        mark=MARKS[verdict.status],
        status=verdict.status,
        gate=printable(verdict.gate),
        value=value,
        reason=printable(reason),
        detail=printable(detail),
        where=printable(verdict.where),
        number=verdict.value,
        bar=gate.bar,
        counts=verdict.counts,
        lost=tuple(replace(one, query=printable(one.query)) for one in verdict.lost),
        weighting=verdict.weighting,
    )


def _rests_on_tokens(gate: Gate, scores: Scores) -> bool:
    return gate.label is not None and gate.label in scores.columns and scores.rests_on_tokens(gate.label)


def metric_rows(scored: Scored) -> tuple[MetricRow, ...]:
    """Lay out every metric over the whole suite."""
    scores = scored.scores
    return tuple(metric_row(metric, scores, scored.verdicts) for metric in scores.metrics)


def metric_row(metric: Metric, scores: Scores, verdicts: Sequence[GateVerdict]) -> MetricRow:
    """Lay out a metric over the whole suite, with the digits and the mark that its gates ask for."""
    value, counts = scores[metric.label], scores.counts(metric.label)
    about = [verdict for verdict in verdicts if _is_over_all(verdict.rule, metric)]
    marks = [MARKS[verdict.status] for verdict in about]
    text = NOTHING
    if value is not None:
        bars = [verdict.rule.bar for verdict in about]
        decimals = max((decimals_to_tell(value, bar, metric.unit) for bar in bars), default=None)
        text = figure(value, metric.unit, decimals=decimals)
    estimated = scores.rests_on_tokens(metric.label)
    words = tally(counts, as_zero=errors_are_zero(scores, metric.label))
    return MetricRow(
        mark=_heaviest(marks),
        metric=printable(metric.label),
        value=ESTIMATED + text if estimated and value is not None else text,
        counts=counts,
        counted=words,
        number=value,
        tokens_estimated=estimated,
    )


def _is_over_all(gate: Gate, metric: Metric) -> bool:
    whole = not (gate.only or gate.worst)
    return gate.measure is Measure.METRIC and gate.label == metric.label and whole


def _heaviest(marks: Sequence[Mark]) -> Mark | Unmarked:
    if BAD in marks:
        return BAD
    if DOUBTFUL in marks:
        return DOUBTFUL
    return GOOD if marks else ""


_WITHOUT = "(none)"
_THIN: Final = "⚠️"
_FOOTNOTE = "†"


@dataclass(frozen=True, slots=True)
class SliceRow:
    """One category."""

    name: str
    """What it is called."""
    cases: int
    """How many cases it has."""
    values: tuple[str, ...]
    """A value a metric."""
    mark: Literal["⚠️", ""]
    """⚠️ where fewer cases are scored than a gate would decide by."""
    numbers: tuple[float | None, ...] = ()
    """The same values in full, for machines."""

    @property
    def footnote(self) -> str:
        """What people see where too few cases are scored; a warning sign would ask for something."""
        return _FOOTNOTE if self.mark else ""


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The categories of a suite."""

    metrics: tuple[str, ...]
    """What the values of each row are."""
    rows: tuple[SliceRow, ...]
    """A row a category; empty where no case has one."""
    note: str
    """What the marks mean; empty where no row has one."""


def breakdown(judgments: Judgments, scores: Scores, min_n: int) -> Breakdown:
    """Work every metric out for every category, in the order in which they were first written."""
    categories = judgments.cases["category"]
    labels = tuple(printable(metric.label) for metric in scores.metrics)
    if categories.null_count() == len(categories):
        return Breakdown(labels, (), "")
    names = categories.fill_null(_WITHOUT)
    order = sorted(names.unique(maintain_order=True), key=lambda name: name == _WITHOUT)
    rows = tuple(_row(name, (names == name).to_numpy(), scores, min_n) for name in order)
    notes = []
    if any(row.mark for row in rows):
        notes.append(f"{_FOOTNOTE} too few queries (fewer than {min_n})")
    if any(scores.marked(metric.label).any() for metric in scores.metrics):
        notes.append(f"{ESTIMATED} counts estimated labels")
    return Breakdown(labels, rows, "; ".join(notes))


def _row(name: str, mask: Bools, scores: Scores, min_n: int) -> SliceRow:
    values, numbers, scored = [], [], [0]
    for metric in scores.metrics:
        column = scores.columns[metric.label]
        rows = np.flatnonzero(mask & column.defined)
        value = aggregate(column.values[rows], scores.weights[rows], metric.statistic)
        text = NOTHING if value is None else figure(value, metric.unit)
        values.append(ESTIMATED + text if (mask & scores.approximate(metric.label)).any() else text)
        numbers.append(value)
        scored.append(len(rows))
    return SliceRow(
        name=printable(name),
        cases=int(mask.sum()),
        values=tuple(values),
        mark=_THIN if max(scored) < min_n else "",
        numbers=tuple(numbers),
    )


@dataclass(frozen=True, slots=True)
class GoneReport:
    """The targets that the documents do not have any more."""

    targets: tuple[GoneLocation, ...] = ()
    """Each of them, with where it was written and why it was not found; of more than 20,000, so many."""
    allowed: int = 0
    """How many may be gone: `max_gone`."""
    words: str = ""
    """How many are, the first of them and the command that mends them; empty where none is."""
    blocks: bool = False
    """True where more are gone than may be."""


def gone_report(scored: Scored, allowed: int) -> GoneReport:
    """Work out what is said of targets that are gone."""
    if not scored.gone:
        return GoneReport(allowed=allowed)
    targets = tuple(
        replace(
            one,
            owner=printable(one.owner),
            where=printable(one.where),
            target=printable(one.target),
            why=printable(one.why),
            likely=printable(one.likely),
            case=None if one.case is None else printable(one.case),
        )
        for one in scored.gone
    )
    command = mend_command(scored.suite.path, scored.followed.commit)
    words = printable(gone_line(scored.gone, allowed, command))
    number = scored.verdict.gone
    return GoneReport(targets, allowed, words if number else "", number > allowed)


_TARGETS = {
    "heading": "by heading",
    "symbol": "by symbol",
    "lines": "by lines",
    "path": "by path",
    "id": "by id",
    "gone": "gone",
    "estimated": "estimated",
    "": "not told how",
}


def resolved_words(judgments: Judgments) -> str:
    """Count targets by how they were resolved.

    >>> import polars as pl
    >>> from rankgate.truth.judgments.table import Judgments
    >>> ways = ["lines", "heading", "heading"]
    >>> table = pl.DataFrame({"query": "q", "path": ["a.md", "b.md", "c.md"], "strategy": ways})
    >>> resolved_words(Judgments.of(table))
    '2 by heading, 1 by lines'
    """
    counts = dict(judgments.targets["strategy"].fill_null("").value_counts().iter_rows())
    return _listed(counts, _TARGETS)


def _listed(counts: Mapping[str, int], words: Mapping[str, str]) -> str:
    order = [*words, *sorted(counts.keys() - words.keys())]
    return ", ".join(f"{counts[way]:,} {words.get(way, way)}" for way in order if counts.get(way))
