"""What is under way, told to a person who waits longer than two seconds, and to nobody else."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self, TextIO

PATIENCE = 2.0
"""How many seconds pass before anything is said."""

_BETWEEN = 0.1
_WIDTH = 78


class ProgressLine:
    """A line on a terminal that says what takes long; it is gone when the work is done."""

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream or sys.stderr
        self._clock = clock
        self._begun = self._said = clock()
        self._shown = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown:
            self._stream.write("\r" + " " * _WIDTH + "\r")
            self._stream.flush()

    def tell(self, words: str) -> None:
        """Write what is under way, in place of what was written before."""
        from rankgate.reports.text.printable import printable

        now = self._clock()
        if now - self._begun < PATIENCE or now - self._said < _BETWEEN or not self._stream.isatty():
            return
        self._said, self._shown = now, True
        self._stream.write("\r" + printable(words, _WIDTH).ljust(_WIDTH))
        self._stream.flush()
