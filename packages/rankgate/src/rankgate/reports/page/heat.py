"""Every metric in every slice, coloured by its value: what the page shows of categories, groups and tags.

Slices are those that gates judge by: cases without a key are a slice of their own, and slices of fewer cases
than a gate would decide by are one, ``other``. Changes go by queries with a value on both sides.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankgate.gates.context import Slices
from rankgate.gates.slicing import MIN_N, weighting
from rankgate.gates.wording import figure
from rankgate.model.wording import many
from rankgate.reports.page.model import PageSlice, PageSliceCell
from rankgate.reports.text.marks import ESTIMATED, NOTHING, signed
from rankgate.reports.text.printable import printable
from rankgate.scoring.metric import aggregate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from rankgate.reports.page.model import PageMetric
    from rankgate.scoring.matches import Bools, Column, Floats, Ints

MOST_SLICES = 100
"""How many slices of a key are shown: the largest ones; the others are one, as small ones are."""
_POOLED_NAMED = 20
_TIE = 1e-9


class HeatFigures(NamedTuple):
    """The values of one metric, in the order of the cases."""

    metric: PageMetric
    """Which metric."""
    now: Column
    """What each case scores."""
    before: Column | None = None
    """What it scored before; None where nothing is compared."""
    estimated: Bools | None = None
    """The cases whose value rests on estimated labels or tokens; None where none does."""


def heat_of(cases: pl.DataFrame, weights: Floats, figures: Sequence[HeatFigures]) -> tuple[PageSlice, ...]:
    """Work every metric out for every slice; `cases` has category, group and tags of each case."""
    rows: list[PageSlice] = []
    for key, slices in Slices(cases).numbered.items():
        # A tag such as language=python is a slice of language.
        shown = {name: these for name, these in slices.items() if key != "tag" or "=" not in name}
        rows += _rows(key, shown, weights, figures)
    return tuple(rows)


def _rows(
    key: str, slices: Mapping[str, Ints], weights: Floats, figures: Sequence[HeatFigures]
) -> list[PageSlice]:
    sizes = {name: _size(these, weights, figures) for name, these in slices.items()}
    large = sorted((name for name in slices if sizes[name] >= MIN_N), key=lambda name: -sizes[name])
    shown = set(large[:MOST_SLICES])
    rest = [name for name in slices if name not in shown]
    rows = [_row(key, name, these, weights, figures) for name, these in slices.items() if name in shown]
    if rest:
        pool = np.unique(np.concatenate([slices[name] for name in rest]))
        row = _row(key, f"other ({many(len(rest), 'slice')})", pool, weights, figures)
        thin = _size(pool, weights, figures) < MIN_N
        rows.append(replace(row, pooled=tuple(map(printable, rest[:_POOLED_NAMED])), thin=thin))
    return rows


def _size(these: Ints, weights: Floats, figures: Sequence[HeatFigures]) -> float:
    """Return how many cases of equal weight stand behind the metric that has most; few cases as they are."""
    if len(these) < MIN_N:
        return float(len(these))
    sizes = [0.0]
    for one in figures:
        rows = these[one.now.defined[these]]
        found = weighting(one.now.values[rows], weights[rows])
        sizes.append(float(len(rows)) if found is None else round(found.effective, 9))
    return max(sizes)


def _row(key: str, name: str, these: Ints, weights: Floats, figures: Sequence[HeatFigures]) -> PageSlice:
    cells = tuple(_cell(one, these, weights) for one in figures)
    return PageSlice(printable(key), printable(name), len(these), cells)


def _cell(one: HeatFigures, these: Ints, weights: Floats) -> PageSliceCell:
    rows, metric = these[one.now.defined[these]], one.metric
    value = aggregate(one.now.values[rows], weights[rows], metric.statistic)
    if value is None:
        return PageSliceCell(NOTHING)
    marked = one.estimated is not None and bool(one.estimated[rows].any())
    shown = (ESTIMATED if marked else "") + figure(value, metric.unit)
    change, way = _change(one, rows, weights)
    return PageSliceCell(shown, value, _heat(value, metric), change, way)


def _change(one: HeatFigures, rows: Ints, weights: Floats) -> tuple[str, str]:
    """Return now less before over the cases that have both, and whether that is better or worse."""
    if one.before is None or one.metric.statistic != "mean" or one.metric.unit == "ms":
        return "", ""
    both = rows[one.before.defined[rows]]
    difference = aggregate(one.now.values[both] - one.before.values[both], weights[both], "mean")
    if difference is None:
        return "", ""
    if abs(difference) <= _TIE:
        return "=", ""
    return signed(difference, one.metric.unit), "worse" if (difference > 0) == one.metric.less else "better"


def _heat(number: float, metric: PageMetric) -> float | None:
    """Return how good a value is, from 0 to 1 on the range of its metric; None where it has none."""
    if metric.scale is None or metric.lowest is None:
        return None
    part = min(1.0, max(0.0, (number - metric.lowest) / metric.scale))
    return round(1 - part if metric.less else part, 3)
