"""Differences of systems to one of them, paired by query: on a suite, and on several taken together."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from page_tables import table_of
from rankgate.scoring.comparison import SEED, compare
from rankgate.scoring.expressions import parse
from rankgate.scoring.paired.compare import compare_paired, holm
from suite_ground import query_counts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.scoring.comparison import Comparison
    from rankgate.scoring.matches import Bools
    from rankgate.scoring.paired.compare import PairedResult
    from suite_ground import Ground
    from suite_measuring import Answers, Measured

DIFFERENCES = "differences"
"""What the names of tables end with that compare all with one."""
TOGETHER = ("code", "docs")
"""The suites that are taken together: the same metric and base, and no query in both."""
NONE = "–"


def differences_table(ground: Ground, found: Sequence[Measured]) -> str:
    """Compare all with the base, as `rankgate compare` does; every row is a claim to Holm."""
    head, metric = next(iter(ground.plan.metrics.items()))
    base = _answers(found, ground.plan.base)
    others = [one for one in found if one.contender.name != ground.plan.base]
    compared = {
        one.contender.name: _compared(ground, base, one.answers).paired(parse(metric).label, ground.main)
        for one in others
        if base and one.answers
    }
    return _table(head, others, compared, "" if base else "not measured: nothing to compare with")


@dataclass(frozen=True, slots=True, eq=False)
class Together:
    """Several suites that were asked the same systems."""

    parts: Sequence[tuple[Ground, Sequence[Measured]]]
    """Each suite, and what came of every system there."""
    hard: bool = False
    """True for their hard queries alone."""

    @property
    def queries(self) -> int:
        """How many queries are compared."""
        return int(sum(self._marked(ground).sum() for ground, _ in self.parts))

    def table(self, later: int | None = None) -> str:
        """Compare all with the base over the queries of all suites; every row is a claim to Holm.

        Args:
            later: How many queries will be asked another time; then a column says what is detectable by so
                many, if differences vary as they do here.
        """
        (ground, found), *_ = self.parts
        base = ground.plan.base
        others = [one for one in found if one.contender.name != base]
        compared = {
            one.contender.name: self._paired(one.contender.name)
            for one in others
            if self._everywhere(base) and self._everywhere(one.contender.name)
        }
        reason = "" if self._everywhere(base) else "not measured: nothing to compare with"
        return _table(next(iter(ground.plan.metrics)), others, compared, reason, later)

    def _everywhere(self, name: str) -> bool:
        return all(_answers(found, name) is not None for _, found in self.parts)

    def _paired(self, name: str) -> PairedResult:
        """Compare one system with the base, every query by itself and counting alike.

        The test swaps the two answers to one query, so that it is the same whether the suites are kept apart
        or not; the interval, over the one list, has the spread between the suites in it, too.
        """
        differences, weights, groups = [], [], []
        scale: float | None = None
        for ground, found in self.parts:
            base, other = _answers(found, ground.plan.base), _answers(found, name)
            if base is None or other is None:
                raise AssertionError(f"{name} was not measured on {ground.plan.name}")
            pair = _compared(ground, base, other)
            label = parse(next(iter(ground.plan.metrics.values()))).label
            rows = pair.counted(label, self._marked(ground))
            before, after = (one.columns[label].values[rows] for one in (pair.before, pair.after))
            differences.append(after - before)
            weights.append(pair.after.weights[rows])
            groups += [(ground.plan.name, one) for one, kept in zip(pair.groups, rows, strict=True) if kept]
            scale = pair.metric(label).scale
        return compare_paired(
            np.concatenate(differences), np.concatenate(weights), groups, seed=SEED, scale=scale
        )

    def _marked(self, ground: Ground) -> Bools:
        return ground.hard if self.hard else ground.main


def together_tables(parts: Sequence[tuple[Ground, Sequence[Measured]]]) -> dict[str, str]:
    """Lay out the tables of the page over the suites that are taken together; none where one is missing."""
    kept = [(ground, found) for ground, found in parts if ground.plan.name in TOGETHER]
    if len(kept) < len(TOGETHER):
        return {}
    later = [query_counts(ground.plan, "test") for ground, _ in kept]
    return {
        f"together-{DIFFERENCES}": Together(kept).table(sum(one.main for one in later)),
        f"together-hard-{DIFFERENCES}": Together(kept, hard=True).table(sum(one.hard for one in later)),
    }


def _answers(found: Sequence[Measured], name: str) -> Answers | None:
    return next((one.answers for one in found if one.contender.name == name), None)


def _compared(ground: Ground, base: Answers, other: Answers) -> Comparison:
    asked = base.scores.queries.filter(ground.main.tolist()).to_list()
    return compare(ground.judgments, (base.run, base.scores), (other.run, other.scores), asked)


def _table(
    head: str,
    others: Sequence[Measured],
    compared: Mapping[str, PairedResult],
    reason: str,
    later: int | None = None,
) -> str:
    columns = ["system", f"difference in {head}", "95 % interval", "detectable"]
    columns += [f"detectable by {later}"] if later is not None else []
    columns += ["p", "p by Holm", "better", "worse", "alike"]
    adjusted = dict(zip(compared, holm([one.p for one in compared.values()]), strict=True))
    rows = []
    for one in others:
        result = compared.get(one.contender.name)
        if result is None:
            rows.append(absent_row(one, len(columns), reason))
            continue
        cells = [_signed(result.mean), f"{_signed(result.low)} to {_signed(result.high)}"]
        cells.append(figure(result.detectable))
        if later is not None:
            known = result.detectable
            cells.append(figure(None if known is None else known * sqrt(result.cases / later)))
        cells += [_chance(result.p), _chance(adjusted[one.contender.name])]
        cells += [str(count) for count in (result.wins, result.losses, result.ties)]
        rows.append([one.contender.label, *cells])
    return table_of(columns, rows)


def absent_row(one: Measured, columns: int, reason: str = "") -> list[str]:
    """Return the row of a system that has no figures, with the reason."""
    return [one.contender.label, reason or f"not measured: {one.reason}", *[NONE] * (columns - 2)]


def figure(value: float | None) -> str:
    """Format a figure with three digits.

    >>> figure(0.25), figure(None)
    ('0.250', '–')
    """
    return NONE if value is None else f"{value:.3f}"


def _signed(value: float | None) -> str:
    return NONE if value is None else f"{value:+.3f}"


def _chance(p: float) -> str:
    return "<0.001" if p < 0.001 else f"{p:.3f}"
