"""What must be done before a system can be asked, as a configuration says it, of whichever kind it is.

prepare = "build-index {corpus} index/"     # makes what is searched, once
start = "search-server --port 8123 index/"  # runs while the system is asked
ready = 8123                                # a URL that answers, a port, or a line that it prints
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from rankgate.errors import Code, InputError

CORPUS = "{corpus}"
"""What becomes the folder of the suite's corpus in a command line, an argument or a variable."""
INDEX = "{index}"
"""What becomes the folder that `prepare` writes to: one for everything that it is made of."""
PREPARE_SECONDS = 600.0
"""How long a preparation may take where nothing is said."""
READY_SECONDS = 60.0
"""How long a server may take to be ready where nothing is said."""

_SHELL_SIGNS = frozenset({"&&", "||", "|", ";", "&", ">", ">>", "<"})


@dataclass(frozen=True, slots=True)
class Preparation:
    """What must be done before a system can be asked."""

    prepare: tuple[str, ...] = ()
    """A program and its arguments that make what is searched; run once for what it is made of."""
    prepare_timeout: float = PREPARE_SECONDS
    """Seconds until that is ended."""
    start: tuple[str, ...] = ()
    """A program and its arguments that run while the system is asked, such as a server."""
    ready: str = ""
    """What says that it is ready: a URL that answers, a port, or a regular expression for a printed line."""
    ready_timeout: float = READY_SECONDS
    """Seconds until it must be ready."""


def read_preparation(
    where: str,
    prepare: str | tuple[str, ...],
    prepare_timeout: float,
    start: str | tuple[str, ...],
    ready: str | int | None,
    ready_timeout: float,
) -> Preparation:
    """Read the keys of a system's table.

    >>> read_preparation("app", "make index", 600.0, (), None, 60.0).prepare
    ('make', 'index')

    Raises:
        InputError: for what is no command line, times that are none, and `start` without `ready`.
    """
    said = "" if ready is None else str(ready)
    server = _words(f"{where}.start", start)
    if bool(server) != bool(said):
        found = "start without ready" if server else "ready without start"
        fix = "ready is a URL, a port, or a regular expression for a line that the program prints"
        raise InputError(Code.MISSING_SETTING(where, found, "both or none", fix))
    for name, seconds in (("prepare_timeout", prepare_timeout), ("ready_timeout", ready_timeout)):
        if seconds <= 0:
            raise InputError(Code.WRONG_VALUE(f"{where}.{name}", f"{seconds:g}", "more than 0"))
    return Preparation(_words(f"{where}.prepare", prepare), prepare_timeout, server, said, ready_timeout)


def _words(where: str, found: str | tuple[str, ...]) -> tuple[str, ...]:
    """Split a command line into its words; no shell reads it."""
    if not isinstance(found, str):
        return found
    try:
        words = shlex.split(found)
    except ValueError as error:
        raise InputError(Code.WRONG_VALUE(where, f"{found!r} ({error})", "a command line")) from error
    if signs := [word for word in words if word in _SHELL_SIGNS]:
        fix = 'write ["sh", "-c", "…"] to have a shell read it'
        raise InputError(
            Code.WRONG_VALUE(where, f"{signs[0]!r}, which a shell reads", "a program and arguments", fix)
        )
    return tuple(words)
