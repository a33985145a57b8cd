"""Streams on which GitHub obeys no workflow command but our own, for the command line and for pytest."""

from __future__ import annotations

import os
import re
import stat
import sys
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING, Any, TextIO, cast

from rankgate.reports.text.github import without_commands

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def on_github() -> bool:
    """Return whether GitHub runs this."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


class CommandGuard:
    """A stream on which nothing is a workflow command but what is printed as one.

    Text comes in pieces, and a line may be made of several, so the start of the line under way is remembered.
    """

    def __init__(self, stream: TextIO) -> None:
        self.unguarded = stream
        """The stream itself, for commands of our own."""
        self._line = ""

    def write(self, text: str) -> int:
        """Write a text, in which commands are made plain text."""
        whole = without_commands(self._line + text)
        self.unguarded.write(whole[len(self._line) :])
        line = re.split(r"[\r\n]", whole)[-1]
        # Once it has begun with something else, only the two signs before a bracket matter.
        self._line = line if line.strip() in ("", ":") else f".{line[-2:]}"
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unguarded, name)


def guard_of(stream: TextIO) -> TextIO:
    """Return the stream to print on; a file is left alone: no runner reads it, and programs may."""
    return stream if _is_file(stream) else cast("TextIO", CommandGuard(stream))


@contextmanager
def guarded() -> Iterator[None]:
    """Keep GitHub from obeying what a suite, a system or a file made us print, on both streams."""
    with ExitStack() as stack:
        if on_github():
            for redirect, stream in ((redirect_stdout, sys.stdout), (redirect_stderr, sys.stderr)):
                stack.enter_context(redirect(guard_of(stream)))
        yield


def _is_file(stream: TextIO) -> bool:
    try:
        return stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError, AttributeError):
        return False
