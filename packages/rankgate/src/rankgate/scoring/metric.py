"""What every metric is: a frozen record of its parameters that turns matches into a value a query.

The values of many queries become one figure, the same bits in whatever order they come.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from rankgate.errors import ExpressionError, Problem
from rankgate.scoring.matches import Cut

if TYPE_CHECKING:
    from rankgate.scoring.matches import Column, Floats, Matches


SHARE = (0.0, 1.0)
"""The limits of a share."""
NOT_FOUND = "0 where nothing relevant is found"
"""What most metrics make of a query that the system failed on."""
_PIECE = 1 << 16


@dataclass(frozen=True, slots=True)
class ValueRange:
    """Which values a query can have; infinite where there is no limit.

    >>> str(ValueRange(0.0, 2.0)), str(ValueRange(0.0, math.inf)), str(ValueRange(-math.inf, 1.0))
    ('0 to 2', '0 or more', '1 or less')
    """

    lowest: float
    """No value is below it."""
    highest: float
    """No value is above it."""

    def __post_init__(self) -> None:
        if not self.lowest <= self.highest:
            found = f"limits from {self.lowest:g} to {self.highest:g}"
            raise ExpressionError(Problem("range of a metric", found, "the lowest value, then the highest"))

    @property
    def width(self) -> float | None:
        """The most that the value of one query can move; None where there is no limit."""
        width = self.highest - self.lowest
        return width if 0 < width < math.inf else None

    def holds(self, values: Floats) -> bool:
        """Check that no value lies outside, but for what rounding adds."""
        ends = [abs(end) for end in (self.lowest, self.highest) if math.isfinite(end)]
        slack = _ROUNDING * max(1.0, *ends) if ends else 0.0
        inside = (values >= self.lowest - slack) & (values <= self.highest + slack)
        return bool(inside.all())

    def times(self, weight: float) -> ValueRange:
        """Return the range of a weight times such a value."""
        ends = [weight * end if weight else 0.0 for end in (self.lowest, self.highest)]
        return ValueRange(min(ends), max(ends))

    def plus(self, other: ValueRange) -> ValueRange:
        """Return the range of the sum of two values."""
        return ValueRange(self.lowest + other.lowest, self.highest + other.highest)

    def __str__(self) -> str:
        low, high = spell_number(self.lowest), spell_number(self.highest)
        if math.isinf(self.lowest):
            return "any number" if math.isinf(self.highest) else f"{high} or less"
        return f"{low} or more" if math.isinf(self.highest) else f"{low} to {high}"


_ROUNDING = 1e-9
_CUT = 10


@dataclass(frozen=True)
class Metric(ABC):
    """A metric. Its fields are its parameters; a field called `cut` is written after ``@``.

    Its docstring always has: What it measures, Use it when, Edge cases, Example, Reference.
    """

    name: ClassVar[str]
    """The name in expressions."""
    needs: ClassVar[frozenset[str]] = frozenset()
    """What it reads beyond the hits on relevant targets: any of irrelevant, tokens, spans, files,
    latency, answers."""
    cut_by: ClassVar[tuple[str, ...]] = ()
    """What it can be cut by: rank, tokens."""
    cut_required: ClassVar[bool] = False
    """True where it means nothing without a cut."""
    whole_answer: ClassVar[bool] = False
    """True where it measures, without a cut, an answer whose length the system chose."""
    within_cut: ClassVar[bool] = False
    """True where hits below its cut change nothing, so that they need not be read."""
    unit: ClassVar[str] = ""
    """What a value counts, such as ms; empty for a plain number."""
    limits: ClassVar[tuple[float, float] | None] = None
    """The lowest and the highest value of a query, infinite where there is no limit; None where nobody has
    said. Statistics go by them, and no gate takes a metric without."""
    depth: ClassVar[str] = ""
    """How many hits it looks at, in words, where its cut does not say so."""
    hits: ClassVar[int | None] = None
    """The same as a number, where it is one whatever is asked for."""
    better: ClassVar[str] = "more"
    """``more`` or ``less``: which of them a good system has."""
    paired: ClassVar[bool] = True
    """False for a figure of a whole suite, which no comparison of single queries takes."""
    failure: ClassVar[str] = ""
    """What a query costs that the system failed on, in words; empty where nobody has said."""

    def __post_init__(self) -> None:
        cut: Cut | None = getattr(self, "cut", None)
        example = f"{self.name}@10"
        if cut is None and self.cut_required:
            raise ExpressionError(Problem(self.name, "no cut", f"a cut, such as {example}"))
        if cut is not None and ("tokens" if cut.tokens else "rank") not in self.cut_by:
            allowed = example if self.cut_by else self.name
            raise ExpressionError(Problem(f"{self.name}@{cut}", "a cut it does not have", allowed))
        if cut is not None and cut.size < 1:
            raise ExpressionError(Problem(f"{self.name}@{cut}", f"a cut at {cut.size}", "1 or more"))

    @property
    def depths(self) -> tuple[int | None, ...]:
        """How many hits it looks at, a figure for each of its parts; None where it looks at all of them."""
        cut: Cut | None = getattr(self, "cut", None)
        return (self.hits if cut is None or cut.tokens else cut.size,)

    @property
    def budget_cut(self) -> Cut | None:
        """The budget of tokens that it reads within, if it has one."""
        cut: Cut | None = getattr(self, "cut", None)
        return cut if cut is not None and cut.tokens else None

    def needs_hits(self, k: int) -> int:
        """Return how many hits it looks at where so many are asked for."""
        return max(k if size is None else size for size in self.depths)

    def at_depth(self, k: int | None) -> Metric:
        """Return it cut at the depth that is asked for, where it has no cut and can have one."""
        if k is None or self.whole_answer or "rank" not in self.cut_by or getattr(self, "cut", None):
            return self
        return replace(self, cut=Cut(k))  # type: ignore[call-arg]

    @classmethod
    def usual(cls) -> Self:
        """Return it as it is where nobody says more than must be said."""
        if not cls.cut_required:
            return cls()
        return cls(cut=Cut(_CUT, tokens="rank" not in cls.cut_by))  # type: ignore[call-arg]

    @classmethod
    def depth_words(cls) -> str:
        """Return how many hits it looks at, in words."""
        if cls.depth or not cls.cut_by:
            return cls.depth or "as many hits as are asked for"
        tokens = "as many hits as fit into the budget" if "tokens" in cls.cut_by else ""
        if "rank" not in cls.cut_by:
            return tokens
        return (
            "k hits"
            + ("" if cls.cut_required else ", or as many as are asked for")
            + (f"; {tokens}" if tokens else "")
        )

    @abstractmethod
    def values(self, matches: Matches) -> Column:
        """Score every query of a batch."""

    @property
    def reads(self) -> frozenset[str]:
        """What it reads beyond the hits on relevant targets, its parameters considered."""
        cut: Cut | None = getattr(self, "cut", None)
        rel: float | None = getattr(self, "rel", None)
        more = {"tokens"} if cut is not None and cut.tokens else set()
        return self.needs | more | ({"irrelevant"} if rel is not None and rel <= 0 else set())

    @property
    def deepest(self) -> int | None:
        """The rank below which no hit changes its value; None where any may."""
        cut: Cut | None = getattr(self, "cut", None)
        return cut.size if cut is not None and self.within_cut and not self.reads else None

    @property
    def about_labels(self) -> bool:
        """False where what should be found plays no part, as for latency."""
        return not (self.reads and self.reads <= {"latency", "answers", "files"})

    @property
    def beside(self) -> tuple[str, ...]:
        """The metrics that it is shown with, because it means little without them."""
        return ()

    @property
    def statistic(self) -> str:
        """How the values of all queries become one: mean, max, or a percentile such as p95."""
        return "mean"

    @property
    def range(self) -> ValueRange | None:
        """Which values a query can have, its parameters considered; None where nobody has said."""
        return None if self.limits is None else ValueRange(*self.limits)

    @property
    def scale(self) -> float | None:
        """The most that the value of one query can move; None where there is no limit, or none is known."""
        return None if self.range is None else self.range.width

    @property
    def less_is_better(self) -> bool:
        """True for what a good system needs little of, such as time and tokens."""
        return self.better == "less"

    @cached_property
    def label(self) -> str:
        """The one spelling of this metric with these parameters."""
        return self.name + _parameters(self) + (f"@{cut}" if (cut := getattr(self, "cut", None)) else "")


def _parameters(metric: Metric) -> str:
    shown = []
    for field in fields(metric):
        value = getattr(metric, field.name)
        if field.name == "cut" or value == field.default:
            continue
        shown.append(field.name if value is True else f"{field.name}={_spell(value)}")
    return f"({', '.join(shown)})" if shown else ""


def _spell(value: object) -> str:
    if isinstance(value, float):
        return spell_number(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def spell_number(value: float) -> str:
    """Write a number as short as it can be read back.

    >>> spell_number(2.0), spell_number(0.1234567)
    ('2', '0.1234567')
    """
    return repr(float(value)).removesuffix(".0")


def _exact_sum(values: Floats) -> float:
    """Add numbers up with one rounding, in pieces: as Python's own numbers they take four times the room."""
    pieces = (values[start : start + _PIECE] for start in range(0, len(values), _PIECE))
    return math.fsum(chain.from_iterable(piece.tolist() for piece in pieces))


def aggregate(values: Floats, weights: Floats, statistic: str) -> float | None:
    """Return the weighted mean, the maximum, or a nearest-rank percentile such as p95.

    Sums are exactly rounded, so that no order of queries and no split into shards changes a bit.

    >>> aggregate(np.array([1.0, 0.0, 0.5]), np.ones(3), "mean")
    0.5
    >>> aggregate(np.arange(1.0, 101.0), np.ones(100), "p95")
    95.0
    >>> aggregate(np.array([]), np.array([]), "mean") is None
    True
    """
    if not len(values):
        return None
    if statistic == "max":
        return float(values.max())
    if statistic == "mean":
        if (weights == 1).all():
            return _exact_sum(values) / len(values)
        return _exact_sum(values * weights) / _exact_sum(weights)
    percentile = float(statistic.removeprefix("p"))
    rank = max(1, math.ceil(percentile / 100 * len(values) - 1e-9))
    return float(np.partition(values, rank - 1)[rank - 1])
