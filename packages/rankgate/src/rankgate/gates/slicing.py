"""How a gate decides over slices: by the one that it names, or by the worst of all that a key has.

Cases without the key are a slice, and slices of too few cases are one. One that fails decides; that none does
says little where many cases are in no slice that is large enough.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rankgate.gates.context import gate_location, value_text
from rankgate.gates.wording import figure
from rankgate.model import Counts, Status, Weighting
from rankgate.model.wording import many

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rankgate.gates.context import GateContext
    from rankgate.gates.language import Gate
    from rankgate.gates.scored import GateVerdict
    from rankgate.scoring.matches import Bools, Floats

MIN_N = 5
"""How many scored cases a slice needs before a gate decides by it."""
ENOUGH = 80
"""How many in a hundred scored cases must lie in slices of so many, for the worst of them to pass."""
_HEAVIER = (Status.PASSED, Status.INCONCLUSIVE, Status.FAILED)


@dataclass(frozen=True, slots=True)
class SliceFinding:
    """What a gate finds in some cases, before anybody asks whether they are enough."""

    gate: Gate
    """The gate as it holds for them."""
    status: Status
    """Passed, failed, or inconclusive."""
    value: float | None
    """What was measured; None where nothing was left to measure."""
    said: str
    """The value beside the bar, in words."""
    words: str
    """What it stands on, in words."""
    counts: Counts
    """What it stands on."""
    rows: Bools
    """The cases that are scored."""
    weighting: Weighting | None = None
    """What weights do to the value; None where they are equal, or play no part."""

    @property
    def size(self) -> float:
        """How many cases of equal weight say as much: what a slice needs enough of."""
        return self.counts.scored if self.weighting is None else round(self.weighting.effective, 9)

    def verdict(self, context: GateContext, status: Status, reason: str) -> GateVerdict:
        """Return the verdict on its gate by this."""
        verdict = replace(context, gate=self.gate).verdict(status, self.value, reason, self.counts)
        return replace(verdict, weighting=self.weighting)


def weighting(values: Floats, weights: Floats) -> Weighting | None:
    """Return what weights do to a mean; None where they are equal.

    >>> weighting(np.array([1.0, 0.0, 0.0]), np.array([2.0, 1.0, 1.0]))
    Weighting(effective=2.6666666666666665, largest=0.5, unweighted=0.3333333333333333)
    """
    if not len(weights) or (weights == weights[0]).all():
        return None
    total = math.fsum(weights.tolist())
    return Weighting(
        effective=total**2 / math.fsum((weights**2).tolist()),
        largest=float(weights.max()) / total,
        unweighted=math.fsum(values.tolist()) / len(values),
    )


def weighted_words(gate: Gate, found: Weighting | None) -> str:
    """Write what weights do to a mean, to stand behind its counts; nothing where they are equal."""
    if found is None:
        return ""
    share, plain = figure(found.largest, "%", decimals=0), value_text(gate, found.unweighted)
    return f"; weighted: {found.effective:.1f} effective, largest share {share}, unweighted {plain}"


def decide(context: GateContext, find: Callable[[GateContext], SliceFinding | None]) -> GateVerdict:
    """Judge a gate over all cases, over the slice that it names, or over the worst of a key's slices.

    Args:
        context: The gate and its cases.
        find: Works out what it finds in cases; None where there is nothing to find.
    """
    if context.gate.worst:
        return _worst(context, find)
    found = find(context)
    if found is None or found.value is None:
        words = "" if found is None else f": {found.words}"
        counts = Counts(0) if found is None else found.counts
        return context.verdict(Status.INCONCLUSIVE, None, f"nothing left to judge{words}", counts)
    reason, status = f"{found.said}: {found.words}", found.status
    if context.gate.only and found.size < context.min_n:
        status, reason = Status.INCONCLUSIVE, f"{reason}; too few queries: {_needed(context, found)}"
    return found.verdict(context, status, reason)


def _needed(context: GateContext, found: SliceFinding) -> str:
    if found.weighting is None:
        return f"needs {context.min_n}, has {found.counts.scored}"
    return f"needs {context.min_n} effective, has {found.size:.1f}"


def _worst(context: GateContext, find: Callable[[GateContext], SliceFinding | None]) -> GateVerdict:
    key = str(context.gate.worst)
    masks = context.cases.slices.partition(key, context.mask, gate_location(context.gate))
    found = {name: one for name, mask in masks.items() if (one := find(replace(context, mask=mask)))}
    every = np.logical_or.reduce([context.mask & False, *(one.rows for one in found.values())])
    large, thin = _pooled(context, find, masks, found)
    valued = {name: one for name, one in large.items() if one.value is not None}
    empty = [name for name, mask in masks.items() if name not in found and (mask & context.cases.gone).any()]
    thin += [f"every target gone in {', '.join(empty)}"] if empty else []
    tail = "; ".join([_which(context.gate, len(found)), *thin])
    if not valued:
        counts = Counts(int(every.sum()))
        return context.verdict(Status.INCONCLUSIVE, None, f"nothing left to judge; {tail}", counts)
    name, worst = max(valued.items(), key=lambda item: _badness(item[1]))
    reason, status = f"{worst.said} in {key} = {name}: {worst.words}; {tail}", worst.status
    inside = [one.rows for one in large.values() if one.size >= context.min_n]
    counted = int(np.logical_or.reduce(inside).sum()) if inside else 0
    if not inside or (status is Status.PASSED and counted * 100 < int(every.sum()) * ENOUGH):
        status = Status.INCONCLUSIVE
        queries = many(int(every.sum()), "query", "queries")
        reason += f"; {counted} of {queries} in slices of {context.min_n} or more"
    return worst.verdict(context, status, reason)


def _which(gate: Gate, slices: int) -> str:
    """Say which of how many slices is shown: the lowest, or the highest where less is better."""
    end = "highest" if gate.badness(1.0) > gate.badness(0.0) else "lowest"
    if gate.worst == "category":
        return f"{end} of {many(slices, 'category', 'categories')}"
    return f"{end} of {many(slices, 'slice')} by {gate.worst}"


def _badness(found: SliceFinding) -> tuple[int, float]:
    return _HEAVIER.index(found.status), found.gate.badness(found.value or 0.0)


def _pooled(
    context: GateContext,
    find: Callable[[GateContext], SliceFinding | None],
    masks: Mapping[str, Bools],
    found: Mapping[str, SliceFinding],
) -> tuple[dict[str, SliceFinding], list[str]]:
    """Return the slices that are large enough, and those that are not as one of their own, with its words."""
    thin = [name for name, one in found.items() if one.size < context.min_n]
    large = {name: one for name, one in found.items() if name not in thin}
    if not thin:
        return large, []
    pool = find(replace(context, mask=np.logical_or.reduce([masks[name] for name in thin])))
    scored = 0 if pool is None else pool.counts.scored
    if pool is not None and (pool.size >= context.min_n or not large):
        large["other" if "other" not in large else "other (pooled)"] = pool
    return large, [f"fewer than {context.min_n} queries in {', '.join(thin)} (pooled: {scored})"]
