"""What stopped a command or a test, whatever was raised, as the error that people are shown.

The command line and pytest both come through here, so that the same fault has the same words and exit code.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rankgate.errors import Code, CrashedError, EscapedError, InputError, RankgateError

if TYPE_CHECKING:
    from rankgate.errors import Problem

_LOOP = "Symlink loop from"
"""How pathlib begins what it says of links that lead to themselves, before Python 3.13."""


def shown_error(error: BaseException) -> RankgateError:
    """Return the error to show: itself, a file that could not be read, or a crash of our own.

    >>> shown_error(OSError(28, "No space left on device", "run")).exit_code
    <ExitCode.WRONG_CALL: 2>
    >>> shown_error(KeyError("x")).exit_code
    <ExitCode.CRASHED: 70>
    """
    if isinstance(error, RankgateError):
        return error
    if isinstance(error, OSError):
        location, found = str(error.filename or "file"), error.strerror or str(error)
        return InputError(Code.UNREADABLE_FILE(location, found, "a file that can be read or written"))
    if (wrong := _wrong_path(error)) is not None:
        return InputError(wrong)
    if (engine := sys.modules.get("rankgate.io.parquet")) is not None:
        # A damaged file may make the columnar engine fail long after it was opened.
        damaged: RankgateError | None = engine.damage_behind(
            error.error if isinstance(error, EscapedError) else error
        )
        if damaged is not None:
            return damaged
    return CrashedError.of(error)


def _wrong_path(error: BaseException) -> Problem | None:
    """Return what is wrong with a path that Python refuses by another error than that of files."""
    said = str(error)
    if isinstance(error, RuntimeError) and said.startswith(_LOOP):
        return Code.UNREADABLE_FILE(
            said.removeprefix(_LOOP).strip(" '"), "links that lead to themselves", "a file"
        )
    if isinstance(error, ValueError) and said.startswith("embedded null"):
        return Code.UNREADABLE_FILE("file", "a name with a NUL character", "a name that a file may have")
    return None
