"""The worst slice: cases without the key are one, small ones are one, and most cases are in a large one."""

from __future__ import annotations

from contextlib import chdir
from typing import TYPE_CHECKING

from rankgate.model import Case, Status
from support.commands import rankgate
from support.evaluations import evaluated, target
from support.pytest_sessions import Project

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.gates.scored import GateVerdict


def judged(**slices: tuple[int, int]) -> GateVerdict:
    """Judge ``worst(category) rr >= 0.5`` over slices of so many right and so many wrong answers."""
    cases, answers = [], {}
    for category, (right, wrong) in slices.items():
        for number in range(right + wrong):
            name = f"{category}{number}"
            value = None if category == "none" else category
            cases.append(Case(name, name, (target("a"),), category=value))
            answers[name] = ["a"] if number < right else ["x"]
    (verdict,) = evaluated(cases, answers, metrics=["rr"]).judge("worst(category) rr >= 0.5")
    return verdict


def test_cases_without_the_key_are_a_slice(tmp_path: Path) -> None:
    tagged = "".join(f"  - {{name: t{n}, query: good {n}, id: a, tags: [lang=en]}}\n" for n in range(6))
    bare = "".join(f"  - {{name: b{n}, query: bad {n}, id: a}}\n" for n in range(6))
    suite = f"gates: [worst(lang) rr >= 0.5]\ncases:\n{tagged}{bare}"
    Project.of(tmp_path, suite, {f"good {n}": ["a"] for n in range(6)})
    with chdir(tmp_path):
        done = rankgate("test", "search.yaml")
    assert done.code == 1, done.out
    assert "in lang = (none): 6 queries" in done.out


def test_slices_that_are_too_small_are_one(tmp_path: Path) -> None:
    verdict = judged(large=(10, 0), a=(0, 3), b=(1, 2))
    assert verdict.status is Status.FAILED
    assert (
        "in category = other: 6 queries; lowest of 3 categories; fewer than 5 queries in a, b (pooled: 6)"
        in (verdict.reason)
    )
    assert judged(large=(10, 0), a=(3, 0), b=(2, 1)).status is Status.PASSED


def test_a_few_cases_in_small_slices_leave_nothing_open() -> None:
    verdict = judged(large=(8, 0), small=(0, 2))
    assert (verdict.status, verdict.value) == (Status.PASSED, 1)
    assert "fewer than 5 queries in small" in verdict.reason
    open_verdict = judged(large=(7, 0), small=(1, 1))
    assert open_verdict.status is Status.INCONCLUSIVE
    assert "7 of 9 queries in slices of 5 or more" in open_verdict.reason
    assert judged(a=(2, 0), b=(2, 0)).status is Status.INCONCLUSIVE


def test_a_slice_of_five_that_fails_fails_whatever_is_small_beside_it() -> None:
    assert judged(large=(0, 5), a=(4, 0), none=(4, 0)).status is Status.FAILED
