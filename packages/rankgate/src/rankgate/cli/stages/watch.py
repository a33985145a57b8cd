"""Testing again whenever a file is edited that a test is made of, until somebody stops it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import click

from rankgate.cli.stages.watch_worker import START, WatchedCall, WatchedRound
from rankgate.errors import Code, ExitCode, InputError
from rankgate.evaluation.session.watched import FileStates, WatchedFiles, wait_for_edit
from rankgate.model.wording import shortest
from rankgate.reports.evaluation.formats import PAGES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_GRACE = 5.0
"""Seconds that a process has to close its systems."""
_AT_ONCE = 0.5
"""Seconds after which a process that is asking is told to stop."""
_NAMED = 4


def refuse_with_watch(options: dict[str, Any], files: Sequence[tuple[str, Path]]) -> None:
    """Refuse what a test that is repeated cannot do.

    Raises:
        InputError: for the first option of these.
    """
    kept = "a test that is kept: --watch keeps nothing"
    reasons = {
        "--resume": (options["resume"], kept),
        "--fix-mapping": (options["fix_mapping"], "one test: use it without --watch"),
        "--repeat": (options["repeat"] > 1, "each query asked once with --watch"),
        "--deadline": (options["deadline"], "none: a watch has no end of its own"),
        "--report html": (any(style in PAGES for style, _ in files), kept),
        "GITHUB_ACTIONS": (os.environ.get("GITHUB_ACTIONS") == "true", "somebody who edits files"),
    }
    for option, (given, expected) in reasons.items():
        if given:
            raise InputError(Code.CONFLICT("--watch", f"{option} too", expected))


def watch(
    suites: Sequence[Path],
    systems: Sequence[str | None],
    options: dict[str, Any],
    files: Sequence[tuple[str, Path]],
) -> int:
    """Test, and test again after every edit, until Ctrl-C; return the exit code of the last test.

    Args:
        suites: The suites.
        systems: The systems; None for the one that the configuration tests.
        options: The options of the command.
        files: Reports that are written each time: their formats and files.
    """
    options = {**options, "deadline": None}
    if click.get_current_context().get_parameter_source("follow_ups") is click.core.ParameterSource.DEFAULT:
        # What finds out why a query failed asks further questions, every time.
        options["follow_ups"] = 0
    call = WatchedCall(
        tuple(map(str, suites)),
        tuple(systems),
        options,
        tuple((style, str(path)) for style, path in files),
        shutil.get_terminal_size().columns if sys.stdout.isatty() else None,
    )
    code, keys = int(ExitCode.INTERRUPTED), _EnterKey()
    states, watched, edited = FileStates(), WatchedFiles(), []  # type: FileStates, WatchedFiles, list[Path]
    worker = _Worker(call)
    try:
        while True:
            states, started = FileStates.of(watched), time.time()
            done = worker.test([str(shortest(path)) for path in edited])
            code = done.exit_code
            # What could not be told this time is as it was.
            watched = done.watched | watched if done.projects else done.watched
            _show(done, watched, keys)
            states = states.read_since(started, watched)
            edited = wait_for_edit(states, watched, keys.pressed)
            if not edited:
                worker.restart()
    except KeyboardInterrupt:
        click.echo()
        return code
    finally:
        worker.end()


class _Worker:
    """The process that asks; a new one where its systems are not those of the files any more."""

    def __init__(self, call: WatchedCall) -> None:
        self._call = call
        self._process: subprocess.Popen[str] | None = None

    def test(self, edited: Sequence[str]) -> WatchedRound:
        """Test all of the call."""
        done = self._tested(edited)
        if done.changed:
            self.restart()
            done = self._tested(edited)
        return done

    def restart(self) -> None:
        """End the process; the next test starts another, which asks everything."""
        self.end()
        self._process = None

    def end(self) -> None:
        """Let the process close its systems, and end it where it does not."""
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            return
        process.stdin.close()
        for seconds, stop in ((_AT_ONCE, _interrupt), (_GRACE, subprocess.Popen.kill)):
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                stop(process)
        process.wait()
        process.stdout.close()

    def _tested(self, edited: Sequence[str]) -> WatchedRound:
        process = self._process or self._started()
        assert process.stdin is not None  # noqa: S101 - it is a pipe
        assert process.stdout is not None  # noqa: S101 - as above
        try:
            process.stdin.write(json.dumps(list(edited)) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if line:
            return WatchedRound(**json.loads(line))
        code = process.wait()
        self.restart()
        how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        words = f"The process of the system ended {how} before it was done. What it printed is above.\n"
        return WatchedRound(words, projects=(os.getcwd(),))  # noqa: PTH109 - a name, for JSON

    def _started(self) -> subprocess.Popen[str]:
        from dataclasses import asdict

        command = [sys.executable, "-P", "-c", START, json.dumps(sys.path)]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(  # noqa: S603 - this Python
            command, stdin=pipe, stdout=pipe, text=True, encoding="utf-8"
        )
        assert self._process.stdin is not None  # noqa: S101 - it is a pipe
        self._process.stdin.write(json.dumps(asdict(self._call)) + "\n")
        return self._process


def _interrupt(process: subprocess.Popen[str]) -> None:
    process.terminate() if os.name == "nt" else process.send_signal(signal.SIGINT)


class _EnterKey:
    """Knows whether Enter was pressed in a terminal."""

    def __init__(self) -> None:
        self._pressed = threading.Event()
        self.heard = sys.stdin is not None and sys.stdin.isatty()
        """True where somebody can press it."""
        if self.heard:
            threading.Thread(target=self._listen, daemon=True).start()

    def pressed(self) -> bool:
        """Return whether it was pressed since this was last asked."""
        was = self._pressed.is_set()
        self._pressed.clear()
        return was

    def _listen(self) -> None:
        # Past Python's own buffer, whose lock a thread may not hold when the process ends.
        while os.read(0, 1024):
            self._pressed.set()


def _show(done: WatchedRound, watched: WatchedFiles, keys: _EnterKey) -> None:
    """Print what came of a test, on an empty screen where there is one."""
    if sys.stdout.isatty():
        click.clear()
    ends = f"Ctrl-C ends with exit code {done.exit_code}"
    more = "; Enter asks everything again" if keys.heard else ""
    click.echo(f"{done.screen}\nWatching {_named(watched)}. {ends}{more}.")
    sys.stdout.flush()


def _named(watched: WatchedFiles) -> str:
    folders = [f"{shortest(path)}{os.sep}" for path in sorted(watched.folders | watched.projects)]
    names = [*(str(shortest(path)) for path in sorted(watched.files)), *folders]
    more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED + 1 else []
    shown = names[: _NAMED if more else None] + more
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
