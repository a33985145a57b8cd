"""How far long work is: told by what does the work, to whoever listens. Nobody does, unless a command does.

What reads documents or scores a run lies deep below the commands, so that the listener is no argument of it.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

T = TypeVar("T")
PATIENCE = 2.0
"""How many seconds pass before anything is shown of long work."""


def in_ci() -> bool:
    """Check whether this runs in CI, whose log shows lines and no bars: the variable ``CI`` is set."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


class Listener(Protocol):
    """Told how far work is."""

    def step(self, doing: str, done: int, total: int) -> None:
        """Take that so many of all parts of some work are done."""
        ...

    def end(self, doing: str) -> None:
        """Take that some work has ended, whole or not."""
        ...


_LISTENER: ContextVar[Listener | None] = ContextVar("rankgate_progress", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Have a listener told of all work of this thread."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


@contextmanager
def tracked(doing: str, total: int) -> Iterator[Callable[[int], None]]:
    """Track work of so many parts: what comes back is called with how many more are done.

    Args:
        doing: What is done, as a person would say it: reading documents.
        total: How many parts there are.
    """
    listener, done = _LISTENER.get(), 0
    if listener is not None:
        listener.step(doing, 0, total)

    def advance(number: int = 1) -> None:
        nonlocal done
        done += number
        if listener is not None:
            listener.step(doing, done, total)

    try:
        yield advance
    finally:
        if listener is not None:
            listener.end(doing)


def heard(work: Callable[[], T]) -> Callable[[], T]:
    """Return work that the listener of this thread hears of in any other; one thread at a time may do it."""
    context = copy_context()
    return lambda: context.run(work)


def steps(items: Sequence[T], doing: str) -> Generator[T, None, None]:
    """Go through items, and tell after each how far that is.

    >>> list(steps("ab", "reading letters"))
    ['a', 'b']
    """
    return counted_steps(items, doing, len(items))


def counted_steps(items: Iterable[T], doing: str, total: int) -> Generator[T, None, None]:
    """Go through so many items, which need not all be there yet, and tell after each how far that is."""
    with tracked(doing, total) as advance:
        for item in items:
            yield item
            advance(1)
