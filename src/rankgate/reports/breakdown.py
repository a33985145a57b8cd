"""Every metric by category."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from rankgate.gates.wording import figure
from rankgate.reports.model import ESTIMATED, NOTHING
from rankgate.reports.printable import printable
from rankgate.scoring.aggregate import aggregate

if TYPE_CHECKING:
    from rankgate.scoring.matches import Bools
    from rankgate.scoring.scores import Scores
    from rankgate.truth.judgments import Judgments

_WITHOUT = "(none)"
_THIN: Final = "⚠️"


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
        notes.append(f"{_THIN} fewer than {min_n} scored: too few to judge by")
    if any(value.startswith(ESTIMATED) for row in rows for value in row.values):
        notes.append(f"{ESTIMATED} counts estimated labels")
    return Breakdown(labels, rows, "; ".join(notes))


def _row(name: str, mask: Bools, scores: Scores, min_n: int) -> SliceRow:
    values, numbers, scored = [], [], [0]
    for metric in scores.metrics:
        column = scores.columns[metric.label]
        rows = np.flatnonzero(mask & column.defined)
        value = aggregate(column.values[rows], scores.weights[rows], metric.statistic)
        text = NOTHING if value is None else figure(value, metric.unit)
        values.append(ESTIMATED + text if (mask & scores.marked(metric.label)).any() else text)
        numbers.append(value)
        scored.append(len(rows))
    return SliceRow(
        name=printable(name),
        cases=int(mask.sum()),
        values=tuple(values),
        mark=_THIN if max(scored) < min_n else "",
        numbers=tuple(numbers),
    )
