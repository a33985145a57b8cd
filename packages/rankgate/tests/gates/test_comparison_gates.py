"""Gates that compare: what counts, what is left out, and which way is worse."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.model import Answer, Case, Hit, Status
from rankgate.scoring.matches import Column
from support.evaluations import evaluated, target

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.model import Verdict
    from rankgate.scoring.scores import Scores

FOUND = ["right", "wrong"]
LATE = ["wrong", "right"]
GONE = ["wrong"]


def cases_of(many: int, category: str | None = None) -> list[Case]:
    right = (target("right"),)
    return [Case(f"q{number}", f"query {number}", right, category=category) for number in range(many)]


def judged(
    cases: Sequence[Case],
    before: Mapping[str, Sequence[Hit | str] | Answer],
    after: Mapping[str, Sequence[Hit | str] | Answer],
    *gates: str,
    metrics: Sequence[str] = ("rr",),
) -> tuple[Verdict, ...]:
    old, new = (evaluated(cases, answers, metrics=metrics) for answers in (before, after))
    return new.judge(*gates, against=new.since(old))


def all_of(answer: Sequence[Hit | str], many: int) -> dict[str, Sequence[Hit | str] | Answer]:
    return {f"q{number}": answer for number in range(many)}


def test_a_drop_is_what_the_mean_lost_over_the_same_queries() -> None:
    after = {**all_of(FOUND, 8), "q0": GONE, "q1": LATE}
    within, beyond, _ = judged(cases_of(8), all_of(FOUND, 8), after, "drop(rr) < 0.2", "drop(rr) < 0.1")
    assert within.status is Status.PASSED
    assert within.value == pytest.approx(1.5 / 8)
    assert within.reason == "0.1875 < 0.2: 2 worse, 0 better, 6 unchanged; 8 queries"
    assert (beyond.status, beyond.reason.partition(":")[0]) == (Status.FAILED, "0.1875 >= 0.1")


def test_what_got_better_makes_up_for_what_got_worse_in_a_drop_but_not_in_lost() -> None:
    before, after = {**all_of(FOUND, 8), "q0": GONE}, {**all_of(FOUND, 8), "q1": GONE}
    drop, lost = judged(cases_of(8), before, after, "drop(rr) < 0.01")
    assert (drop.status, drop.value) == (Status.PASSED, 0)
    assert (lost.gate, lost.status) == ("lost(10 -> absent@10)", Status.FAILED)
    assert (
        lost.reason == "1 > 0: 1 of 8 queries lost its relevant hit from the top 10 (q1: rank 1 → not found)"
    )


def test_lost_counts_from_the_rank_that_is_named_to_the_depth_that_is_named() -> None:
    before = {**all_of(FOUND, 6), "q0": LATE}
    after = {**all_of(FOUND, 6), "q0": GONE, "q1": ["wrong", "other", "right"]}
    gates = ("lost(1 -> absent@10) = 0", "lost(2 -> absent@10) = 0", "lost(1 -> absent@2) = 0")
    first, second, shallow = judged(cases_of(6), before, after, *gates)
    assert [verdict.value for verdict in (first, second, shallow)] == [0, 1, 1]
    assert "(q0: rank 2 → not found)" in second.reason
    assert "(q1: rank 1 → 3)" in shallow.reason


def test_an_outage_is_lost_too() -> None:
    after: dict[str, Sequence[Hit | str] | Answer] = {**all_of(FOUND, 6), "q0": Answer.TIMEOUT}
    verdicts = judged(cases_of(6), all_of(FOUND, 6), after, "drop(rr) < 0.5")
    lost = next(verdict for verdict in verdicts if verdict.gate.startswith("lost"))
    assert (lost.status, lost.counts.errored) == (Status.FAILED, 1)


def test_unreviewed_and_new_queries_are_left_out_and_counted() -> None:
    cases = [*cases_of(6), Case("open", "open", (target("right", reviewed=False),))]
    cases.append(Case("new", "new", (target("right"),)))
    before = {**all_of(FOUND, 6), "open": FOUND}
    after = {**all_of(FOUND, 6), "open": GONE, "new": GONE}
    drop, lost = judged(cases, before, after, "drop(rr) < 0.01")
    assert drop.status is lost.status is Status.PASSED
    assert drop.reason.endswith("6 queries (1 unreviewed), 1 not in the baseline")
    told = "0 of 6 queries lost their relevant hit from the top 10"
    assert lost.reason == f"0 <= 0: {told}, 1 unreviewed, 1 not in the baseline"


def test_a_slice_is_compared_alone_and_a_thin_one_decides_nothing() -> None:
    cases = [*cases_of(6, category="wide")]
    cases += [Case(f"t{n}", f"t{n}", (target("right"),), category="thin") for n in range(2)]
    before = {**all_of(FOUND, 6), "t0": FOUND, "t1": FOUND}
    after = {**before, "q0": GONE, "t0": GONE}
    wide, thin, _ = judged(
        cases, before, after, "drop(rr) < 0.1 where category = wide", "drop(rr) < 0.9 where category = thin"
    )
    assert (wide.status, wide.counts.scored) == (Status.FAILED, 6)
    assert (thin.status, "too few queries: needs 5" in thin.reason) == (Status.INCONCLUSIVE, True)


def test_more_tokens_are_worse() -> None:
    def answer(tokens: int) -> list[Hit | str]:
        return [Hit(id="right", tokens=tokens)]

    cases = cases_of(6)
    before, after = all_of(answer(100), 6), all_of(answer(150), 6)
    metrics, gate = ["tokens_to(recall=1)"], "drop(tokens_to(recall=1)) < 20"
    risen, _ = judged(cases, before, after, gate, metrics=metrics)
    assert (risen.status, risen.value) == (Status.FAILED, 50)
    assert "6 worse, 0 better" in risen.reason
    fallen, _ = judged(cases, after, before, gate, metrics=metrics)
    assert (fallen.status, fallen.value) == (Status.PASSED, -50)


def test_a_gate_of_ones_own_on_lost_stands_in_for_the_one_that_is_always_there() -> None:
    verdicts = judged(cases_of(6), all_of(FOUND, 6), all_of(GONE, 6), "lost(1 -> absent@10) <= 100%")
    assert [(verdict.gate, verdict.status) for verdict in verdicts] == [
        ("lost(1 -> absent@10) <= 100%", Status.PASSED)
    ]


@pytest.mark.parametrize(
    ("queries", "gone", "status"), [(200, 1, "failed"), (201, 1, "passed"), (201, 2, "failed")]
)
def test_how_many_may_be_lost_follows_from_how_many_are_compared(
    queries: int, gone: int, status: str
) -> None:
    cases = [replace(case, weight=100.0 if at == 0 else 1.0) for at, case in enumerate(cases_of(queries))]
    (lost,) = judged(cases, all_of(LATE, queries), {**all_of(LATE, queries), **all_of(GONE, gone)})
    assert (lost.gate, lost.status.value, lost.value) == ("lost(10 -> absent@10)", status, gone)


def test_of_many_lost_queries_a_few_stand_in_the_reason_and_all_in_the_verdict() -> None:
    after: dict[str, Sequence[Hit | str] | Answer] = {**all_of(GONE, 7), "q6": Answer.ERROR}
    *_, lost = judged(cases_of(7), all_of(LATE, 7), after)
    assert "q4: rank 2 → not found and 2 more, all of them in the JSON report)" in lost.reason
    assert [str(one) for one in lost.lost[5:]] == ["q5: rank 2 → not found", "q6: rank 2 → error"]


def test_a_bare_gate_on_lost_stands_in_for_the_one_that_is_always_there() -> None:
    (lost,) = judged(cases_of(6), all_of(LATE, 6), all_of(GONE, 6), "lost(1 -> absent@10)")
    assert (lost.gate, lost.status, lost.value) == ("lost(1 -> absent@10)", Status.PASSED, 0)


def sliced(*slices: tuple[str | None, int, int]) -> tuple[list[Case], dict[str, Any], dict[str, Any]]:
    """Make cases in slices of so many that are found as before and so many that are gone."""
    cases = [
        Case(f"{category}{at}", f"{category} {at}", (target("right"),), category=category)
        for category, same, gone in slices
        for at in range(same + gone)
    ]
    before: dict[str, Any] = {case.id: FOUND for case in cases}
    lost = {f"{category}{at}" for category, _, gone in slices for at in range(gone)}
    return cases, before, {name: GONE if name in lost else FOUND for name in before}


def test_the_worst_slice_decides_a_drop_and_is_named() -> None:
    material = sliced(("wide", 20, 0), ("narrow", 4, 2), (None, 5, 1))
    all_, worst, _ = judged(*material, "drop(rr) < 0.2", "worst(category) drop(rr) < 0.2")
    assert all_.status is Status.PASSED
    assert (worst.status, worst.counts.scored) == (Status.FAILED, 6)
    assert worst.reason == (
        "0.3333 >= 0.2 in category = narrow: 2 worse, 0 better, 4 unchanged; 6 queries; "
        "highest of 3 categories"
    )


def test_small_slices_are_compared_as_one_and_few_cases_in_them_leave_nothing_open() -> None:
    gate = "worst(category) drop(rr) < 0.2"
    pooled, _ = judged(*sliced(("wide", 20, 0), ("a", 1, 2), ("b", 2, 1)), gate)
    assert (pooled.status, "in category = other: 3 worse" in pooled.reason) == (Status.FAILED, True)
    few, _ = judged(*sliced(("wide", 20, 0), ("a", 0, 2)), gate)
    assert (few.status, "fewer than 5 queries in a (pooled: 2)" in few.reason) == (Status.PASSED, True)
    many_, _ = judged(*sliced(("wide", 7, 0), ("a", 1, 1)), gate)
    assert (many_.status, "7 of 9 queries in slices of 5" in many_.reason) == (Status.INCONCLUSIVE, True)


def test_the_worst_slice_decides_what_is_lost_and_the_whole_is_held_to_all_the_same() -> None:
    material = sliced(("wide", 19, 1), ("narrow", 4, 2))
    worst, whole = judged(*material, "worst(category) lost(10 -> absent@10) <= 10%")
    assert (worst.status, worst.reason.partition(" in ")[0]) == (Status.FAILED, "33.33% > 10%")
    assert (
        "in category = narrow: 2 of 6 queries lost their relevant hit from the top 10 (narrow0: rank 1 → not "
        in worst.reason
    )
    assert [one.query for one in worst.lost] == ["wide0", "narrow0", "narrow1"]
    assert (whole.gate, whole.value) == ("lost(10 -> absent@10)", 3)


def test_a_thin_slice_of_lost_queries_decides_nothing_by_itself() -> None:
    material = sliced(("wide", 20, 0), ("thin", 1, 1))
    thin, whole = judged(*material, "lost(10 -> absent@10) where category = thin")
    assert (thin.status, "too few queries: needs 5" in thin.reason) == (Status.INCONCLUSIVE, True)
    assert whole.status is Status.FAILED


def without(scores: Scores, *rows: int) -> Scores:
    """Take the values of some queries out, as a metric of somebody else's may leave them undefined."""
    columns = {}
    for label, column in scores.columns.items():
        defined = column.defined.copy()
        defined[list(rows)] = False
        columns[label] = Column(column.values, defined)
    return replace(scores, columns=columns)


def test_drop_over_different_queries_is_refused_with_counts() -> None:
    cases = [Case(f"q{number}", f"query {number}", (target("right"),)) for number in range(8)]
    run = evaluated(cases, {case.id: ["right"] for case in cases}, metrics=("rr",))
    against = run.since(run)
    assert against.comparison is not None
    other = replace(against.comparison, before=without(run.scores, 0, 1))
    drop, _ = run.judge("drop(rr) < 0.1", against=replace(against, comparison=other))
    assert drop.status is Status.REFUSED
    assert "rr is not comparable" in drop.reason
    assert "2 queries after alone" in drop.reason
