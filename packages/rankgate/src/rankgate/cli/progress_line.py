"""A line on a terminal, or in the log of CI, that says how far long work of a command is."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from rankgate.progress import PATIENCE, listening
from rankgate.progress import in_ci as told_in_ci

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from types import TracebackType
    from typing import Self, TextIO

_BETWEEN = 0.1
_WIDTH = 78


class ProgressLine:
    """A line on a terminal that says what takes long, to a person who waits; gone when the work is done.

    In CI, where the variable ``CI`` is set, a line for every tenth of what is counted; nothing on any other
    pipe, and nothing of what ends within two seconds.
    """

    def __init__(
        self,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
        *,
        in_ci: bool | None = None,
    ) -> None:
        self._stream = stream or sys.stderr
        self._clock = clock
        self._in_ci = told_in_ci() if in_ci is None else in_ci
        self._begun = clock()
        self._said = self._begun - _BETWEEN
        self._shown = False
        self._works: dict[str, _Work] = {}
        self._heard: AbstractContextManager[None] | None = None

    def __enter__(self) -> Self:
        self._heard = listening(self)
        self._heard.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._heard is not None:
            self._heard.__exit__(None, None, None)
        self._clear()

    def tell(self, words: str) -> None:
        """Write what is under way, in place of what was written before."""
        now = self._clock()
        if now - self._begun >= PATIENCE:
            self._write(words, now)

    def step(self, doing: str, done: int, total: int) -> None:
        """Write how far some work is, once it has taken long enough to be worth it."""
        now = self._clock()
        work = self._works.setdefault(doing, _Work(now))
        seconds = now - work.begun
        if seconds < PATIENCE or not 0 < done < total:
            return
        from rankgate.runs.asking.progress import progress_text

        if self._stream.isatty():
            self._write(progress_text(done, total, 0, seconds, doing), now)
        elif self._in_ci and (tenths := done * 10 // total) > work.tenths:
            work.tenths = tenths
            self._stream.write(f"{10 * tenths} %: {progress_text(done, total, 0, seconds, doing)}\n")
            self._stream.flush()

    def end(self, doing: str) -> None:
        """Take the line away: what comes next may print."""
        self._works.pop(doing, None)
        self._clear()

    def _write(self, words: str, now: float) -> None:
        from rankgate.reports.text.printable import fitted, printable

        if now - self._said >= _BETWEEN and self._stream.isatty():
            self._said, self._shown = now, True
            self._stream.write("\r" + fitted(printable(words), _WIDTH))
            self._stream.flush()

    def _clear(self) -> None:
        if self._shown:
            self._shown = False
            self._stream.write("\r" + " " * _WIDTH + "\r")
            self._stream.flush()


class _Work:
    """When some work was first told of, and how many tenths of it were."""

    def __init__(self, begun: float) -> None:
        self.begun, self.tenths = begun, 0
