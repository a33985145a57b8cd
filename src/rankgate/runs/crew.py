"""The instances that a run asks: one for each thread, or one for all where threads may share it."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from rankgate.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.model.search import System


@contextmanager
def crew(system: System, size: int) -> Iterator[tuple[System, ...]]:
    """Give a system for each of `size` threads; those that are opened here are closed at the end.

    A system that says ``thread_safe`` is the same for all; of one that has ``another()``, each gets its own.

    Raises:
        InputError: for a system that is neither, where more than one thread is wanted.
    """
    if size == 1 or getattr(system, "thread_safe", False) is True:
        yield (system,) * size
        return
    another = getattr(system, "another", None)
    if another is None:
        name = getattr(system, "name", type(system).__name__)
        fix = "say thread_safe = true if it is, or isolate = 'process', or leave concurrency out"
        raise InputError(
            Problem(
                f"{name}.concurrency", str(size), "1 for what is not thread-safe and only once there", fix
            )
        )
    with ExitStack() as opened:
        others = []
        for _ in range(size - 1):
            others.append(another())
            if hasattr(others[-1], "close"):
                opened.callback(others[-1].close)
        yield (system, *others)
