"""Calling ``rankgate`` as a shell does, in this process or in one of its own."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import TYPE_CHECKING
from unittest.mock import patch

from rankgate.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True)
class Done:
    """How a command ended, and what it wrote."""

    code: int | str | None
    out: str
    err: str
    warned: str = ""
    """What was said of a command that goes with the next release."""

    def refused(self) -> str:
        """Check that the call ended with exit code 2 and a message; return the message."""
        assert self.code == 2, (self.code, self.err)
        assert self.out == ""
        assert "Traceback" not in self.err
        # A test prints its first screen, also of an error; other commands print the error alone.
        assert self.err.startswith(("error: ", "✗ "))
        return self.err

    def printed(self) -> str:
        """Check that the call was answered, and give the answer."""
        assert self.code == 0, (self.code, self.err)
        assert self.err == ""
        return self.out


_CI = os.environ.get("CI")


def rankgate(*args: str | Path) -> Done:
    """Call the command line in this process; an error that it does not handle comes through."""
    out, err = io.StringIO(), io.StringIO()
    quiet = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    if quiet.get("CI") == _CI:
        # Progress is written line by line in CI; a test that is about CI sets it to something else.
        quiet.pop("CI", None)
    code: int | str | None = None
    with (
        patch.dict(os.environ, quiet, clear=True),
        patch.object(sys, "argv", ["rankgate", *map(str, args)]),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as ended:
            code = ended.code
    said = err.getvalue().splitlines(keepends=True)
    warned = [line for line in said if line.endswith("goes with the next release: use rankgate suite fix\n")]
    return Done(code, out.getvalue(), "".join(line for line in said if line not in warned), "".join(warned))


def rankgate_alone(*args: str | Path, timeout: float = 60, env: Mapping[str, str] | None = None) -> Done:
    """Call the command line in a process of its own, and end it if it hangs."""
    done = subprocess.run(
        [sys.executable, "-m", "rankgate", *map(str, args)],
        capture_output=True,
        timeout=timeout,
        env={**os.environ, **(env or {})},
        check=False,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode(errors="replace"))
