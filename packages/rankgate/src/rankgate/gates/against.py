"""Gates over a comparison: how far a metric dropped, and which queries were lost.

A drop is a fact on a fixed suite: pass or fail, whatever chance says. `lost` looks at single queries, because
three of them can vanish without any mean telling.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError
from rankgate.gates.context import gate_location, nothing_scored
from rankgate.gates.language import Measure, parse_gate
from rankgate.gates.scored import most
from rankgate.gates.slicing import SliceFinding, decide, weighted_words, weighting
from rankgate.gates.wording import besides, tally
from rankgate.model import Counts, GateText, LostQuery, Status
from rankgate.model.wording import and_more, many

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rankgate.gates.context import Cases, GateContext
    from rankgate.gates.language import Gate
    from rankgate.gates.scored import GateVerdict
    from rankgate.scoring.comparison import Comparison
    from rankgate.scoring.matches import Bools
    from rankgate.scoring.paired.compare import PairedResult

LOST_DEPTH = 10
"""How deep a query's answer is looked at before it counts as lost, where no gate says so."""
_SHOWN = 5
"""How many lost queries a reason names; the verdict has all of them."""


def judge_compared(context: GateContext) -> GateVerdict:
    """Judge a drop, or the queries that were lost."""
    against = context.against
    compared = None if against is None else against.gated
    if against is None or compared is None:
        absent = against is None or against.absent
        why = "nothing to compare with" if against is None else against.why
        status = Status.NOT_ENFORCED if absent else Status.INCONCLUSIVE
        if against is not None and against.required:
            status = Status.REFUSED
        return context.verdict(status, None, why, Counts(0))
    if context.gate.measure is Measure.LOST:
        return _lost(context, compared)
    return _dropped(context, compared)


def lost_gate(k: int) -> GateText:
    """Return the gate that holds without being written, where so many hits of each query are asked for.

    >>> lost_gate(20).text, lost_gate(5).text
    ('lost(10 -> absent@10)', 'lost(5 -> absent@5)')
    """
    depth = min(LOST_DEPTH, k)
    return GateText(f"lost({depth} -> absent@{depth})")


def of_all_lost(gate: Gate) -> bool:
    """Check whether a gate tells how many of all queries may be lost since the system's own baseline.

    One over the worst slice does not: it looks at no slice that is too small.
    """
    return gate.measure is Measure.LOST and not (gate.against or gate.only or gate.worst)


def unwritten_lost(gates: Iterable[Gate], k: int) -> tuple[Gate, ...]:
    """Return the gate on lost queries that holds without being written; none where some gate replaces it.

    One that looks deeper does not: a baseline that is less deep cannot decide it, and can decide this one.
    """
    if any(of_all_lost(gate) and max(gate.lost or (1,)) <= min(LOST_DEPTH, k) for gate in gates):
        return ()
    return (parse_gate(lost_gate(k)),)


@dataclass(frozen=True, slots=True)
class _Part:
    """The queries that a gate compares, and what became of the others."""

    rows: Bools
    counts: Counts
    aside: tuple[str, ...]
    """What is not in the counts, a few words each."""
    today: int
    """How many queries the gate counts today."""
    matched: int
    """How many of them were asked before."""
    located: int
    """How many of those have all relevant hits of before in the documents of today."""

    @property
    def words(self) -> str:
        """What it stands on, in words."""
        return ", ".join([tally(self.counts), *self.aside])


def _part(context: GateContext, comparison: Comparison, now: Bools, both: Bools) -> _Part:
    """Take the queries that the gate counts: those that have a value now, and those that have two."""
    cases, mask = context.cases, context.mask
    today = cases.counted(mask & now & ~comparison.after.estimated, context.gate.unit).rows
    counted = cases.counted(mask & comparison.shared, context.gate.unit)
    out = counted.rows & comparison.left_out & ~both
    rows = counted.rows & both
    counts = Counts(
        scored=int(rows.sum()),
        undefined=int((counted.rows & ~both & ~out).sum()),
        unreviewed=int(counted.unreviewed.sum()),
        errored=int((rows & cases.errored).sum()),
        gone=int((cases.counted(mask, context.gate.unit).rows & cases.gone).sum()),
    )
    new = int((mask & cases.judged & ~cases.gone & ~comparison.shared).sum())
    aside = [*counted.excused, *([f"{new} not in the baseline"] if new else [])]
    if number := int(out.sum()):
        aside.append(f"{number} left out (relevant hits of the baseline are not found in today's documents)")
    shared = today & comparison.shared
    located = shared & ~comparison.left_out
    return _Part(rows, counts, tuple(aside), int(today.sum()), int(shared.sum()), int(located.sum()))


def _open(context: GateContext, part: _Part, hits: int) -> GateVerdict | None:
    """Return the verdict where a baseline says too little: of too few queries, or not deep enough."""
    against = context.against
    if against is None:
        return None
    overlap, again = against.overlap, f"to set it again: {against.command}"
    why = ""
    if overlap.lacks(hits):
        why = f"{against.name} has {many(overlap.depth or 0, 'hit')} a query, {hits} are needed; {again}"
    elif not most(part.matched, part.today) or not overlap.enough:
        shares = f"{part.matched} of {many(part.today, 'case')} in {against.name}"
        still = f"{overlap.asked} of its {many(overlap.kept, 'query', 'queries')} still asked"
        why = f"{shares}, {still}; a comparison needs 80 % of both; {again}"
    elif not most(part.located, part.matched):
        gone = f"{part.matched - part.located} of {many(part.matched, 'query', 'queries')}"
        why = f"{against.name} has relevant hits of {gone} that are not in today's documents"
        why += f"; 20 % may be; {again}"
    if not why:
        return None
    return context.verdict(Status.INCONCLUSIVE, None, why, part.counts)


def _dropped(context: GateContext, comparison: Comparison) -> GateVerdict:
    gate, label = context.gate, str(context.gate.label)
    if label not in comparison.after.columns:
        known = ", ".join(comparison.after.columns)
        raise InputError(
            Code.NOTHING_SCORED(gate_location(gate), f"{label}, which was not scored", f"one of {known}")
        )
    worse = worsening(label, comparison)

    def part_of(context: GateContext) -> _Part:
        defined = comparison.after.columns[label].defined
        return _part(context, comparison, defined, comparison.counted(label, context.mask))

    def find(context: GateContext) -> SliceFinding | None:
        part = part_of(context)
        if not part.counts.scored:
            return None
        result = comparison.paired(label, part.rows)
        drop = result.mean * worse + 0.0  # never -0.0
        status, said = context.decided(drop), context.comparison(drop)
        before, after = (one.columns[label].values for one in (comparison.before, comparison.after))
        weights = weighting((after - before)[part.rows] * worse, comparison.after.weights[part.rows])
        counted = part.words + weighted_words(context.gate, weights)
        words = f"{_moves(result, worse)}; {counted}"
        return SliceFinding(context.gate, status, drop, said, words, part.counts, part.rows, weights)

    k = context.against.overlap.k if context.against else 0
    hits = comparison.metric(label).needs_hits(k)
    return _compared(context, part_of(context), find, hits, _unlike(context, comparison))


def _unlike(context: GateContext, comparison: Comparison) -> tuple[Status, str] | None:
    """Return what is said where two sides have values for different queries; None where they do not.

    What only lacks the values of queries that errored is left open, so that the outage decides.
    """
    label, cases = str(context.gate.label), context.cases
    rows = cases.counted(context.mask, context.gate.unit).rows
    alone = comparison.one_sided(label, rows)
    if not alone:
        return None
    why = f"{label} is not comparable, because it has a value for other queries than before: {alone}"
    if comparison.one_sided(label, rows & ~cases.errored):
        return Status.REFUSED, why
    return Status.INCONCLUSIVE, f"{why}, where the system did not answer"


def _compared(
    context: GateContext,
    part: _Part,
    find: Callable[[GateContext], SliceFinding | None],
    hits: int,
    unlike: tuple[Status, str] | None = None,
) -> GateVerdict:
    """Judge what is compared, where there is enough of it and the baseline is so many hits deep.

    `unlike` has what is said where the two sides cannot be compared, and why.
    """
    if reason := context.cases.not_enforced:
        return context.verdict(Status.NOT_ENFORCED, None, reason, part.counts)
    if verdict := _open(context, part, hits):
        return verdict
    if unlike:
        status, why = unlike
        return context.verdict(status, None, f"{why}; {part.words}", part.counts)
    if part.counts.scored:
        return decide(context, find)
    # A gate over a slice without any case is wrong.
    if not context.mask.any():
        raise InputError(nothing_scored(context.gate, part.words))
    return context.verdict(Status.INCONCLUSIVE, None, f"nothing left to compare: {part.words}", part.counts)


def worsening(label: str, comparison: Comparison) -> float:
    """Return the factor that turns a difference into a drop: of tokens less is better, of others worse."""
    return 1.0 if comparison.metric(label).less_is_better else -1.0


def _moves(result: PairedResult, worse: float) -> str:
    better, fell = (result.wins, result.losses) if worse < 0 else (result.losses, result.wins)
    return f"{fell:,} worse, {better:,} better, {result.ties:,} unchanged"


def _lost(context: GateContext, comparison: Comparison) -> GateVerdict:
    within, depth = context.gate.lost or (1, 1)
    lost, judged = comparison.lost(within, depth), context.cases.judged & ~context.cases.gone

    # A query whose hits of before cannot be found is lost all the same where nothing is found now.
    known = judged & (~comparison.left_out | lost)

    def part_of(context: GateContext) -> _Part:
        return _part(context, comparison, judged, known)

    def find(context: GateContext) -> SliceFinding | None:
        part = part_of(context)
        queries = part.counts.scored
        if not queries:
            return None
        context = replace(context, gate=context.gate.over(queries))
        gone = lost_queries(comparison, context.cases, lost & part.rows)
        value = len(gone) / queries if context.gate.unit == "%" else float(len(gone))
        words = ", ".join([_lost_words(context.gate, gone, queries), *besides(part.counts), *part.aside])
        said, status = context.comparison(value), context.decided(value)
        return SliceFinding(context.gate, status, value, said, words, part.counts, part.rows)

    whole = part_of(context)
    verdict = _compared(context, whole, find, max(within, depth))
    return replace(verdict, lost=lost_queries(comparison, context.cases, lost & whole.rows))


def _lost_words(gate: Gate, gone: Sequence[LostQuery], queries: int) -> str:
    """Say how many queries were lost, what that means, and which they are."""
    within, depth = gate.lost or (1, 1)
    their = "its" if len(gone) == 1 else "their"
    before = "rank 1" if within == 1 else f"the top {within}"
    how = f"lost {their} relevant hit from the top {depth}"
    if within != depth:
        how = f"lost, from {before} to outside the top {depth}"
    return f"{len(gone):,} of {many(queries, 'query', 'queries')} {how}{_named(gone)}"


def lost_queries(comparison: Comparison, cases: Cases, rows: Bools) -> tuple[LostQuery, ...]:
    """Name queries that were lost, with the ranks of their first relevant hits."""
    return tuple(
        LostQuery(
            query=cases.names[row],
            before=int(comparison.first_before[row]),
            after=int(comparison.first_after[row]) or None,
            errored=bool(cases.errored[row]),
        )
        for row in rows.nonzero()[0].tolist()
    )


def _named(gone: Sequence[LostQuery]) -> str:
    if not gone:
        return ""
    shown = ", ".join(map(str, gone[:_SHOWN]))
    return f" ({shown}{and_more(len(gone), _SHOWN)})"
