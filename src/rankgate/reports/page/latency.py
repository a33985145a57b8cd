"""How long the system took, as a histogram and a few percentiles."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rankgate.gates.wording import figure
from rankgate.reports.page.model import Latency
from rankgate.scoring.aggregate import aggregate

if TYPE_CHECKING:
    from collections.abc import Sequence

BARS = 20
_WIDE = 30
"""From which ratio of the longest to the shortest on the bars grow with the time."""
_SHOWN = {"p50": "p50", "p95": "p95", "p99": "p99", "longest": "max"}
_MARKED = ("p50", "p95")


def latency_of(times: Sequence[float]) -> Latency:
    """Count times, in ms, in bars: of one width, or each wider than the one before where times lie far apart.

    >>> latency_of([1.0, 2.0, 21.0]).counts[:3]
    (1, 1, 0)
    """
    found = np.array(sorted(time for time in times if math.isfinite(time)))
    if not len(found):
        return Latency()
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
    return Latency(
        tuple(edges.tolist()),
        tuple(counts),
        tuple((name, figure(value, "ms")) for name, value in values),
        tuple((name, value) for name, value in values if name in _MARKED),
    )
