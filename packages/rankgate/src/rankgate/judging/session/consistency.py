"""What else a judge said of the same location, shown after a grade is given, so that like is graded alike."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rankgate.judging.units import JudgingUnit
    from rankgate.truth.judgments.labels import Label, UnitKey

_MOST = 8


@dataclass(frozen=True, slots=True)
class RelatedGrade:
    """A grade that the judge gave the same location under another query."""

    query: str
    """The other query."""
    location: str
    """Where it was given."""
    grade: float
    sister: bool
    """True where the two queries are of one group: paraphrases of one need."""
    mismatch: bool
    """True where they are, and the grades differ."""


@dataclass(slots=True)
class RelatedGrades:
    """Finds what was said of the same location, among the passages of a session."""

    groups: Mapping[str, str] = field(default_factory=dict)
    """The group of each case that has one."""
    _by_place: dict[str, list[JudgingUnit]] = field(default_factory=lambda: defaultdict(list))

    def index(self, units: Iterable[JudgingUnit]) -> None:
        """Take the passages that there are."""
        for unit in units:
            self._by_place[unit.path or unit.location].append(unit)

    def of(self, unit: JudgingUnit, labels: Mapping[UnitKey, Label]) -> tuple[RelatedGrade, ...]:
        """Return what the same location was graded under other queries, what does not agree first."""
        own = labels.get(unit.key)
        group = self.groups.get(unit.case)
        found = []
        for other in self._by_place.get(unit.path or unit.location, ()):
            label = labels.get(other.key)
            if other.case == unit.case or label is None or label.grade is None or not _same(unit, other):
                continue
            sister = group is not None and self.groups.get(other.case) == group
            differs = own is not None and own.grade is not None and own.grade != label.grade
            found.append(
                RelatedGrade(other.query, other.location, label.grade, sister, mismatch=sister and differs)
            )
        found.sort(key=lambda one: (not one.mismatch, not one.sister, one.query))
        return tuple(found[:_MOST])


def _same(one: JudgingUnit, other: JudgingUnit) -> bool:
    """Return whether two passages share lines, or are one id."""
    if one.start is None or other.start is None or one.end is None or other.end is None:
        return one.location == other.location
    return one.start <= other.end and other.start <= one.end
