"""The report of a sweep, from its table: a row a variant, the best first, and what came of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankgate.reports.sweep import SweepReport, SweepRow
from rankgate.runs.store.hits import error_texts, tokens_estimated
from rankgate.scoring.metric import aggregate
from rankgate.wording import NOTHING, many

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.reports.sweep import HeldOut
    from rankgate.runs.store.tables import Run
    from rankgate.scoring.matches import Ints
    from rankgate.sweeps.asking import AskedVariant
    from rankgate.sweeps.latency import LatencyPass
    from rankgate.sweeps.sweep_file import Sweep
    from rankgate.sweeps.table import SweepTable

_MESSAGES = 2


def sweep_report(
    sweep: Sweep,
    table: SweepTable,
    notes: Sequence[str] = (),
    held_out: HeldOut | None = None,
    latency: LatencyPass | None = None,
) -> SweepReport:
    """Return the report of a sweep.

    Args:
        sweep: The sweep.
        table: Its variants, compared.
        notes: What was left out, failed or could not be asked.
        held_out: What the winner does on the queries that were held out.
        latency: The times of all its variants, asked in turn.
    """
    metrics, identity = table.base.metrics, table.baseline.identity
    sign = 1 if metrics[0].less_is_better else -1
    rows = [_row(table, one, latency) for one in table.shown]
    rows.sort(key=lambda row: (row.means[0] is None, sign * (row.means[0] or 0), not row.baseline, row.name))
    shown = {one.variant.name for one in table.shown}
    alone, unanswered = _found_alone(table)
    return SweepReport(
        sweep=sweep.name,
        suite=table.suite.name,
        baseline=table.baseline.variant.name,
        metrics=tuple(metric.label for metric in metrics),
        units=tuple(metric.unit for metric in metrics),
        rows=tuple(rows),
        family=len(table.compared),
        hidden=sum(one.asked.variant.name not in shown for one in table.compared),
        held_out=held_out,
        notes=(*notes, *_errors(table.shown), *([] if latency is None else [latency.words])),
        alone=alone,
        unanswered=unanswered,
        provenance={
            "queries": f"{len(table.suite.cases):,}",
            "corpus": (identity.corpus or "none")[:12],
            "k": NOTHING if identity.k is None else str(identity.k),
        },
    )


def _errors(shown: Sequence[AskedVariant]) -> Iterator[str]:
    """Return in how many variants queries were not answered, with the most frequent messages."""
    texts = [error_texts(one.run) for one in shown]
    queries = {query for one in texts for query in one}
    if not queries:
        return
    messages = Counter(text.partition("\n")[0] for one in texts for text in one.values())
    told = [message for message, _ in messages.most_common(_MESSAGES)]
    more = f"; {many(len(messages) - len(told), 'other message')}" if len(messages) > len(told) else ""
    variants = many(sum(map(bool, texts)), "variant")
    ended = f"{many(len(queries), 'query', 'queries')} ended in an error in {variants}, counted as 0"
    yield f"{ended}: {'; '.join(told)}{more}"


def _row(table: SweepTable, one: AskedVariant, latency: LatencyPass | None) -> SweepRow:
    name, folder, index = one.variant.name, one.run.folder.name, one.index
    found = table.of(name)
    scores = table.base if found is None else found.comparison.after
    columns = [(scores.columns[metric.label], metric.statistic) for metric in scores.metrics]
    return SweepRow(
        name=name,
        axes=one.variant.values,
        means=tuple(
            aggregate(column.values[column.defined], scores.weights[column.defined], statistic)
            for column, statistic in columns
        ),
        compared=None if found is None else found.metric,
        errors=len(error_texts(one.run)),
        same_as=" as ".join(table.same.get(name, ())),
        baseline=name == table.baseline.variant.name,
        tokens=_tokens_per_query(one.run),
        tokens_estimated=tokens_estimated(one.run),
        latency=None if latency is None else latency.quantile(folder, "p50"),
        latency_p95=None if latency is None else latency.quantile(folder, "p95"),
        index_seconds=None if index is None else index.seconds,
        index_bytes=None if index is None or index.folder is None else _size_on_disk(Path(index.folder)),
    )


def _tokens_per_query(run: Run) -> float | None:
    """Return the mean number of tokens of a query's results; None if some are unknown."""
    counts: list[int] = []
    for shard in run.shards():
        hits = shard.scan_hits(("query", "tokens")).collect()
        known = hits.group_by("query").agg(
            pl.col("tokens").cast(pl.UInt64).sum(), unknown=pl.col("tokens").null_count()
        )
        every = shard.queries.select("query", whole="tokens", number="hits").join(
            known, on="query", how="left"
        )
        for _, whole, number, tokens, unknown in every.iter_rows():
            # The system's own count of a whole answer comes first.
            if whole is None and number and unknown:
                return None
            counts.append(whole if whole is not None else tokens or 0)
    return sum(counts) / len(counts) if any(counts) else None


def _size_on_disk(folder: Path) -> int | None:
    """Return the bytes of all files below a folder, without rankgate's own notes; None without files."""
    files = [path for path in folder.rglob("*") if path.is_file() and not path.match("*.rankgate.json")]
    return sum(path.stat().st_size for path in files) if files else None


def _found_alone(table: SweepTable) -> tuple[dict[str, tuple[str, ...]], tuple[str, ...]]:
    """Return the queries that one distinct variant of the file alone finds, and those that none finds."""
    ranks: dict[str, Ints] = {table.baseline.variant.name: table.own.first_before}
    for one in table.shown:
        compared = table.of(one.variant.name)
        if compared is not None:
            ranks.setdefault(compared.asked.variant.name, compared.comparison.first_after)
    found = np.array([one > 0 for one in ranks.values()])
    cases = {case.id: case for case in table.suite.cases}
    names = list(table.base.queries)
    alone = {
        variant: tuple(cases[names[at]].query for at in np.flatnonzero(own & (found.sum(axis=0) == 1)))
        for variant, own in zip(ranks, found, strict=True)
    }
    unanswered = tuple(
        cases[names[at]].query
        for at in np.flatnonzero(~found.any(axis=0))
        if any(target.grade > 0 for target in cases[names[at]].targets)
    )
    if len(ranks) == 1:
        return {}, unanswered
    order = sorted(alone, key=lambda variant: -len(alone[variant]))
    return {variant: alone[variant] for variant in order if alone[variant]}, unanswered
