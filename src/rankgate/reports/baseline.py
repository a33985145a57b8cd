"""What a baseline is of, in a few lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rankgate.errors import InputError, Problem, did_you_mean
from rankgate.gates.wording import figure, tally
from rankgate.model.wording import many
from rankgate.reports.failures import place_text
from rankgate.reports.model import NOTHING
from rankgate.reports.printable import printable
from rankgate.scoring.evaluate import score

if TYPE_CHECKING:
    from rankgate.model import Suite
    from rankgate.runs.baseline import Baseline
    from rankgate.truth.judgments import Judgments


def baseline_lines(baseline: Baseline, suite: Suite, judgments: Judgments) -> list[str]:
    """Say whose rankings they are, and what they score under today's judgments."""
    about = baseline.about
    system = f"{about.system}, {about.version}" if about.version else about.system
    rankings = many(len(baseline.asked), "ranking")
    lines = [f"{printable(about.suite)}: {rankings} of {printable(system)}"]
    scores = score(judgments, baseline.run, suite.metrics)
    for metric in scores.metrics:
        value = scores[metric.label]
        shown = NOTHING if value is None else figure(value, metric.unit)
        lines.append(f"  {metric.label} {shown}  {tally(scores.counts(metric.label))}")
    return lines


def ranking_lines(baseline: Baseline, query: str) -> list[str]:
    """List what a baseline has for one query.

    Raises:
        InputError: for a query that it does not have.
    """
    if query not in baseline.asked:
        fix = did_you_mean(query, baseline.asked)
        raise InputError(Problem("--query", repr(query), "the id of a case in the baseline", fix))
    columns = ["query", "rank", "id", "path", "start", "end"]
    parts = [shard.scan_hits(columns).filter(pl.col("query") == query) for shard in baseline.run.shards()]
    rows = pl.concat(parts).sort("rank").collect()
    lines = [printable(baseline.asked[query].text)]
    lines += [f"  {row['rank']:>3}  {printable(place_text(row))}" for row in rows.iter_rows(named=True)]
    return lines
