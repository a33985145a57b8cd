"""Why an assertion on a score, a rank or the first hits failed: a line, and the rankings behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.errors import RankgateError
from rankgate.evaluation.session.assertions import Rank, Score, TopLocations
from rankgate.gates.wording import decimals_to_tell, figure
from rankgate.model.wording import many
from rankgate.reports.evaluation.failures import ranking_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rankgate.evaluation.session.assertions import QueryResult
    from rankgate.evaluation.session.findings import Findings
    from rankgate.reports.evaluation.failures import Failure

WORST = 4
"""How many queries are shown of all."""
MOST_LINES = 34
"""How many lines the rankings have at most."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a comparison failed."""

    lines: tuple[str, ...]
    """The comparison, and what it stands on."""
    title: str
    """What `rankings` shows."""
    rankings: tuple[str, ...]
    """What was expected, at which rank it came, and what stood above it."""


def explain(sign: str, left: object, right: object) -> Explanation | None:
    """Return why a comparison failed; None where it is of nothing that is known here."""
    try:
        if isinstance(left, Score):
            return _of_score(left, f"{{}} {sign} {_bar(right)}", right, most="<" in sign)
        if isinstance(right, Score):
            return _of_score(right, f"{_bar(left)} {sign} {{}}", left, most=">" in sign)
        if isinstance(left, Rank) and isinstance(right, Rank):
            return _of_ranks(f"{_at(left)} {sign} {_at(right)}", left, right)
        if isinstance(left, Rank):
            return _of_ranks(f"{_at(left)} {sign} {right!r}", left)
        if isinstance(right, Rank):
            return _of_ranks(f"{left!r} {sign} {_at(right)}", right)
        if isinstance(right, TopLocations) and isinstance(left, str):
            rank = right.query.rank_of(left)
            return _of_ranks(f"{left} {sign} the first {len(right)}: {_at(rank)}", rank)
    except RankgateError:
        # What is compared is told all the same; only the story is missing.
        return None
    return None


def _of_score(score: Score, words: str, bar: object, *, most: bool) -> Explanation:
    number = isinstance(bar, (int, float)) and not isinstance(bar, bool)
    decimals = decimals_to_tell(score, float(bar), score.unit) if number else None  # type: ignore[arg-type]
    comparison = words.format(f"{score.label} {figure(score, score.unit, decimals=decimals)}")
    if score.case is not None:
        (told,) = score.findings.told([score.case])
        return Explanation((comparison,), told.query, tuple(_ranking(told)))
    counted = score.findings.counted(score.label)
    title, rankings = worst_rankings(score.findings, score.label, counted.values, float if most else _less)
    return Explanation((comparison, counted.words), title, rankings)


def worst_rankings(
    findings: Findings, label: str, values: Mapping[str, float], badness: Callable[[float], float]
) -> tuple[str, tuple[str, ...]]:
    """Show the rankings of the queries with the worst values, and say in a title which they are.

    Args:
        findings: What was found.
        label: The metric.
        values: The value of each query that counts.
        badness: Gives more for a value that is worse.
    """
    unit = findings.scored(label)[1].unit
    bad = {name: badness(value) for name, value in values.items()}
    # Those as good as the best explain nothing, unless all are. Stable, so that queries that are equally bad
    # stand in the order of the suite.
    least = min(bad.values(), default=0.0)
    worst = sorted((name for name in bad if bad[name] > least), key=bad.__getitem__, reverse=True)[:WORST]
    worst = worst or list(bad)[:WORST]
    lines: list[str] = []
    shown = 0
    for name, told in zip(worst, findings.told(worst), strict=True):
        ranking = _ranking(told, figure(values[name], unit))
        if lines and len(lines) + 1 + len(ranking) > MOST_LINES:
            break
        lines += ["", *ranking] if lines else ranking
        shown += 1
    which = "the worst" if shown == 1 else f"the worst {shown}"
    title = f"{which} of {many(len(values), 'query', 'queries')} by {label}"
    return title, tuple(lines[:MOST_LINES])


def _less(value: float) -> float:
    return -value


def _bar(value: object) -> str:
    return f"{value.label} {value!r}" if isinstance(value, Score) else repr(value)


def _at(rank: Rank) -> str:
    return f"rank {rank!r}" if rank.found else _nowhere(rank.query)


def _nowhere(query: QueryResult) -> str:
    return f"not in the top {len(query.hits)}" if query.hits else "no hits at all"


def _of_ranks(comparison: str, *ranks: Rank) -> Explanation:
    locations = dict.fromkeys(rank.location for rank in ranks)
    lines = [comparison, f"of {' and '.join(locations)}"]
    found: dict[str, dict[str, int | None]] = {}
    for rank in ranks:
        mine = found.setdefault(rank.query.case.id, {})
        # The ranking names the case's own targets.
        if rank.location not in map(str, (target.location for target in rank.query.case.targets)):
            mine[rank.location] = int(rank) if rank.found else None
    told = ranks[0].query.findings.told(list(found))
    rankings = [line for one in told for line in _ranking(one, looked_for=found[one.case])]
    shown = lines[:1] if ranks[0].location in comparison else lines
    return Explanation(tuple(shown), told[0].query, tuple(rankings))


def _ranking(told: Failure, value: str = "", looked_for: Mapping[str, int | None] | None = None) -> list[str]:
    name = told.query if value else told.case
    head = "  ".join(filter(None, (value, name, f"({told.where})" if told.where else "")))
    indent = " " * (len(value) + 2 if value else 2)
    return [head, *(indent + row for row in ranking_rows(told, looked_for))]
