"""Two runs on the same judgments: what each query scored before and after, and where its first hit went."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankgate.model import Answer
from rankgate.runs.store.hits import answer_digests
from rankgate.scoring.matches import Column
from rankgate.scoring.paired.compare import compare_paired
from rankgate.scoring.placements import JudgedHits
from rankgate.scoring.repeats import usual_ranks
from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from rankgate.runs.store.tables import Run
    from rankgate.scoring.matches import Bools, Floats, Ints
    from rankgate.scoring.metric import Metric
    from rankgate.scoring.paired.compare import PairedResult
    from rankgate.scoring.scores import Scores
    from rankgate.truth.judgments.table import Judgments

SEED = 20_260
"""What chance is drawn with where nobody says: the same figures every time."""


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """The scores of two runs, query by query, all of them in the order of the judgments."""

    before: Scores
    """What is compared with."""
    after: Scores
    """What is compared."""
    shared: Bools
    """The queries that both were asked."""
    hits_before: JudgedHits
    """The hits that were compared with, joined with the judgments."""
    hits_after: JudgedHits
    """The hits that were compared."""
    first_before: Ints
    """The rank of the first hit that reaches something relevant; 0 where none does."""
    first_after: Ints
    """The same, after."""
    changed: Bools
    """The queries whose hits are not the same, in the same order."""
    groups: tuple[str, ...]
    """What each query is resampled with: its group, or itself."""
    left_out: Bools
    """The queries that had something relevant before which nobody can find in the documents of today."""
    seed: int = SEED
    """What chance is drawn with."""
    _results: dict[tuple[str, bytes], PairedResult] = field(default_factory=dict, init=False, repr=False)

    @property
    def answered(self) -> Bools:
        """The queries that both were asked and both answered, without an error or a time-out."""
        errors = [Answer.ERROR.value, Answer.TIMEOUT.value]
        before, after = (one.status.is_in(errors).to_numpy() for one in (self.before, self.after))
        marked: Bools = self.shared & ~before & ~after
        return marked

    def counted(self, label: str, mask: Bools) -> Bools:
        """Mark the queries of a mask that both runs have a value for."""
        before, after = (one.columns[label].defined for one in (self.before, self.after))
        marked: Bools = mask & self.shared & before & after
        return marked

    def one_sided(self, label: str, mask: Bools) -> str:
        """Return how many queries of a mask have a value in one run alone, in words; empty where none has.

        Of such runs a difference would say which queries have a value, not which run is better.
        """
        rows = mask & self.shared & ~self.left_out
        before, after = (one.columns[label].defined[rows] for one in (self.before, self.after))
        alone = (int((before & ~after).sum()), "before alone"), (int((after & ~before).sum()), "after alone")
        return ", ".join(f"{many(number, 'query', 'queries')} {when}" for number, when in alone if number)

    def paired(self, label: str, mask: Bools) -> PairedResult:
        """Compare a metric over some queries: after less before. The same is worked out once."""
        key = label, mask.tobytes()
        if key not in self._results:
            rows = self.counted(label, mask)
            self._results[key] = compare_paired(
                self._differences(label, rows),
                self.after.weights[rows],
                self._groups_of(rows),
                seed=self.seed,
                scale=self.metric(label).scale,
            )
        return self._results[key]

    def metric(self, label: str) -> Metric:
        """Return a metric that was scored."""
        return next(metric for metric in self.after.metrics if metric.label == label)

    def _differences(self, label: str, rows: Bools) -> Floats:
        before, after = (one.columns[label].values[rows] for one in (self.before, self.after))
        return np.asarray(after - before)

    def _groups_of(self, rows: Bools) -> list[str]:
        return [group for group, wanted in zip(self.groups, rows, strict=True) if wanted]


def compare(
    judgments: Judgments,
    before: tuple[Run, Scores],
    after: tuple[Run, Scores],
    asked: Collection[str] | None = None,
    repeats: tuple[Sequence[Run], Sequence[Run]] = ((), ()),
    left_out: Collection[str] = (),
) -> Comparison:
    """Compare two runs that were scored against the same judgments.

    Args:
        judgments: What should be found.
        before: A run and its scores.
        after: Another.
        asked: The queries that both were asked; None for all. Those with estimated labels are left out, as an
            estimate is made of one run's texts.
        repeats: The answers to the same, asked again: before and after. A query was found where at least half
            of them found it.
        left_out: Queries whose relevant hits cannot be found in the documents of today: they have no value
            before.
    """
    queries, scores = judgments.cases["query"], after[1]
    # What has no target left today is neither found nor lost: it is compared on no side.
    out = queries.is_in(list({*left_out} - {*judgments.gone})).to_numpy()
    shared = np.ones(len(queries), dtype=bool)
    if asked is not None:
        shared = queries.is_in(list(asked)).to_numpy()
    hits = JudgedHits(judgments, before[0]), JudgedHits(judgments, after[0])
    return Comparison(
        before=_without_values(before[1], out),
        after=scores,
        shared=shared & ~scores.estimated & ~scores.gone,
        hits_before=hits[0],
        hits_after=hits[1],
        first_before=_first(hits[0], judgments, repeats[0]),
        first_after=_first(hits[1], judgments, repeats[1]),
        changed=_changed(queries, (before[0], *repeats[0]), (after[0], *repeats[1])),
        groups=query_groups(judgments),
        left_out=out,
    )


def _without_values(scores: Scores, rows: Bools) -> Scores:
    columns = {
        label: Column(column.values, column.defined & ~rows) for label, column in scores.columns.items()
    }
    return replace(scores, columns=columns)


def _first(hits: JudgedHits, judgments: Judgments, repeats: Sequence[Run]) -> Ints:
    again = [JudgedHits(judgments, run).first_relevant() for run in repeats]
    return usual_ranks([hits.first_relevant(), *again]) if again else hits.first_relevant()


def _changed(queries: pl.Series, before: Sequence[Run], after: Sequence[Run]) -> Bools:
    changed = np.zeros(len(queries), dtype=bool)
    for one, other in product(before, after):
        both = answer_digests(one).join(answer_digests(other), on="query", suffix="_after")
        same = both.filter(pl.col("answer") == pl.col("answer_after"))["query"]
        changed |= ~queries.is_in(same.implode()).to_numpy()
    return changed


def query_groups(judgments: Judgments) -> tuple[str, ...]:
    """Return what each query is resampled with: its group, or itself."""
    # A query's own name and a group's may be the same word.
    return tuple(
        f"group {group}" if group is not None else f"query {query}"
        for query, group in judgments.cases.select("query", "group").iter_rows()
    )
