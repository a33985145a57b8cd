"""`noninferior` passes, fails or stays open by bounds of the drop, and says what more queries would do."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from rankgate.gates.against import OTHER_GATES, SAME_SYSTEM
from rankgate.model import Case, Hit, Status
from rankgate.scoring.paired.bounds import lower_bound, upper_bound
from support.evaluations import evaluated, target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.model import Answer, Verdict

RIGHT = (target("right"),)


def cases_of(many: int, **more: str) -> list[Case]:
    return [Case(f"q{number}", f"query {number}", RIGHT, **more) for number in range(many)]  # type: ignore[arg-type]


def judged(
    cases: Sequence[Case],
    gate: str,
    *,
    lost: Sequence[str] = (),
    found: Sequence[str] = (),
    metric: str = "rr",
    same_system: bool = False,
) -> Verdict:
    """Judge a suite that found everything but for some, of which others are lost now."""
    before: dict[str, Sequence[Hit | str] | Answer]
    before = {case.id: ["wrong" if case.id in found else "right"] for case in cases}
    after = {**before, **{name: ["right"] for name in found}, **{name: ["wrong"] for name in lost}}
    old, new = (evaluated(cases, answers, metrics=[metric]) for answers in (before, after))
    against = replace(new.since(old), same_system=same_system)
    return new.judge(gate, "lost(1 -> absent@10) <= 100%", against=against)[0]


def names(many: int) -> list[str]:
    return [f"q{number}" for number in range(many)]


def test_it_passes_where_the_upper_bound_is_under_the_margin() -> None:
    verdict = judged(cases_of(100), "noninferior(rr) within 0.05", lost=names(1))
    bound = upper_bound([1.0] + [0.0] * 99, 1.0)
    assert (verdict.status, verdict.value) == (Status.PASSED, 0.01)
    assert verdict.reason.startswith(f"drop 0.0100, at most {bound:.4f} (95 %) < 0.05: 1 worse, 0 better")
    assert OTHER_GATES not in verdict.reason


def test_six_whole_losses_of_48_fail_a_margin_of_two_percent_and_five_leave_it_open() -> None:
    five, six = (judged(cases_of(48), "noninferior(rr) within 0.02", lost=names(number)) for number in (5, 6))
    assert (five.status, six.status) == (Status.INCONCLUSIVE, Status.FAILED)
    bound = lower_bound([1.0] * 6 + [0.0] * 42, -1.0)
    assert six.reason.startswith(f"drop 0.1250, at least {bound:.4f} (95 %) > 0.02: 6 worse")
    assert six.reason.endswith(OTHER_GATES)
    assert five.reason.endswith(OTHER_GATES)


def test_what_so_many_queries_can_show_is_said_where_it_stays_open() -> None:
    few = judged(cases_of(48), "noninferior(rr) within 0.02")
    assert few.reason == (
        "drop 0.0000, between -0.0605 and 0.0605 (95 % each), which includes 0.02: 0 worse, 0 better, "
        "48 unchanged; 48 queries; 48 queries can show a drop under 0.061 at best; 149 are needed for 0.02; "
        + OTHER_GATES
    )
    # So many would be enough, had they lost nothing.
    lossy = judged(cases_of(48), "noninferior(rr) within 0.07", lost=names(1))
    assert "48 queries can show a drop under 0.061 at best; single" in lossy.reason
    share = judged(cases_of(48), "noninferior(rr) within 2%")
    assert "under 6.1% at best; 149 are needed for 2%" in share.reason


def test_gains_make_up_for_what_so_few_queries_cannot_show() -> None:
    verdict = judged(cases_of(48), "noninferior(rr) within 0.02", found=names(8))
    assert verdict.status is Status.PASSED
    assert verdict.value == pytest.approx(-8 / 48)


def test_a_group_of_paraphrases_counts_once() -> None:
    cases = [*cases_of(30, group="same"), *(Case(f"p{at}", f"p {at}", RIGHT) for at in range(47))]
    verdict = judged(cases, "noninferior(rr) within 0.1", lost=names(30))
    assert verdict.value == pytest.approx(30 / 77)
    bound = upper_bound([1.0] + [0.0] * 47, 1.0)
    assert verdict.reason.startswith(f"drop 0.3896, 0.0208 by group, at most {bound:.4f} (95 %) < 0.1")
    assert verdict.status is Status.PASSED
    tight = judged(cases, "noninferior(rr) within 0.02", lost=names(30))
    assert "48 groups can show a drop under 0.061 at best; 149 are needed for 0.02" in tight.reason


def test_the_query_that_was_not_asked_may_be_as_heavy_as_any() -> None:
    cases = [replace(case, weight=10.0 if at < 5 else 1.0) for at, case in enumerate(cases_of(60))]
    verdict = judged(cases, "noninferior(rr) within 0.1")
    weights = [case.weight for case in cases]
    bound = upper_bound([0.0] * 60, 1.0, weights=weights, top_weight=10.0)
    assert f"and {bound:.4f} (95 % each)" in verdict.reason
    assert "60 queries of such weights can show a drop under 0.24 at best; 159 are needed" in verdict.reason
    assert verdict.status is Status.INCONCLUSIVE
    assert judged(cases_of(60), "noninferior(rr) within 0.1").status is Status.PASSED


def test_a_slice_has_its_own_heaviest_query() -> None:
    light = cases_of(60, category="tail")
    heavy = Case("head", "head", RIGHT, weight=100.0, category="head")
    gate = "noninferior(rr) within 0.1 where category = tail"
    assert judged([*light, heavy], gate).status is Status.PASSED


def test_a_weighted_sum_goes_by_its_own_range() -> None:
    verdict = judged(cases_of(48), "noninferior(2*rr) within 0.1", metric="2*rr")
    assert verdict.status is Status.INCONCLUSIVE
    assert "48 queries can show a drop under 0.13 at best; 59 are needed for 0.1" in verdict.reason


def test_of_tokens_more_are_a_drop_within_their_budget() -> None:
    cases = cases_of(60)
    label = "tokens_to(recall=1)@1000tokens"
    old, new = (
        evaluated(cases, {case.id: [Hit(id="right", tokens=tokens)] for case in cases}, metrics=[label])
        for tokens in (100, 150)
    )
    risen = new.judge(f"noninferior({label}) within 120", against=new.since(old))[0]
    bound = upper_bound([50.0] * 60, 1000.0)
    assert (risen.status, risen.value) == (Status.PASSED, 50)
    assert risen.reason.startswith(f"drop 50, at most {bound:.0f} (95 %) < 120: 60 worse")
    fallen = old.judge(f"noninferior({label}) within 20", against=old.since(new))[0]
    assert (fallen.status, fallen.value) == (Status.PASSED, -50)


def test_only_the_proof_that_the_system_is_the_same_makes_equal_answers_a_drop_of_none() -> None:
    gate = "noninferior(rr) within 0.001"
    same = judged(cases_of(6), gate, same_system=True)
    assert (same.status, same.value) == (Status.PASSED, 0)
    assert same.reason.startswith(f"drop 0 by identity, {SAME_SYSTEM}: 0 worse")
    assert judged(cases_of(6), gate).status is Status.INCONCLUSIVE
    # A system that answers otherwise is not the same, whatever its contents say.
    assert judged(cases_of(6), gate, lost=names(1), same_system=True).status is Status.INCONCLUSIVE
    assert judged(cases_of(6), "noninferior(rr) within 0", same_system=True).status is Status.INCONCLUSIVE
