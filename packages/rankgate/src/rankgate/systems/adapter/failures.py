"""How a system's failure is told: in one line, without a traceback, whatever the system did."""

from __future__ import annotations

import os
import reprlib
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rankgate.errors import Code, Problem, RetriableError, SystemFailedError, described, escaped
from rankgate.io.secrets import hidden

if TYPE_CHECKING:
    from collections.abc import Collection

_LONGEST = 400
_SHORTENED = 120
_RETRIABLE = {429, 502, 503, 504}
_PACKAGE = str(Path(__file__).resolve().parents[2]) + os.sep


class TimedOutError(SystemFailedError, TimeoutError):
    """The system did not answer in time; a run stores it as `timeout`."""

    default_code: ClassVar[Code] = Code.TIMED_OUT


class StatusError(SystemFailedError):
    """An answer with a status that is no success, and that asking again will not change."""

    default_code: ClassVar[Code] = Code.STATUS

    def __init__(self, problem: Problem | str, status: int = 0) -> None:
        super().__init__(problem)
        self.status = status


def refused(
    where: str, status: int, said: str, *, retry_after: float | None = None, passing: bool = False
) -> SystemFailedError:
    """Make an error of a status and what the server said with it; one that may pass can be asked again.

    >>> print(refused("app", 400, "no [quary]"))
    app: found status 400 (no [quary]), expected status 200
    """
    problem = Code.STATUS(where, f"status {status} ({said})" if said else f"status {status}", "status 200")
    if status in _RETRIABLE or passing:
        return RetriableError(problem, retry_after, status)
    return StatusError(problem, status)


def closed_error(where: str) -> SystemFailedError:
    """Return the error of whoever asks a system that was closed."""
    return SystemFailedError(Code.SYSTEM_FAILED(where, "a system that is closed", "one that is open"))


def printable(text: str) -> str:
    r"""Mask secrets and show control characters as escapes, on one line and not too long.

    >>> print(printable("red \x1b[31m"))
    red \x1b[31m
    """
    text = hidden(text)
    cut = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    return escaped(cut)


def shortened(text: str) -> str:
    """Return the start of a text on one line, with secrets masked and control characters as escapes.

    >>> shortened("quota exceeded")
    'quota exceeded'
    """
    text = hidden(text)
    return escaped(text if len(text) <= _SHORTENED else text[: _SHORTENED - 1] + "…")


def shown(value: object) -> str:
    """Format a value by its type and the start of its content.

    >>> shown(0.3)
    'float 0.3'
    """
    kind = type(value).__name__
    if value is None:
        return "None"
    try:
        # Masked before it is cut: a part of a secret is not recognized.
        whole = hidden(value) if isinstance(value, str) else value
        return printable(f"{kind} {_SHORT.repr(whole)}")
    except Exception:  # noqa: BLE001 - a value may refuse to be shown in any way it likes
        return printable(kind)


def told(error: BaseException) -> str:
    """Format an exception by its type and message."""
    return printable(described(error))


def failed(error: BaseException, name: str, files: Collection[str] = ()) -> SystemFailedError:
    """Turn what a user's code raised into one line that names the place in that code.

    Args:
        error: What was raised.
        name: What to call the system, where its code cannot be found.
        files: The user's files; the last frame in one of them is the place.
    """
    if isinstance(error, SystemFailedError):
        return error
    late = isinstance(error, TimeoutError)
    kind, code = (TimedOutError, Code.TIMED_OUT) if late else (SystemFailedError, Code.SYSTEM_RAISED)
    place, found = place_of(error, files), told(error)
    said = f"{found} ({place})" if place else ""
    return kind(code(place or name, found, "an answer", said=said))


def place_of(error: BaseException, files: Collection[str] = ()) -> str | None:
    """Find the last line of the user's code that an exception passed, as ``file:line``."""
    frames = traceback.extract_tb(error.__traceback__)
    outside = [frame for frame in frames if not frame.filename.startswith((_PACKAGE, "<"))]
    own = [frame for frame in outside if frame.filename in files] or outside
    if not own:
        return None
    path = Path(own[-1].filename)
    here = Path.cwd()
    return f"{path.relative_to(here) if path.is_relative_to(here) else path}:{own[-1].lineno}"


def cut_at(longest: int) -> reprlib.Repr:
    """Return what shows values whose parts are cut at a length."""
    short = reprlib.Repr()
    short.maxstring = short.maxother = short.maxlong = longest
    return short


_SHORT = cut_at(60)
