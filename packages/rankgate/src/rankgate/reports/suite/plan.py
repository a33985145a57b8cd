"""What `rankgate plan` says: how many queries a drop takes, and what the gates of a suite can claim."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from rankgate.gates.language import Measure
from rankgate.gates.wording import figure
from rankgate.model.wording import many
from rankgate.reports.suite.plan_words import claim_words
from rankgate.reports.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.gates.planning.claims import GateClaim, PowerAt, SliceSize
    from rankgate.gates.planning.false_alarms import FalseAlarms
    from rankgate.scoring.metric import Metric
    from rankgate.scoring.paired.change import DropModel, Power
    from rankgate.scoring.paired.compare import PairedResult

SCHEMA = 1
MARGINS = (0.02, 0.05, 0.1)
"""The margins of which it is told how many losses they forgive, as shares of the metric's range."""
NOTHING = "–"
_ONE_IN = 0.05


@dataclass(frozen=True, slots=True)
class PlanFacts:
    """What a plan is made from."""

    suite: str
    """The name of the suite."""
    metric: Metric
    """The metric that drops are told in."""
    sources: tuple[str, ...]
    """What the stored answers are called; none where all is assumed."""
    model: DropModel
    """How queries change where it drops."""
    paired: PairedResult | None
    """The comparison of two sources."""
    slices: tuple[SliceSize, ...]
    """All queries, and those of each slice."""
    claims: tuple[GateClaim, ...]
    """What each gate can say."""
    alarms: FalseAlarms | None
    """How often a gate fails by itself."""


@dataclass(frozen=True, slots=True)
class PowerFigure:
    """How many comparisons or tests in a hundred, with a 95 % interval where not all is counted."""

    share: float
    """As a share."""
    low: float
    """Lower end of the interval; the same as `share` where it is counted exactly under the assumption."""
    high: float
    """Upper end of the interval."""
    text: str
    """For people."""

    @classmethod
    def of(cls, power: Power) -> PowerFigure:
        """Write one."""
        text = _percent(power.share)
        if power.high > power.low:
            text += f" ({_percent(power.low)[:-2]} to {_percent(power.high)[:-2]})"
        return cls(power.share, power.low, power.high, text)


@dataclass(frozen=True, slots=True)
class DropRow:
    """One drop that should be seen."""

    drop: float
    """The drop."""
    words: str
    """How many queries are lost then."""
    needed: int | None
    """How many queries, or groups, see it as often as wanted; None where it cannot drop so far."""
    power_then: PowerFigure | None
    """How often so many see it."""
    here: PowerFigure | None
    """How often those of this suite see it."""


@dataclass(frozen=True, slots=True)
class SizeRow:
    """What the queries of a slice can show."""

    name: str
    """``all``, or the slice."""
    queries: int
    """How many count."""
    effective: float
    """How many of equal weight would say as much."""
    groups: int
    """How many groups they are."""
    smallest_margin: float | None
    """The margins of `noninferior` above it can pass; none up to it does, unless something gets better."""
    forgiven: tuple[int | None, ...]
    """How many whole losses pass each of the plan's `margins`; null where none can pass."""
    seen: float | None
    """The smallest drop that they show as often as wanted; null where there is none."""


@dataclass(frozen=True, slots=True)
class GatePowerRow:
    """How often `noninferior` passes and fails at a true drop."""

    drop: float
    """The drop."""
    passes: PowerFigure | None
    """How often it passes; null where the metric cannot drop so far."""
    fails: PowerFigure | None
    """How often it fails; else it is inconclusive."""


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """What a gate can say."""

    gate: str
    """The gate as it is written."""
    over: str
    """``all``, or the slice."""
    written: bool
    """False where it holds without being written."""
    claim: str
    """``fact`` on the queries of the suite, or ``bound``, which speaks of queries like these."""
    queries: int
    """How many count."""
    groups: int
    """How many groups they are."""
    can_pass: bool | None
    """Of a bound: whether it passes where nothing changes; null for facts."""
    smallest_margin: float | None
    """Of a bound: every margin above it can pass."""
    forgives: int | None
    """How many whole losses it passes with; null where it cannot, or that says nothing."""
    fails_at: int | None
    """How many whole losses fail it; null where none do, or that says nothing."""
    needed: int | None
    """Of a bound: how many queries, or groups, pass the margin where nothing changes."""
    powers: tuple[GatePowerRow, ...]
    """Of a bound: how often it ends how."""
    words: str
    """The same for people."""


@dataclass(frozen=True, slots=True)
class PlotRow:
    """One bar of the plot: how often a number of queries sees the drop."""

    queries: int
    """The number, of groups where there are some."""
    share: float
    """How often."""
    text: str
    """The same for people."""
    note: str
    """What the number is: this suite, or what is needed."""


@dataclass(frozen=True, slots=True)
class PlanReport:
    """What a suite can show before anything is asked."""

    suite: str
    """Its name."""
    metric: str
    """The metric that drops are told in."""
    basis: str
    """What is assumed, or which stored answers it goes by, in words."""
    stored: bool
    """True where it goes by stored answers."""
    unit: str
    """What is counted: queries, or groups of queries."""
    size: int
    """How many this suite has."""
    power: float
    """In what share of comparisons a drop should be seen."""
    drops: tuple[DropRow, ...]
    """A row a drop."""
    detectable: float | None
    """What `rankgate compare` calls detectable, of two sources: the drop that is seen in four of five where
    all queries fall alike."""
    margins: tuple[float, ...]
    """The margins of which `slices` tell how many losses they forgive."""
    slices: tuple[SizeRow, ...]
    """All queries, and each slice."""
    claims: tuple[ClaimRow, ...]
    """A row for each gate and slice."""
    false_alarms: FalseAlarms | None
    """How often a gate fails on an unchanged system; null where none compares."""
    alarm_words: str
    """The same for people."""
    plotted: float
    """The drop of the plot."""
    plot: tuple[PlotRow, ...]
    """How often it is seen, by the number of queries."""


def plan_report(facts: PlanFacts, drops: Sequence[float], power: float) -> PlanReport:
    """Work out every number and every string."""
    model, size = facts.model, facts.slices[0].groups
    grouped = facts.slices[0].groups < facts.slices[0].queries
    rows = tuple(_drop_row(model, drop, size, power) for drop in drops)
    possible = [row for row in rows if row.needed is not None] or list(rows)
    middle = possible[len(possible) // 2]
    scale = facts.metric.scale or 1.0
    margins = tuple(scale * margin for margin in MARGINS)
    return PlanReport(
        suite=printable(facts.suite),
        metric=facts.metric.label,
        basis=printable(_basis(facts)),
        stored=bool(facts.sources),
        unit="groups" if grouped else "queries",
        size=size,
        power=power,
        drops=rows,
        detectable=None if facts.paired is None else facts.paired.detectable,
        margins=margins,
        slices=tuple(_size_row(one, facts, margins, power) for one in facts.slices),
        claims=tuple(map(_claim_row, facts.claims)),
        false_alarms=facts.alarms,
        alarm_words="" if facts.alarms is None else facts.alarms.words,
        plotted=middle.drop,
        plot=tuple(_plot(model, middle, size)),
    )


def plan_json(reports: Sequence[PlanReport]) -> str:
    """Write plans as JSON."""
    shown = {"schema": SCHEMA, "plans": [asdict(report) for report in reports]}
    return json.dumps(shown, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _basis(facts: PlanFacts) -> str:
    model, label = facts.model, facts.metric.label
    if not facts.sources:
        fall = f"by {model.scale:g} in {label}"
        lost = f"a drop comes from queries that are lost whole, {fall} each; all others stay as they are"
        return f"assumed, as no answers are given (--from): {lost}"
    mean = figure(float((model.losses * model.weights).sum() / model.weights.sum()))
    lost = f"a drop comes from queries that lose all they had there, {mean} in {label} on average"
    if len(facts.sources) == 1:
        return f"by the answers of {facts.sources[0]}: {lost}; all others stay as they are"
    moved = abs(model.moves[model.moves != 0])
    how = f", by {figure(float(moved.mean()))} on average, up or down alike" if len(moved) else ""
    others = f"the others move as between the two: {len(moved)} of {len(model.moves)} do{how}"
    return f"by {facts.sources[0]} and {facts.sources[1]}: {lost} (in {facts.sources[0]}); {others}"


def _drop_row(model: DropModel, drop: float, size: int, power: float) -> DropRow:
    rate, needed = model.rate(drop), model.needed(drop, power)
    here = model.seen(size, drop)
    then = None if needed is None else model.seen(needed, drop)
    return DropRow(
        drop=drop,
        words="more than there is to lose" if rate is None else _lost_words(rate),
        needed=needed,
        power_then=None if then is None else PowerFigure.of(then),
        here=None if here is None else PowerFigure.of(here),
    )


def _lost_words(rate: float) -> str:
    """Say how many queries are lost.

    >>> _lost_words(0.05), _lost_words(0.06), _lost_words(0.003)
    ('1 query in 20 lost', '6 queries in 100 lost', '1 query in 333 lost')
    """
    one_in = 1 / rate if rate else math.inf
    if rate < 0.01 or abs(one_in - round(one_in)) < _ONE_IN:
        return f"1 query in {one_in:.0f} lost"
    return f"{many(round(100 * rate), 'query', 'queries')} in 100 lost"


def _size_row(size: SliceSize, facts: PlanFacts, margins: Sequence[float], power: float) -> SizeRow:
    capacity = size.capacity
    return SizeRow(
        name=printable(size.name),
        queries=size.queries,
        effective=size.effective,
        groups=size.groups,
        smallest_margin=None if capacity is None else capacity.smallest_margin,
        forgiven=tuple(None if capacity is None else capacity.forgives(margin) for margin in margins),
        seen=facts.model.smallest(size.groups, power),
    )


def _claim_row(claim: GateClaim) -> ClaimRow:
    bound = claim.gate.measure is Measure.NONINFERIOR
    capacity = claim.over.capacity
    return ClaimRow(
        gate=printable(claim.gate.text),
        over=printable(claim.over.name),
        written=claim.written,
        claim="bound" if bound else "fact",
        queries=claim.over.queries,
        groups=claim.over.groups,
        can_pass=claim.enough and claim.forgives is not None if bound else None,
        smallest_margin=capacity.smallest_margin if bound and capacity else None,
        forgives=claim.forgives,
        fails_at=claim.fails_at,
        needed=claim.needed,
        powers=tuple(_gate_power(one) for one in claim.powers),
        words=printable(claim_words(claim)),
    )


def _gate_power(at: PowerAt) -> GatePowerRow:
    if at.found is None:
        return GatePowerRow(at.drop, None, None)
    return GatePowerRow(at.drop, PowerFigure.of(at.found.passes), PowerFigure.of(at.found.fails))


def _plot(model: DropModel, row: DropRow, size: int) -> Iterator[PlotRow]:
    """Choose numbers of queries around what is needed, and say how often each sees the drop."""
    centre = row.needed or size
    sizes = {_round(centre * part) for part in (0.125, 0.25, 0.5, 2)} | {centre, size}
    for queries in sorted(one for one in sizes if one > 0):
        found = model.seen(queries, row.drop)
        if found is not None:
            notes = ["this suite"] * (queries == size) + ["needed"] * (queries == row.needed)
            yield PlotRow(queries, found.share, _percent(found.share), ", ".join(notes))


def _round(number: float) -> int:
    """Round to two digits that matter."""
    digits = max(0, math.floor(math.log10(max(1.0, number))) - 1)
    return int(round(number / 10**digits) * 10**digits)


def _percent(share: float) -> str:
    """Write a share: of what is neither none nor all, never none or all.

    >>> [_percent(share) for share in (0, 0.002, 0.5, 0.998, 1)]
    ['0 %', '<1 %', '50 %', '>99 %', '100 %']
    """
    if 0 < share < 0.005:
        return "<1 %"
    return ">99 %" if 0.995 < share < 1 else f"{100 * share:.0f} %"
