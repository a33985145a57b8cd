"""An answer whose only hits are on targets that nobody has reviewed is not empty."""

from __future__ import annotations

import pytest

from rankgate.model import Case, Status
from support.evaluations import evaluated, target

HALF = (target("right"), target("proposed", reviewed=False))
CASES = [Case(f"case-{at}", f"query {at}", HALF) for at in range(5)]
SILENT = Case("silent", "nothing", expect_empty=True)


@pytest.mark.parametrize("hits", [["proposed"], ["proposed", "noise"]])
def test_a_hit_on_what_nobody_has_reviewed_is_a_hit(hits: list[str]) -> None:
    run = evaluated(CASES, {case.id: hits for case in CASES}, metrics=("zero", "rr@10"))
    zero, rr, *_ = run.judge("zero = 0", "rr@10 <= 0")
    assert (zero.status, zero.value) == (Status.PASSED, 0.0)
    # It is left out of the ranking all the same.
    assert (rr.status, rr.value) == (Status.PASSED, 0.0)


def test_such_an_answer_is_no_wrong_silence() -> None:
    answers: dict[str, list[str]] = {case.id: ["proposed"] for case in CASES}
    run = evaluated([*CASES, SILENT], {**answers, "silent": []}, metrics=("abstention_p",))
    precision, *_ = run.judge("abstention_p >= 0.9")
    assert (precision.status, precision.value, precision.counts.scored) == (Status.PASSED, 1.0, 1)


def test_an_empty_answer_is_one() -> None:
    run = evaluated(CASES, {case.id: [] for case in CASES}, metrics=("zero",))
    zero, *_ = run.judge("zero = 0")
    assert (zero.status, zero.value) == (Status.FAILED, 1.0)
