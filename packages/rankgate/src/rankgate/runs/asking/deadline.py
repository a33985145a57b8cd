"""A time at which a run ends, whatever the system does: ``--deadline 20m``.

A system that is asked under a deadline is called in a thread of its own, so that one that never returns can
be left behind. What it has not answered by then, and what it was not asked by then, is a time-out.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from rankgate.errors import Code, InputError, Problem, SystemFailedError
from rankgate.limited_calls import LeftBehindError, LimitedCalls
from rankgate.plugins import system_name
from rankgate.runs.asking.wrapped import WrappedSystem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rankgate.model import Navigator, Node, System

T = TypeVar("T")

_LENGTH = re.compile(r"(?=\d)(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m)?(?:(\d+(?:\.\d+)?)s)?")


class DeadlineError(SystemFailedError, TimeoutError):
    """The deadline of the run came before an answer."""

    default_code: ClassVar[Code] = Code.DEADLINE


class NotAskedError(DeadlineError):
    """The deadline of the run came before the question, so that nobody waited for an answer."""


def parse_length(text: str, where: str = "deadline") -> float:
    """Parse a length of time into seconds.

    >>> parse_length("20m"), parse_length("1h30m"), parse_length("2.5s")
    (1200.0, 5400.0, 2.5)

    Raises:
        InputError: for anything else, and for no time at all.
    """
    found = _LENGTH.fullmatch(text.strip())
    hours, minutes, seconds = (float(part or 0) for part in found.groups()) if found else (0.0, 0.0, 0.0)
    length = 3600 * hours + 60 * minutes + seconds
    if not length:
        raise InputError(Code.WRONG_OPTION(where, repr(text), "a length of time, such as 90s, 20m or 1h"))
    return length


class RunDeadline:
    """The end of a run, counted from when this is made; threads share one."""

    def __init__(self, text: str, where: str = "deadline") -> None:
        self.text = text
        """How it was written."""
        self._ends = time.monotonic() + parse_length(text, where)
        self._calls = LimitedCalls()

    @property
    def left(self) -> float:
        """How many seconds are left; 0 where it is over."""
        return max(0.0, self._ends - time.monotonic())

    def call(self, work: Callable[[], T], where: str) -> T:
        """Call the system, and leave it behind where it does not return in time.

        Raises:
            DeadlineError: where it does not, and where the deadline is over before.
        """
        left = self.left
        if not left:
            found = f"the deadline of {self.text} over before it was asked"
            raise NotAskedError(Problem(where, found, "an answer"))
        try:
            return self._calls.call(work, left)
        except LeftBehindError as error:
            found = f"no answer before the deadline of {self.text}"
            raise DeadlineError(Problem(where, found, "an answer")) from error

    def asking(self, system: System) -> System:
        """Return the system, asked under this deadline; everything else of it is as it was."""
        return _Asked(system, self)

    def walking(self, navigator: Navigator) -> Navigator:
        """Return the navigator, asked under this deadline."""
        return _Walked(navigator, self)


class _Asked(WrappedSystem):
    def __init__(self, system: Any, deadline: RunDeadline) -> None:
        super().__init__(system)
        self._deadline = deadline

    def _call(self, work: Callable[[], T]) -> T:
        return self._deadline.call(work, system_name(self._system))


class _Walked:
    def __init__(self, navigator: Navigator, deadline: RunDeadline) -> None:
        self._navigator = navigator
        self._deadline = deadline

    def documents(self) -> Sequence[Node]:
        return self._deadline.call(self._navigator.documents, "documents")

    def tree(self, document: str) -> Sequence[Node]:
        return self._deadline.call(lambda: self._navigator.tree(document), "tree")

    def read(self, node: str) -> str:
        return self._deadline.call(lambda: self._navigator.read(node), "read")

    def subtree(self, node: str) -> str:
        return self._deadline.call(lambda: self._navigator.subtree(node), "subtree")
