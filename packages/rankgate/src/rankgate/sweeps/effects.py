"""What an axis of a sweep does on its own: the mean over pairs of variants that differ in nothing else."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from rankgate.reports.comparison.wording import interval_words
from rankgate.reports.sweep.report import AxisEffect
from rankgate.reports.text.marks import signed
from rankgate.reports.text.printable import printable
from rankgate.scoring.paired.compare import compare_paired

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rankgate.scoring.matches import Bools, Floats
    from rankgate.sweeps.sweep_file import Axis, Sweep
    from rankgate.sweeps.table import SweepTable


def axis_effects(sweep: Sweep, table: SweepTable) -> tuple[AxisEffect, ...]:
    """Return what each value of each axis does, compared with the first value of its axis.

    Per query, the difference is the mean over all pairs of variants that differ in this axis alone; chance is
    drawn over queries, by group. Pairs that are missing, as a combination was left out or not asked, are
    counted.
    """
    found = {_key(one.variant.values): one.variant.name for one in table.shown if one.variant.values}
    effects = []
    for axis in sweep.axes:
        first, *rest = axis.values
        for value in rest:
            pairs = list(_pairs(sweep, axis, first.label, value.label, found))
            whole = [(before, after) for before, after in pairs if before and after]
            if whole:
                counts = len(whole), len(pairs) - len(whole)
                effects.append(_effect(table, axis.name, (value.label, first.label), whole, counts))
    return tuple(effects)


def _key(values: Mapping[str, str]) -> frozenset[tuple[str, str]]:
    return frozenset(values.items())


def _pairs(
    sweep: Sweep, axis: Axis, first: str, value: str, found: Mapping[frozenset[tuple[str, str]], str]
) -> Iterator[tuple[str | None, str | None]]:
    """Go through the combinations of all other axes, each with the names of the two variants it has."""
    others = [one for one in sweep.axes if one is not axis]
    for labels in product(*([one.label for one in other.values] for other in others)):
        rest = {other.name: label for other, label in zip(others, labels, strict=True)}
        before, after = (found.get(_key({**rest, axis.name: one})) for one in (first, value))
        yield before, after


def _effect(
    table: SweepTable,
    axis: str,
    values: tuple[str, str],
    pairs: Sequence[tuple[str, str]],
    counts: tuple[int, int],
) -> AxisEffect:
    metric, weights = table.base.metrics[0], table.base.weights
    differences = []
    defined: Bools = np.ones(len(weights), dtype=bool)
    for before, after in pairs:
        (low, has_low), (high, has_high) = (_values(table, name) for name in (before, after))
        differences.append(high - low)
        defined = defined & has_low & has_high
    mean: Floats = np.mean(differences, axis=0)[defined]
    groups = [one.group or one.id for one, kept in zip(table.suite.cases, defined, strict=True) if kept]
    result = compare_paired(mean, weights[defined], groups, scale=metric.scale)
    return AxisEffect(
        axis=printable(axis),
        value=printable(values[0]),
        against=printable(values[1]),
        pairs=counts[0],
        missing=counts[1],
        difference=signed(result.mean, metric.unit),
        interval=interval_words(result, metric.unit),
        numbers=(result.mean, result.low, result.high),
    )


def _values(table: SweepTable, name: str) -> tuple[Floats, Bools]:
    """Return what a variant scored in the metric that decides, query by query, and where it has a value."""
    found = table.of(name)
    scores = table.base if found is None else found.comparison.after
    column = scores.columns[table.primary]
    return column.values, column.defined
