"""A program whose output goes to a log without secrets: one that prepares, or a server that must be ready."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
import threading
import time
from typing import TYPE_CHECKING, Self

from rankgate.errors import Code, Problem, SystemFailedError
from rankgate.io.patterns import compiled_pattern
from rankgate.io.secrets import hidden
from rankgate.systems.adapter.failures import TimedOutError, printable, told
from rankgate.systems.adapter.process import ending, signal_group

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path


MOST_LOGGED = 50_000_000
"""Bytes of a log; what a program prints after them is read and not kept."""

_LAST, _LONGEST = 3, 4096
_GRACE = 5.0
_PAUSE = 0.05
_PORT = re.compile(r"(?:(?P<host>[\w.-]+):)?(?P<port>\d{1,5})")


_WATCHDOG = f"""
trap '' HUP INT TERM
read -r group || exit 0
read -r end
kill -s TERM -- "-$group" || exit 0
seconds=0
while [ "$seconds" -lt {_GRACE:.0f} ] && kill -s 0 -- "-$group"; do sleep 1; seconds=$((seconds + 1)); done
kill -s KILL -- "-$group"
"""
"""Stops a process group when its input ends: the process that holds the other end of the pipe is gone."""


def _started_watchdog() -> subprocess.Popen[bytes] | None:
    """Start the shell that stops a program if this process is killed; None if there is no such shell."""
    if os.name != "posix":
        return None
    try:
        return subprocess.Popen(  # noqa: S603 - a script of our own
            ["/bin/sh", "-c", _WATCHDOG],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
        )
    except OSError:
        return None


class LoggedProgram:
    """A program under way, with every child of it; used with ``with``, at whose end it is stopped.

    It leads its own process group. If this process is killed, a watchdog stops that group.

    Args:
        command: The program and its arguments.
        cwd: The folder it runs in.
        env: Its environment.
        log: The file its output goes to.
        where: The option, for errors.

    Raises:
        SystemFailedError: where it does not start.
    """

    def __init__(
        self, command: Sequence[str], cwd: Path, env: Mapping[str, str], log: Path, where: str
    ) -> None:
        self._where, self._log = where, log
        self._last: list[str] = []
        self._watched: Callable[[str], bool] | None = None
        self.seen = threading.Event()
        """Set once a line was printed that `watch` waits for."""
        self._file = log.open("w", encoding="utf-8", newline="\n")
        self._watchdog = _started_watchdog()
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the arguments are the user's own configuration
                list(command),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                cwd=cwd,
                env=dict(env),
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            self._file.close()
            self._end_watchdog()
            found = f"{printable(command[0])!r} ({told(error)})"
            raise SystemFailedError(Code.NOT_STARTED(where, found, "a program that starts")) from error
        if self._watchdog is not None and self._watchdog.stdin is not None:
            with contextlib.suppress(OSError):
                self._watchdog.stdin.write(f"{self._process.pid}\n".encode())
                self._watchdog.stdin.flush()
        self._reading = threading.Thread(target=self._read, daemon=True)

    def __enter__(self) -> Self:
        self._reading.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def code(self) -> int | None:
        """How it ended; None while it runs."""
        return self._process.poll()

    def watch(self, pattern: re.Pattern[str]) -> None:
        """Set `seen` once a line matches; before the program is entered."""
        self._watched = lambda line: pattern.search(line) is not None

    def finish(self, seconds: float) -> None:
        """Wait until it has ended well.

        Raises:
            SystemFailedError: where it ends with another code than 0; `TimedOutError` where it does not end.
        """
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise TimedOutError(self._problem(f"no end after {seconds:g} s", "its end")) from None
        self._reading.join(_GRACE)
        if self._process.returncode != 0:
            raise self.ended_error("exit code 0")

    def ended_error(self, expected: str) -> SystemFailedError:
        """Return the error of a program that ended, with its last lines."""
        self._reading.join(_GRACE)
        return SystemFailedError(self._problem(ending(self._process.returncode), expected))

    def late_error(self, seconds: float, expected: str) -> SystemFailedError:
        """Return the error of a program that is not ready in time, with its last lines."""
        return TimedOutError(self._problem(f"not ready after {seconds:g} s", expected))

    def stop(self) -> None:
        """Let it end by SIGTERM, then end it and every child of it that is left."""
        if self._process.poll() is None:
            signal_group(self._process, "SIGTERM")
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_GRACE)
        # Of a group whose leader was collected only children are left, if anything.
        signal_group(self._process)
        self._process.wait()
        self._end_watchdog()
        if self._reading.is_alive():
            self._reading.join(_GRACE)
        if not self._reading.is_alive():
            self._file.close()
            if self._process.stdout is not None:
                self._process.stdout.close()

    def _end_watchdog(self) -> None:
        if self._watchdog is not None:
            # First, since the end of its input makes it stop the program.
            self._watchdog.kill()
            self._watchdog.communicate()

    def _read(self) -> None:
        stream, left = self._process.stdout, MOST_LOGGED
        while stream is not None and (raw := stream.readline(_LONGEST)):
            line = hidden(raw.decode(errors="replace"))
            left -= len(line)
            if left > 0:
                self._file.write(line)
                self._file.flush()
            if line.strip():
                self._last = [*self._last, line.strip()][-_LAST:]
            seen = self._watched is not None and self._watched(line.rstrip("\r\n"))
            if seen:
                self.seen.set()

    def _problem(self, found: str, expected: str) -> Problem:
        said = printable(" / ".join(self._last)) or "nothing printed"
        return Code.PREPARE_FAILED(self._where, f"{found} ({said})", expected, f"see {self._log}")


class Readiness:
    """What says that a server is ready: a URL that answers, a port that listens, or a line that it prints.

    Args:
        text: ``http://…``, ``8080``, ``host:8080``, or a regular expression.
        where: The option, for errors.

    Raises:
        InputError: for what is none of these.
    """

    def __init__(self, text: str, where: str) -> None:
        self._text, self._where = text, where
        self._port = _PORT.fullmatch(text)
        self._url = text.startswith(("http://", "https://"))
        self._line = None if self._url or self._port else compiled_pattern(text, where)

    def check_free(self) -> None:
        """Refuse to start a server where another one answers already: it would be taken for the one started.

        Raises:
            SystemFailedError: where something answers.
        """
        if self._line is None and self._answers():
            fix = "stop it, or take start out to ask the one that runs"
            raise SystemFailedError(
                Code.PORT_TAKEN(
                    self._where, f"{self._text}, where something answers", "nothing before the start", fix
                )
            )

    def wait(self, program: LoggedProgram, seconds: float) -> None:
        """Wait until a program that was started is ready.

        Raises:
            SystemFailedError: where it ends before; `TimedOutError` where it is not ready in time.
        """
        expected = (
            f"a line that matches {self._text!r}" if self._line is not None else f"{self._text} to answer"
        )
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if program.seen.is_set() or (self._line is None and self._answers()):
                return
            if program.code is not None:
                raise program.ended_error(expected)
            time.sleep(_PAUSE)
        raise program.late_error(seconds, expected)

    def watch(self, program: LoggedProgram) -> None:
        """Have the program's lines looked at, where a line says that it is ready."""
        if self._line is not None:
            program.watch(self._line)

    def _answers(self) -> bool:
        if self._port is not None:
            with socket.socket() as tried:
                tried.settimeout(1.0)
                return tried.connect_ex((self._port["host"] or "127.0.0.1", int(self._port["port"]))) == 0
        from urllib.request import ProxyHandler, build_opener

        try:
            with build_opener(ProxyHandler({})).open(self._text, timeout=2.0) as answer:
                return bool(200 <= answer.status < 300)
        except (OSError, ValueError):
            return False
