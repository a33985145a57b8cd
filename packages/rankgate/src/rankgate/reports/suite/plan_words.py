"""What a gate can claim, in words: whole losses first, figures second."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.gates.language import Measure
from rankgate.gates.planning.claims import ALL
from rankgate.gates.wording import rounded_up
from rankgate.model.wording import many

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.gates.planning.claims import GateClaim, SliceSize


def claim_words(claim: GateClaim) -> str:
    """Return what a gate can say."""
    return (_over_words(claim.over) if claim.gate.worst else "") + "; ".join(_claimed(claim))


def _over_words(size: SliceSize) -> str:
    pooled = f" ({', '.join(size.pooled)})" if size.pooled else ""
    return "" if size.name == ALL else f"{size.name}{pooled}: "


def _claimed(claim: GateClaim) -> Iterator[str]:
    gate, size = claim.gate, claim.over
    queries = many(size.queries, "query", "queries")
    if not size.queries:
        yield "no query that counts"
        return
    if gate.measure is Measure.NONINFERIOR:
        yield from _bound_words(claim)
    elif gate.measure is Measure.LOST:
        yield f"a fact: of {queries} {claim.forgives or 'none'} may be lost"
    elif gate.measure is Measure.DROP:
        yield f"a fact on these {queries}: passes with {claim.forgives or 'none'} of them lost whole"
        if claim.fails_at is not None:
            yield f"{claim.fails_at} {'fails' if claim.fails_at == 1 else 'fail'} it"
    elif gate.measure is Measure.METRIC:
        yield f"a fact on these {queries}"
        if claim.one_query is not None:
            yield f"one of them moves it by {rounded_up(claim.one_query, gate.unit)} at most"
    else:
        yield "a fact on what is asked"
    if not claim.enough:
        yield f"too few queries: needs 5, has {size.effective:.3g} (effective)"
    if not claim.written:
        yield "holds unwritten, once there is a baseline"


def _bound_words(claim: GateClaim) -> Iterator[str]:
    gate, size = claim.gate, claim.over
    unit = ("group", None) if size.groups < size.queries else ("query", "queries")
    those = many(size.groups, *unit)
    if size.capacity is None:
        yield "no range, so that nothing can be claimed"
        return
    least = rounded_up(size.capacity.smallest_margin, gate.unit)
    if claim.forgives is None:
        yield f"cannot pass unless something gets better: {those} can show a drop under {least} at best"
        yield f"{claim.needed:,} are needed for {gate.bar_text}" if claim.needed else "no number is enough"
    else:
        lost = (
            f"with up to {claim.forgives} of {those} lost whole"
            if claim.forgives
            else "if none is lost whole"
        )
        yield f"can pass {lost}, and speaks of queries like these as well; the smallest margin is {least}"
    if claim.fails_at is not None:
        yield f"{claim.fails_at} lost {'fails' if claim.fails_at == 1 else 'fail'} it"
