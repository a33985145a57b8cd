"""What a plan says of gates holds when they are judged: margins that can pass do, the others never."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from rankgate.gates.context import Cases
from rankgate.gates.language import parse_gate
from rankgate.gates.planning.claims import ClaimContext, GateClaim, claims
from rankgate.model import Case, GateText, Status
from rankgate.scoring.comparison import query_groups
from support.evaluations import evaluated, target
from support.planned import lost_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.model import Verdict
    from support.evaluations import Evaluated

DEPTHS = [1, 2, 3, 5, 0]
"""Ranks of the right answer, from first to none."""


def cases_of(queries: int, kind: str) -> list[Case]:
    """Write cases that weigh alike, of which a tenth weigh five, or of which three share a group."""
    return [
        Case(
            f"q{number}",
            f"query {number}",
            (target("right"),),
            weight=5.0 if kind == "weights" and number % 10 == 0 else 1.0,
            group=f"g{number // 3}" if kind == "groups" and number < queries // 2 else None,
            category="rare" if number < 3 else "odd" if number < 5 else "usual",
        )
        for number in range(queries)
    ]


def answered(cases: Sequence[Case], ranks: Sequence[int]) -> Evaluated:
    answers = {
        case.id: [*(f"wrong{at}" for at in range(1, rank)), "right"] if rank else ["wrong"]
        for case, rank in zip(cases, ranks, strict=True)
    }
    return evaluated(cases, answers, metrics=["rr"])


def claimed(cases: Sequence[Case], *gates: str) -> list[GateClaim]:
    """Work out what gates can say of cases that nobody has answered yet."""
    nothing = evaluated(cases, {case.id: () for case in cases}, metrics=["rr"])
    groups = query_groups(nothing.judgments)
    context = ClaimContext(Cases.of(nothing.scored()), groups, {"rr": lost_whole(len(set(groups)))}, (0.05,))
    return list(claims(context, [parse_gate(GateText(gate)) for gate in gates], ()))


def judged(cases: Sequence[Case], ranks: Sequence[int], *gates: str) -> tuple[Verdict, ...]:
    now, before = answered(cases, ranks), answered(cases, [1] * len(cases))
    return now.judge(*gates, against=now.since(before))


@pytest.mark.parametrize("kind", ["queries", "weights", "groups"])
@pytest.mark.parametrize("queries", [12, 48, 150])
def test_margins_that_can_pass_do_and_those_that_cannot_never_do(kind: str, queries: int) -> None:
    cases = cases_of(queries, kind)
    (claim,) = claimed(cases, "noninferior(rr) within 0.5")
    assert claim.over.capacity is not None
    least = claim.over.capacity.smallest_margin
    under, over = (f"noninferior(rr) within {least + apart:.8f}" for apart in (-1e-6, 1e-6))
    can, cannot = (claimed(cases, gate)[0] for gate in (over, under))
    assert can.forgives is not None
    assert cannot.forgives is None
    ties = judged(cases, [1] * queries, over, under)
    assert [one.status for one in ties[:2]] == [Status.PASSED, Status.INCONCLUSIVE]
    rng = np.random.default_rng(queries)
    for share in (0.0, 0.02, 0.1, 0.5):
        ranks = np.where(rng.random(queries) < share, rng.choice(DEPTHS[1:], queries), 1)
        assert judged(cases, ranks.tolist(), under)[0].status is not Status.PASSED


@pytest.mark.parametrize("gate", ["drop(rr) < 0.05", "lost(10 -> absent@10)", "noninferior(rr) within 0.1"])
def test_a_gate_forgives_so_many_whole_losses_and_not_one_more(gate: str) -> None:
    cases = cases_of(48, "queries")
    (claim,) = claimed(cases, gate)
    assert claim.forgives is not None
    assert claim.fails_at is not None
    for lost, status in ((claim.forgives, Status.PASSED), (claim.fails_at, Status.FAILED)):
        assert judged(cases, [0] * lost + [1] * (48 - lost), gate)[0].status is status
    assert (
        judged(cases, [0] * (claim.forgives + 1) + [1] * (47 - claim.forgives), gate)[0].status
        is not Status.PASSED
    )


def test_the_losses_that_are_forgiven_are_the_heaviest() -> None:
    cases = cases_of(100, "weights")
    (claim,) = claimed(cases, "drop(rr) < 0.1")
    heavy = [0 if case.weight > 1 else 1 for case in cases]
    assert claim.forgives == 2
    assert claim.one_query == pytest.approx(5 / 140)
    kept = [rank or int(sum(one == 0 for one in heavy[: at + 1]) > 2) for at, rank in enumerate(heavy)]
    assert kept.count(0) == 2
    assert judged(cases, kept, "drop(rr) < 0.1")[0].status is Status.PASSED


def test_slices_that_are_too_small_count_as_one_and_say_so() -> None:
    found = claimed(cases_of(60, "queries"), "worst(category) noninferior(rr) within 0.1")
    assert [(one.over.name, one.over.queries, one.enough) for one in found] == [
        ("category = usual", 55, True),
        ("category = other", 5, True),
    ]
    assert found[1].over.pooled == ("odd", "rare")
    (sliced,) = claimed(cases_of(60, "queries"), "drop(rr) < 0.1 where category = rare")
    assert (sliced.over.queries, sliced.enough) == (3, False)
    assert sliced.powers == ()


def test_members_of_a_group_count_once() -> None:
    cases = cases_of(48, "groups")
    (claim,) = claimed(cases, "noninferior(rr) within 0.1")
    assert (claim.over.queries, claim.over.groups) == (48, 32)
    assert claim.forgives == 0
    # A drop is the mean over queries.
    (drop,) = claimed(cases, "drop(rr) < 0.1")
    assert drop.forgives == 4
    assert drop.one_query == pytest.approx(1 / 48)
    assert judged(cases, [0] * 4 + [1] * 44, "drop(rr) < 0.1")[0].status is Status.PASSED
    assert judged(cases, [0] * 5 + [1] * 43, "drop(rr) < 0.1")[0].status is Status.FAILED
