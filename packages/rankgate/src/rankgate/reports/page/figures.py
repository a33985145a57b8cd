"""The figures of a page: what every query scored, and how long the system took."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankgate.gates.wording import figure
from rankgate.reports.page.model import PageLatency
from rankgate.reports.text.marks import ESTIMATED, NOTHING, signed
from rankgate.scoring.aggregate import aggregate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.scoring.scores import Scores


class QueryValues(NamedTuple):
    """What every query scored, and how it ended."""

    numbers: dict[str, int]
    """Where each query stands in the lists."""
    values: list[tuple[float | None, ...]]
    """A value a metric."""
    shown: list[tuple[str, ...]]
    """The same for people."""
    ends: list[str]
    """How each query ended, as `Answer` says."""
    units: tuple[str, ...]
    """What the values count."""

    @classmethod
    def of(cls, scores: Scores) -> QueryValues:
        """Take the values of scores."""
        columns, texts = [], []
        for metric in scores.metrics:
            column, marked = scores.columns[metric.label], scores.marked(metric.label).tolist()
            values = [
                value if known else None
                for value, known in zip(column.values.tolist(), column.defined.tolist(), strict=True)
            ]
            columns.append(values)
            texts.append(
                [
                    NOTHING if value is None else (ESTIMATED if mark else "") + figure(value, metric.unit)
                    for value, mark in zip(values, marked, strict=True)
                ]
            )
        names = scores.queries.to_list()
        return cls(
            {name: number for number, name in enumerate(names)},
            list(zip(*columns, strict=True)) or [()] * len(names),
            list(zip(*texts, strict=True)) or [()] * len(names),
            scores.status.to_list(),
            tuple(metric.unit for metric in scores.metrics),
        )


def differences(
    before: Sequence[float | None], after: Sequence[float | None], units: Sequence[str]
) -> tuple[str, ...]:
    """Write what each value is more or less than before.

    >>> differences([0.5, None], [0.25, 1.0], ["", ""])
    ('−0.2500', '–')
    """
    return tuple(
        signed(None if was is None or now is None else now - was, unit)
        for was, now, unit in zip(before, after, units, strict=False)
    )


BARS = 20
_WIDE = 30
"""From which ratio of the longest to the shortest on the bars grow with the time."""
_SHOWN = {"p50": "p50", "p95": "p95", "p99": "p99", "longest": "max"}
_MARKED = ("p50", "p95")


def latency_of(times: Sequence[float]) -> PageLatency:
    """Count times, in ms, in bars: of one width, or each wider than the one before where times lie far apart.

    >>> latency_of([1.0, 2.0, 21.0]).counts[:3]
    (1, 1, 0)
    """
    found = np.array(sorted(time for time in times if math.isfinite(time)))
    if not len(found):
        return PageLatency()
    low, high = float(found[0]), float(found[-1])
    if low == high:
        edges = np.array([low, high])
    elif low > 0 and high / low > _WIDE:
        edges = np.geomspace(low, high, BARS + 1)
    else:
        edges = np.linspace(low, high, BARS + 1)
    edges[0], edges[-1] = low, high
    counts = [len(found)] if low == high else np.histogram(found, edges)[0].tolist()
    weights = np.ones(len(found))
    values = [
        (name, value)
        for name, statistic in _SHOWN.items()
        if (value := aggregate(found, weights, statistic)) is not None
    ]
    return PageLatency(
        tuple(edges.tolist()),
        tuple(counts),
        tuple((name, figure(value, "ms")) for name, value in values),
        tuple((name, value) for name, value in values if name in _MARKED),
    )
