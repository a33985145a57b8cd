"""`noninferior` passes wrongly in at most 5 % of suites, rare whole losses and equal answers among them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from rankgate.model import Case, Status
from support.commands import rankgate
from support.evaluations import evaluated, target
from support.topics import topics_project

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.model import Verdict


def judged(queries: int, lost: int, margin: str) -> Verdict:
    """Judge a suite of which some queries fell from first to absent, and nothing else changed."""
    cases = [Case(f"q{number}", f"query {number}", (target("right"),)) for number in range(queries)]
    old, new = (
        evaluated(
            cases,
            {case.id: ["wrong" if at < gone else "right"] for at, case in enumerate(cases)},
            metrics=["rr"],
        )
        for gone in (0, lost)
    )
    return new.judge(f"noninferior(rr) within {margin}", against=new.since(old))[0]


@pytest.mark.parametrize(("queries", "margin"), [(200, "0.0255"), (200, "0.02"), (500, "0.02"), (48, "0.10")])
def test_whole_losses_at_a_rate_of_the_margin_pass_in_one_suite_of_twenty_at_most(
    queries: int, margin: str
) -> None:
    rate, wrong = float(margin), 0.0
    for lost in range(queries):
        if judged(queries, lost, margin).status is not Status.PASSED:
            break
        wrong += math.comb(queries, lost) * rate**lost * (1 - rate) ** (queries - lost)
    assert wrong <= 0.05


def test_answers_that_did_not_change_are_so_many_ties() -> None:
    """Where 2 % of all queries are lost, 48 show no loss with a chance of 38 %."""
    few, enough = judged(48, 0, "0.02"), judged(149, 0, "0.02")
    assert (few.status, enough.status) == (Status.INCONCLUSIVE, Status.PASSED)
    assert "48 queries can show a drop under 0.061 at best; 149 are needed for 0.02" in few.reason


def test_equal_answers_of_a_function_are_no_proof_that_it_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What else a function reads is not known."""
    monkeypatch.chdir(tmp_path)
    topics_project(tmp_path, 48, "'noninferior(ndcg@10) within 0.02'")
    assert rankgate("test").code == 0
    rankgate("baseline", "set").printed()
    done = rankgate("test")
    assert done.code == 4
    assert "149 are needed for 0.02" in " ".join(done.out.split())
