"""How far indexing is, shown to a person who waits and to nobody else."""

from __future__ import annotations

import sys
import time
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self, TextIO

PATIENCE = 2.0
"""How many seconds pass before anything is drawn."""


class Bar:
    """A bar on a terminal, gone when the work is done; nothing on a pipe, nothing in the first seconds."""

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream or sys.stderr
        self._clock = clock
        self._begun = clock()
        self._stage = ("", self._begun)
        self._bar: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def stage(self, doing: str) -> Callable[[int, int], None]:
        """Return what is told how many files are done, and of how many, while something is being done."""
        return partial(self._told, doing)

    def _told(self, doing: str, done: int, total: int) -> None:
        """Draw, once it has taken long enough to be worth it."""
        now = self._clock()
        if doing != self._stage[0]:
            # What went before says nothing about how fast this is.
            self._stage = (doing, now if self._stage[0] else self._begun)
        if now - self._begun < PATIENCE or not self._stream.isatty():
            return
        bar = self._bar or self._drawn(total)
        said = progress_text(doing, done, total, now - self._stage[1])
        bar.update(bar.task_ids[0], completed=done, total=total, description=said)

    def _drawn(self, total: int) -> Any:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        self._bar = Progress(
            BarColumn(),
            TextColumn("{task.description}", markup=False),
            console=Console(file=self._stream),
            transient=True,
        )
        self._bar.add_task("", total=total)
        self._bar.start()
        return self._bar


def progress_text(doing: str, done: int, total: int, seconds: float) -> str:
    """Format how far it is.

    >>> progress_text("indexing", 30, 120, 10.0), progress_text("embedding", 1, 120, 3.0)
    ('indexing 30/120, 3.0/s, 0:30 left', 'embedding 1/120')
    >>> progress_text("indexing", 120, 120, 40.0)
    'writing the index'
    """
    if done >= total:
        return "writing the index"
    if done < total / 50 or seconds <= 0:
        # The first files say nothing about the rest.
        return f"{doing} {done}/{total}"
    rate = done / seconds
    minutes, rest = divmod(round((total - done) / rate), 60)
    return f"{doing} {done}/{total}, {rate:.1f}/s, {minutes}:{rest:02d} left"
