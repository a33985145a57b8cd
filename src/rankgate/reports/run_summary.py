"""What a run is, in a few lines: how many answers, how many failures and which, how fast."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from rankgate.gates.wording import figure
from rankgate.model.verdict import Answer
from rankgate.model.wording import many
from rankgate.reports.failures import BAD, GOOD
from rankgate.reports.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.runs.tables import Run

_MOST = 5


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run in numbers and words."""

    failed: int
    """How many queries ended as an error or a time-out."""
    lines: tuple[str, ...]
    """What to print."""


def summary(run: Run, place: str, notes: Sequence[str] = ()) -> RunSummary:
    """Work out what to say of a run.

    Args:
        run: what was asked.
        place: where it is, as a person would name it.
        notes: what was lost or repeated on the way.
    """
    queries = pl.concat([shard.queries for shard in run.shards()] or [pl.DataFrame()])
    if queries.is_empty():
        return RunSummary(0, (printable(f"{GOOD} {run.name}: nothing to ask; stored in {place}"),))
    counts = Counter(queries["status"].to_list())
    failed = counts[Answer.ERROR.value] + counts[Answer.TIMEOUT.value]
    head = f"{many(counts[Answer.OK.value], 'query', 'queries')} answered"
    if failed:
        late = f", {counts[Answer.TIMEOUT.value]} of them timed out" if counts[Answer.TIMEOUT.value] else ""
        head += f", {failed:,} failed{late}"
    lines = [f"{BAD if failed else GOOD} {run.name}: {head}; {many(int(queries['hits'].sum()), 'hit')}"]
    latency = queries["latency_ms"].drop_nulls()
    if len(latency):
        parts = [
            f"{name} {figure(float(latency.quantile(share, 'linear') or 0.0), 'ms')}"
            for name, share in (("p50", 0.5), ("p95", 0.95), ("max", 1.0))
        ]
        lines.append(f"  latency: {', '.join(parts)}")
    bad = queries.filter(pl.col("status") != Answer.OK.value).select("query", "error")
    lines += [f"  {query}: {error}" for query, error in bad.head(_MOST).iter_rows()]
    if bad.height > _MOST:
        lines.append(f"  … and {bad.height - _MOST} more")
    lines += [f"  {note}" for note in notes]
    lines.append(f"  stored in {place}")
    return RunSummary(failed, tuple(map(printable, lines)))


def render(told: RunSummary) -> str:
    """Lay it out for a terminal."""
    return "\n".join(told.lines) + "\n"
