"""Small judgments and runs, in a line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rankgate.locations import Lines
from rankgate.model import Hit
from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.evaluate import score
from rankgate.truth.judgments.table import Judgments

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.model import Ranking
    from rankgate.scoring.scores import Scores

_IDS = {"query": pl.String, "id": pl.String, "grade": pl.Float64}
_PLACES = {
    "query": pl.String, "path": pl.String, "start": pl.Int64, "end": pl.Int64, "grade": pl.Float64,
}  # fmt: skip


def id_targets(*rows: tuple[str, str, float]) -> pl.DataFrame:
    """Targets by query, id and grade."""
    return pl.DataFrame(list(rows), schema=_IDS, orient="row")


def place_targets(*rows: tuple[str, str, int | None, int | None, float]) -> pl.DataFrame:
    """Targets by query, path, first and last line, and grade."""
    return pl.DataFrame(list(rows), schema=_PLACES, orient="row")


def graded(grades: Mapping[str, float], *, exhaustive: bool = False) -> Judgments:
    """Judge the documents of query `q`."""
    targets = id_targets(*(("q", name, grade) for name, grade in grades.items()))
    return Judgments.of(targets, pl.DataFrame({"query": ["q"], "exhaustive": [exhaustive]}))


def at(path: str, start: int | None = None, end: int | None = None, *, tokens: int | None = None) -> Hit:
    """A hit on some lines of a file, or on the file."""
    lines = None if start is None or end is None else Lines(start, end)
    return Hit(path=path, lines=lines, tokens=tokens)


def run_of(rankings: Mapping[str, Ranking | Sequence[Hit | str]], name: str = "system") -> MemoryRun:
    """A run of one shard."""
    return MemoryRun(name, (Shard.of_rankings(rankings),))


def scored(
    judgments: Judgments | pl.DataFrame, hits: Sequence[Hit | str], *metrics: str
) -> list[float | None]:
    """Score the hits of query `q`: one value a metric, None where it is undefined."""
    judged = Judgments.of(judgments) if isinstance(judgments, pl.DataFrame) else judgments
    scores: Scores = score(judged, run_of({"q": hits}), metrics)
    return [scores.per_query(metric)["q"] for metric in metrics]
