"""Calls on a cluster: every item once, few at a time; what is refused, lost or another version is said."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.errors import Code, InputError, SystemFailedError
from rankgate.evaluation.executors import calls
from rankgate.evaluation.executors.calls import called_each, checked_call, computing_versions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class FakeRay:
    """As much of Ray as calls need: a task runs when it is fetched, the last first."""

    class exceptions:  # noqa: N801 - as Ray names it
        class RayError(Exception):
            pass

        class RayTaskError(RayError):
            pass

    def __init__(self) -> None:
        self.under_way = self.most = 0
        self.lost = self.silent = False

    def remote(self, function: Callable[..., Any]) -> Any:
        def begin(*given: Any) -> Callable[[], Any]:
            self.under_way += 1
            self.most = max(self.most, self.under_way)
            return lambda: function(*given)

        task = SimpleNamespace(remote=begin)
        return SimpleNamespace(options=lambda **_options: task)

    def wait(self, calls: list[Any], **_options: Any) -> tuple[list[Any], list[Any]]:
        return ([], calls) if self.silent else (calls[-1:], calls[:-1])

    def get(self, call: Callable[[], Any], **_options: Any) -> Any:
        self.under_way -= 1
        if self.lost:
            raise self.exceptions.RayError("out of memory")
        return call()


def double(item: int) -> int:
    if item == 13:
        raise InputError(Code.NO_SUCH_FILE("there", "no 13", "another"))
    return 2 * item


def test_every_item_is_called_once_and_few_are_under_way() -> None:
    edge, taken = FakeRay(), []

    def items() -> Iterator[int]:
        for item in range(10):
            taken.append(item)
            yield item

    results = called_each(edge, double, items(), 2)
    first = next(results)
    assert len(taken) == 4
    assert sorted([first, *results]) == [2 * item for item in range(10)]
    assert edge.most == 4


def test_nothing_is_called_for_no_item() -> None:
    assert list(called_each(FakeRay(), double, [], 2)) == []


def test_what_the_function_refuses_is_raised_here() -> None:
    with pytest.raises(InputError, match="no 13"):
        list(called_each(FakeRay(), double, [1, 13], 1))


def test_a_call_that_is_lost_again_and_again_ends_the_work() -> None:
    edge = FakeRay()
    edge.lost = True
    with pytest.raises(SystemFailedError, match=r"workers that are lost \(out of memory\)"):
        list(called_each(edge, double, [1], 1))


def test_a_cluster_that_does_nothing_is_not_waited_for_forever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "FIRST_PATIENCE", 3.0)
    edge = FakeRay()
    edge.silent = True
    with pytest.raises(SystemFailedError, match="no part done for 3 s"):
        list(called_each(edge, double, [1], 1))


def test_another_version_of_what_computes_is_refused() -> None:
    found = checked_call(double, {**computing_versions(), "numpy": "1.0"}, 1)
    assert isinstance(found, InputError)
    assert "expected numpy 1.0" in str(found)
    assert checked_call(double, computing_versions(), 1) == 2
