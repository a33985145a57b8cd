"""The queries that moved most, each with both its rankings side by side."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from rankgate.gates.wording import figure
from rankgate.model.wording import many
from rankgate.reports.failures import BAD, GOOD, Mark, Unmarked
from rankgate.reports.moves import moved_from, signed
from rankgate.reports.printable import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

MOVED_SHOWN = 5
"""How many queries are shown side by side: those that moved most."""
HITS_SHOWN = 5
"""How many hits of each side are shown."""
TIE = 1e-9
"""What is no difference."""
Marked: TypeAlias = tuple[str, Mark | Unmarked]
"""The place of a hit, and its mark."""


@dataclass(frozen=True, slots=True)
class SideBySide:
    """One rank, before and after."""

    rank: int
    """From 1."""
    before: str
    """The place that stood there; empty where there was none."""
    before_mark: Mark | Unmarked
    """Found what was expected, wrong by judgment, or empty."""
    after: str
    """The place that stands there now."""
    after_mark: Mark | Unmarked
    """The same, of what stands there now."""
    move: str
    """Where what stands there now came from: ↑2, ↓1, =, or new."""


@dataclass(frozen=True, slots=True)
class MovedQuery:
    """A query that moved, with both its rankings."""

    mark: Mark
    """❌ worse, ✅ better."""
    case: str
    """The case's id."""
    query: str
    """What was asked."""
    before: str
    """What it scored in the first metric."""
    after: str
    """What it scores now."""
    difference: str
    """After less before, with its sign."""
    first: str
    """Where its first relevant hit was and is, in words."""
    hits: tuple[SideBySide, ...]
    """Both rankings, a row a rank."""


class Scored(NamedTuple):
    """What a query scored, before and after."""

    at: int
    """Its number among those of the caller."""
    case: str
    """The case's id."""
    before: float
    """Its value before."""
    after: float
    """Its value after."""

    @property
    def difference(self) -> float:
        """After less before."""
        return self.after - self.before


class Told(NamedTuple):
    """What else is told of a query that moved."""

    query: str
    """What was asked."""
    first: str
    """Where its first relevant hit was and is, in words."""
    before: Sequence[Marked]
    """Its hits before, best first."""
    after: Sequence[Marked]
    """Its hits after."""


def moved_queries(
    metric: tuple[str, str], worse: float, scored: Iterable[Scored], tell: Callable[[int], Told]
) -> tuple[tuple[MovedQuery, ...], str]:
    """Take the queries that moved most, the worst first, and say how many others did.

    Args:
        metric: Its label and its unit.
        worse: 1 where less is better, otherwise -1.
        scored: What the queries scored in it.
        tell: Tells of the query with a number what is shown of those taken.
    """
    label, unit = metric
    moving = [one for one in scored if abs(one.difference) > TIE]
    moving.sort(key=lambda one: (-abs(one.difference), -one.difference * worse, one.case))
    shown = sorted(moving[:MOVED_SHOWN], key=lambda one: (-one.difference * worse, one.case))
    more = len(moving) - len(shown)
    return (
        tuple(_moved(one, unit, worse, tell(one.at)) for one in shown),
        f"… and {many(more, 'query', 'queries')} more moved in {printable(label)}" if more else "",
    )


def _moved(scored: Scored, unit: str, worse: float, told: Told) -> MovedQuery:
    return MovedQuery(
        mark=BAD if scored.difference * worse > 0 else GOOD,
        case=printable(scored.case),
        query=printable(told.query),
        before=figure(scored.before, unit),
        after=figure(scored.after, unit),
        difference=signed(scored.difference, unit),
        first=told.first,
        hits=tuple(_side_by_side(told.before, told.after)),
    )


def _side_by_side(before: Sequence[Marked], after: Sequence[Marked]) -> Iterable[SideBySide]:
    old = [place for place, _ in before]
    nothing: Marked = ("", "")
    rows = zip_longest(before[:HITS_SHOWN], after[:HITS_SHOWN], fillvalue=nothing)
    for rank, ((was, was_mark), (now, now_mark)) in enumerate(rows, 1):
        yield SideBySide(rank, printable(was), was_mark, printable(now), now_mark, moved_from(now, rank, old))
