"""A system in a process of its own, so that one that hangs or crashes costs one question and not the run.

The process is started with the system, ended when a question is not answered in time, and started anew for
the next. Questions and answers are lines of JSON; what the system itself prints goes to standard error.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, fields
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from rankgate.containment import contained, let_processes_end
from rankgate.errors import Code, InputError, Problem, RankgateError, RetriableError, SystemFailedError
from rankgate.model.locations import Lines
from rankgate.model.search import Hit, Query, Ranking
from rankgate.model.systems import (
    SystemBase,
    SystemContents,
    close_system,
    contents_of,
    counts_of,
    description_of,
    system_version,
    unknown_of,
)
from rankgate.systems.adapter.failures import TimedOutError, printable, told
from rankgate.systems.adapter.process import ending, signal_group, write_all
from rankgate.systems.registry import open_system

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

START_TIMEOUT = 120.0
"""How many seconds a system has to open: an index or a model may take a while."""
TIMEOUT = 30.0
"""How many seconds it has to answer, where the configuration does not say."""
RESTART_TIMEOUT = 5.0
"""Seconds it has at least to open anew; more where its time-out is longer, or its first start was."""
_LONGEST_ANSWER = 64 << 20
_TIMES_THE_FIRST = 5
_GRACE = 1.0
_CHUNK = 1 << 16
_PIPE_HOLDS = 4096
_START = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from rankgate.systems.isolated import serve
serve()
"""
_GRACE_OF_THE_CHILD = 2.0
_PARTS = attrgetter(*(item.name for item in fields(Hit)))


@dataclass(frozen=True, slots=True)
class _Ended:
    """Said by the reader: there will be no more lines, and why."""

    why: str


class IsolatedSystem(SystemBase):
    """Asks a system that lives in another process.

    Raises:
        InputError: where the system does not open, as it would here.
    """

    thread_safe = False

    def __init__(self, name: str, described: Mapping[str, object], timeout: float = TIMEOUT) -> None:
        if not timeout > 0:
            raise InputError(Code.WRONG_VALUE(f"{name}.timeout", f"{timeout:g}", "more than 0"))
        super().__init__(name)
        self.version: str | None = None
        self._restarts = 0
        self._described = dict(described)
        self._timeout = timeout
        self._description: dict[str, object] = {}
        self._child: _Child | None = None
        begun = time.monotonic()
        self._start(START_TIMEOUT)
        longest = max(RESTART_TIMEOUT, timeout, _TIMES_THE_FIRST * (time.monotonic() - begun))
        self._restart_timeout = min(START_TIMEOUT, longest)

    @property
    def restarts(self) -> int:
        """How often the process was ended and started anew."""
        return self._restarts

    def search(self, query: Query) -> Ranking:
        """Ask, and end the process where it does not answer in time.

        Raises:
            SystemFailedError: for what the system raises, and where its process ends.
            TimedOutError: where there is no answer in time.
        """
        child = self._child or self._started_late()
        asked = {"text": query.text, "k": query.k, "filters": dict(query.filters)}
        answer = child.ask(asked, self._timeout)
        if isinstance(answer, _Ended):
            now = "restarted" if self._restarted() else "could not be restarted"
            where, late = f"process of {self.name}", not answer.why
            found = f"no answer after {self._timeout:g} s" if late else answer.why
            kind, code = (TimedOutError, Code.TIMED_OUT) if late else (SystemFailedError, Code.PROGRAM_FAILED)
            raise kind(code(where, found, "an answer", f"it was ended, and {now}"))
        if "error" in answer:
            raise _error(answer["error"])
        self.count(dropped=answer["dropped"], unmatched_lines=answer["unmatched_lines"])
        return _ranking(answer)

    def another(self) -> IsolatedSystem:
        """Open the system once more, in one more process."""
        return IsolatedSystem(self.name, self._described, self._timeout)

    def describe(self) -> dict[str, object]:
        """Return the options, for the manifest of a run."""
        return {**self._description, "isolate": "process", "timeout": self._timeout}

    def contents(self) -> Mapping[str, str]:
        """Return what the system says of its contents, in its process."""
        return self._contents.known

    def unknown(self) -> tuple[str, ...]:
        """Return what the system says cannot be known."""
        return self._contents.unknown

    @cached_property
    def _contents(self) -> SystemContents:
        child = self._child or self._started_late()
        answer = child.ask({"contents": True}, START_TIMEOUT)
        if isinstance(answer, _Ended) or "error" in answer:
            return SystemContents()
        return SystemContents(answer["known"], tuple(answer["unknown"]))

    def close(self) -> None:
        """Let the system close, and end its process."""
        child, self._child = self._child, None
        if child is not None:
            child.end(_GRACE)

    def _start(self, seconds: float) -> _Child:
        child = _Child()
        answer = child.ask({"name": self.name, "described": self._described}, seconds)
        if isinstance(answer, _Ended):
            child.end()
            found = answer.why or f"not open after {seconds:.3g} s"
            raise InputError(
                Code.NOT_STARTED(f"system {self.name}", found, "to open in a process of its own")
            )
        if "error" in answer:
            child.end()
            raise InputError(_problems(answer["error"]))
        self.version, self._description = answer["version"], answer["description"]
        self._child = child
        return child

    def _restarted(self) -> bool:
        """Start anew now, so that the time it takes is part of no other question's latency."""
        child, self._child = self._child, None
        if child is not None:
            child.end()
        self._restarts += 1
        # Where it does not open any more, the next question tries once more and says so.
        with contextlib.suppress(InputError):
            self._start(self._restart_timeout)
        return self._child is not None

    def _started_late(self) -> _Child:
        try:
            return self._start(self._restart_timeout)
        except InputError as error:
            raise SystemFailedError(error.problems) from None


class _Child:
    """The process, and the thread that reads what it answers."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own code, and the user's as it is configured
            [sys.executable, "-P", "-c", _START, json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            start_new_session=os.name == "posix",
        )
        self._lines: queue.SimpleQueue[bytes | _Ended] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def ask(self, question: Mapping[str, object], seconds: float) -> Any:
        """Send a line and wait for one; `_Ended` with no reason where the time is over."""
        end = time.monotonic() + seconds
        line = json.dumps(question).encode() + b"\n"
        if len(line) <= _PIPE_HOLDS:
            self._write(line)
        else:
            # The process may hang before it has read the line.
            threading.Thread(target=self._write, args=(line,), daemon=True).start()
        try:
            found = self._lines.get(timeout=max(0.0, end - time.monotonic()))
        except queue.Empty:
            return _Ended("")
        return found if isinstance(found, _Ended) else json.loads(found)

    def end(self, grace: float = 0.0) -> None:
        """End the process and whatever it started, after the time that it has to end by itself."""
        if grace and self._process.stdin is not None:
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                self._process.stdin.close()
                self._process.wait(grace)
        signal_group(self._process)
        self._process.wait()
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()

    def _write(self, line: bytes) -> None:
        with contextlib.suppress(OSError, ValueError):
            if self._process.stdin is not None:
                write_all(self._process.stdin, line)

    def _read(self) -> None:
        stream, kept = self._process.stdout, bytearray()
        if stream is None:
            return
        with stream:
            while chunk := stream.read(_CHUNK):
                kept += chunk
                if len(kept) > _LONGEST_ANSWER:
                    self._lines.put(_Ended(f"an answer of more than {_LONGEST_ANSWER >> 20} MB"))
                    return
                if b"\n" in chunk:
                    *whole, kept = kept.split(b"\n")
                    for line in whole:
                        self._lines.put(bytes(line))
        code = self._process.wait()
        self._lines.put(_Ended(f"the end of the process ({ending(code)})"))


def _error(said: Mapping[str, Any]) -> SystemFailedError:
    problems = _problems(said)
    if said["kind"] == "RetriableError":
        return RetriableError(problems, said["retry_after"], said["status"])
    return (TimedOutError if said["kind"] == "TimedOutError" else SystemFailedError)(problems)


def _problems(said: Mapping[str, Any]) -> list[Problem]:
    return [Code(code)(*map(printable, parts)) for code, *parts in said["problems"]]


def _ranking(answer: Mapping[str, Any]) -> Ranking:
    hits = (
        Hit(name, path, None if lines is None else Lines(*lines), *rest)
        for name, path, lines, *rest in answer["hits"]
    )
    return Ranking(tuple(hits), answer["tokens"])


def serve() -> None:
    """Open the system that the first line describes, then answer every line."""
    # The system, and what it starts, may print and read; these two pipes are ours alone.
    answers, questions = os.fdopen(os.dup(1), "wb", buffering=0), os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    system: Any = None
    let_processes_end()
    for line in _lines(questions):
        try:
            asked = json.loads(line)
            with contained():
                if system is None:
                    system, answer = _opened(asked)
                elif "contents" in asked:
                    answer = {"known": dict(contents_of(system)), "unknown": unknown_of(system)}
                else:
                    answer = _answered(system, asked)
                said = json.dumps(answer)
        except Exception as error:  # noqa: BLE001 - told to whoever asked
            said = json.dumps({"error": _told(error)})
        try:
            write_all(answers, said.encode() + b"\n")
        except BrokenPipeError:
            # Whoever asked is gone.
            break
    with contextlib.suppress(Exception):
        close_system(system)


def _lines(questions: Iterable[bytes]) -> Iterator[bytes]:
    """Return the questions; where whoever asks is gone, a system that hangs does not stay behind."""
    waiting: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()

    def read() -> None:
        for line in questions:
            waiting.put(line)
        waiting.put(None)
        time.sleep(_GRACE_OF_THE_CHILD)
        if os.name == "posix":
            os.killpg(os.getpgrp(), signal.SIGKILL)
        os._exit(1)

    threading.Thread(target=read, daemon=True).start()
    return iter(waiting.get, None)


def _opened(asked: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    system = open_system(asked["name"], asked["described"])
    return system, {"version": system_version(system), "description": description_of(system)}


def _answered(system: Any, asked: dict[str, Any]) -> dict[str, Any]:
    filters = {
        name: tuple(value) if isinstance(value, list) else value for name, value in asked["filters"].items()
    }
    before = counts_of(system)
    ranking = system.search(Query(asked["text"], asked["k"], filters))
    hits = [
        [(part.start, part.end) if isinstance(part, Lines) else part for part in _PARTS(hit)]
        for hit in ranking.hits
    ]
    after = counts_of(system)
    lost = {name: after[name] - before[name] for name in ("dropped", "unmatched_lines")}
    return {"hits": hits, "tokens": ranking.tokens, **lost}


def _told(error: BaseException) -> dict[str, Any]:
    problems = error.problems if isinstance(error, RankgateError) else ()
    if not problems:
        problems = (Code.SYSTEM_RAISED("system", told(error), "an answer"),)
    kind = "TimedOutError" if isinstance(error, (TimedOutError, TimeoutError)) else type(error).__name__
    retriable = isinstance(error, RetriableError)
    return {
        "kind": "RetriableError" if retriable else kind,
        "problems": [(one.code, one.where, one.found, one.expected, one.fix, one.said) for one in problems],
        "retry_after": error.retry_after if isinstance(error, RetriableError) else None,
        "status": error.status if isinstance(error, RetriableError) else None,
    }
