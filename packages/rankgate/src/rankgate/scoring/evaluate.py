"""Scoring a run against judgments, shard by shard, so that memory does not grow with the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankgate.errors import InputError, Problem
from rankgate.model import Answer
from rankgate.runs.store.tables import HITS, QUERIES, TEXTS, MemoryRun, Shard
from rankgate.scoring.expressions import parse_all
from rankgate.scoring.matches import Column
from rankgate.scoring.matching import asked, batches, match, one_ahead
from rankgate.scoring.metric import spell_number
from rankgate.scoring.scores import Scores
from rankgate.scoring.truth_table import TruthTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rankgate.runs.store.tables import Run
    from rankgate.scoring.matches import Ints, Matches
    from rankgate.scoring.matching import JudgedQueries
    from rankgate.scoring.metric import Metric
    from rankgate.truth.judgments.table import Judgments

_ANSWERS = [answer.value for answer in Answer]


def score(judgments: Judgments, run: Run, metrics: Iterable[str], *, trec: bool = False) -> Scores:
    """Score a run.

    Args:
        judgments: what should be found.
        run: what was found.
        metrics: expressions such as ``ndcg@10`` or ``ap(rel=2)``.
        trec: count undefined as 0 and compute on where trec_eval would. The order of the hits is the
            run's own either way: a TREC file is sorted when it is read.

    Raises:
        InputError: for a metric that cannot be read, or that needs what the run does not have.
    """
    wanted = parse_all(metrics)
    names = judgments.cases[["query"]].with_row_index("q")
    truth = TruthTable.of(judgments, names)
    size = len(names)
    columns = {metric.label: Column(np.zeros(size), np.zeros(size, dtype=bool)) for metric in wanted}
    status = np.full(size, _ANSWERS.index(Answer.MISSING.value), dtype=np.int8)
    reads = frozenset[str]().union(*(metric.reads for metric in wanted))
    estimated = judgments.cases["estimated"].to_numpy().astype(bool)
    unjudged = miscounted = 0

    def matched() -> Iterator[tuple[JudgedQueries, Matches, int]]:
        for batch in batches(run.shards()):
            these = asked(batch, names)
            found = match(batch, truth.part(these.number), these, reads, trec=trec)
            yield these, found, len(batch.queries)

    for these, matches, queries in one_ahead(matched()):
        unjudged += queries - len(these.number)
        if (status[these.number] != _ANSWERS.index(Answer.MISSING.value)).any():
            raise InputError(Problem(f"run {run.name}", "a query in two shards", "each query in one shard"))
        status[these.number] = these.frame["status"].cast(pl.Enum(_ANSWERS)).to_physical().to_numpy()
        _fill(columns, wanted, matches, these.number)
        miscounted += matches.miscounted
    absent = np.flatnonzero(status == _ANSWERS.index(Answer.MISSING.value))
    if len(absent):
        shard = _absent(names, absent)
        matches = match(shard, truth.part(absent), asked(shard, names), reads, trec=trec)
        _fill(columns, wanted, matches, absent)
    if trec:
        for column in columns.values():
            column.defined[:] |= ~estimated
    return Scores(
        run=run.name,
        metrics=tuple(wanted),
        queries=names["query"],
        status=pl.Series("status", _ANSWERS, dtype=pl.String).gather(status),
        columns=columns,
        weights=judgments.cases["weight"].to_numpy(),
        unreviewed=_unreviewed(judgments, names),
        estimated=estimated,
        order=getattr(run, "order", "returned"),
        trec=trec,
        unjudged=unjudged,
        notes=(*judgments.notes, *getattr(run, "notes", ()), *_miscounted(miscounted, judgments)),
    )


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


def _fill(columns: dict[str, Column], metrics: list[Metric], matches: Matches, number: Ints) -> None:
    for metric in metrics:
        with np.errstate(over="ignore", invalid="ignore"):
            column = metric.column(matches)
        if not np.isfinite(column.values[column.defined]).all():
            fix = "use a smaller scale, or linear gain"
            raise InputError(
                Problem(metric.label, "grades too large to add up", "values that a double holds", fix)
            )
        _in_range(metric, column)
        columns[metric.label].values[number] = np.where(column.defined, column.values, 0.0)
        columns[metric.label].defined[number] = column.defined


def _in_range(metric: Metric, column: Column) -> None:
    """Check that values keep to the range that their metric declares: statistics go by it."""
    if metric.range is not None and not metric.range.holds(values := column.values[column.defined]):
        found = f"values from {values.min():g} to {values.max():g}"
        fix = "correct the limits of its class"
        raise InputError(Problem(metric.label, found, f"{metric.range}, the range it declares", fix))


def _absent(names: pl.DataFrame, number: Ints) -> Shard:
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
