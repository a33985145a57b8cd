"""A process that reads what may loop, crash or run out of memory, so that it takes nobody with it.

It answers one question at a time, as lines of JSON, and is started anew after one that it does not survive.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from atexit import register
from contextlib import suppress
from threading import Lock, Timer
from typing import IO, TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable

# By the clock, whatever else the machine does.
_PATIENCE = 15
_START = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from {module} import serve
serve()
"""


class ReaderProcess:
    """A process that runs the ``serve`` of a module; ended with this one."""

    def __init__(self, module: str) -> None:
        self._start = _START.format(module=module)
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._lock = Lock()
        register(self.stop)

    def ask(self, question: dict[str, Any], seconds: float) -> dict[str, Any] | None:
        """Put a question; None where there is no answer in so many seconds of the processor."""
        with self._lock:
            process = self._running()
            timer = Timer(seconds * _PATIENCE, process.kill)
            timer.start()
            try:
                stdin, stdout = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
                stdin.write(json.dumps({**question, "seconds": seconds}).encode() + b"\n")
                stdin.flush()
                line = stdout.readline()
            except OSError:
                line = b""
            finally:
                timer.cancel()
            if line.endswith(b"\n"):
                return cast("dict[str, Any]", json.loads(line))
            self.stop()
            return None

    def stop(self) -> None:
        """End the process, if this one started it."""
        process, self._process = self._process, None
        if process is not None and self._owner == os.getpid():
            process.kill()
            with suppress(OSError):
                process.communicate()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._owner == os.getpid() and self._process.poll() is not None:
            self.stop()
        if self._process is None or self._owner != os.getpid():
            command = [sys.executable, "-P", "-c", self._start, json.dumps(sys.path)]
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)  # noqa: S603
            self._owner = os.getpid()
        return self._process


def answer_questions(answer: Callable[[dict[str, Any]], dict[str, Any]], memory: int) -> None:
    """Write an answer for every question of standard input until it ends, with so many bytes of memory."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for line in sys.stdin.buffer:
        question = json.loads(line)
        # The signal ends the process in the midst of C, which no handler of Python could.
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_VIRTUAL, question["seconds"])
        said = json.dumps(answer(question))
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        sys.stdout.buffer.write(said.encode() + b"\n")
        sys.stdout.buffer.flush()
