"""What a gate finds in some cases, and what all slices of a key say together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from verdicts.state import Case, Gate

    Find = Callable[[Gate, Sequence[Case]], "Finding | None"]

PASSED, FAILED, OPEN, WAIVED = "passed", "failed", "inconclusive", "not enforced"
WAITING, REQUIRED, REFUSED = "waiting", "required", "refused"
"""Inconclusive, and refused, for want of a baseline that says enough; and refused for what it counts."""
MIN_N = 5
ENOUGH = 0.8
NONE = "(none)"
_HEAVIER = (PASSED, OPEN, FAILED)


@dataclass(frozen=True)
class Counts:
    """What a verdict stands on."""

    scored: int = 0
    undefined: int = 0
    unreviewed: int = 0
    errored: int = 0


@dataclass(frozen=True)
class Finding:
    """What is said of a gate."""

    status: str
    value: float | None = None
    counts: Counts = Counts()
    size: float = 0.0
    """How many cases of one weight say as much as those that are scored."""
    rows: frozenset[str] = frozenset()
    """The cases that are scored."""
    lost: tuple[str, ...] = ()
    also: tuple[Finding, ...] = ()
    """Slices that are as bad: any of them may be the one that is named."""


def size_of(cases: Sequence[Case], *, weighted: bool) -> float:
    """Return how many cases of one weight say as much as these."""
    if not weighted or not cases:
        return len(cases)
    return sum(case.weight for case in cases) ** 2 / sum(case.weight**2 for case in cases)


def holds(gate: Gate, value: float, bar: float | None = None) -> bool:
    """Compare a value with a gate's bar, or with another, after rounding both to 1e-9."""
    left, right = round(value, 9), round(bound_of(gate) if bar is None else bar, 9)
    return {
        ">=": left >= right,
        "<=": left <= right,
        ">": left > right,
        "<": left < right,
        "=": left == right,
    }[gate.compares]


def bound_of(gate: Gate) -> float:
    """Return what a gate compares with: a share that nobody wrote is all of them."""
    return 1.0 if gate.kind in ("checks", "scenarios", "invariants") and not gate.unit else gate.bar


def decide(gate: Gate, members: Sequence[Case], find: Find, min_n: int) -> Finding:
    """Judge a gate over all cases, over the slice that it names, or over the worst of a key's slices."""
    if gate.key:
        return _worst(gate, members, find, min_n)
    found = find(gate, members) or Finding(OPEN)
    if found.value is None or (gate.where and found.size < min_n - 1e-9):
        return replace(found, status=OPEN)
    return found


def _worst(gate: Gate, members: Sequence[Case], find: Find, min_n: int) -> Finding:
    slices: dict[str, list[Case]] = {}
    for case in members:
        for value in values_of(case, gate.key) or (NONE,):
            slices.setdefault(value, []).append(case)
    found = {name: one for name, cases in slices.items() if (one := find(gate, cases)) is not None}
    every = frozenset[str]().union(*(one.rows for one in found.values()))
    thin = {name for name, one in found.items() if one.size < min_n - 1e-9}
    full = [one for name, one in found.items() if name not in thin]
    names = {case.name for name in thin for case in slices[name]}
    pool = find(gate, [case for case in members if case.name in names]) if thin else None
    counted = frozenset[str]().union(*(one.rows for one in full))
    if pool is not None and pool.size >= min_n - 1e-9:
        full.append(pool)
        counted |= pool.rows
    enough = bool(full)
    if pool is not None and not full:
        full = [pool]
    valued = [one for one in full if one.value is not None]
    if not valued:
        return Finding(OPEN, None, Counts(len(every)))
    worst = max(valued, key=lambda one: _badness(gate, one))
    alike = [one for one in valued if _close(_badness(gate, one), _badness(gate, worst))]
    if not enough or (worst.status == PASSED and len(counted) < ENOUGH * len(every) - 1e-9):
        alike = [replace(one, status=OPEN) for one in alike]
    return replace(alike[0], also=tuple(alike))


def _badness(gate: Gate, found: Finding) -> tuple[int, float]:
    value = found.value or 0.0
    if gate.compares == "=":
        value = abs(value - gate.bar)
    elif gate.compares in (">=", ">"):
        value = -value
    return _HEAVIER.index(found.status), value


def _close(one: tuple[int, float], other: tuple[int, float]) -> bool:
    return one[0] == other[0] and abs(one[1] - other[1]) < 1e-9


def values_of(case: Case, key: str) -> tuple[str, ...]:
    """Return what a case has at a key."""
    if key == "tag":
        return (*case.tags, *((f"lang={case.lang}",) if case.lang else ()))
    found = {"category": case.category, "lang": case.lang, "group": case.group}.get(key)
    return () if found is None else (found,)


def keys_of(cases: Iterable[Case]) -> set[str]:
    """Return the keys that cases have slices of."""
    return {key for case in cases for key in ("category", "lang", "group", "tag") if values_of(case, key)}
