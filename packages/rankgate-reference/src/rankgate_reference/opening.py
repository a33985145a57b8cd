"""A library that opens while a server already answers, and opens anew when its folder changes.

A large folder takes a minute to index for the first time, and an MCP client gives up on a server that says
nothing for so long. So the library is opened in a thread: whoever calls a tool waits a while, and is then
told how far it is.

Later a call looks whether the folder changed. Where it did, the library is opened again in a thread; the call
waits a moment for it, which is enough for a few files, and is otherwise answered from what was there before.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import rankgate as rg

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankgate_reference.tools.tool import Desk

    Progress = Callable[[int, int], None]

LOOK = 2.0
"""How many seconds lie between two looks at the folder, at least."""
RETRY = 5.0
"""How many seconds pass before a folder that could not be opened is tried again."""
MOMENT = 1.0
"""How many seconds a call waits for changes to be taken in."""

_SHARE = 20
"""Looking takes no more than this part of the time, however large the folder is."""


class Opening:
    """What will be a desk to work at, once it is open."""

    def __init__(
        self,
        opens: Callable[[Progress], Desk],
        state: Callable[[], str] = str,
        tells: Callable[[str], None] = lambda _: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take what is needed.

        Args:
            opens: Opens the desk; told how far it is.
            state: Gives what changes when the folder does, and is cheap; by default it never changes.
            tells: Told of an error, for a log.
            clock: Gives the seconds.
        """
        self._opens = opens
        self._state_now = state
        self._tells = tells
        self._clock = clock
        self._settled = threading.Event()
        self._looking = threading.Lock()
        self._desk: Desk | None = None
        self._error: rg.RankgateError | None = None
        self._state: str | None = None
        self._so_far = (0, 0)
        self._look_at = 0.0
        self._wait_until = 0.0

    @property
    def waiting(self) -> bool:
        """True where there is neither a desk yet nor an error that says why not."""
        return self._desk is None and not self._settled.is_set()

    def start(self) -> Opening:
        """Begin."""
        self._settled.clear()
        threading.Thread(target=self._run, name="opening", daemon=True).start()
        return self

    def desk(self, seconds: float = 0.0) -> tuple[Desk, str]:
        """Return the desk, and what is to be said of it: nothing, unless files changed that it does not know.

        Args:
            seconds: How long to wait at most where there is none yet.

        Raises:
            SystemFailedError: where it is not open by then.
            RankgateError: where it could not be opened.
        """
        self._look()
        if self._desk is None:
            self._settled.wait(seconds)
        else:
            self._settled.wait(max(0.0, self._wait_until - self._clock()))
        desk, error = self._desk, self._error
        if desk is None:
            raise error or self._not_yet()
        if not self._settled.is_set():
            return desk, "Files have changed and are being indexed; this answer is from before."
        if error is not None:
            return desk, f"Files have changed and could not be indexed; this is from before. {error}"
        return desk, ""

    def _not_yet(self) -> rg.RankgateError:
        done, total = self._so_far
        far = f" ({done:,} of {total:,} documents)" if total else ""
        found = f"one that is still being built{far}"
        return rg.SystemFailedError(
            rg.Problem("the index", found, "one that is ready", "call again in a few seconds")
        )

    def _look(self) -> None:
        """Begin anew where the folder changed since it was opened, or could not be opened."""
        if not self._looking.acquire(blocking=False):
            return
        try:
            begun = self._clock()
            if not self._settled.is_set() or begun < self._look_at:
                return
            changed = self._state_now() != self._state
            ended = self._clock()
            self._look_at = ended + max(LOOK, (ended - begun) * _SHARE)
            if changed:
                self._wait_until = ended + MOMENT
                self.start()
        finally:
            self._looking.release()

    def _run(self) -> None:
        # Taken before, so that what changes meanwhile is seen at the next look.
        state = self._state_now()
        try:
            self._desk = self._opens(self._tell)
            self._state, self._error = state, None
        except Exception as error:  # noqa: BLE001 - whoever waits is told, whatever it is
            self._error = _as_ours(error)
            self._look_at = self._clock() + RETRY
            self._tells(str(self._error))
        finally:
            self._settled.set()

    def _tell(self, done: int, total: int) -> None:
        self._so_far = (done, total)


def _as_ours(error: Exception) -> rg.RankgateError:
    if isinstance(error, rg.RankgateError):
        return error
    return rg.SystemFailedError(f"the index could not be opened: {type(error).__name__}: {error}")
