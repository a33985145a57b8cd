"""Scoring a run against judgments, shard by shard, so that memory does not grow with the run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankgate.errors import Code, InputError
from rankgate.model import Answer
from rankgate.progress import tracked
from rankgate.runs.store.batches import Batch, batches, one_ahead
from rankgate.runs.store.hits import tokens_estimated
from rankgate.runs.store.schemas import HITS, QUERIES, TEXTS
from rankgate.runs.store.tables import MayChange, MemoryRun, Shard
from rankgate.scoring.expressions import parse_all
from rankgate.scoring.matches import Column
from rankgate.scoring.matching import FollowingQueries, match
from rankgate.scoring.scores import Scores
from rankgate.scoring.truth_table import TruthTable
from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from rankgate.runs.store.tables import Run
    from rankgate.scoring.matches import Bools, Cut, Ints, Matches
    from rankgate.scoring.matching import JudgedQueries
    from rankgate.scoring.metric import Metric
    from rankgate.truth.judgments.table import Judgments

_ANSWERS = [answer.value for answer in Answer]
_ABSENT = 100_000
"""How many queries that a run does not have are scored at once: judgments may be too many for memory."""
_UNJUDGED = "unjudged"
_MISSING = _ANSWERS.index(Answer.MISSING.value)


@dataclass(frozen=True, slots=True, eq=False)
class ScoredPart:
    """The scores of some queries of a run; parts are put together in any order."""

    number: Ints
    """Each query's number among all judged queries."""
    status: NDArray[np.int8]
    """How each of them ended."""
    columns: Mapping[str, Column]
    """The values of each metric, by its label."""
    counts: Counter[Cut | str]
    """Queries without judgments, queries with room left in a budget."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoringTask:
    """Some shards of a run, with all that is needed to score them."""

    batch: Batch
    """The shards."""
    these: JudgedQueries
    """Their judged queries."""
    truth: TruthTable
    """What these should find."""
    metrics: tuple[Metric, ...]
    """What is measured."""
    trec: bool
    """True to compute on where trec_eval would."""
    depth: int | None
    """How many hits were asked for."""
    unjudged: int = 0
    """How many queries of the shards are not judged."""

    def scored(self) -> ScoredPart:
        """Read the hits, and score them."""
        return self.part(self.matched())

    def matched(self) -> Matches:
        """Read the hits, and join them with the truth."""
        reads = frozenset[str]().union(*(metric.reads for metric in self.metrics))
        depths = [metric.deepest for metric in self.metrics]
        deepest = None if None in depths else max((one for one in depths if one is not None), default=None)
        batch = Batch(self.batch.parts, self.these.frame)
        return match(batch, self.truth, self.these, reads, trec=self.trec, deepest=deepest)

    def part(self, matches: Matches) -> ScoredPart:
        """Score what was joined."""
        cuts = {cut for metric in self.metrics if (cut := metric.budget_cut) is not None}
        short: dict[Cut | str, int] = {cut: matches.cut_short(cut, self.depth) for cut in cuts}
        return ScoredPart(
            self.these.number,
            self.these.frame["status"].cast(pl.Enum(_ANSWERS)).to_physical().to_numpy(),
            {metric.label: _values(metric, matches) for metric in self.metrics},
            Counter({_UNJUDGED: self.unjudged} | short),
        )


def score(
    judgments: Judgments,
    run: Run,
    metrics: Iterable[str],
    *,
    trec: bool = False,
    depth: int | None = None,
) -> Scores:
    """Score a run.

    Args:
        judgments: what should be found.
        run: what was found.
        metrics: expressions such as ``ndcg@10`` or ``ap(rel=2)``.
        trec: count undefined as 0 and compute on where trec_eval would. The order of the hits is the
            run's own either way: a TREC file is sorted when it is read.
        depth: how many hits were asked for; metrics without a cut are cut there. None where nobody knows.

    Raises:
        InputError: for a metric that cannot be read, or that needs what the run does not have, and for
            files that change meanwhile.
    """
    wanted = _beside([metric.at_depth(depth) for metric in parse_all(metrics)])
    names = judgments.cases[["query"]].with_row_index("q")
    truth, whole = TruthTable.of(judgments, names), _Whole(wanted, run.name, len(names))
    estimated = judgments.cases["estimated"].to_numpy().astype(bool)
    gone, unreviewed = (_among(names["query"], some) for some in (judgments.gone, judgments.unreviewed))
    following = FollowingQueries(names)

    def task(batch: Batch) -> ScoringTask:
        these = following.asked(batch)
        unjudged = len(batch.queries) - len(these.number)
        return ScoringTask(batch, these, truth.part(these.number), wanted, trec, depth, unjudged)

    whole.add_all(_parts(run, task))
    _fill_absent(whole, names, task)
    if isinstance(run, MayChange):
        run.check_unchanged()
    zero = judgments.targets["query"].unique() if judgments.no_relevant == "zero" else names["query"].clear()
    _define(whole.columns, wanted, gone, zero=~estimated & trec, zero_of_labels=_among(names["query"], zero))
    return Scores(
        run=run.name,
        metrics=wanted,
        queries=names["query"],
        status=pl.Series("status", _ANSWERS, dtype=pl.String).gather(whole.status),
        columns=whole.columns,
        weights=judgments.cases["weight"].to_numpy(),
        unreviewed=unreviewed,
        estimated=estimated,
        gone=gone,
        order=getattr(run, "order", "returned"),
        trec=trec,
        unjudged=whole.counts[_UNJUDGED],
        depth=depth,
        notes=(*judgments.notes, *getattr(run, "notes", ()), *whole.notes(depth)),
        tokens_estimated=tokens_estimated(run),
    )


def _parts(run: Run, task: Callable[..., ScoringTask]) -> Iterator[ScoredPart]:
    """Score batch by batch, the next one always being read and joined."""
    tasks = (task(batch) for batch in batches(run.shards()))
    for one, matches in one_ahead((one, one.matched()) for one in tasks):
        yield one.part(matches)


def _fill_absent(whole: _Whole, names: pl.DataFrame, task: Callable[..., ScoringTask]) -> None:
    """Score the queries that the run does not have."""
    absent = np.flatnonzero(whole.status == _MISSING)
    for first in range(0, len(absent), _ABSENT):
        shard = absent_queries(names, absent[first : first + _ABSENT])
        whole.fill(task(Batch((shard,), shard.queries)).scored())


class _Whole:
    """The scores of a run as its parts come: each has its own queries."""

    def __init__(self, metrics: Sequence[Metric], name: str, size: int) -> None:
        self._metrics, self._name = metrics, name
        self.status = np.full(size, _MISSING, dtype=np.int8)
        self.columns = {one.label: Column(np.zeros(size), np.zeros(size, dtype=bool)) for one in metrics}
        self.counts: Counter[Cut | str] = Counter()

    def add_all(self, parts: Iterable[ScoredPart]) -> None:
        """Add parts as they come, and show how far they are.

        Raises:
            InputError: as `add` does.
        """
        with tracked(f"scoring {self._name}", len(self.status)) as advance:
            for part in parts:
                self.add(part)
                advance(len(part.number))

    def add(self, part: ScoredPart) -> None:
        """Add a part.

        Raises:
            InputError: for a query that was in another part, too.
        """
        if (self.status[part.number] != _MISSING).any():
            raise InputError(
                Code.DAMAGED_FILE(f"run {self._name}", "a query in two shards", "each query in one shard")
            )
        self.counts.update(part.counts)
        self.fill(part)

    def fill(self, part: ScoredPart) -> None:
        """Take over how queries ended and what they are worth."""
        self.status[part.number] = part.status
        for label, column in part.columns.items():
            self.columns[label].values[part.number] = column.values
            self.columns[label].defined[part.number] = column.defined

    def notes(self, depth: int | None) -> Iterator[str]:
        """Return what was cut short."""
        for metric in self._metrics:
            # Once a budget, in the order in which metrics name them.
            cut = metric.budget_cut
            if cut is not None and (queries := self.counts.pop(cut, 0)):
                these = many(queries, "query has", "queries have")
                room = f"room left in {cut.size:,} tokens after the {depth} hits asked for"
                yield f"{these} {room}: a larger k fills it"


def _beside(metrics: list[Metric]) -> tuple[Metric, ...]:
    """Add the metrics that others are shown with, after them."""
    named = {metric.label: metric for metric in metrics}
    for metric in metrics:
        named |= {other.label: other for other in parse_all(metric.beside) if other.label not in named}
    return tuple(named.values())


def score_ranking(metric: str, ranking: Sequence[str], grades: Mapping[str, float]) -> float | None:
    """Score one ranking of ids; None where the metric is undefined.

    >>> score_ranking("p@2", ["a", "x"], {"a": 1})
    0.5
    """
    from rankgate.truth.judgments.table import Judgments

    targets = pl.DataFrame(
        {"query": ["q"] * len(grades), "id": list(grades), "grade": list(map(float, grades.values()))}
    )
    judgments = Judgments.of(targets, pl.DataFrame({"query": ["q"]}))
    return score(judgments, MemoryRun("one", [Shard.of_rankings({"q": list(ranking)})]), [metric])[metric]


def _values(metric: Metric, matches: Matches) -> Column:
    """Return the values of some queries; 0 where they have none."""
    with np.errstate(over="ignore", invalid="ignore"):
        column = metric.values(matches)
    if not np.isfinite(column.values[column.defined]).all():
        fix = "use a smaller scale, or linear gain"
        raise InputError(
            Code.WRONG_VALUE(metric.label, "grades too large to add up", "values that a double holds", fix)
        )
    _in_range(metric, column)
    return Column(np.where(column.defined, column.values, 0.0), column.defined)


def _define(
    columns: dict[str, Column], metrics: Iterable[Metric], gone: Bools, zero: Bools, zero_of_labels: Bools
) -> None:
    """Count as 0 what has no value and should, and take out what is about labels that are gone."""
    for metric in metrics:
        columns[metric.label].defined[:] |= zero
        if metric.about_labels:
            columns[metric.label].defined[:] |= zero_of_labels
            columns[metric.label].defined[gone] = False
            columns[metric.label].values[gone] = 0.0


def _in_range(metric: Metric, column: Column) -> None:
    """Check that values keep to the range that their metric declares: statistics go by it."""
    if metric.range is not None and not metric.range.holds(values := column.values[column.defined]):
        found = f"values from {values.min():g} to {values.max():g}"
        fix = "correct the limits of its class"
        raise InputError(
            Code.BROKEN_PLUGIN(metric.label, found, f"{metric.range}, the range it declares", fix)
        )


def absent_queries(names: pl.DataFrame, number: Ints) -> Shard:
    """Make the shard of the judged queries that a run does not have, so that they score as any other."""
    queries = names[number].select("query", status=pl.lit(Answer.MISSING.value), hits=pl.lit(0, pl.UInt32))
    return Shard(QUERIES.conform(queries, "shard"), HITS.empty(), TEXTS.empty())


def _among(queries: pl.Series, some: pl.Series) -> Bools:
    return queries.is_in(some.implode()).to_numpy()
