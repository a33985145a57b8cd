"""The scores of one run: a value for each query and metric, and what stands behind each mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankgate.errors import Code, InputError
from rankgate.io.parquet import Schema, TableColumn
from rankgate.model import Answer, Counts
from rankgate.scoring.expressions import parse
from rankgate.scoring.metric import aggregate

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rankgate.scoring.matches import Bools, Column, Floats
    from rankgate.scoring.metric import Metric

SCORES = Schema(
    "scores",
    (
        TableColumn("run", pl.String()),
        TableColumn("query", pl.String()),
        TableColumn("status", pl.String()),
        TableColumn("metric", pl.String()),
        TableColumn("value", pl.Float64(), nullable=True),
        TableColumn("estimated", pl.Boolean(), default=False),
    ),
)
"""One row for each run, query and metric; `estimated` marks values that rest on an estimate."""


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Every judged query's score in every metric.

    Look a metric up in any spelling: ``scores["nDCG@10"]`` is ``scores["ndcg@10"]``.
    """

    run: str
    """What the run is called."""
    metrics: tuple[Metric, ...]
    """What was scored, in the order asked for."""
    queries: pl.Series
    """Every judged query."""
    status: pl.Series
    """How each of them ended, as `Answer` says."""
    columns: dict[str, Column]
    """The values of each metric, by its label."""
    weights: Floats
    """The share of each query in a mean."""
    unreviewed: Bools
    """Queries with a target that nobody has looked at."""
    estimated: Bools
    """Queries whose labels are estimated from an expected answer."""
    gone: Bools
    """Queries whose relevant targets are all gone: what is about labels has no value for them."""
    order: str = "returned"
    """Where the order of the hits comes from: the system, or ``trec``, the scores as trec_eval sorts them."""
    trec: bool = False
    """True where undefined counts as 0, as trec_eval has it."""
    depth: int | None = None
    """How many hits were asked for, where metrics without a cut are cut; None where nobody knows."""
    times: int = 1
    """How often everything was asked: the value of a query is its mean over all times."""
    unjudged: int = 0
    """Queries of the run that have no judgments; they are left out."""
    notes: tuple[str, ...] = ()
    """What was dropped or merged on the way, in words and with counts."""
    tokens_estimated: bool = False
    """True where tokens of hits are an estimate."""

    def __getitem__(self, expression: str) -> float | None:
        """Return the mean of a metric over the queries where it is defined, or its own statistic."""
        metric, column = self._find(expression)
        return aggregate(column.values[column.defined], self.weights[column.defined], metric.statistic)

    def by_slice(self, expression: str, slices: pl.Series) -> dict[str, tuple[float | None, int, int]]:
        """Return the mean of each slice, how many queries stand behind it, and how many values are estimates.

        Args:
            expression: The metric.
            slices: The slice of each query, in the order of `queries`.
        """
        metric, column = self._find(expression)
        marked = self.approximate(expression)
        groups = pl.DataFrame({"name": slices}).with_row_index("at").filter(pl.Series(column.defined))
        rows = dict(groups.group_by("name").agg(pl.col("at").sort()).rows())
        found = {}
        for name in slices.unique().sort():
            at = np.array(rows.get(name, []), dtype=np.int64)
            mean = aggregate(column.values[at], self.weights[at], metric.statistic)
            found[name] = mean, len(at), int(marked[at].sum())
        return found

    def per_query(self, expression: str) -> dict[str, float | None]:
        """Return the value of each query; None where it is undefined."""
        _, column = self._find(expression)
        values: list[float | None] = np.where(column.defined, column.values, np.nan).tolist()
        defined = column.defined.tolist()
        return {
            query: value if known else None
            for query, value, known in zip(self.queries.to_list(), values, defined, strict=True)
        }

    def counts(self, expression: str) -> Counts:
        """Return how many queries stand behind a mean, and what became of the others."""
        _, column = self._find(expression)
        return Counts(
            scored=int(column.defined.sum()),
            undefined=int((~column.defined & ~self.gone).sum()),
            gone=int((~column.defined & self.gone).sum()),
            unreviewed=int(self.unreviewed.sum()),
            errored=self._ended(Answer.ERROR) + self._ended(Answer.TIMEOUT),
            missing=self._ended(Answer.MISSING),
            estimated=int(self.marked(expression).sum()),
        )

    def _ended(self, answer: Answer) -> int:
        return int((self.status == answer.value).sum())

    def marked(self, expression: str) -> Bools:
        """Mark the queries whose value rests on estimated labels."""
        metric, column = self._find(expression)
        return self.estimated & column.defined & metric.about_labels

    def approximate(self, expression: str) -> Bools:
        """Mark the queries whose value rests on an estimate: of labels, or of tokens."""
        marked = self.marked(expression)
        return marked | self._find(expression)[1].defined if self.rests_on_tokens(expression) else marked

    def rests_on_tokens(self, expression: str) -> bool:
        """Check whether the values of a metric rest on tokens that are an estimate."""
        return self.tokens_estimated and "tokens" in self._find(expression)[0].reads

    def frame(self) -> pl.DataFrame:
        """Return one row a query: its status, and a column a metric with null where it is undefined."""
        columns = {
            label: pl.Series(label, column.values).zip_with(
                pl.Series(column.defined),
                pl.Series([None], dtype=pl.Float64).new_from_index(0, len(self.queries)),
            )
            for label, column in self.columns.items()
        }
        return pl.DataFrame({"query": self.queries, "status": self.status, **columns})

    def _find(self, expression: str) -> tuple[Metric, Column]:
        label = expression if expression in self.columns else parse(expression).at_depth(self.depth).label
        for metric in self.metrics:
            if metric.label == label:
                return metric, self.columns[label]
        raise InputError(
            Code.UNKNOWN_METRIC(
                repr(expression), "a metric that was not scored", "one of " + ", ".join(self.columns)
            )
        )


def write_scores(scores: Sequence[Scores], path: Path) -> None:
    """Write the scores of some runs as Parquet, as `SCORES` says; a value is null where it is undefined."""
    from rankgate.io.parquet import write_table

    write_table(pl.concat([_rows(one) for one in scores]), path, SCORES)


def _rows(scores: Scores) -> pl.DataFrame:
    frame = scores.frame()
    values = frame.unpivot(index=["query", "status"], variable_name="metric", value_name="value")
    marks = [scores.approximate(label) for label in scores.columns]
    return values.select(
        pl.lit(scores.run).alias("run"),
        "query",
        "status",
        "metric",
        "value",
        pl.Series("estimated", np.concatenate([np.zeros(0, dtype=bool), *marks])),
    )
