"""Cases and suites: what contradicts itself is refused where it is made."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from rankgate.errors import InputError
from rankgate.locations import Location
from rankgate.model import Case, MatchBy, Matching, Suite, Target, Top

TARGET = Target(Location.of_id("a"))


def test_two_cases_of_one_id_are_refused_with_both_places() -> None:
    with pytest.raises(InputError) as caught:
        Suite("s", (Case("a", "one"), Case("b", "two"), Case("a", "three")))
    (problem,) = caught.value.problems
    assert problem.where == "cases[2].id"
    assert problem.found == "'a', as in cases[0]"
    assert problem.expected == "an id of its own"


def test_a_case_that_was_read_from_a_file_is_named_by_its_line() -> None:
    with pytest.raises(InputError) as caught:
        Suite("s", (Case("a", "one", where="s.yaml:3:5"), Case("a", "two", where="s.yaml:9:5")))
    assert caught.value.problems[0].where == "s.yaml:9:5"


def test_the_same_query_may_be_asked_twice_under_two_ids() -> None:
    assert len(Suite("s", (Case("a", "same"), Case("b", "same"))).cases) == 2


@pytest.mark.parametrize("weight", [0, -1, float("nan")])
def test_a_weight_that_is_not_positive_is_refused(weight: float) -> None:
    with pytest.raises(InputError, match=r"case a\.weight: found .*, expected more than 0"):
        Case("a", "q", weight=weight)


def test_a_case_cannot_expect_nothing_and_something() -> None:
    with pytest.raises(InputError, match="targets and expect: empty"):
        Case("a", "q", targets=(TARGET,), expect_empty=True)
    with pytest.raises(InputError, match="targets and expect: empty"):
        Case("a", "q", top=(Top(Location.of_id("a")),), expect_empty=True)


def test_the_first_no_hits_are_no_check() -> None:
    with pytest.raises(InputError, match="found 0, expected 1 or more"):
        Top(Location.of_id("a"), within=0)
    with pytest.raises(InputError, match="found None, expected 1 or more"):
        Top(Location.of_id("a"), within=None)


@pytest.mark.parametrize(
    "rule",
    [{"min_fraction": 1.5}, {"min_fraction": -0.1}, {"iou": 2}, {"iou": float("nan")}, {"min_lines": 0}],
)
def test_a_matching_rule_that_cannot_be_is_refused(rule: dict[str, float]) -> None:
    with pytest.raises(InputError) as caught:
        Matching(**rule)  # type: ignore[arg-type]
    assert caught.value.problems[0].where == f"match.{next(iter(rule))}"


def test_by_default_any_overlap_of_lines_matches() -> None:
    assert Matching() == Matching(by=MatchBy.LINES, min_lines=1, min_fraction=0.0, iou=0.0)
    assert MatchBy("path") is MatchBy.PATH


def test_a_suite_does_not_change_after_it_is_made() -> None:
    with pytest.raises(FrozenInstanceError):
        Suite("s", ()).name = "t"  # type: ignore[misc]
