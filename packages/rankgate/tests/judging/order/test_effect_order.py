"""The order by effect settles verdicts by the bounds of every comparison, with few judgments, and in time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from rankgate.errors import InputError
from rankgate.judging.order.candidates import Candidates, labels_of
from rankgate.judging.order.effect_order import FEWEST, EffectOrder, Remaining
from rankgate.judging.order.goal import DifferenceGoal, GateGoal
from rankgate.judging.order.state import OrderState
from rankgate.scoring.expressions import parse
from rankgate.scoring.unjudged.allowed import allowed
from rankgate.scoring.unjudged.sides import BothSides
from rankgate.truth.judgments.table import Judgments
from support.builders import id_targets, run_of
from support.drawn_candidates import DrawnCandidates, drawn_candidates
from support.timing import least_seconds

if TYPE_CHECKING:
    from rankgate.judging.order.effect_order import Until
    from rankgate.judging.order.goal import Goal
    from rankgate.scoring.matches import Ints

METRICS = ("ndcg@10", "ndcg(gain=exp)@5", "p@5", "rr@10", "r@10", "hit@5", "rr(rel=2)@10", "ap@5")
WEIGHTED = "0.5*ndcg@5 + 0.5*rr@5"


def truth_of(one: DrawnCandidates, goal: Goal) -> int:
    """Return the verdict with everything judged that the metric looks at."""
    state = OrderState(one.candidates, goal)
    state.take(state.matters, np.where(state.matters, one.grades, 0.0))
    low, high = state.ends()
    assert high - low == pytest.approx(0.0, abs=1e-9)
    sign = goal.sign(low, high)
    assert sign is not None
    return sign


def judged_until(
    one: DrawnCandidates, goal: Goal, until: Until, order: Ints | None = None
) -> dict[int, float]:
    effect, labels = EffectOrder(one.candidates, goal, until), dict[int, float]()
    while effect.standing(labels).settled(until) is None:
        unit = effect.next(labels) if order is None else int(order[len(labels)])
        assert unit is not None
        assert unit not in labels
        labels[unit] = float(one.grades[unit])
    return labels


def by_rank(candidates: Candidates) -> Ints:
    best = np.where(candidates.ranks > 0, candidates.ranks, 999).min(axis=1)
    return np.lexsort((candidates.query, best))


@pytest.mark.parametrize("metric", [*METRICS, WEIGHTED])
def test_a_certain_verdict_is_that_of_everything_judged(metric: str) -> None:
    for seed in range(2):
        one, goal = drawn_candidates(seed, queries=8, units=10), DifferenceGoal(parse(metric))
        effect, labels = EffectOrder(one.candidates, goal), judged_until(one, goal, "certain")
        assert effect.standing(labels).certain == truth_of(one, goal)


def test_it_needs_at_most_two_thirds_of_what_rank_order_needs() -> None:
    by_effect, ranked = 0, 0
    for seed in range(4):
        one, goal = drawn_candidates(seed, units=12), DifferenceGoal(parse("p@5"))
        by_effect += len(judged_until(one, goal, "certain"))
        ranked += len(judged_until(one, goal, "certain", by_rank(one.candidates)))
    assert by_effect <= ranked * 2 / 3


def test_a_likely_verdict_comes_sooner_and_is_mostly_right() -> None:
    likely, certain, right = 0, 0, 0
    for seed in range(6):
        one, goal = drawn_candidates(seed, queries=15, units=12), DifferenceGoal(parse("ndcg@10"))
        labels = judged_until(one, goal, "likely")
        standing = EffectOrder(one.candidates, goal, "likely").standing(labels)
        likely, certain = likely + len(labels), certain + len(judged_until(one, goal, "certain"))
        right += standing.settled("likely") == truth_of(one, goal)
        assert len(labels) >= FEWEST
    assert likely < certain / 2
    assert right >= 5


@pytest.mark.parametrize("metric", METRICS)
def test_the_bounds_are_those_of_a_comparison(metric: str) -> None:
    was, now = {"q": ["a", "b", "c", "d"], "r": ["e", "f"]}, {"q": ["d", "x", "a", "y"], "r": ["f", "z", "e"]}
    given = (("q", "a", 2.0), ("q", "k", 1.0), ("r", "f", 1.0), ("q", "n", 0.0))
    later = (("q", "d", 1.0), ("r", "z", 0.0), ("r", "e", 2.0))
    runs = run_of(was), run_of(now)
    goal = DifferenceGoal(parse(metric))
    found = Candidates.of_runs(Judgments.of(id_targets(*given), max_grade=2.0), runs, goal.metric.reads)
    # Units are numbered by query and id: b, c, d, x, y of q, then e, z of r.
    labels = {2: 1.0, 6: 0.0, 5: 2.0}
    state = OrderState(found, goal)
    state.take(*labels_of(found, labels))
    both = BothSides.of(Judgments.of(id_targets(*given, *later), max_grade=2.0), runs, goal.metric.reads)
    span = allowed(goal.metric, both).difference
    assert state.ends() == pytest.approx((span.low.mean(), span.high.mean()), abs=1e-9)


def test_a_gate_is_settled_by_its_own_system_alone() -> None:
    for seed in range(3):
        one = drawn_candidates(seed)
        for bound in (0.2, 0.3, 0.4):
            goal = GateGoal(parse("p@5"), bound, system=1)
            labels = judged_until(one, goal, "certain")
            assert EffectOrder(one.candidates, goal).standing(labels).certain == truth_of(one, goal)
            assert all(0 < one.candidates.ranks[unit, 1] <= 5 for unit in labels)


def test_a_gate_is_never_called_likely() -> None:
    one, goal = drawn_candidates(1), GateGoal(parse("ndcg@10"), 0.01, system=1)
    with pytest.raises(InputError, match="likely, for a gate"):
        EffectOrder(one.candidates, goal, "likely")
    labels = {unit: float(one.grades[unit]) for unit in range(20)}
    assert EffectOrder(one.candidates, goal).standing(labels).likely is None


def test_a_gate_that_is_reached_exactly_passes() -> None:
    candidates = Candidates.of_ranks(np.array([0, 0]), np.array([[1], [2]]), 1)
    effect = EffectOrder(candidates, GateGoal(parse("p@2"), 0.5))
    assert effect.standing({0: 1.0}).certain == 1
    assert effect.standing({}).certain is None


def test_a_query_in_which_nothing_is_relevant_counts_in_no_mean() -> None:
    candidates = Candidates.of_ranks(np.array([0, 1]), np.array([[1], [1]]), 2)
    effect = EffectOrder(candidates, GateGoal(parse("p@1"), 0.9))
    assert effect.standing({0: 1.0, 1: 0.0}).certain == 1


def test_units_out_of_order_are_refused() -> None:
    with pytest.raises(InputError, match="sorted by their query"):
        Candidates.of_ranks(np.array([1, 0]), np.array([[1], [1]]), 2)


def test_what_no_system_of_the_goal_has_above_the_cut_is_never_offered() -> None:
    candidates = Candidates.of_ranks(np.array([0, 0, 0]), np.array([[1, 0, 2], [0, 9, 1], [0, 0, 3]]), 1)
    effect = EffectOrder(candidates, DifferenceGoal(parse("rr@5")))
    assert effect.next({}) == 0
    assert effect.next({0: 0.0}) is None
    assert effect.standing({0: 0.0}).certain == 0


def test_hits_that_stand_equal_in_both_decide_nothing_and_come_last() -> None:
    query = np.zeros(3, dtype=np.int64)
    candidates = Candidates.of_ranks(query, np.array([[1, 1], [2, 0], [3, 3]]), 1)
    effect = EffectOrder(candidates, DifferenceGoal(parse("p@3")))
    assert effect.next({}) == 1
    assert effect.remaining({}) == Remaining(1, "certain")
    assert effect.standing({1: 1.0}).certain == -1
    assert str(effect.remaining({1: 1.0})) == "settled"


def test_a_unit_that_was_passed_is_not_offered_and_a_label_can_be_taken_back() -> None:
    one = drawn_candidates(3)
    effect = EffectOrder(one.candidates, DifferenceGoal(parse("ndcg@10")))
    first = effect.next({})
    assert first is not None
    second = effect.next({}, passed=[first])
    assert second not in (None, first)
    before = effect.standing({})
    assert effect.standing({first: 1.0}) != before
    again = effect.standing({})
    assert (again.low, again.high) == (before.low, before.high)
    fresh = EffectOrder(one.candidates, DifferenceGoal(parse("ndcg@10"))).standing({first: 2.0})
    changed = effect.standing({first: 2.0})
    assert (changed.low, changed.high) == pytest.approx((fresh.low, fresh.high))


def test_the_count_of_what_remains_falls_to_nothing() -> None:
    one, goal = drawn_candidates(5, units=12), DifferenceGoal(parse("ndcg@10"))
    labels = judged_until(one, goal, "certain")
    effect, given = EffectOrder(one.candidates, goal), list(labels.items())
    said = [effect.remaining(dict(given[:number])).judgments for number in range(len(labels) + 1)]
    real = np.arange(len(labels), -1, -1)
    assert said[-1] == 0
    assert all(number > 0 for number in said[:-1])
    middle = len(labels) // 2
    assert 0.5 <= said[middle] / real[middle] <= 2.0


@pytest.mark.parametrize("until", ["certain", "likely"])
def test_a_step_over_10_000_candidates_takes_well_under_150_ms(until: Until) -> None:
    one = drawn_candidates(7, queries=260, units=40, top=3)
    assert len(one.candidates) > 9_500
    effect, labels = EffectOrder(one.candidates, DifferenceGoal(parse("ndcg@40")), until), dict[int, float]()

    def step() -> None:
        unit = effect.next(labels)
        assert unit is not None
        labels[unit] = float(one.grades[unit])
        effect.remaining(labels)

    for _ in range(3):
        step()
    assert least_seconds(step, 0.05, times=10) < 0.1
