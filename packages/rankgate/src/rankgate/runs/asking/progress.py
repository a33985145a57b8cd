"""How far a run is: a bar for a person who waits, a line for every tenth in the log of CI."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Protocol

from rankgate.progress import PATIENCE, tracked
from rankgate.progress import in_ci as told_in_ci
from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

    from rich import progress as bars


class Progress(Protocol):
    """Told how far a run is."""

    def start(self, total: int, doing: str = "") -> None:
        """Begin; `total` questions are to be asked, or as much of something else is to be done."""
        ...

    def advance(self, errors: int) -> None:
        """Take one more answer; `errors` of all so far were none."""
        ...

    def finish(self) -> None:
        """End, also after an interrupt."""
        ...


class HeardAnswers:
    """Tells whoever listens to all work of this thread; where nobody does, nothing is shown."""

    def __init__(self) -> None:
        self._work = ExitStack()
        self._advance: Callable[[int], None] = lambda _: None

    def start(self, total: int, doing: str = "") -> None:
        """Begin."""
        self._advance = self._work.enter_context(tracked(doing or "asking", total))

    def advance(self, errors: int) -> None:  # noqa: ARG002 - how many failed is told at the end
        """Take one more answer."""
        self._advance(1)

    def finish(self) -> None:
        """End."""
        self._work.close()


class TerminalProgress:
    """A bar on a terminal: rate, errors, time left. Nothing in the first two seconds.

    In CI, where the variable ``CI`` is set, a line for every tenth; nothing on any other pipe.
    """

    def __init__(
        self,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
        *,
        in_ci: bool | None = None,
    ) -> None:
        self._stream = stream or sys.stderr
        self._in_ci = told_in_ci() if in_ci is None else in_ci
        self._tenths = 0
        self._clock = clock
        self._begun = 0.0
        self._total = self._done = 0
        self._doing = ""
        self._bar: bars.Progress | None = None

    def start(self, total: int, doing: str = "") -> None:
        """Begin."""
        self._begun, self._total, self._done, self._doing = self._clock(), total, 0, doing
        self._tenths = 0

    def advance(self, errors: int) -> None:
        """Draw, once it has taken long enough to be worth it."""
        self._done += 1
        seconds = self._clock() - self._begun
        if seconds < PATIENCE:
            return
        if not self._stream.isatty():
            self._tell_tenth(errors, seconds)
            return
        bar = self._bar or self._drawn()
        bar.update(
            bar.task_ids[0],
            completed=self._done,
            description=progress_text(self._done, self._total, errors, seconds, self._doing),
        )

    def _tell_tenth(self, errors: int, seconds: float) -> None:
        tenths = self._done * 10 // max(1, self._total)
        if self._in_ci and tenths > self._tenths:
            self._tenths = tenths
            said = progress_text(self._done, self._total, errors, seconds, self._doing)
            self._stream.write(f"{10 * tenths} %: {said}\n")
            self._stream.flush()

    def finish(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _drawn(self) -> bars.Progress:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        console = Console(file=self._stream)
        self._bar = Progress(
            BarColumn(), TextColumn("{task.description}", markup=False), console=console, transient=True
        )
        self._bar.add_task("", total=self._total)
        self._bar.start()
        return self._bar


def progress_text(done: int, total: int, errors: int, seconds: float, doing: str = "") -> str:
    """Format how far a run is; what it does, where it asks no questions.

    >>> progress_text(30, 120, 1, 10.0)
    '30/120, 3.0/s, 1 error, 0:30 left'
    >>> progress_text(30, 120, 0, 10.0, "indexing")
    'indexing 30/120, 3.0/s, 0:30 left'
    """
    rate = done / seconds
    minutes, rest = divmod(round((total - done) / rate), 60)
    hours, minutes = divmod(minutes, 60)
    left = f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
    if doing:
        return f"{doing} {done}/{total}, {rate:.1f}/s, {left} left"
    return f"{done}/{total}, {rate:.1f}/s, {many(errors, 'error')}, {left} left"
