"""A reader that has seen enough closes the pipe: that is no crash of rankgate."""

from __future__ import annotations

import subprocess
import sys

import pytest

from rankgate.errors import ExitCode


@pytest.mark.parametrize("arguments", [["list", "formats"], ["list", "metrics"], ["--help"]])
def test_a_closed_output_ends_a_command_quietly(arguments: list[str]) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "rankgate", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    _, said = process.communicate(timeout=60)
    assert said == b""
    assert process.returncode in (ExitCode.CLOSED_PIPE, ExitCode.PASSED)
    if arguments[0] == "list":
        assert process.returncode == ExitCode.CLOSED_PIPE
