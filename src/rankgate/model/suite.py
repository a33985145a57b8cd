"""What should be found: targets, cases and suites, and the rules by which a hit reaches a target."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from rankgate.errors import InputError, Problem
from rankgate.model.fingerprints import fingerprint

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate.model.places import Location


class MatchBy(StrEnum):
    """What of a place must agree."""

    LINES = "lines"
    """The same path and overlapping lines; a hit without lines reaches no line target."""
    PATH = "path"
    """The same path; lines are ignored."""


@dataclass(frozen=True, slots=True)
class Matching:
    """When a hit reaches a target. The default: same path, any overlap of lines.

    >>> Matching(min_fraction=0.5).min_fraction
    0.5
    """

    by: MatchBy = MatchBy.LINES
    """Lines, or the path alone."""
    min_lines: int = 1
    """How many lines the hit and the target must share."""
    min_fraction: float = 0.0
    """Which part of the target's lines the hit must hold."""
    iou: float = 0.0
    """How large lines in both / lines in either must be."""

    def __post_init__(self) -> None:
        for name in ("min_fraction", "iou"):
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(Problem(f"match.{name}", str(getattr(self, name)), "a number from 0 to 1"))
        if self.min_lines < 1:
            raise InputError(Problem("match.min_lines", str(self.min_lines), "1 or more"))


@dataclass(frozen=True, slots=True)
class Target:
    """One thing that a query should find, and how good it is."""

    location: Location
    """An id, or a place in the corpus."""
    grade: float = 1.0
    """How relevant it is; 0 or less is judged and not relevant."""
    group: str | None = None
    """Targets of one group are alternatives: any of them will do, and together they count once."""
    anchor: str | None = None
    """The hash of the text it points at."""
    source: str = "person"
    """Who says so: person, a model and its prompt, clicks, an import."""
    reviewed: bool = True
    """False for what was proposed and nobody has looked at; no gate counts it."""


@dataclass(frozen=True, slots=True)
class Case:
    """One query and everything that is expected of its answer."""

    id: str
    """Unique in its suite."""
    query: str
    """What is asked."""
    targets: tuple[Target, ...] = ()
    """What should be found, and what is judged not relevant."""
    weight: float = 1.0
    """Its share in every mean."""
    group: str | None = None
    """Cases of one group are paraphrases and are resampled together."""
    category: str | None = None
    """The slice it belongs to."""
    tags: frozenset[str] = frozenset()
    """More slices."""
    filters: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    """Facets to ask with."""
    exhaustive: bool = False
    """True where the targets are all that is relevant, so that anything else is wrong."""
    expect_empty: bool = False
    """True where the right answer is no hit at all."""
    notes: str = ""
    """For people."""

    def __post_init__(self) -> None:
        if self.weight <= 0:
            raise InputError(Problem(f"case {self.id}.weight", str(self.weight), "more than 0"))
        if self.expect_empty and self.targets:
            raise InputError(Problem(f"case {self.id}", "targets and expect: empty", "one of the two"))


@dataclass(frozen=True, slots=True)
class Suite:
    """Cases that are asked and scored together."""

    name: str
    """For people and files."""
    cases: tuple[Case, ...]
    """In the order they were written."""
    metrics: tuple[str, ...] = ("ndcg@10",)
    """Metric expressions to score."""
    gates: tuple[str, ...] = ()
    """What must hold."""
    matching: Matching = Matching()
    """When a hit reaches a target."""
    max_grade: float | None = None
    """The top of the grade scale, where it is declared; ERR needs it."""

    def __post_init__(self) -> None:
        seen: dict[str, int] = {}
        for number, case in enumerate(self.cases):
            if case.id in seen:
                where = f"cases[{number}].id"
                raise InputError(
                    Problem(where, f"{case.id!r}, as in cases[{seen[case.id]}]", "an id of its own")
                )
            seen[case.id] = number

    @property
    def fingerprint(self) -> str:
        """Name the suite by its content."""
        return fingerprint(self)
