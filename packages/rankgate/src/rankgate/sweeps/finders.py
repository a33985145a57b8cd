"""Which queries one variant alone finds, and which none does: what joining variants could gain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankgate.reports.sweep import FoundAlone
from rankgate.reports.text.printable import printable

if TYPE_CHECKING:
    from rankgate.scoring.matches import Ints
    from rankgate.sweeps.table import SweepTable


def found_alone(table: SweepTable) -> tuple[FoundAlone, ...]:
    """Return what each distinct variant of the file alone finds, those that find most first."""
    ranks = _first_ranks(table)
    if len(ranks) < 2:
        return ()
    found = np.array([one > 0 for one in ranks.values()])
    alone = found & (found.sum(axis=0) == 1)
    texts = _queries(table)
    rows = [
        FoundAlone(printable(name), tuple(texts[at] for at in np.flatnonzero(own)))
        for name, own in zip(ranks, alone, strict=True)
        if own.any()
    ]
    return tuple(sorted(rows, key=lambda row: -len(row.queries)))


def unanswered(table: SweepTable) -> tuple[str, ...]:
    """Return the queries that have something relevant to find, which no variant of the file finds."""
    found = np.any([one > 0 for one in _first_ranks(table).values()], axis=0)
    expected = {case.id for case in table.suite.cases if any(target.grade > 0 for target in case.targets)}
    texts, names = _queries(table), list(table.base.queries)
    return tuple(texts[at] for at in np.flatnonzero(~found) if names[at] in expected)


def _queries(table: SweepTable) -> list[str]:
    asked = {case.id: case.query for case in table.suite.cases}
    return [printable(asked.get(name, name)) for name in table.base.queries]


def _first_ranks(table: SweepTable) -> dict[str, Ints]:
    """Return the rank of the first relevant hit of every query, for each distinct variant that is shown."""
    found = {table.baseline.variant.name: table.own.first_before}
    for one in table.shown:
        compared = table.of(one.variant.name)
        if compared is not None and compared.asked.variant.name not in found:
            found[compared.asked.variant.name] = compared.comparison.first_after
    return found
