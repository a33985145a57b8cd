"""The other side of `isolated`: opens a system and answers questions, one line of JSON each."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import threading
import time
from typing import TYPE_CHECKING, Any

from rankgate.errors import Problem, RankgateError, RetriableError
from rankgate.model.search import Query
from rankgate.systems.failures import TimedOutError, told
from rankgate.systems.opening import open_system

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_GRACE = 2.0


def serve() -> None:
    """Open the system that the first line describes, then answer every line."""
    # The system, and what it starts, may print and read; these two pipes are ours alone.
    answers, questions = os.fdopen(os.dup(1), "wb", buffering=0), os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    system: Any = None
    for line in _lines(questions):
        try:
            asked = json.loads(line)
            if system is None:
                system, answer = _opened(asked)
            else:
                answer = _answered(system, asked)
            said = json.dumps(answer)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - told to whoever asked
            said = json.dumps({"error": _told(error)})
        try:
            _write(answers, said.encode() + b"\n")
        except BrokenPipeError:
            # Whoever asked is gone.
            break
    if hasattr(system, "close"):
        with contextlib.suppress(Exception, SystemExit):
            system.close()


def _lines(questions: Iterable[bytes]) -> Iterator[bytes]:
    """Give the questions; where whoever asks is gone, a system that hangs does not stay behind."""
    waiting: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()

    def read() -> None:
        for line in questions:
            waiting.put(line)
        waiting.put(None)
        time.sleep(_GRACE)
        if os.name == "posix":
            os.killpg(os.getpgrp(), signal.SIGKILL)
        os._exit(1)

    threading.Thread(target=read, daemon=True).start()
    return iter(waiting.get, None)


def _opened(asked: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    system = open_system(asked["name"], asked["described"])
    version = getattr(system, "version", None)
    return system, {"version": version, "description": getattr(system, "describe", dict)()}


def _answered(system: Any, asked: dict[str, Any]) -> dict[str, Any]:
    filters = {
        name: tuple(value) if isinstance(value, list) else value for name, value in asked["filters"].items()
    }
    before = _counts(system)
    ranking = system.search(Query(asked["text"], asked["k"], filters))
    hits = [
        (
            hit.id,
            hit.path,
            None if hit.lines is None else (hit.lines.start, hit.lines.end),
            hit.score,
            hit.text,
            hit.tokens,
            hit.matches,
        )
        for hit in ranking.hits
    ]
    lost = {name: count - before[name] for name, count in _counts(system).items()}
    return {"hits": hits, "tokens": ranking.tokens, **lost}


def _counts(system: Any) -> dict[str, int]:
    return {name: getattr(system, name, 0) for name in ("dropped", "unmatched_lines")}


def _told(error: BaseException) -> dict[str, Any]:
    problems = error.problems if isinstance(error, RankgateError) else ()
    if not problems:
        problems = (Problem("system", told(error), "an answer"),)
    kind = "TimedOutError" if isinstance(error, (TimedOutError, TimeoutError)) else type(error).__name__
    retriable = isinstance(error, RetriableError)
    return {
        "kind": "RetriableError" if retriable else kind,
        "problems": [(one.where, one.found, one.expected, one.fix) for one in problems],
        "retry_after": error.retry_after if isinstance(error, RetriableError) else None,
        "status": error.status if isinstance(error, RetriableError) else None,
    }


def _write(stream: Any, line: bytes) -> None:
    left = memoryview(line)
    while left:
        left = left[stream.write(left) :]
