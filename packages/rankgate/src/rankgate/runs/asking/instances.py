"""The instances that a run asks: one for each thread, or one for all where threads may share it."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from rankgate.errors import InputError, Problem
from rankgate.model.systems import another_of, close_system, is_thread_safe, system_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.model.search import System


@contextmanager
def open_instances(system: System, size: int) -> Iterator[tuple[System, ...]]:
    """Yield a system for each of `size` threads; those that are opened here are closed at the end.

    A system that says ``thread_safe`` is the same for all; of one that has ``another()``, each gets its own.

    Raises:
        InputError: for a system that is neither, where more than one thread is wanted.
    """
    if size == 1 or is_thread_safe(system):
        yield (system,) * size
        return
    another = another_of(system)
    if another is None:
        name = system_name(system)
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
            opened.callback(close_system, others[-1])
        yield (system, *others)
