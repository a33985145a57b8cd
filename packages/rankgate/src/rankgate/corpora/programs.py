"""Git, which rankgate starts of its own accord; no checkout decides what it runs.

Programs are looked for in absolute folders of PATH alone. git runs with everything switched off by which the
configuration of a repository names a command: hooks, filters, monitors, drivers, transports.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import IO, TYPE_CHECKING

from rankgate.errors import Code, InputError, escaped

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SECONDS = 120
"""How long one question to git may take."""

_LONGEST = 900
_OFF = (
    "--no-pager",
    "--no-replace-objects",
    "--no-optional-locks",
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.sshCommand=false"),
    *("-c", "core.gitProxy="),
    *("-c", "core.askPass="),
    *("-c", "core.alternateRefsCommand="),
    *("-c", "credential.helper="),
    *("-c", "diff.external="),
    *("-c", "protocol.allow=never"),
)
_ALTERNATE = b"alternate: "
# The repository chooses the middle of these names, so that each is switched off by the name it has there.
_DRIVER = re.compile(
    r"(?:filter|diff|merge)\..*\.(?P<key>clean|smudge|process|required|textconv|command|driver)", re.DOTALL
)


def program(name: str) -> str | None:
    """Return where a program is; None where no absolute folder of PATH has it.

    A relative folder, and on Windows the working folder itself, would let a checkout bring its own.

    >>> program("no-such-program") is None
    True
    """
    folders = filter(os.path.isabs, os.environ.get("PATH", os.defpath).split(os.pathsep))
    return next(filter(None, (shutil.which(os.path.join(folder, name)) for folder in folders)), None)  # noqa: PTH118


class Git:
    """One repository, found at a folder and nowhere above it."""

    def __init__(self, folder: Path, where: str) -> None:
        found = program("git")
        if found is None:
            fix = "install git, or name the folder instead"
            raise InputError(Code.GIT_FAILED(where, "no git on this machine", "the git command", fix))
        self._where = where
        self._folder = folder
        self._command = [found, "-C", str(folder), *_OFF]
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
            "GIT_ALLOW_PROTOCOL": "none",
            "GIT_CEILING_DIRECTORIES": str(folder.parent),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "LC_ALL": "C",
        }

    def status(self, *arguments: str) -> bytes | None:
        """Return what git says of the files of this folder, read as they are: no filter is run on them.

        Raises:
            InputError: where git cannot be run here at all.
        """
        listed = self.ask("config", "--list", "--name-only", "-z")
        if listed is None:
            return None
        keys = sorted({os.fsdecode(key) for key in listed.split(b"\0")})
        drivers = [(key, found["key"]) for key in keys if (found := _DRIVER.fullmatch(key))]
        # By the environment, since a name may hold the sign that ends it on the command line.
        off = {"GIT_CONFIG_COUNT": str(len(drivers))}
        for number, (key, kind) in enumerate(drivers):
            off[f"GIT_CONFIG_KEY_{number}"] = key
            off[f"GIT_CONFIG_VALUE_{number}"] = "false" if kind == "required" else ""
        # A repository may name another folder as its own.
        return self.ask(f"--work-tree={self._folder}", "status", *arguments, settings=off)

    def ask(self, *arguments: str, settings: Mapping[str, str] = MappingProxyType({})) -> bytes | None:
        """Run a command and give what it prints; None where it fails for a reason of its own.

        Raises:
            InputError: where git cannot be run here at all.
        """
        try:
            done = subprocess.run(  # noqa: S603 - the arguments are fixed words and object names
                [*self._command, *arguments],
                env={**self._environment, **settings},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
        except (OSError, ValueError, subprocess.TimeoutExpired) as error:
            found = "git that did not answer" if isinstance(error, subprocess.TimeoutExpired) else str(error)
            raise InputError(Code.GIT_FAILED(self._where, found, "an answer from git")) from error
        if done.returncode == 0:
            return done.stdout
        said = done.stderr.decode(errors="replace")
        if "dubious ownership" in said:
            fix = f"if you trust it: git config --global --add safe.directory {self._folder}"
            raise InputError(
                Code.GIT_FAILED(self._where, "a repository that belongs to someone else", "one of yours", fix)
            )
        return None

    def word(self, *arguments: str) -> str | None:
        """Run a command that prints one line."""
        said = self.ask(*arguments)
        return None if said is None else os.fsdecode(said).rstrip("\n") or None

    def object_stores(self) -> list[Path]:
        """Return the folders that objects are read from: its own, and those that alternates name, in turn."""
        own = self.word("rev-parse", "--path-format=absolute", "--git-path", "objects")
        said = (self.ask("count-objects", "-v") or b"").split(b"\n")
        others = [line.removeprefix(_ALTERNATE) for line in said if line.startswith(_ALTERNATE)]
        return [Path(os.fsdecode(_unquoted(place))) for place in (os.fsencode(own or ""), *others)]

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


def _unquoted(name: bytes) -> bytes:
    """Read a name that git wrote, in quotes where it has signs that are not plain."""
    return name[1:-1].decode("unicode_escape").encode("latin-1") if name.startswith(b'"') else name


class Blobs:
    """The contents of blobs, by their hashes."""

    def __init__(self, questions: IO[bytes], answers: IO[bytes], where: str) -> None:
        self._questions = questions
        self._answers = answers
        self._where = where

    def read(self, name: str, path: str) -> Iterator[bytes]:
        """Return the content of one blob in pieces; all are to be read before the next is asked for.

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
        return InputError(
            Code.GIT_FAILED(self._where, f"no content of {escaped(path)!r}", "a whole repository", fix)
        )
