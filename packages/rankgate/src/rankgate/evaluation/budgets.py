"""Ways to cut documents, compared at the same token budget: at the same k, larger pieces return more text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from rankgate.errors import InputError, Problem
from rankgate.model.fingerprints import fingerprint
from rankgate.model.wording import many
from rankgate.scoring.expressions import parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rankgate.runs.store.tables import Run


def token_budget(metric: str) -> int | None:
    """Return the budget that a metric is cut at; None where it is cut by rank, or not at all.

    >>> token_budget("recall@4000tokens"), token_budget("r@10")
    (4000, None)
    """
    cut = getattr(parse(metric), "cut", None)
    return cut.size if cut is not None and cut.tokens else None


def check_budget(tables: Iterable[Mapping[str, Any]], metrics: Sequence[str], where: str) -> None:
    """Refuse to decide at the same k between systems that are the same kind and cut documents differently.

    Args:
        tables: The table of each system, as a configuration has it.
        metrics: What is measured; the first decides.
        where: What names the metrics.

    Raises:
        InputError: with how many ways there are.
    """
    ways: dict[str, dict[str, object]] = {}
    for table in tables:
        cut = table.get("chunks")
        ways.setdefault(str(table.get("kind")), {})[fingerprint(cut)] = cut
    most = max(map(len, ways.values()), default=0)
    if most > 1 and metrics and token_budget(metrics[0]) is None:
        found = f"{metrics[0]} first, for variants that cut documents in {most} ways"
        fix = "at the same k, larger pieces return more text"
        raise InputError(Problem(where, found, "a first metric at a token budget, such as r@4000tokens", fix))


def budget_notes(runs: Iterable[tuple[str, Run]], metrics: Sequence[str], k: int) -> Iterator[str]:
    """Say which answers ended at k before a budget was spent, so that more of it might have found more.

    Args:
        runs: Runs by the names of their systems.
        metrics: What is measured.
        k: How many hits were asked for.
    """
    budgets = [budget for metric in metrics if (budget := token_budget(metric)) is not None]
    if not budgets:
        return
    for name, run in runs:
        ended = unspent(run, max(budgets), k)
        if ended:
            short = f"{many(ended, 'answer')} of {k} hits cost less than {max(budgets):,} tokens"
            yield f"{name}: {short}; a larger k may find more"


def unspent(run: Run, budget: int, k: int) -> int:
    """Count the answers that have `k` hits and cost less than a budget."""
    ended = 0
    for shard in run.shards():
        hits = shard.scan_hits(("query", "tokens")).group_by("query")
        costs = hits.agg(pl.col("tokens").cast(pl.Int64).sum(), number=pl.len()).collect()
        ended += costs.filter(pl.col("number") >= k, pl.col("tokens") < budget).height
    return ended
