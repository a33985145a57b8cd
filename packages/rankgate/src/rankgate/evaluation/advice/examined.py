"""The queries that fell short as they are examined: worst first, each with its targets and what it cost."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from rankgate.gates.outcomes import outcomes
from rankgate.model import Answer
from rankgate.reports.evaluation.recommendations import Costs
from rankgate.runs.store.hits import location_text, read_hits
from rankgate.truth.judgments.checks import GONE

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from rankgate.gates.outcomes import Outcome
    from rankgate.gates.scored import Scored
    from rankgate.model import Case
    from rankgate.runs.store.hits import HitRow

LOW = 3
"""A first relevant hit below this rank is found, but low."""
MOST_CASES = 200
"""How many queries are examined, those that cost most."""


@dataclass(frozen=True, slots=True)
class ExaminedCase:
    """A query that fell short."""

    case: Case
    targets: tuple[Mapping[str, Any], ...]
    """Its relevant targets, the best first, as judgments have them."""
    rank: int | None
    """The rank of the first hit on one of them; None where none is."""
    best_rank: int | None = None
    """The rank of the first hit on one of the highest grade; None where none is."""
    hits: tuple[HitRow, ...] = field(default=(), repr=False)
    """What was returned."""

    @property
    def best(self) -> Mapping[str, Any]:
        """The target with the highest grade, of equals the first."""
        return self.targets[0]

    @property
    def highest(self) -> tuple[Mapping[str, Any], ...]:
        """The targets of the highest grade."""
        return tuple(row for row in self.targets if row["grade"] == self.best["grade"])

    @property
    def name(self) -> str:
        """The best target as the suite names it, or else its lines."""
        wanted = [target for target in self.case.targets if target.grade > 0]
        highest = max((target.grade for target in wanted), default=0.0)
        named = next((target for target in wanted if target.grade == highest), None)
        if named is None or named.location.quote is not None:
            return place(self.best)
        return str(named.location)


def place(row: Mapping[str, Any]) -> str:
    """Return where a target is, in words."""
    return location_text(row["id"], row["path"], row["start"], row["end"]) or ""


def page(row: Mapping[str, Any]) -> str:
    """Return the file or the record that a target is in."""
    return str(row["path"] if row["path"] is not None else row["id"])


@dataclass(frozen=True, slots=True, eq=False)
class FailedQueries:
    """All queries of a run that fell short, sorted by what is known of them without asking."""

    errored: tuple[Outcome, ...]
    """Those that the system did not answer."""
    unwanted: tuple[Outcome, ...]
    """Those that returned hits where none are right."""
    missed: tuple[ExaminedCase, ...]
    """Those that returned nothing relevant; the costliest first."""
    found: tuple[ExaminedCase, ...]
    """Those whose first relevant hit is not the first hit; the costliest first."""

    @classmethod
    def of(cls, scored: Scored, ended: Sequence[Outcome] | None = None) -> FailedQueries:
        """Sort the queries that fell short, by how every case ended; known misses are left out."""
        every = outcomes(scored) if ended is None else ended
        short = [one for one in every if one.reasons and one.known is None]
        errored = tuple(one for one in short if one.answer in (Answer.ERROR, Answer.TIMEOUT))
        answered = [one for one in short if one.answer is Answer.OK]
        unwanted = tuple(one for one in answered if one.case.expect_empty)
        named, ranks = _named(scored), _first_ranks(scored)
        costs = Costs.of(scored).by_case
        searched = sorted(
            (one.case for one in answered if one.case.id in named),
            key=lambda case: -costs.get(case.id, 0.0),
        )
        lost = [case for case in searched if case.id not in ranks][:MOST_CASES]
        deep = [case for case in searched if ranks.get(case.id, 0) > 1][:MOST_CASES]
        names = [case.id for case in (*lost, *deep)]
        hits, targets = read_hits(scored.run, names), relevant_targets(scored, names)
        reached = scored.judged_hits.only(names).ranks

        def examined(case: Case) -> ExaminedCase:
            one = ExaminedCase(case, targets[case.id], ranks.get(case.id), hits=tuple(hits.get(case.id, ())))
            best = [reached.get((case.id, int(row["target"]))) for row in one.highest]
            return replace(one, best_rank=min((rank for rank in best if rank is not None), default=None))

        return cls(errored, unwanted, tuple(map(examined, lost)), tuple(map(examined, deep)))


def _named(scored: Scored) -> set[str]:
    """Return the queries that have relevant targets, as `relevant_targets` counts them."""
    there = (pl.col("grade") > 0) & pl.col("strategy").ne_missing(GONE)
    return set(scored.judgments.targets.filter(there)["query"].to_list()) - scored.judged_hits.estimated


def relevant_targets(
    scored: Scored, queries: Collection[str] | None = None
) -> dict[str, tuple[Mapping[str, Any], ...]]:
    """Return the relevant targets of each query, the best first; none that are estimated, or gone.

    Args:
        scored: What was tested, judged.
        queries: Whose targets are asked for; None for all. Of a few queries, all are returned.
    """
    hits = scored.judged_hits if queries is None else scored.judged_hits.only(queries)
    relevant = {
        query: [row for row in rows if row["grade"] > 0 and row["strategy"] != GONE]
        for query, rows in hits.targets.items()
        if query not in hits.estimated
    }
    return {
        query: tuple(sorted(rows, key=lambda row: -float(row["grade"])))
        for query, rows in relevant.items()
        if rows
    }


def _first_ranks(scored: Scored) -> dict[str, int]:
    names = scored.judgments.cases["query"].to_list()
    ranks: Sequence[int] = scored.judged_hits.first_relevant().tolist()
    return {name: rank for name, rank in zip(names, ranks, strict=True) if rank}
