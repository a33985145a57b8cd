"""How often a gate that compares with the baseline fails on a system that has not changed."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from rankgate.gates.context import Cases, gate_location
from rankgate.gates.language import COMPARED, Measure, written
from rankgate.gates.slicing import MIN_N
from rankgate.progress import steps
from rankgate.scoring.comparison import query_groups
from rankgate.scoring.evaluate import score
from rankgate.scoring.paired.bounds import LEVEL, chance, lower_bound, upper_bound
from rankgate.scoring.paired.paired import Paired
from rankgate.scoring.placements import JudgedHits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.random import Generator

    from rankgate.gates.language import Gate
    from rankgate.gates.scored import Scored
    from rankgate.scoring.matches import Bools, Floats, Ints

DRAWS = 400
"""How many tests of an unchanged system are drawn."""
_CELLS = 2_000_000
"""How many values are drawn at most: of large suites fewer tests."""
_FEWEST = 100
_RESAMPLED = 20
"""How often the repeats themselves are resampled, to see how far the chance depends on them."""
_SEED = 20_260
_ABSENT = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class FalseAlarms:
    """How likely it is that at least one gate on the baseline fails though the system has not changed."""

    gates: int
    """How many gates compare with the system's own baseline."""
    chance: float
    """How many tests in a hundred, as a share: drawn from the repeats, or 0 where there are none, as a system
    that answers the same each time neither drops nor loses anything."""
    low: float
    """Lower end of its 95 % interval, which covers the drawing and that repeats are few; `chance` where
    nothing was drawn."""
    high: float
    """Upper end of the interval."""
    repeats: int
    """How often everything was asked; 1 where that it answers the same each time is an assumption."""
    no_worse: float | None
    """Of a system that answers otherwise and is no worse on the whole: at most so many tests fail by
    `noninferior`, 5 % for each claim; None without such a gate."""

    @property
    def words(self) -> str:
        """What a reader is told, in one line."""
        of = "the gate" if self.gates == 1 else f"one of the {self.gates} gates"
        said = f"unchanged system: {of} on the baseline fails in {_hundred(self.chance)} tests"
        if self.repeats > 1:
            between = f"{100 * self.low:.1f} to {100 * self.high:.1f}, 95 %"
            said += f" ({between}), by what differs between the {self.repeats} repeats of a query"
        else:
            said += ", if it answers the same each time, which --repeat 5 would measure"
        if self.no_worse is not None:
            most, claims = _hundred(self.no_worse), round(self.no_worse / LEVEL)
            said += f"; changed, and no worse on the whole: noninferior fails in at most {most}"
            said += f" (5 for each of {claims} claims)" if claims > 1 else ""
        return said


def _hundred(share: float) -> str:
    return f"{100 * share:.1f}".removesuffix(".0") + " of 100"


def false_alarms(
    scored: Scored, gates: Sequence[Gate], min_n: int = MIN_N, *, draws: int = DRAWS
) -> FalseAlarms | None:
    """Work it out for the gates that compare with the system's own baseline; None where none does.

    Where everything was asked several times, tests of the same system are drawn: each query is answered as in
    some of its repeats, drawn anew for the baseline and for the test, as often as it was asked. What a whole
    run shares, such as an index, is not among what differs.
    """
    compared = [gate for gate in gates if gate.measure in COMPARED and gate.against is None]
    if not compared:
        return None
    again = len(scored.each)
    if again < 2 and not any(gate.measure is Measure.NONINFERIOR for gate in compared):
        return FalseAlarms(len(compared), 0.0, 0.0, 0.0, 1, None)
    cases = Cases.of(scored)
    parts = {gate.text: list(_parts(gate, cases, min_n)) for gate in compared}
    claims = sum(len(parts[gate.text]) for gate in compared if gate.measure is Measure.NONINFERIOR)
    no_worse = min(1.0, LEVEL * claims) if claims else None
    if again < 2:
        return FalseAlarms(len(compared), 0.0, 0.0, 0.0, 1, no_worse)
    draws = max(_FEWEST, min(draws, _CELLS // max(1, len(cases.names) * again)))
    drawing, rng = _Drawing.of(scored), np.random.default_rng(_SEED)

    def failing(one: _Drawing, tests: int) -> Floats:
        """Draw tests, and mark those in which a gate fails."""
        drawn = (one.drawn(rng) for _ in range(tests))
        weights = cases.scores.weights
        return np.array(
            [
                any(test.fails(gate, rows, weights) for gate in compared for rows in parts[gate.text])
                for test in drawn
            ],
            dtype=np.float64,
        )

    failed, each = failing(drawing, draws), draws // _RESAMPLED
    times = steps(range(_RESAMPLED), "drawing tests")
    shares = np.array([failing(drawing.resampled(rng), each).mean() for _ in times])
    found = float(failed.mean())
    # What resampled repeats differ by, beyond what so few tests of each do.
    spread = max(0.0, float(shares.var(ddof=1)) - float((shares * (1 - shares)).mean()) / (each - 1))
    width = NormalDist().inv_cdf(1 - LEVEL / 2) * math.sqrt(spread + found * (1 - found) / draws)
    low = min(lower_bound(failed, 0.0, level=LEVEL / 2), found - width)
    high = max(upper_bound(failed, 1.0, level=LEVEL / 2), found + width)
    return FalseAlarms(len(compared), found, max(0.0, low), min(1.0, high), again, no_worse)


def _parts(gate: Gate, cases: Cases, min_n: int) -> Iterator[Bools]:
    """Mark the cases that decide a gate: all, a slice, or each slice that is large enough, and the rest."""
    where = gate_location(gate)
    mask = cases.slices.members(gate.only, where) if gate.only else cases.everything
    masks = cases.slices.partition(gate.worst, mask, where).values() if gate.worst else [mask]
    defined = cases.scores.columns[gate.label].defined if gate.label else cases.judged
    least = min_n if gate.only or gate.worst else 1
    pooled = mask & False
    for part in masks:
        rows: Bools = cases.counted(part, gate.unit).rows & cases.judged & defined
        if int(rows.sum()) >= least:
            yield rows
        else:
            pooled = pooled | rows
    if gate.worst and int(pooled.sum()) >= least:
        yield pooled


@dataclass(frozen=True, slots=True, eq=False)
class _Test:
    """One test of an unchanged system: how far each query fell, and where its first hit was and is."""

    drops: dict[str, Floats]
    scales: dict[str, float | None]
    groups: tuple[str, ...]
    before: Ints
    after: Ints

    def fails(self, gate: Gate, rows: Bools, weights: Floats) -> bool:
        if gate.measure is Measure.LOST:
            within, depth = gate.lost or (1, 1)
            lost = (self.before <= within) & (self.after > depth) & rows
            number, queries = int(lost.sum()), int(rows.sum())
            held = gate.over(queries)
            return not held.holds(number / queries if held.unit == "%" else number)
        label = str(gate.label)
        values, shares = self.drops[label][rows], weights[rows]
        mean = float((values * shares).sum() / shares.sum())
        if gate.measure is Measure.DROP:
            return not gate.holds(mean)
        scale = self.scales[label]
        if scale is None or mean <= gate.bar:
            return False
        groups = [group for group, wanted in zip(self.groups, rows, strict=True) if wanted]
        paired = Paired.of(-values, shares, groups)
        sizes, top = paired.group_weights, float(shares.max())
        return chance(paired.group_means, -gate.bar, scale, weights=sizes, top_weight=top) < LEVEL


@dataclass(frozen=True, slots=True, eq=False)
class _Drawing:
    """The values and the ranks of each time, a row a time."""

    values: dict[str, Floats]
    worse: dict[str, float]
    scales: dict[str, float | None]
    groups: tuple[str, ...]
    ranks: Ints

    @classmethod
    def of(cls, scored: Scored) -> _Drawing:
        gated, each, metrics = scored.gated, scored.each, scored.scores.metrics
        runs = (gated.run, *gated.repeats)
        if gated.run is not scored.run:
            wanted = [written(metric) for metric in metrics]
            each = tuple(score(gated.judgments, run, wanted, depth=scored.scores.depth) for run in runs)
        ranks = [JudgedHits(gated.judgments, run).first_relevant() for run in runs]
        return cls(
            {one.label: np.stack([time.columns[one.label].values for time in each]) for one in metrics},
            {one.label: 1.0 if one.less_is_better else -1.0 for one in metrics},
            {one.label: one.scale for one in metrics},
            query_groups(gated.judgments),
            np.stack([np.where(one > 0, one, _ABSENT) for one in ranks]),
        )

    def resampled(self, rng: Generator) -> _Drawing:
        """Return what other repeats might have been."""
        picked, every = rng.integers(len(self.ranks), size=self.ranks.shape), np.arange(self.ranks.shape[1])
        values = {label: several[picked, every] for label, several in self.values.items()}
        return replace(self, values=values, ranks=self.ranks[picked, every])

    def drawn(self, rng: Generator) -> _Test:
        """Answer each query, before and now, as in some of its repeats, drawn as often as it was asked.

        Values drawn from a few vary less than those they were drawn from; the factor mends that.
        """
        times, queries = self.ranks.shape
        every = np.arange(queries)
        then, now = rng.integers(times, size=(2, times, queries))
        drops = {}
        for label, values in self.values.items():
            means = (values[picked, every].mean(axis=0) for picked in (now, then))
            moved = np.subtract(*means) * self.worse[label]
            most = self.scales[label] or math.inf
            drops[label] = np.clip(moved * math.sqrt(times / (times - 1)), -most, most)
        before, after = (np.sort(self.ranks[picked, every], axis=0) for picked in (then, now))
        half = (times + 1) // 2 - 1
        return _Test(drops, self.scales, self.groups, before[half], after[half])
