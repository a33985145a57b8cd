"""Errors: four parts, all at once, and an exit code each."""

from __future__ import annotations

import inspect
import pickle

import pytest

from rankgate import errors
from rankgate.errors import CrashedError, InputError, Problem, RankgateError, SystemFailedError

KINDS = [
    kind
    for _, kind in inspect.getmembers(errors, inspect.isclass)
    if issubclass(kind, RankgateError) and kind.__module__ == errors.__name__
]


def test_a_problem_is_told_in_four_parts_and_the_last_may_be_missing() -> None:
    assert str(Problem("a:1", "x", "y", "do z")) == "a:1: found x, expected y; do z"
    assert str(Problem("a:1", "x", "y")) == "a:1: found x, expected y"


def test_an_error_carries_every_problem_a_line_each() -> None:
    one, two = Problem("a:1", "x", "y"), Problem("a:2", "x", "y")
    assert str(InputError([one, two])) == f"{one}\n{two}"
    assert InputError([one, two]).problems == (one, two)
    assert InputError(one).problems == (one,)
    assert InputError("plain words").problems == ()
    assert str(InputError("plain words")) == "plain words"


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_an_exit_code_and_a_place_in_the_tree(kind: type[RankgateError]) -> None:
    code = 70 if kind is CrashedError else 3 if issubclass(kind, SystemFailedError) else 2
    assert kind.exit_code == code
    assert kind.__name__ in (errors.__doc__ or "")


def test_an_error_keeps_its_problems_on_the_way_to_another_process() -> None:
    error = InputError(Problem("a:1", "x", "y"))
    assert pickle.loads(pickle.dumps(error)).problems == error.problems
