"""One writer a folder: a lock that the operating system lets go of when its process ends, however it ends."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rankgate.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LOCK, _HOLDER = ".lock", ".lock.txt"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other runs out of a folder, which is made where it is not there.

    Raises:
        InputError: where another run has it, saying which process.
    """
    from filelock import FileLock, Timeout

    folder.mkdir(parents=True, exist_ok=True)
    # A second lock of the same process is another run too, so threads do not share one.
    lock = FileLock(folder / _LOCK, blocking=False, thread_local=False, is_singleton=False)
    try:
        lock.acquire()
    except Timeout:
        fix = "wait for it, or name another folder"
        raise InputError(Problem(str(folder), f"a run under way ({_holder(folder)})", "none", fix)) from None
    try:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        (folder / _HOLDER).write_text(f"process {os.getpid()}, since {now}\n", encoding="utf-8")
        yield
    finally:
        with suppress(OSError):
            (folder / _HOLDER).unlink()
        lock.release()


def _holder(folder: Path) -> str:
    try:
        return (folder / _HOLDER).read_text(encoding="utf-8")[:80].strip() or "it does not say whose"
    except (OSError, UnicodeDecodeError):
        return "it does not say whose"
