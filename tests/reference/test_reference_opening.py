"""A server whose library is still being opened."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, cast

import pytest

import rankgate as rg
from rankgate.reference.opening import Opening

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankgate.reference.tools.tool import Desk


def test_whoever_waits_too_long_is_told_how_far_it_is() -> None:
    go, desk, begun = threading.Event(), cast("Desk", object()), threading.Event()

    def opens(progress: Callable[[int, int], None]) -> Desk:
        progress(3, 12)
        begun.set()
        go.wait(20)
        return desk

    opening = Opening(opens).start()
    assert begun.wait(20)
    with pytest.raises(rg.SystemFailedError, match=r"still being built \(3 of 12 files\).*call again"):
        opening.desk(0.01)
    go.set()
    assert opening.desk(20) is desk


@pytest.mark.parametrize("error", [rg.InputError("no text files"), RuntimeError("no text files")])
def test_a_library_that_does_not_open_is_told_to_everyone(error: Exception) -> None:
    def opens(_: object) -> Desk:
        raise error

    opening = Opening(opens).start()
    for _ in range(2):
        with pytest.raises(rg.RankgateError, match="no text files"):
            opening.desk(20)
