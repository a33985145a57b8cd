"""Scoring a run against judgments, shard by shard, so that memory does not grow with the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankgate.errors import Code, InputError
from rankgate.model import Answer
from rankgate.model.wording import many
from rankgate.progress import tracked
from rankgate.runs.store.batches import batches, one_ahead
from rankgate.runs.store.hits import tokens_estimated
from rankgate.runs.store.schemas import HITS, QUERIES, TEXTS
from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.expressions import parse_all
from rankgate.scoring.matches import Column
from rankgate.scoring.matching import asked, match
from rankgate.scoring.metric import spell_number
from rankgate.scoring.scores import Scores
from rankgate.scoring.truth_table import TruthTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from rankgate.runs.store.tables import Run
    from rankgate.scoring.matches import Ints, Matches
    from rankgate.scoring.matching import JudgedQueries
    from rankgate.scoring.metric import Metric
    from rankgate.truth.judgments.table import Judgments

_ANSWERS = [answer.value for answer in Answer]
_MISSING = _ANSWERS.index(Answer.MISSING.value)


def score(
    judgments: Judgments, run: Run, metrics: Iterable[str], *, trec: bool = False, depth: int | None = None
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
        InputError: for a metric that cannot be read, or that needs what the run does not have.
    """
    wanted = _beside([metric.at_depth(depth) for metric in parse_all(metrics)])
    names = judgments.cases[["query"]].with_row_index("q")
    truth, size = TruthTable.of(judgments, names), len(names)
    columns = {metric.label: Column(np.zeros(size), np.zeros(size, dtype=bool)) for metric in wanted}
    status = np.full(size, _MISSING, dtype=np.int8)
    reads = frozenset[str]().union(*(metric.reads for metric in wanted))
    estimated = judgments.cases["estimated"].to_numpy().astype(bool)
    gone = names["query"].is_in(judgments.gone.implode()).to_numpy()
    tally = _Tally(wanted, depth)

    def matched() -> Iterator[tuple[JudgedQueries, Matches, int]]:
        for batch in batches(run.shards()):
            these = asked(batch, names)
            found = match(batch, truth.part(these.number), these, reads, trec=trec)
            yield these, found, len(batch.queries)

    with tracked(f"scoring {run.name}", size) as advance:
        for these, matches, queries in one_ahead(matched()):
            tally.add(matches, queries - len(these.number))
            _fill_status(status, these, run)
            _fill(columns, wanted, matches, these.number)
            advance(len(these.number))
    if len(absent := np.flatnonzero(status == _MISSING)):
        shard = absent_queries(names, absent)
        matches = match(shard, truth.part(absent), asked(shard, names), reads, trec=trec)
        _fill(columns, wanted, matches, absent)
    _define(columns, wanted, gone, zero=~estimated & trec)
    return Scores(
        run=run.name,
        metrics=tuple(wanted),
        queries=names["query"],
        status=pl.Series("status", _ANSWERS, dtype=pl.String).gather(status),
        columns=columns,
        weights=judgments.cases["weight"].to_numpy(),
        unreviewed=_unreviewed(judgments, names),
        estimated=estimated,
        gone=gone,
        order=getattr(run, "order", "returned"),
        trec=trec,
        unjudged=tally.unjudged,
        depth=depth,
        notes=(*judgments.notes, *getattr(run, "notes", ()), *tally.notes(judgments)),
        tokens_estimated=tokens_estimated(run),
    )


class _Tally:
    """What was left out, kept less than its gain, or was cut short, counted batch by batch."""

    def __init__(self, metrics: Iterable[Metric], depth: int | None) -> None:
        self.unjudged = 0
        self._depth = depth
        self._miscounted = 0
        self._cut_short = {cut: 0 for metric in metrics if (cut := metric.budget_cut) is not None}

    def add(self, matches: Matches, unjudged: int) -> None:
        """Count a batch, of whose queries some are not judged."""
        self.unjudged += unjudged
        self._miscounted += matches.miscounted
        for cut in self._cut_short:
            self._cut_short[cut] += matches.cut_short(cut, self._depth)

    def notes(self, judgments: Judgments) -> Iterator[str]:
        """Return what to say of it."""
        yield from _miscounted(self._miscounted, judgments)
        for cut, queries in self._cut_short.items():
            if queries:
                these = many(queries, "query has", "queries have")
                room = f"room left in {cut.size:,} tokens after the {self._depth} hits asked for"
                yield f"{these} {room}: a larger k fills it"


def _beside(metrics: list[Metric]) -> list[Metric]:
    """Add the metrics that others are shown with, after them."""
    named = {metric.label: metric for metric in metrics}
    for metric in metrics:
        named |= {other.label: other for other in parse_all(metric.beside) if other.label not in named}
    return list(named.values())


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


def _fill_status(status: NDArray[np.int8], these: JudgedQueries, run: Run) -> None:
    if (status[these.number] != _MISSING).any():
        raise InputError(
            Code.DAMAGED_FILE(f"run {run.name}", "a query in two shards", "each query in one shard")
        )
    status[these.number] = these.frame["status"].cast(pl.Enum(_ANSWERS)).to_physical().to_numpy()


def _fill(columns: dict[str, Column], metrics: list[Metric], matches: Matches, number: Ints) -> None:
    for metric in metrics:
        with np.errstate(over="ignore", invalid="ignore"):
            column = metric.column(matches)
        if not np.isfinite(column.values[column.defined]).all():
            fix = "use a smaller scale, or linear gain"
            raise InputError(
                Code.WRONG_VALUE(
                    metric.label, "grades too large to add up", "values that a double holds", fix
                )
            )
        _in_range(metric, column)
        columns[metric.label].values[number] = np.where(column.defined, column.values, 0.0)
        columns[metric.label].defined[number] = column.defined


def _define(
    columns: dict[str, Column], metrics: list[Metric], gone: NDArray[np.bool_], zero: NDArray[np.bool_]
) -> None:
    """Count as 0 what has no value and should, and take out what is about labels that are gone."""
    for metric in metrics:
        columns[metric.label].defined[:] |= zero
        if metric.about_labels:
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


def _miscounted(hits: int, judgments: Judgments) -> tuple[str, ...]:
    if not hits:
        return ()
    said, keep = ("1 hit reports", "it keeps") if hits == 1 else (f"{hits} hits report", "they keep")
    part = spell_number(judgments.matching.miscounted)
    return (f"{said} another number of matches than the target, or none: {keep} {part} of the gain",)


def _unreviewed(judgments: Judgments, names: pl.DataFrame) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    if judgments.targets["reviewed"].all():
        return np.zeros(len(names), dtype=bool)
    proposed = judgments.targets.filter(~pl.col("reviewed"))["query"].unique()
    return names["query"].is_in(proposed.implode()).to_numpy()
