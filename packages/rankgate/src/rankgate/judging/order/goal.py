"""What judging is to settle: a gate of one system, or which of two systems is better."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from rankgate.scoring.metric import Metric
    from rankgate.scoring.unjudged.allowed import Allowed, ValueSpan

_NEAR = 1e-9


@dataclass(frozen=True, slots=True)
class GateGoal:
    """Whether the mean of a metric of one system reaches a bound: ``ndcg@10 >= 0.65``."""

    metric: Metric
    """What is measured."""
    bound: float
    """What its mean must reach."""
    system: int = 0
    """The number of the system."""

    @property
    def compares(self) -> bool:
        """False: one system is held against a bound."""
        return False

    @property
    def columns(self) -> tuple[int, int]:
        """The numbers of the systems on both sides."""
        return self.system, self.system

    @property
    def signs(self) -> tuple[float, float]:
        """What a value before and a value after count for."""
        return 0.0, 1.0

    def span(self, allowed: Allowed) -> ValueSpan:
        """Return what the unjudged hits allow."""
        return allowed.after

    def sign(self, low: float, high: float) -> int | None:
        """Return 1 where the gate passes, -1 where it fails; None where ends less the bound allow both."""
        if low >= -_NEAR:
            return 1
        return -1 if high < -_NEAR else None


@dataclass(frozen=True, slots=True)
class DifferenceGoal:
    """Whether the mean of a metric is higher after than before, by more than a margin or at all."""

    metric: Metric
    """What is measured."""
    before: int = 0
    """The number of the system that is compared with."""
    after: int = 1
    """The number of the system that is compared."""
    bound: float = 0.0
    """What the mean of the difference is held against."""

    @property
    def compares(self) -> bool:
        """True: two systems are compared."""
        return True

    @property
    def columns(self) -> tuple[int, int]:
        """The numbers of the systems on both sides."""
        return self.before, self.after

    @property
    def signs(self) -> tuple[float, float]:
        """What a value before and a value after count for."""
        return -1.0, 1.0

    def span(self, allowed: Allowed) -> ValueSpan:
        """Return what the unjudged hits allow."""
        return allowed.difference

    def sign(self, low: float, high: float) -> int | None:
        """Return 1 for better, -1 for worse, 0 for the same; None where ends less the bound allow several."""
        if low > _NEAR or high < -_NEAR:
            return 1 if low > 0 else -1
        return 0 if high - low <= _NEAR else None


Goal: TypeAlias = GateGoal | DifferenceGoal
