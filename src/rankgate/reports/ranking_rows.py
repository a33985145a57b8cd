"""One query's ranking in a few lines: what was expected, at which rank it came, and what stood above it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.model.wording import many
from rankgate.reports.failures import BAD, FEW, Expected
from rankgate.reports.printable import columns, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rankgate.reports.failures import Failure, ShownHit

ABOVE = 3
"""How many hits above the first that was expected are shown."""
EXPECTED = 5
"""How many of those expected are shown."""
_NOWHERE = "–"
_WIDEST = 60


def ranking_rows(failure: Failure, looked_for: Mapping[str, int | None] | None = None) -> list[str]:
    """Lay the ranking of a query out, a line a hit, with arrows at what was expected.

    Places that were looked for, with their ranks, are shown as well.

    >>> from rankgate.reports.failures import Expected, Failure, ShownHit
    >>> hits = (ShownHit(1, "sso.md:1-9", ""), ShownHit(2, "keys.md:4-20", "✅"))
    >>> wanted = Expected("keys.md#Rotation", "rank 2", 2, "✅"), Expected("api.md", "not found", None, "❌")
    >>> rows = ranking_rows(Failure("c", "rotate", "", "❌", False, (), wanted, hits, "9 hits"))
    >>> for row in rows:
    ...     print(row)
    1  sso.md:1-9
    2  keys.md#Rotation  ← expected
    –  api.md            ← expected, not found
    """
    wanted = sorted(failure.expected, key=_rank)
    marked = [*wanted[:EXPECTED], *_others(failure, looked_for or {})]
    first = min((one.rank for one in marked if one.rank is not None), default=None)
    before = [hit for hit in failure.hits if first is None or hit.rank < first]
    rows = [_hit(hit) for hit in before[:ABOVE]]
    if first is not None and first - 1 > len(rows):
        rows.append(("…", many(first - 1 - len(rows), "more hit"), ""))
    rows += [_marked(one, expected=one in failure.expected) for one in sorted(marked, key=_rank)]
    if len(wanted) > EXPECTED:
        rows.append(("", f"and {len(wanted) - EXPECTED} more expected", ""))
    if not rows and not failure.errored:
        rows.append((_NOWHERE, "no hits at all", ""))
    return _aligned(rows)


def _rank(one: Expected) -> float:
    return float("inf") if one.rank is None else one.rank


def _others(failure: Failure, places: Mapping[str, int | None]) -> list[Expected]:
    known = {one.place.partition(" (")[0] for one in failure.expected}
    return [
        Expected(printable(place), FEW[0] if rank is None else f"rank {rank}", rank, "")
        for place, rank in places.items()
        if place not in known
    ]


def _hit(hit: ShownHit) -> tuple[str, str, str]:
    return str(hit.rank), hit.place, "← not wanted" if hit.mark == BAD else ""


def _marked(one: Expected, *, expected: bool) -> tuple[str, str, str]:
    arrow = "← expected" if expected else "← looked for"
    if one.rank is not None:
        return str(one.rank), one.place, arrow + one.ended.removeprefix(f"rank {one.rank}")
    # The hit that is the only one stands in the line above.
    return _NOWHERE, one.place, f"{arrow}, {'not found' if one.ended in FEW else one.ended}"


def _aligned(rows: Iterable[tuple[str, str, str]]) -> list[str]:
    rows = list(rows)
    digits = max((len(rank) for rank, _, _ in rows), default=0)
    width = min(_WIDEST, max((columns(place) for _, place, mark in rows if mark), default=0))
    return [
        f"{rank:>{digits}}  {place}{' ' * (width - columns(place))}  {mark}".rstrip()
        for rank, place, mark in rows
    ]
