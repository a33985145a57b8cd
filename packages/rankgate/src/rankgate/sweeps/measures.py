"""What stands beside the metrics of a variant: what it returns, how long it takes, its index.

A column that no variant has a value of is left out.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from rankgate.model.wording import NOTHING, figure
from rankgate.reports.score import ESTIMATED
from rankgate.runs.store.hits import tokens_estimated

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rankgate.reports.sweep import SweepNumbers, SweepRow
    from rankgate.runs.store.tables import Run
    from rankgate.sweeps.asking import AskedVariant
    from rankgate.sweeps.latency import LatencyPass

_STEP = 1000
_UNITS = ("B", "kB", "MB", "GB", "TB")


def with_own_measures(numbers: SweepNumbers, one: AskedVariant, latency: LatencyPass | None) -> SweepNumbers:
    """Return the numbers of a variant with what its answers, its times and its index say of themselves."""
    index, name = one.index, one.run.folder.name
    return replace(
        numbers,
        latency=None if latency is None else latency.quantile(name, "p50"),
        latency_p95=None if latency is None else latency.quantile(name, "p95"),
        tokens=tokens_a_query(one.run),
        tokens_estimated=tokens_estimated(one.run),
        index_seconds=None if index is None else index.seconds,
        index_bytes=None if index is None or index.folder is None else size_on_disk(Path(index.folder)),
    )


def tokens_a_query(run: Run) -> float | None:
    """Return how many tokens an answer has, as the mean over queries; None where some are not known."""
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


def size_on_disk(folder: Path) -> int | None:
    """Return the bytes of all files below a folder; None where there is none.

    What rankgate notes beside an index, such as how long building took, is no part of it.
    """
    files = [path for path in folder.rglob("*") if path.is_file() and not path.match("*.rankgate.json")]
    return sum(path.stat().st_size for path in files) if files else None


def bytes_words(number: int) -> str:
    """Write a size.

    >>> bytes_words(999), bytes_words(12_345), bytes_words(3_400_000)
    ('999 B', '12.3 kB', '3.4 MB')
    """
    size = float(number)
    for unit in _UNITS:
        if size < _STEP or unit == _UNITS[-1]:
            break
        size /= _STEP
    return f"{number} B" if unit == _UNITS[0] else f"{size:.1f} {unit}"


def with_columns(rows: Sequence[SweepRow]) -> tuple[tuple[str, ...], list[SweepRow]]:
    """Return the columns that some row has a value of, and every row with its texts for them."""
    every: dict[str, Callable[[SweepNumbers], str]] = {
        "tokens": lambda one: "" if one.tokens is None else _tokens(one),
        "latency p50": lambda one: "" if one.latency is None else figure(one.latency, "ms"),
        "latency p95": lambda one: "" if one.latency_p95 is None else figure(one.latency_p95, "ms"),
        "index time": lambda one: "" if one.index_seconds is None else f"{one.index_seconds:.1f} s",
        "index size": lambda one: "" if one.index_bytes is None else bytes_words(one.index_bytes),
    }
    shown = {title: text for title, text in every.items() if any(text(row.numbers) for row in rows)}
    return tuple(shown), [
        replace(row, measures=tuple(text(row.numbers) or NOTHING for text in shown.values())) for row in rows
    ]


def _tokens(one: SweepNumbers) -> str:
    return (ESTIMATED if one.tokens_estimated else "") + figure(one.tokens or 0.0, "tokens")
