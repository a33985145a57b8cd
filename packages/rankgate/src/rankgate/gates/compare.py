"""Compare a run with a baseline, query by query: the baseline's rankings under today's judgments."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import polars as pl

from rankgate.corpora.corpus import Corpus
from rankgate.gates.language import EPS, written
from rankgate.model import Case, Suite
from rankgate.runs.store.schemas import HITS, TEXTS
from rankgate.runs.store.tables import HoldsTexts, MemoryRun, Run, Shard
from rankgate.scoring.matches import Bools, Floats, Ints
from rankgate.scoring.placements import JudgedHits
from rankgate.scoring.repeats import score_all, usual_ranks
from rankgate.scoring.scores import Scores
from rankgate.truth.judgments.table import Judgments

LONGER = 2.0
"""Results that are so many times longer or shorter than the baseline's are reported."""


class AskedQuery(Protocol):
    """A query as a baseline has it."""

    @property
    def text(self) -> str:
        """The query."""
        ...

    @property
    def filters(self) -> Mapping[str, str | tuple[str, ...]]:
        """Its filters."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """The rankings that a run is compared with, located in today's documents."""

    name: str
    """Such as ``baseline`` or the name of another system."""
    run: Run
    asked: Mapping[str, AskedQuery]
    """The queries, by their names in the baseline."""
    repeats: tuple[Run, ...] = ()
    depth: int | None = None
    """The number of results that were requested."""
    unstable: frozenset[str] = frozenset()
    """Queries whose results differed between two runs."""
    unlocated: frozenset[str] = frozenset()
    """Queries whose value could be another one, because results can't be located in today's documents."""
    different: frozenset[str] = frozenset()
    """Queries with any such result: they are different from every result of a run."""
    unlocated_hits: int = 0
    states: Mapping[str, int] = field(default_factory=dict)
    """The number of locations by what became of them: same, moved, edited, not found."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """A run and its reference. Arrays have one value per case, in the order of the judgments."""

    name: str
    run: Run
    """The reference's rankings, under the names of today's cases."""
    scores: Scores
    """The reference's scores."""
    both: Bools
    """The cases that the reference has."""
    unstable: Bools
    unlocated: Bools
    different: Bools
    depth: int | None
    hits: JudgedHits
    first: Ints
    """The rank of the first result that reaches a relevant target, 0 without one."""
    removed: tuple[str, ...] = ()
    """Queries of the reference that are not in the suite."""
    unlocated_hits: int = 0
    length: float | None = None
    """The median length of results divided by the reference's; null unless it is far from 1."""
    notes: tuple[str, ...] = ()

    def fell(self, label: str, after: Scores) -> Floats:
        """Return how far the value of each query fell; negative values are improvements."""
        before, now = self.scores.columns[label].values, after.columns[label].values
        less = next(metric for metric in after.metrics if metric.label == label).less_is_better
        return np.asarray(now - before if less else before - now)

    def defined(self, label: str, after: Scores) -> Bools:
        """Mark the cases that have a value on both sides."""
        marked: Bools = self.both & self.scores.columns[label].defined & after.columns[label].defined
        return marked


def compare(
    suite: Suite,
    judgments: Judgments,
    reference: Reference,
    after: Scores,
    run: Run,
    corpus: Corpus | None = None,
    fresh: Collection[str] = (),
    left_out: Sequence[Case] = (),
) -> Comparison:
    """Score a reference under today's judgments, and find each case's query in it.

    Args:
        suite: The suite; cases are found by query and filters.
        judgments: The judgments that gates count.
        reference: What to compare with.
        after: The scores of the run.
        run: The run.
        corpus: The documents, for the length of results that are whole documents.
        fresh: Cases that are not compared.
        left_out: Cases that are not in the suite, and not removed from it either.
    """
    found, removed = match_cases(suite, reference.asked, left_out)
    found = {name: old for name, old in found.items() if name not in fresh}
    queries = judgments.cases["query"]
    runs = [as_today(one, found, after.depth) for one in (reference.run, *reference.repeats)]
    metrics = [written(metric) for metric in after.metrics]
    scores = score_all(judgments, runs, metrics, after.depth, trec=after.trec)
    names = {name for name, old in found.items() if old in reference.unstable}
    names.update(unstable_queries(judgments, runs, metrics[0], after.depth))
    unlocated = {name for name, old in found.items() if old in reference.unlocated}
    different = {name for name, old in found.items() if old in reference.different}
    hits = JudgedHits(judgments, runs[0])
    first = usual_ranks([JudgedHits(judgments, one).first_relevant() for one in runs])
    return Comparison(
        name=reference.name,
        run=runs[0],
        scores=scores,
        both=_among(queries, found),
        unstable=_among(queries, names),
        unlocated=_among(queries, unlocated),
        different=_among(queries, different),
        depth=reference.depth,
        hits=hits,
        first=first,
        removed=tuple(removed),
        unlocated_hits=reference.unlocated_hits,
        length=_length_ratio(run, runs[0], corpus),
        notes=reference.notes,
    )


def match_cases(
    suite: Suite, asked: Mapping[str, AskedQuery], left_out: Sequence[Case] = ()
) -> tuple[dict[str, str], list[str]]:
    """Find the query of each case in a baseline, by query and filters.

    The name decides only between several queries with the same text and filters, and if there is no text.

    Returns:
        The name in the baseline of each case that it has, and the queries that no case of the suite has.
    """
    known: dict[tuple[object, ...], list[str]] = {}
    for name, query in asked.items():
        known.setdefault(_identity(query.text, query.filters), []).append(name)

    def find(case: Case) -> str | None:
        same = known.get(_identity(case.query, case.filters), [])
        if case.id in same:
            return case.id
        return same[0] if same and case.query else None

    used = {find(case) for case in (*(suite.whole or suite).cases, *left_out)}
    found = {case.id: known_as for case in suite.cases if (known_as := find(case)) is not None}
    return found, [name for name in asked if name not in used]


def _identity(text: str, filters: Mapping[str, str | tuple[str, ...]]) -> tuple[object, ...]:
    values = ((key, (one,) if isinstance(one, str) else tuple(one)) for key, one in filters.items())
    return text, tuple(sorted(values))


def as_today(run: Run, found: Mapping[str, str], depth: int | None) -> MemoryRun:
    """Return rankings under other names, such as those of today's cases, cut at a depth.

    Args:
        run: The rankings. Two cases with the same query share one.
        found: The name in the run of each case.
        depth: The number of results per query; null for all.
    """
    names = pl.DataFrame(
        {"query": list(found.values()), "name": list(found)}, schema={"query": pl.String, "name": pl.String}
    )
    shards = []
    for shard in run.shards():
        hits = shard.scan_hits(HITS.names).collect()
        queries = shard.queries
        if depth is not None:
            hits = hits.filter(pl.col("rank") <= depth)
            queries = queries.with_columns(pl.col("hits").clip(upper_bound=depth))
        queries, hits = (
            table.join(names, on="query", how="inner", maintain_order="left")
            .with_columns(query="name")
            .drop("name")
            for table in (queries, hits)
        )
        texts = shard.read_texts() if isinstance(shard, HoldsTexts) else TEXTS.empty()
        shards.append(Shard(queries, hits.sort("query", "rank"), texts))
    return MemoryRun(run.name, shards, order=getattr(run, "order", "returned"))


def _among(queries: pl.Series, names: Collection[str]) -> Bools:
    return queries.is_in(list(names)).to_numpy() if names else np.zeros(len(queries), dtype=bool)


def _length_ratio(run: Run, before: Run, corpus: Corpus | None) -> float | None:
    """Return how many times longer results are than before, if that is more than twice or less than half."""
    lengths = [_median_length(one, corpus) for one in (run, before)]
    if None in lengths or not lengths[1]:
        return None
    ratio = float(lengths[0] or 0) / float(lengths[1])
    return ratio if ratio > LONGER or 0 < ratio < 1 / LONGER else None


def _median_length(run: Run, corpus: Corpus | None) -> float | None:
    """Return the median number of lines of results; null if fewer than half of them have a length."""
    tables = [shard.scan_hits(("path", "start", "end")).collect() for shard in run.shards()]
    hits = pl.concat(tables) if tables else pl.DataFrame()
    if hits.is_empty():
        return None
    ranges = hits.filter(pl.col("start").is_not_null())
    counts = (ranges["end"].cast(pl.Int64) - ranges["start"].cast(pl.Int64) + 1).to_list()
    whole = hits.filter(pl.col("start").is_null() & pl.col("path").is_not_null())
    if corpus is not None and not corpus.records:
        for path, number in whole["path"].value_counts().iter_rows():
            counts += [corpus.lines(path)] * number if path in corpus else []
    return float(np.median(counts)) if 2 * len(counts) > hits.height else None


def overlap(now: Sequence[object], before: Sequence[object], *, failed: bool) -> float | None:
    """Return the common results divided by the longer list; null for two empty lists.

    >>> overlap(["a", "b"], ["b", "c", "d", "e"], failed=False), overlap([], [], failed=False)
    (0.25, None)
    """
    left, right = set(now), set(before)
    if not left and not right:
        return 0.0 if failed else None
    return len(left & right) / max(len(left), len(right))


def rbo(now: Sequence[object], before: Sequence[object], *, failed: bool, p: float = 0.9) -> float | None:
    """Return the rank-biased overlap of two lists, extrapolated from their common depth.

    Null for two empty lists, and 0 for one empty list. Repeated results count once.

    >>> rbo(["a", "b", "c"], ["a", "b", "c"], failed=False)
    1.0
    """
    left, right = list(dict.fromkeys(now)), list(dict.fromkeys(before))
    if not left and not right:
        return 0.0 if failed else None
    if not left or not right:
        return 0.0
    short, long = sorted((left, right), key=len)
    s, l = len(short), len(long)  # noqa: E741 - the names of the paper
    common = [len(set(short[: min(d, s)]) & set(long[:d])) for d in range(1, l + 1)]
    total = sum(common[d - 1] / d * p**d for d in range(1, l + 1))
    total += sum(common[s - 1] * (d - s) / (s * d) * p**d for d in range(s + 1, l + 1))
    rest = (common[l - 1] - common[s - 1]) / l + common[s - 1] / s
    return min(1.0, (1 - p) / p * total + rest * p**l)


def rankings(run: Run, queries: Collection[str] | None = None) -> dict[str, list[object]]:
    """Return the identities of each query's results, best first."""
    from rankgate.runs.store.hits import read_hits

    return {query: [hit.identity for hit in hits] for query, hits in read_hits(run, queries).items()}


def unstable_queries(
    judgments: Judgments, runs: Sequence[Run], metric: str, depth: int | None
) -> Iterator[str]:
    """Name the queries whose value of a metric, or whose reached targets, differ between runs."""
    from rankgate.scoring.evaluate import score

    if len(runs) == 1:
        return
    each = [score(judgments, run, [metric], depth=depth) for run in runs]
    label = each[0].metrics[0].label
    values = np.stack([np.where(one.columns[label].defined, one.columns[label].values, -1.0) for one in each])
    reached = [_reached(JudgedHits(judgments, run), depth) for run in runs]
    for at, query in enumerate(each[0].queries.to_list()):
        differs = values[:, at].max() - values[:, at].min() > EPS
        if differs or any(
            one.get(query, frozenset()) != reached[0].get(query, frozenset()) for one in reached
        ):
            yield query


def _reached(hits: JudgedHits, depth: int | None) -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for query, target, rank, _ in hits.rows.iter_rows():
        if depth is None or rank <= depth:
            found.setdefault(query, set()).add(target)
    return {query: frozenset(targets) for query, targets in found.items()}
