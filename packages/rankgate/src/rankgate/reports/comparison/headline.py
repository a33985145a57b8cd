"""The first sentence of a comparison: the difference in the first metric, and what it mainly comes from."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING

from rankgate.reports.comparison.rankings import DEPTH, TIE
from rankgate.reports.comparison.wording import UNCHANGED
from rankgate.reports.text.marks import signed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.reports.comparison.errored import ErroredQueries
    from rankgate.reports.comparison.rankings import ScoredQuery
    from rankgate.reports.comparison.rows import ComparedRow


@dataclass(frozen=True, slots=True)
class MainCause:
    """Queries that changed in one way, and their part of the mean difference."""

    queries: int
    """How many."""
    one: str
    """What is said of one of them."""
    several: str
    """What is said of several."""
    part: float
    """What they add to the mean difference."""

    def words(self, unit: str) -> str:
        """Return it in words, with its part of the difference."""
        said = f"1 query {self.one}" if self.queries == 1 else f"{self.queries:,} queries {self.several}"
        return f"{said} ({signed(self.part, unit)})"


def main_cause(scored: Sequence[ScoredQuery], names: tuple[str, str]) -> MainCause | None:
    """Return which queries the mean difference mainly comes from; None where there is no difference.

    Every query that changed counts in one way: not answered, found among the top 10 by one of the two alone,
    first relevant hit further down or up, or other relevant hits ranked lower or higher.
    """
    total = fsum(one.weight for one in scored)
    mean = fsum(one.weight * one.difference for one in scored)
    if not total or abs(mean) <= TIE * total:
        return None
    kinds: dict[tuple[str, str], list[ScoredQuery]] = {}
    for one in scored:
        if abs(one.difference) > TIE:
            kinds.setdefault(_kind(one, names), []).append(one)
    causes = [
        MainCause(len(these), *words, fsum(one.weight * one.difference for one in these) / total)
        for words, these in kinds.items()
    ]
    return max(causes, key=lambda cause: cause.part * mean)


def _kind(one: ScoredQuery, names: tuple[str, str]) -> tuple[str, str]:
    """Return in which way a query changed, as it is said of one and of several."""
    if one.errored:
        return "changed by an error", "changed by an error"
    was, now = (0 < rank <= DEPTH for rank in one.first)
    if was != now:
        alone = f"a relevant hit in the top {DEPTH} only in {names[now]}"
        return f"has {alone}", f"have {alone}"
    before, after = one.first
    if before != after and was:
        where = f"further {'down' if after > before else 'up'} in {names[1]}"
        return f"has its first relevant hit {where}", f"have their first relevant hit {where}"
    how = f"other relevant hits {'lower' if one.difference < 0 else 'higher'} in {names[1]}"
    return f"has {how}", f"have {how}"


def headline(
    names: tuple[str, str], row: ComparedRow, cause: str, errors: ErroredQueries | None, compared: int
) -> str:
    """Return the first sentence of a comparison.

    Args:
        names: What people call the two.
        row: The first metric.
        cause: What the difference mainly comes from, in words; empty where there is none.
        errors: What was not answered, with the figures without it.
        compared: How many queries both have a value for.
    """
    before, after = names
    if row.finding == UNCHANGED:
        every = "the only query" if compared == 1 else f"all {compared:,} queries"
        return f"{row.metric} is unchanged: {row.after} in both, the same in {every}"
    word, _, how = row.finding.partition(" (")
    if row.mark and word in ("worse", "better"):
        lead = f"{after} is {word} than {before} ({how}"
    else:
        lead = f"{after} compared with {before}: {row.finding}"
    text = f"{lead}, {row.metric} {row.before} → {row.after} ({row.difference})"
    text += f"; main cause: {cause}" if cause else ""
    if errors is not None and errors.rows and errors.rows[0].metric == row.metric:
        alone = errors.rows[0]
        text += f"; without errors {alone.difference}, {alone.finding}"
    return text
