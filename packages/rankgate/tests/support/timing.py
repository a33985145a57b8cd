"""How long something takes, told so that a slow or busy machine does not fail a test."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def least_seconds(work: Callable[[], object], enough: float = 0.0, times: int = 3) -> float:
    """Give the processor time of the quickest of several calls; one within `enough` is the last."""
    least = float("inf")
    for _ in range(times):
        start = time.process_time()
        work()
        least = min(least, time.process_time() - start)
        if least < enough:
            break
    return least


def growth(work: Callable[[int], object], size: int, factor: int, enough: float) -> float:
    """Say how many times as long it takes at `factor` times the size: its square where time is quadratic."""
    few = least_seconds(partial(work, size))
    return least_seconds(partial(work, factor * size), enough * few) / few
