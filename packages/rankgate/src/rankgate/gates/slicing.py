"""How a gate decides over slices: by the one that it names, or by the worst of all that a key has.

Cases without the key are a slice, and slices of too few cases are one. One that fails decides; that none does
says little where many cases are in no slice that is large enough.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rankgate.gates.context import gate_location
from rankgate.model import Counts, Status
from rankgate.model.wording import many

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rankgate.gates.context import GateContext
    from rankgate.gates.language import Gate
    from rankgate.gates.scored import GateVerdict
    from rankgate.scoring.matches import Bools

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
    if context.gate.only and found.counts.scored < context.min_n:
        status, reason = Status.INCONCLUSIVE, f"{reason}; a slice needs {context.min_n} scored"
    return replace(context, gate=found.gate).verdict(status, found.value, reason, found.counts)


def _worst(context: GateContext, find: Callable[[GateContext], SliceFinding | None]) -> GateVerdict:
    key = str(context.gate.worst)
    masks = context.cases.slices.partition(key, context.mask, gate_location(context.gate))
    found = {name: one for name, mask in masks.items() if (one := find(replace(context, mask=mask)))}
    every = np.logical_or.reduce([context.mask & False, *(one.rows for one in found.values())])
    large, thin = _pooled(context, find, masks, found)
    valued = {name: one for name, one in large.items() if one.value is not None}
    tail = "; ".join([f"worst of {many(len(found), 'slice')}", *thin])
    if not valued:
        counts = Counts(int(every.sum()))
        return context.verdict(Status.INCONCLUSIVE, None, f"nothing left to judge; {tail}", counts)
    name, worst = max(valued.items(), key=lambda item: _badness(item[1]))
    reason, status = f"{worst.said} in {key} = {name}: {worst.words}; {tail}", worst.status
    inside = [one.rows for one in large.values() if one.counts.scored >= context.min_n]
    counted = int(np.logical_or.reduce(inside).sum()) if inside else 0
    if not inside or (status is Status.PASSED and counted * 100 < int(every.sum()) * ENOUGH):
        status = Status.INCONCLUSIVE
        reason += f"; {counted} of {int(every.sum())} scored in slices of {context.min_n} or more"
    return replace(context, gate=worst.gate).verdict(status, worst.value, reason, worst.counts)


def _badness(found: SliceFinding) -> tuple[int, float]:
    return _HEAVIER.index(found.status), found.gate.badness(found.value or 0.0)


def _pooled(
    context: GateContext,
    find: Callable[[GateContext], SliceFinding | None],
    masks: Mapping[str, Bools],
    found: Mapping[str, SliceFinding],
) -> tuple[dict[str, SliceFinding], list[str]]:
    """Return the slices that are large enough, and those that are not as one of their own, with its words."""
    thin = [name for name, one in found.items() if one.counts.scored < context.min_n]
    large = {name: one for name, one in found.items() if name not in thin}
    if not thin:
        return large, []
    pool = find(replace(context, mask=np.logical_or.reduce([masks[name] for name in thin])))
    scored = 0 if pool is None else pool.counts.scored
    if pool is not None and (scored >= context.min_n or not large):
        large["other" if "other" not in large else "other (pooled)"] = pool
    return large, [f"fewer than {context.min_n} scored in {', '.join(thin)}, {scored} as one"]
