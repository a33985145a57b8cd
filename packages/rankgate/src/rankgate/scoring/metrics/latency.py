"""How long the system took."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rankgate.errors import ExpressionError, Problem
from rankgate.scoring.matches import Column
from rankgate.scoring.metric import Metric, spell_number

if TYPE_CHECKING:
    from rankgate.scoring.matches import Matches


@dataclass(frozen=True)
class LatencyQuantile(Metric):
    """Latency: how long the system took to answer, in milliseconds.

    What it measures: the time of each query as the run recorded it, without client queueing; over all
        queries the mean, the maximum, or a percentile such as ``latency.p95``.
    Use it when: a service level is part of the bargain. Two systems are compared within one run only.
    Edge cases: undefined for queries without a recorded time, and for errors. A time-out counts with what
        was waited, its limit at least. Percentiles are nearest-rank: a time that was observed, never one
        between two.
    Example: ``latency.p95`` of the times 1, 2, …, 100 is 95.
    Reference: Hyndman and Fan, Sample quantiles in statistical packages, 1996, definition 1.
    """

    name: ClassVar[str] = "latency"
    limits: ClassVar[tuple[float, float] | None] = (0.0, math.inf)
    better: ClassVar[str] = "less"
    failure: ClassVar[str] = "none for an error, which is counted; its limit at least for a time-out"
    needs: ClassVar[frozenset[str]] = frozenset({"latency"})
    unit: ClassVar[str] = "ms"
    depth: ClassVar[str] = "none"

    stat: str = "mean"
    """mean, max, or p and a percentile; written ``latency.p95``."""

    def __post_init__(self) -> None:
        super().__post_init__()
        percentile = re.fullmatch(r"p([0-9]{1,3}(?:\.[0-9]{1,6})?)", self.stat.lower())
        if percentile and 0 < float(percentile[1]) <= 100:
            object.__setattr__(self, "stat", f"p{spell_number(float(percentile[1]))}")  # one spelling
        elif self.stat not in ("mean", "max"):
            expected = "mean, max, or p50, p95, p99"
            raise ExpressionError(Problem(f"latency.{self.stat}", repr(self.stat), expected))

    @property
    def statistic(self) -> str:
        """How the values of all queries become one."""
        return self.stat

    @property
    def label(self) -> str:
        """The one spelling of this metric."""
        return f"latency.{self.stat}"

    def values(self, matches: Matches) -> Column:
        """Return the recorded time of every query of a batch."""
        times = np.full(matches.size, np.nan) if matches.latency is None else matches.latency
        return Column(np.nan_to_num(times), ~np.isnan(times))
