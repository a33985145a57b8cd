"""A gate that no answer could give a value is exit code 2, also where a query errored besides."""

from __future__ import annotations

import pytest

from rankgate.errors import InputError
from rankgate.model import Answer, Case, Status
from support.evaluations import evaluated, target

WANTED = [Case(f"case-{at}", f"query {at}", (target("right"),)) for at in range(5)]
SILENT = [Case(f"case-{at}", f"query {at}", expect_empty=True) for at in range(5)]
ONE_DOWN = {**{f"case-{at}": ["right"] for at in range(4)}, "case-4": Answer.ERROR}


@pytest.mark.parametrize(
    ("cases", "metric"),
    [
        (WANTED, "abstention_r"),
        (WANTED, "pndcg@10"),
        (WANTED, "rr(rel=2)@10"),
        (WANTED, "judged@10"),
        (SILENT, "zero"),
        (SILENT, "ndcg@10"),
    ],
)
def test_nothing_that_could_have_a_value_is_not_for_want_of_an_answer(cases: list[Case], metric: str) -> None:
    run = evaluated(cases, ONE_DOWN, metrics=(metric,))
    with pytest.raises(InputError, match="over no scored query"):
        run.judge(f"{metric} >= 0.5", max_errors=1)


@pytest.mark.parametrize(
    ("cases", "gate"),
    [(SILENT, "abstention_r >= 0.5"), (WANTED, "zero <= 0.5"), (WANTED, "latency.p95 < 200ms")],
)
def test_what_only_misses_answers_is_inconclusive(cases: list[Case], gate: str) -> None:
    metric = gate.split(maxsplit=1)[0]
    run = evaluated(cases, {case.id: Answer.ERROR for case in cases}, metrics=(metric,))
    verdict, *_ = run.judge(gate)
    assert verdict.status is Status.INCONCLUSIVE
    assert "the system did not answer" in verdict.reason
