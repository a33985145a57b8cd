"""What the gates of a suite can claim with the queries it has, before any system is asked.

A value, a drop and lost queries are facts on these queries. `noninferior` speaks of queries that are not in
the suite, and how small a margin it can pass depends on how many are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rankgate.gates.context import gate_location
from rankgate.gates.language import COMPARED, PROBED, Measure
from rankgate.gates.slicing import MIN_N, weighting
from rankgate.progress import steps
from rankgate.scoring.paired.drop import Capacity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rankgate.gates.context import Cases
    from rankgate.gates.language import Gate
    from rankgate.scoring.matches import Bools, Floats
    from rankgate.scoring.paired.change import DropModel, GatePower

ALL = "all"
"""The slice of every case."""


@dataclass(frozen=True, slots=True, eq=False)
class SliceSize:
    """How many queries a gate can count on."""

    name: str
    """``all``, or the slice as a gate writes it: ``category = exact``."""
    weights: Floats
    """What each query weighs that is judged, reviewed and no known miss; the heaviest first."""
    effective: float
    """How many of equal weight would say as much."""
    groups: int
    """How many groups they are; a query without one is its own."""
    capacity: Capacity | None
    """What they can show; None where nothing can, as there is no query or no range."""
    pooled: tuple[str, ...] = ()
    """The slices that are too small and count as one here."""

    @property
    def queries(self) -> int:
        """How many queries it has."""
        return len(self.weights)


@dataclass(frozen=True, slots=True)
class PowerAt:
    """How often `noninferior` passes and fails at one true drop."""

    drop: float
    """The true drop."""
    found: GatePower | None
    """How often it ends how; None where the metric cannot drop so far."""


@dataclass(frozen=True, slots=True)
class GateClaim:
    """What one gate can say over one slice."""

    gate: Gate
    """The gate, as it holds for so many queries."""
    over: SliceSize
    """What it counts."""
    written: bool
    """False for one that holds without being written."""
    enough: bool
    """False where the slice is too small to decide anything."""
    one_query: float | None = None
    """How far one query, lost whole, moves the mean at most; None where it is no mean of a range."""
    forgives: int | None = None
    """How many whole losses it passes with, the heaviest first; None where it cannot pass without a gain."""
    fails_at: int | None = None
    """How many whole losses fail it, the heaviest first; None where none do, or nobody knows."""
    needed: int | None = None
    """How many queries of such weights pass the margin of `noninferior` where nothing changes."""
    powers: tuple[PowerAt, ...] = ()
    """Of `noninferior`: how often it passes and fails, from no drop on."""


@dataclass(frozen=True, slots=True)
class ClaimContext:
    """What claims are worked out from."""

    cases: Cases
    """What gates know of every case."""
    groups: tuple[str, ...]
    """What each case is resampled with."""
    models: Mapping[str, DropModel]
    """How queries change where a metric drops, by the label of the metric."""
    drops: tuple[float, ...]
    """The drops to look at, as shares of the range of a metric."""
    min_n: int = MIN_N
    """How many effective cases a slice needs."""

    def rows(self, mask: Bools, label: str | None) -> Bools:
        """Take the cases that a gate counts: of a metric those where it has a value."""
        counted = self.cases.counted(mask, "").rows & self.cases.judged
        defined = self.cases.scores.columns[label].defined if label else counted
        # A metric that only answers give a value to is taken to have one.
        return counted & defined if (counted & defined).any() else counted

    def size(self, name: str, rows: Bools, scale: float | None, pooled: tuple[str, ...] = ()) -> SliceSize:
        """Count the queries of a slice, and say what they can show."""
        weights = self.cases.scores.weights[rows]
        heavy = weighting(np.zeros(len(weights)), weights)
        members: dict[str, list[float]] = {}
        for group, weight in zip(
            (one for one, wanted in zip(self.groups, rows, strict=True) if wanted), weights, strict=True
        ):
            members.setdefault(group, []).append(float(weight))
        capacity = None
        if members and scale is not None:
            means = [
                min(math.fsum(several) / len(several), float(weights.max())) for several in members.values()
            ]
            capacity = Capacity.of(len(means), scale, means, float(weights.max()))
        effective = float(len(weights)) if heavy is None else heavy.effective
        return SliceSize(name, np.sort(weights)[::-1], effective, len(members), capacity, pooled)


def claims(context: ClaimContext, gates: Sequence[Gate], unwritten: Sequence[Gate]) -> Iterator[GateClaim]:
    """Work out what each gate can say, over each slice that it looks at.

    Raises:
        InputError: for a gate over a slice that nobody has.
    """
    wanted = [(gate, size) for gate in (*gates, *unwritten) for size in _sizes(context, gate)]
    for gate, size in steps(wanted, "working out what gates can claim"):
        yield _claim(context, gate, size, written=gate not in unwritten)


def slice_sizes(
    context: ClaimContext, keys: Sequence[str], label: str, scale: float | None
) -> list[SliceSize]:
    """Count all queries, and those of each slice of some keys."""
    everything = context.cases.everything
    found = [context.size(ALL, context.rows(everything, label), scale)]
    for key in keys:
        for value, mask in context.cases.slices.partition(key, everything, key).items():
            found.append(context.size(f"{key} = {value}", context.rows(mask, label), scale))
    return [size for size in found if size.queries]


def _sizes(context: ClaimContext, gate: Gate) -> Iterator[SliceSize]:
    """Count what a gate looks at: all, its slice, or every slice of its key, small ones as one."""
    slices, where = context.cases.slices, gate_location(gate)
    scale = _scale(context, gate)
    mask = slices.members(gate.only, where) if gate.only else context.cases.everything
    if not gate.worst:
        name = str(gate.only) if gate.only else ALL
        yield context.size(name, context.rows(mask, gate.label), scale)
        return
    thin: list[str] = []
    pooled = mask & False
    for value, part in slices.partition(gate.worst, mask, where).items():
        rows = context.rows(part, gate.label)
        size = context.size(f"{gate.worst} = {value}", rows, scale)
        if size.effective >= context.min_n:
            yield size
        else:
            thin.append(value)
            pooled = pooled | rows
    if thin:
        yield context.size(f"{gate.worst} = other", pooled, scale, tuple(thin))


def _claim(context: ClaimContext, gate: Gate, size: SliceSize, *, written: bool) -> GateClaim:
    sliced = bool(gate.only or gate.worst)
    claim = GateClaim(gate, size, written, enough=not sliced or round(size.effective, 9) >= context.min_n)
    if gate.measure is Measure.LOST:
        held = gate.over(size.queries)
        allowed = math.floor(held.bar * size.queries + 1e-9) if held.unit == "%" else math.floor(held.bar)
        allowed -= held.sign == "<" and allowed == held.bar
        return replace(claim, gate=held, forgives=allowed, fails_at=allowed + 1)
    if size.capacity is None or gate.measure in PROBED:
        return claim
    # Values and drops are means over queries, whatever groups they are of.
    falls = np.cumsum(size.weights) / size.weights.sum() * size.capacity.scale
    claim = replace(claim, one_query=float(falls[0]))
    if gate.measure is Measure.DROP:
        held_losses = sum(1 for fall in falls.tolist() if gate.holds(fall))
        return replace(
            claim, forgives=held_losses, fails_at=held_losses + 1 if held_losses < len(falls) else None
        )
    if gate.measure is not Measure.NONINFERIOR:
        return claim
    model = context.models[str(gate.label)]
    drops = dict.fromkeys((0.0, *(drop * size.capacity.scale for drop in context.drops)))
    return replace(
        claim,
        forgives=size.capacity.forgives(gate.bar),
        fails_at=size.capacity.fails_at(gate.bar),
        needed=size.capacity.needed(gate.bar),
        powers=tuple(PowerAt(drop, model.decided(size.groups, drop, gate.bar)) for drop in drops)
        if claim.enough
        else (),
    )


def _scale(context: ClaimContext, gate: Gate) -> float | None:
    """Return how far a query can fall in a gate's metric; None where that is no mean or has no limit."""
    metric = next((one for one in context.cases.scores.metrics if one.label == gate.label), None)
    if metric is None or (metric.statistic != "mean" and gate.measure not in COMPARED):
        return None
    return metric.scale
