"""Ways to cut documents, compared at the same token budget: at the same k, larger pieces return more text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from rankgate.chunks.chunking import read_chunking
from rankgate.errors import Code, InputError
from rankgate.scoring.expressions import parse
from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from rankgate.chunks.chunking import Chunking
    from rankgate.runs.store.tables import Run


def token_budget(metric: str) -> int | None:
    """Return the budget that a metric is cut at; None where it is cut by rank, or not at all.

    >>> token_budget("recall@4000tokens"), token_budget("r@10")
    (4000, None)
    """
    cut = getattr(parse(metric), "cut", None)
    return cut.size if cut is not None and cut.tokens else None


def check_budget(
    tables: Iterable[Mapping[str, Any]], metrics: Sequence[str], where: str, usual: Callable[[], Chunking]
) -> None:
    """Refuse to decide at the same k between systems that are the same kind and cut documents differently.

    Args:
        tables: The table of each system, as a configuration has it.
        metrics: What is measured; the first decides.
        where: What names the metrics.
        usual: Returns how documents are cut where a table does not say; called where that matters.

    Raises:
        InputError: with how many ways there are.
    """
    if not metrics or token_budget(metrics[0]) is not None:
        return
    ways: dict[str, set[str]] = {}
    for table in tables:
        ways.setdefault(str(table.get("kind")), set()).add(_way(table.get("chunks")))
    most = 0
    for every in ways.values():
        # The usual way may be written out, too.
        said = {one or str(usual()) for one in every} if len(every) > 1 else every
        most = max(most, len(said))
    if most > 1:
        found = f"{metrics[0]} first, for variants that cut documents in {most} ways"
        fix = "at the same k, larger pieces return more text"
        raise InputError(
            Code.METRIC_NEEDS(where, found, "a first metric at a token budget, such as r@4000tokens", fix)
        )


def _way(cut: object) -> str:
    """Return how documents are cut, with the options that are not said; empty where nothing is said."""
    if cut is None:
        return ""
    try:
        return str(read_chunking(cut, "chunks"))
    except InputError:
        # What is wrong with it is told when the variant is asked.
        return repr(cut)


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
