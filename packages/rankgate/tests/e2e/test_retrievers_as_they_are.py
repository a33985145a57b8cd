"""Retrievers of LangChain, LlamaIndex and Haystack as they are, tested where these are installed."""

from __future__ import annotations

import os
import re
import subprocess

import pytest

from support.repository import ROOT

PROGRAM = ROOT / ".fixtures" / "frameworks-venv" / "bin" / "rankgate"
TESTS = ROOT / "packages" / "rankgate" / "tests"


@pytest.mark.once
def test_the_frameworks_are_asked_as_they_are() -> None:
    if not PROGRAM.is_file():
        reason = "the frameworks are not here: run `just frameworks`"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    settings = ["-c", os.devnull, f"--rootdir={TESTS}", "--noconftest", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [PROGRAM.with_name("python"), "-m", "pytest", "-q", *settings, TESTS / "frameworks"],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^\d+ passed in", done.stdout, re.MULTILINE), done.stdout
