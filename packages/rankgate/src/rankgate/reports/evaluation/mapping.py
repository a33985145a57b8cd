"""What a report says of the locations of hits: classes, strategies, and what is wrong with the mapping."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rankgate.model.placing import HitClass, Strategy
from rankgate.reports.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankgate.model.placing import HitCounts
    from rankgate.truth.diagnosis import MappingFault


@dataclass(frozen=True, slots=True)
class MappingDiagnosis:
    """One thing that keeps hits from their locations."""

    found: str
    """What was found, with counts and an example."""
    advice: str
    """What to do."""
    setting: str = ""
    """The setting that mends it, as a configuration has it; empty where no setting does."""


@dataclass(frozen=True, slots=True)
class MappingReport:
    """Where the hits of a run ended, and how they got there."""

    classes: Mapping[str, int] = field(default_factory=dict)
    """How many hits ended in each class; a class without hits is not there."""
    strategies: Mapping[str, int] = field(default_factory=dict)
    """How many were located in each way."""
    diagnosis: tuple[MappingDiagnosis, ...] = ()
    """What is wrong, the most important first; nothing where hits are where they say."""


def mapping_report(located: HitCounts, faults: Iterable[MappingFault]) -> MappingReport:
    """Return what is said of the locations of hits."""
    return MappingReport(
        {str(one): located.classes[one] for one in HitClass if located.classes.get(one)},
        {str(one): located.strategies[one] for one in Strategy if located.strategies.get(one)},
        tuple(
            MappingDiagnosis(
                *map(printable, (one.said, one.fix, "" if one.rules is None else str(one.rules)))
            )
            for one in faults
        ),
    )
