"""One query's ranking in a few lines: what was expected, at which rank it came, and what stood above it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.model.wording import many
from rankgate.reports.failures import BAD, FEW
from rankgate.reports.printable import columns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankgate.reports.failures import Expected, Failure, ShownHit

ABOVE = 3
"""How many hits above the first that was expected are shown."""
EXPECTED = 5
"""How many of those expected are shown."""
_NOWHERE = "–"
_WIDEST = 60


def ranking_rows(failure: Failure) -> list[str]:
    """Lay the ranking of a query out, a line a hit, with arrows at what was expected.

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
    ranks = [one.rank for one in failure.expected if one.rank is not None]
    first = min(ranks, default=None)
    before = [hit for hit in failure.hits if first is None or hit.rank < first]
    rows = [_hit(hit) for hit in before[:ABOVE]]
    if first is not None and first - 1 > len(rows):
        rows.append(("…", f"{many(first - 1 - len(rows), 'more hit')}", ""))
    wanted = sorted(failure.expected, key=lambda one: one.rank or float("inf"))
    rows += [_expected(one) for one in wanted[:EXPECTED]]
    if len(wanted) > EXPECTED:
        rows.append(("", f"and {len(wanted) - EXPECTED} more expected", ""))
    if not rows and not failure.errored:
        rows.append((_NOWHERE, "no hits at all", ""))
    return _aligned(rows)


def _hit(hit: ShownHit) -> tuple[str, str, str]:
    return str(hit.rank), hit.place, "← not wanted" if hit.mark == BAD else ""


def _expected(one: Expected) -> tuple[str, str, str]:
    if one.rank is not None:
        return str(one.rank), one.place, "← expected" + one.ended.removeprefix(f"rank {one.rank}")
    # The hit that is the only one stands in the line above.
    return _NOWHERE, one.place, f"← expected, {'not found' if one.ended in FEW else one.ended}"


def _aligned(rows: Iterable[tuple[str, str, str]]) -> list[str]:
    rows = list(rows)
    digits = max((len(rank) for rank, _, _ in rows), default=0)
    width = min(_WIDEST, max((columns(place) for _, place, mark in rows if mark), default=0))
    return [
        f"{rank:>{digits}}  {place}{' ' * (width - columns(place))}  {mark}".rstrip()
        for rank, place, mark in rows
    ]
