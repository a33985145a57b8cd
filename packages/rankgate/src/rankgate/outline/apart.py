"""tree-sitter in a process of its own, which may loop, crash or run out of memory and takes nobody with it.

Such texts are short and not always hostile: on ``[t's/*'i=[}a`(1"*/`` the grammar of TypeScript 0.23 never
ends, and 100 kB of ``a<`` cost that of Java 4 GB. One process serves all the files that this one outlines.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from atexit import register
from contextlib import suppress
from importlib.util import find_spec
from pathlib import PurePosixPath
from threading import Lock, Timer
from typing import IO, Any, cast

from rankgate.errors import FormatError, Problem
from rankgate.outline.languages import languages_of
from rankgate.outline.nodes import OutlineNode
from rankgate.outline.tree import outline_tree

# Of the processor, where the system can count it: real code takes 1 or 2 seconds a megabyte.
_SECONDS, _SECONDS_A_MEGABYTE = 2.0, 4.0
# By the clock, whatever else the machine does.
_PATIENCE = 15
_MEMORY = 3 << 30
_FIX = "name lines instead of a symbol, path:10-50"
_START = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from rankgate.outline.apart import serve
serve()
"""


def outline_apart(path: str, text: str, suffix: str | None = None) -> list[OutlineNode]:
    """List the definitions of a file, as `outline_tree` does, in the language that its suffix tells.

    Raises:
        FormatError: where the grammar is not installed, the file nests too deeply, or tree-sitter gives up.
    """
    suffix = suffix or PurePosixPath(path).suffix.lower()
    name = _installed(path, suffix)
    answer = _CHILD.ask({"path": path, "text": text, "suffix": suffix}, len(text) / 1e6)
    if answer is None:
        found = f"what tree-sitter cannot read as {name}: it did not end, or ended the process"
        raise FormatError(Problem(path, found, name, _FIX))
    if "problems" in answer:
        raise FormatError([Problem(*problem) for problem in answer["problems"]])
    return [
        OutlineNode(kind, names[-1], tuple(names), start, end, level=len(names), comment_lines=comment)
        for kind, names, start, end, comment in answer["nodes"]
    ]


def _installed(path: str, suffix: str) -> str:
    languages = languages_of(suffix)
    for package in ("tree_sitter", *(language.package for language in languages)):
        if find_spec(package) is None:
            found = f"{languages[0].name}, whose outline needs an extra"
            fix = "pip install 'rankgate[code]', or name lines, path:10-50"
            raise FormatError(Problem(path, found, "the grammar to be installed", fix))
    return languages[0].name


class _Child:
    """A process that answers one question at a time, started anew after one that it does not survive."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._lock = Lock()

    def ask(self, question: dict[str, Any], megabytes: float) -> dict[str, Any] | None:
        """Put a question; None where there is no answer in time."""
        with self._lock:
            process = self._running()
            limit = _SECONDS + _SECONDS_A_MEGABYTE * megabytes
            timer = Timer(limit * _PATIENCE, process.kill)
            timer.start()
            try:
                stdin, stdout = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
                stdin.write(json.dumps({**question, "seconds": limit}).encode() + b"\n")
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
            command = [sys.executable, "-P", "-c", _START, json.dumps(sys.path)]
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)  # noqa: S603
            self._owner = os.getpid()
        return self._process


_CHILD = _Child()
register(_CHILD.stop)


def serve() -> None:
    """Answer questions from standard input until it ends."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for line in sys.stdin.buffer:
        question = json.loads(line)
        # The signal ends the process in the midst of C, which no handler of Python could.
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_VIRTUAL, question["seconds"])
        answer = json.dumps(_answer(question))
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        sys.stdout.buffer.write(answer.encode() + b"\n")
        sys.stdout.buffer.flush()


def _answer(question: dict[str, str]) -> dict[str, Any]:
    languages = languages_of(question["suffix"])
    try:
        nodes = outline_tree(question["path"], question["text"], *languages)
    except FormatError as error:
        return {"problems": [(one.where, one.found, one.expected, one.fix) for one in error.problems]}
    except MemoryError:
        problem = (question["path"], "what fills the memory", languages[0].name, _FIX)
        return {"problems": [problem]}
    return {"nodes": [(node.kind, node.path, node.start, node.end, node.comment_lines) for node in nodes]}
