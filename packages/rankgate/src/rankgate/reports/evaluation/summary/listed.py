"""Which queries a report lists one by one, and how many it only counts: one choice for every layout.

A suite of a million queries has a report that opens at once: it lists those that broke, those that fell short
and those that changed, the worst first, up to `MOST_QUERIES`. What is left out is counted, and scores.parquet
has every query.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankgate.model import Answer
from rankgate.model.wording import MOST_LISTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rankgate.gates.outcomes import Outcome
    from rankgate.gates.scored import Scored
    from rankgate.reports.evaluation.summary.queries import BrokenQuery
    from rankgate.scoring.matches import Floats

MOST_QUERIES = MOST_LISTED
"""How many queries a report lists: a browser opens a page of so many within two seconds."""
_ALL = "scores.parquet beside the report has all of them"


@dataclass(frozen=True, slots=True)
class UnlistedQueries:
    """What a report counts and does not list; all are 0 where it lists everything."""

    queries: int = 0
    """How many there are; with the length of `cases`, the number of all."""
    failed: int = 0
    """How many of them are part of why the run failed, errors not among them."""
    errored: int = 0
    """How many of them the system did not answer, where that is part of why the run failed."""
    weak: int = 0
    """How many of them fell short and are no part of why the run failed; known misses are not among them."""
    known: int = 0
    """How many of them are known misses."""
    broke: int = 0
    """How many of those that fell short are part of why the run failed, or were not answered."""
    lost: int = 0
    """How many lost queries no gate names in its `lost`, of all such gates together."""
    gone: int = 0
    """How many targets that are gone are not among those of `gone`."""
    flaky: int = 0
    """How many values that differ between repeats are not in `flaky`."""
    words: str = ""
    """How many of how many are listed, which, and where the others are; empty where all are."""

    @property
    def short(self) -> int:
        """How many of them fell short and may not."""
        return self.failed + self.errored + self.weak

    @property
    def by_section(self) -> tuple[int, int]:
        """How many of these broke, and how many others there are."""
        return self.broke, self.short - self.broke


class ListedQueries(NamedTuple):
    """What a report lists."""

    outcomes: Sequence[Outcome]
    """How the cases ended that are listed, in the order of the suite."""
    left_out: UnlistedQueries
    """How many others there are."""


def listed(
    scored: Scored,
    ended: Sequence[Outcome],
    broken: Sequence[BrokenQuery],
    costs: Mapping[str, float],
    most: int | None,
) -> ListedQueries:
    """Choose the cases that a report lists.

    Those that broke come first, in the order of the first screen, and known misses that pass now; then those
    that fell short and other known misses, the costliest first; then those with other hits than in the
    baseline, by how far the first metric moved; then the others, in the order of the suite.

    Args:
        scored: What was tested, judged.
        ended: How every case ended.
        broken: Those that broke, in the order of the first screen.
        costs: What each case costs of the gated metric.
        most: How many are listed at most; None for all.
    """
    number = len(ended)
    if most is None or number <= most:
        return ListedQueries(ended, UnlistedQueries())
    order = {one.outcome.case.id: at for at, one in enumerate(broken)}
    moved = _moves(scored)
    rank, place = np.full(number, 3, dtype=np.int8), np.zeros(number)
    for at, one in enumerate(ended):
        name = one.case.id
        if name in order:
            rank[at], place[at] = 0, order[name]
        elif one.blocks or (one.known is not None and not one.reasons):
            # A known miss that passes now is to be taken out: no other place says so.
            rank[at], place[at] = 0, len(order)
        elif one.reasons or one.known is not None:
            rank[at], place[at] = 1, -costs.get(name, 0.0)
        elif name in moved:
            rank[at], place[at] = 2, -moved[name]
    chosen = np.zeros(number, dtype=bool)
    chosen[np.lexsort((place, rank))[:most]] = True
    kept = [one for one, wanted in zip(ended, chosen.tolist(), strict=True) if wanted]
    others = (one for one, wanted in zip(ended, chosen.tolist(), strict=True) if not wanted)
    words = f"{most:,} of {number:,} queries are listed, the failed and weakest first, then the most changed"
    return ListedQueries(kept, _counted(others, f"{words}; {_ALL}"))


def _counted(others: Iterator[Outcome], words: str) -> UnlistedQueries:
    """Count what is left out."""
    queries = failed = errored = weak = known = broke = 0
    for one in others:
        queries += 1
        if one.known is not None:
            known += 1
        elif one.reasons:
            error = one.answer in (Answer.ERROR, Answer.TIMEOUT)
            errored += one.blocks and error
            failed += one.blocks and not error
            weak += not one.blocks
            broke += one.blocks or error
    return UnlistedQueries(queries, failed, errored, weak, known, broke, words=words)


def _moves(scored: Scored) -> dict[str, float]:
    """Return the queries whose hits are others than in the baseline, with how far the first metric moved."""
    against = scored.own_baseline
    if against is None or against.comparison is None:
        return {}
    comparison = against.comparison
    rows = np.flatnonzero(comparison.changed & comparison.shared)
    apart: Floats = np.zeros(len(comparison.shared))
    for metric in comparison.after.metrics[:1]:
        before, after = (side.columns.get(metric.label) for side in (comparison.before, comparison.after))
        if before is not None and after is not None:
            both = before.defined & after.defined
            apart[both] = np.abs(after.values[both] - before.values[both])
    names = comparison.after.queries.gather(rows).to_list()
    return dict(zip(names, apart[rows].tolist(), strict=True))
