"""What a report lists beside queries: lost ones by their gate, targets that are gone, values that differ.

Each list is limited as that of the queries is, and what is left out is counted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from rankgate.reports.evaluation.rows import GoneReport, VerdictRow, verdict_row
from rankgate.reports.text.printable import printable
from rankgate.scoring.repeats import Spread, spreads

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rankgate.gates.scored import Scored
    from rankgate.reports.evaluation.summary.listed import ListedQueries, UnlistedQueries

T = TypeVar("T")


class CutLists(NamedTuple):
    """The lists of a report that are not of queries, none longer than that of the queries may be."""

    verdicts: tuple[VerdictRow, ...]
    """A row a gate, with the queries that were lost."""
    gone: GoneReport
    """The targets that are gone."""
    flaky: tuple[Spread, ...]
    """The values that differ between repeats."""
    left_out: UnlistedQueries
    """What is left out of these and of the queries, and both numbers in words."""


def cut_lists(scored: Scored, gone: GoneReport, listed: ListedQueries, most: int | None) -> CutLists:
    """Take what is listed: lost queries that are listed themselves, what counts, and what differs most.

    Args:
        scored: What was tested, judged.
        gone: All targets that are gone.
        listed: The queries that are listed.
        most: How many of each are listed; None for all.
    """
    shown = {one.case.id for one in listed.outcomes} if listed.left_out.queries else set()
    every = [verdict.lost for verdict in scored.verdicts]
    lost = [first_of(some, most, lambda one: one.query not in shown) for some in every]
    targets = first_of(gone.targets, most, lambda one: not one.counts)
    values = spreads(scored.each)
    flaky = first_of(values, most, lambda one: one.low - one.high)
    kept, total = sum(map(len, lost)), sum(map(len, every))
    lists = (
        (kept, total, "lost queries"),
        (len(targets), len(gone.targets), "targets that are gone"),
        (len(flaky), len(values), "values that differ between repeats"),
    )
    said = [f"{some:,} of {number:,} {what} are listed" for some, number, what in lists if some < number]
    left_out = replace(
        listed.left_out,
        lost=total - kept,
        gone=len(gone.targets) - len(targets),
        flaky=len(values) - len(flaky),
        words="; ".join(filter(None, (listed.left_out.words, *said))),
    )
    return CutLists(
        tuple(
            verdict_row(replace(verdict, lost=some), scored.scores)
            for verdict, some in zip(scored.verdicts, lost, strict=True)
        ),
        replace(gone, targets=targets),
        tuple(replace(one, query=printable(one.query)) for one in flaky),
        left_out,
    )


def first_of(some: Sequence[T], most: int | None, rank: Callable[[T], float]) -> tuple[T, ...]:
    """Return those of the lowest ranks, no more than `most`, in the order they have.

    >>> first_of((3, 1, 2, 1), 2, rank=float), first_of((3, 1), 2, rank=float)
    ((1, 1), (3, 1))
    """
    if most is None or len(some) <= most:
        return tuple(some)
    chosen = np.argsort([rank(one) for one in some], kind="stable")[:most]
    return tuple(some[at] for at in np.sort(chosen).tolist())
