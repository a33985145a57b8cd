"""What `rankgate judge calibrate` says: a model judge beside people, and whether its labels may gate."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankgate.reports.judging.agreement import AgreementFigure

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class SystemBiasRow:
    """How far the model is off on the hits of a system."""

    system: str
    """The system."""
    bias: AgreementFigure
    """The mean of the model's less people's grade over its hits."""


@dataclass(frozen=True, slots=True)
class BiasBetweenRow:
    """How much more the model favours one system than another."""

    one: str
    """The system whose hits it would favour."""
    other: str
    """The other one."""
    bias: AgreementFigure
    """The difference of the two biases, in grades."""
    within: bool
    """Whether the interval lies within the bar."""


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    """What was measured of a model judge."""

    suite: str
    """The name of the suite."""
    judge: str
    """The model judge."""
    people: tuple[str, ...]
    """Who graded the pairs."""
    pool: int
    """How many passages the model graded."""
    drawn: int
    """How many of them were drawn for people to grade."""
    pairs: int
    """How many of those people graded."""
    queries: int
    """How many queries these belong to."""
    unsettled: int
    """How many of those drawn have different grades by people, and count for nothing yet."""
    scale: tuple[float, ...]
    """Every grade that either gave, ascending."""
    confusion: tuple[tuple[float, ...], ...]
    """Shares of the pool by the model's grade (rows) and people's (columns)."""
    counts: tuple[tuple[int, ...], ...]
    """The pairs behind it."""
    kappa: AgreementFigure
    """Quadratic kappa over the pool."""
    bias: tuple[SystemBiasRow, ...]
    """The bias towards each system."""
    between: tuple[BiasBetweenRow, ...]
    """The bias between each two systems."""
    first: AgreementFigure | None
    """The bias towards what stands first in an answer, less that towards the rest."""
    passed: bool
    """Whether its labels may gate."""
    reasons: tuple[str, ...]
    """Why they may not."""


def calibration_json(report: CalibrationReport) -> str:
    """Write a report as JSON."""
    return json.dumps({"schema": SCHEMA, **asdict(report)}, ensure_ascii=False, indent=2) + "\n"
