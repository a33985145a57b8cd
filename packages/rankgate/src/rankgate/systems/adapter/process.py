"""Running a program that may print without end, hang, or leave children behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.errors import Code, Problem, SystemFailedError
from rankgate.systems.adapter.failures import TimedOutError, closed_error, printable, told

if TYPE_CHECKING:
    import asyncio.subprocess
    from collections.abc import Mapping, Sequence
    from typing import IO, TypeAlias

    AnyProcess: TypeAlias = subprocess.Popen[bytes] | asyncio.subprocess.Process

_ENVIRONMENT = (
    *("PATH", "HOME", "USER", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ"),
    *("SYSTEMROOT", "TEMP", "TMP", "USERPROFILE", "PATHEXT", "COMSPEC"),
)
"""What every program gets of the environment; the rest may hold secrets and is named where it is needed."""

_CHUNK = 1 << 16
_STDERR_KEPT = 4096
_GRACE = 1.0


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """What a program may use."""

    timeout: float
    """Seconds until it is ended."""
    max_output: int
    """Bytes of standard output until it is ended."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A program that ended by itself."""

    code: int
    """Its exit code; a negative number is the signal that ended it."""
    output: bytes
    """Its standard output."""
    last_words: str
    """The last lines of its standard error, on one line."""


def environment(names: Sequence[str]) -> dict[str, str]:
    """Return what a program gets of the environment: the ordinary variables, and those of these names."""
    return {name: os.environ[name] for name in (*_ENVIRONMENT, *names) if name in os.environ}


def ending(code: int) -> str:
    """Return how a program ended.

    >>> ending(3), ending(-9)
    ('exit code 3', 'signal 9')
    """
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def last_lines(errors: bytes) -> str:
    """Return the last lines of what a program said on standard error, on one line."""
    if len(errors) >= _STDERR_KEPT:
        # Half of a word was cut off, and half of a secret is not known to be one.
        errors = b"".join(errors.split(None, 1)[1:])
    lines = errors.decode(errors="replace").strip().splitlines()
    return printable(" / ".join(line.strip() for line in lines[-3:]))


def write_all(stream: IO[bytes], content: bytes) -> None:
    """Write to a pipe that may take only a part at a time."""
    left = memoryview(content)
    while left:
        left = left[stream.write(left) :]


def signal_group(process: AnyProcess, name: str = "SIGKILL") -> None:
    """Send a signal to a program that leads a session, and to every child of it that is left."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            # The group outlives its leader as long as there are children in it.
            os.killpg(process.pid, getattr(signal, name))
        else:
            process.kill()


class Programs:
    """The programs of one system that are under way; from any number of threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[_Running] = set()
        self._closed = False

    def run(
        self,
        arguments: Sequence[str],
        *,
        stdin: bytes | None,
        limits: ProcessLimits,
        cwd: str | None,
        env: Mapping[str, str],
    ) -> Finished:
        """Run a program, without a shell, and read what it prints.

        Raises:
            SystemFailedError: where it does not start, prints too much, or is ended by `close`.
            TimedOutError: where it does not end in time.
        """
        closed = closed_error(f"command {printable(arguments[0])!r}")
        # Under the lock, so that none is started that `close` does not know of.
        with self._lock:
            if self._closed:
                raise closed
            process = _started(arguments, stdin, cwd, env)
            running = _Running(process, stdin, limits, printable(arguments[0]))
            self._running.add(running)
        try:
            return running.finished()
        except SystemFailedError:
            if running.stopped:
                raise closed from None
            raise
        finally:
            with self._lock:
                self._running.discard(running)

    def close(self) -> None:
        """End the programs that still run, with their children; none is started any more."""
        with self._lock:
            self._closed = True
            running = list(self._running)
        for one in running:
            one.stop()
        for one in running:
            one.wait(_GRACE)


def _started(
    arguments: Sequence[str], stdin: bytes | None, cwd: str | None, env: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(  # noqa: S603 - the arguments are the user's own configuration
            list(arguments),
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=dict(env),
            bufsize=0,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        fix = "check command and cwd"
        raise SystemFailedError(
            Code.NOT_STARTED(f"command {arguments[0]!r}", told(error), "to start", fix)
        ) from error


class _Running:
    """A program under way: one thread for each of its streams, and one that waits for its end."""

    def __init__(
        self, process: subprocess.Popen[bytes], stdin: bytes | None, limits: ProcessLimits, name: str
    ) -> None:
        self._process = process
        self._limits = limits
        self._name = name
        self.stopped = False
        """True where it was ended because nobody waits for its answer any more."""
        self._output = bytearray()
        self._errors = bytearray()
        self._exited = False
        self._woken = threading.Event()
        work = [self._wait, self._read_output, self._read_errors]
        if stdin is not None:
            work.append(lambda: self._write(stdin))
        self._threads = [threading.Thread(target=one, daemon=True) for one in work]

    def finished(self) -> Finished:
        for thread in self._threads:
            thread.start()
        try:
            self._woken.wait(self._limits.timeout)
            exited = self._exited
            if exited:
                # A child that it left behind may hold the pipes for ever; what it printed itself is in them.
                for thread in self._threads:
                    thread.join(_GRACE)
        finally:
            self._end()
        where = f"command {self._name!r}"
        if self.stopped:
            raise SystemFailedError(Code.PROGRAM_FAILED(where, "its end", "an answer"))
        if self._too_much():
            found = f"more than {self._limits.max_output:,} bytes of output"
            raise SystemFailedError(
                Code.ANSWER_TOO_LARGE(where, found, "less", "raise max_output, or ask for fewer hits")
            )
        if not exited:
            found = f"no end after {self._limits.timeout:g} s"
            raise TimedOutError(Problem(where, found, "an answer", "raise timeout, or look why it hangs"))
        return Finished(self._process.returncode, bytes(self._output), last_lines(bytes(self._errors)))

    def stop(self) -> None:
        """End the program and its children, from another thread than the one that waits for it."""
        self.stopped = True
        self._kill()

    def wait(self, seconds: float) -> None:
        """Wait for the end of the program, for a while."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)

    def _kill(self) -> None:
        # The group is there as long as its leader was not collected, running or not.
        if self._process.returncode is None:
            signal_group(self._process)

    def _end(self) -> None:
        """End the program and every child of it that is left, and let go of the pipes."""
        self._kill()
        self._process.wait()
        for thread in self._threads:
            thread.join(_GRACE)
        if not any(thread.is_alive() for thread in self._threads):
            for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
                if stream is not None:
                    stream.close()

    def _wait(self) -> None:
        if hasattr(os, "waitid"):
            # Not collected yet, so that the number of the group cannot pass to another.
            with contextlib.suppress(ChildProcessError):
                os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
        else:
            self._process.wait()
        self._exited = True
        self._woken.set()

    def _read_output(self) -> None:
        stream = _there(self._process.stdout)
        while not self._too_much() and (chunk := stream.read(_CHUNK)):
            self._output += chunk
        if self._too_much():
            self._woken.set()

    def _too_much(self) -> bool:
        return len(self._output) > self._limits.max_output

    def _read_errors(self) -> None:
        stream = _there(self._process.stderr)
        while chunk := stream.read(_CHUNK):
            self._errors = (self._errors + chunk)[-_STDERR_KEPT:]

    def _write(self, content: bytes) -> None:
        stream = _there(self._process.stdin)
        # A program that does not read to the end may still answer.
        with contextlib.suppress(OSError):
            write_all(stream, content)
            stream.close()


def _there(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise RuntimeError("the stream was not piped")
    return stream
