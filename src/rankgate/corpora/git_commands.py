"""Git asked about objects, and nothing else: no hook, no filter, no fetch, no configured program runs.

A suite may come from anyone, and a folder of a project may pretend to be a repository, with a configuration
of its own. The commands used here read objects; what a configuration could start on the way (a lazy fetch
through a transport, a file system monitor, a pager) is switched off.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

from rankgate.errors import InputError, Problem, escaped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SECONDS = 120
"""How long one question may take."""

_LONGEST = 900
_OFF = (
    "--no-pager",
    "--no-replace-objects",
    "--no-optional-locks",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "protocol.allow=never",
)


class Git:
    """One repository, found at a folder and nowhere above it."""

    def __init__(self, folder: Path, where: str) -> None:
        program = shutil.which("git")
        if program is None:
            fix = "install git, or name the folder instead"
            raise InputError(Problem(where, "no git on this machine", "the git command", fix))
        self._where = where
        self._folder = folder
        self._command = [program, "-C", str(folder), *_OFF]
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
            "GIT_ALLOW_PROTOCOL": "none",
            "GIT_CEILING_DIRECTORIES": str(folder.parent),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "LC_ALL": "C",
        }

    def ask(self, *arguments: str) -> bytes | None:
        """Run a command and give what it prints; None where it fails for a reason of its own.

        Raises:
            InputError: where git cannot be run here at all.
        """
        try:
            done = subprocess.run(  # noqa: S603 - the arguments are fixed words and object names
                [*self._command, *arguments],
                env=self._environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
        except (OSError, ValueError, subprocess.TimeoutExpired) as error:
            found = "git that did not answer" if isinstance(error, subprocess.TimeoutExpired) else str(error)
            raise InputError(Problem(self._where, found, "an answer from git")) from error
        if done.returncode == 0:
            return done.stdout
        said = done.stderr.decode(errors="replace")
        if "dubious ownership" in said:
            fix = f"if you trust it: git config --global --add safe.directory {self._folder}"
            raise InputError(
                Problem(self._where, "a repository that belongs to someone else", "one of yours", fix)
            )
        return None

    def word(self, *arguments: str) -> str | None:
        """Run a command that prints one line."""
        said = self.ask(*arguments)
        return None if said is None else os.fsdecode(said).rstrip("\n") or None

    @contextmanager
    def blobs(self) -> Iterator[Blobs]:
        """Read objects one after another, through one process."""
        process = subprocess.Popen(  # noqa: S603 - as above
            [*self._command, "cat-file", "--batch"],
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        watch = threading.Timer(_LONGEST, process.kill)
        watch.start()
        try:
            if process.stdin is not None and process.stdout is not None:
                yield Blobs(process.stdin, process.stdout, self._where)
        finally:
            watch.cancel()
            process.kill()
            process.communicate()


class Blobs:
    """The contents of blobs, by their hashes."""

    def __init__(self, questions: IO[bytes], answers: IO[bytes], where: str) -> None:
        self._questions = questions
        self._answers = answers
        self._where = where

    def read(self, name: str, path: str) -> Iterator[bytes]:
        """Give the content of one blob in pieces; all are to be read before the next is asked for.

        Raises:
            InputError: for an object that the repository does not have.
        """
        try:
            self._questions.write(f"{name}\n".encode())
            self._questions.flush()
            header = self._answers.readline(200).split()
        except OSError:
            header = []
        if len(header) != 3 or header[1] != b"blob":
            raise self._missing(path)
        left = int(header[2])
        while left:
            chunk = self._answers.read(min(left, 1 << 16))
            if not chunk:
                raise self._missing(path)
            left -= len(chunk)
            yield chunk
        self._answers.read(1)

    def _missing(self, path: str) -> InputError:
        fix = "a partial clone lacks objects: clone it whole; else run git fsck"
        return InputError(Problem(self._where, f"no content of {escaped(path)!r}", "a whole repository", fix))
