"""A library that opens while a server already answers.

A large folder takes a minute to index for the first time, and an MCP client gives up on a server that says
nothing for so long. So the library is opened in a thread: whoever calls a tool waits a while, and is then
told how far it is.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import rankgate as rg

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankgate.reference.tools.tool import Desk

    Progress = Callable[[int, int], None]


class Opening:
    """What will be a desk to work at, once it is open."""

    def __init__(self, opens: Callable[[Progress], Desk]) -> None:
        self._opens = opens
        self._ended = threading.Event()
        self._desk: Desk | None = None
        self._error: rg.RankgateError | None = None
        self._so_far = (0, 0)
        self._thread = threading.Thread(target=self._run, name="opening", daemon=True)

    def start(self) -> Opening:
        """Begin."""
        self._thread.start()
        return self

    def desk(self, seconds: float) -> Desk:
        """Give the desk, or wait for it.

        Args:
            seconds: How long to wait at most.

        Raises:
            SystemFailedError: where it is not open by then.
            RankgateError: where it could not be opened.
        """
        if not self._ended.wait(seconds):
            done, total = self._so_far
            far = f" ({done:,} of {total:,} files)" if total else ""
            found = f"one that is still being built{far}"
            fix = "call again in a few seconds"
            raise rg.SystemFailedError(rg.Problem("the index", found, "one that is ready", fix))
        if self._desk is None:
            raise self._error or rg.SystemFailedError("the index could not be opened")
        return self._desk

    def _run(self) -> None:
        try:
            self._desk = self._opens(self._tell)
        except rg.RankgateError as error:
            self._error = error
        except Exception as error:  # noqa: BLE001 - whoever waits is told, whatever it is
            self._error = rg.SystemFailedError(
                f"the index could not be opened: {type(error).__name__}: {error}"
            )
        finally:
            self._ended.set()

    def _tell(self, done: int, total: int) -> None:
        self._so_far = (done, total)
