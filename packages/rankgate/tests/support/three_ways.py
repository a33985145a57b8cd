"""Asking for the verdict on one state three ways: by the command line, by Python and by pytest."""

from __future__ import annotations

import json
import re
from contextlib import chdir
from typing import TYPE_CHECKING

import rankgate as rg
from rankgate.evaluation.session.suite_session import SuiteSession
from rankgate.model import Counts, ExitCode, GateOutcome, State, Status, SuiteVerdict
from support.commands import rankgate
from support.pytest_sessions import PLUGINS, run_pytest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def one_verdict(
    folder: Path, suite: str = "search.yaml", system: str = "app", plugins: Sequence[str] = PLUGINS
) -> SuiteVerdict:
    """Ask all three ways from a folder, check that they agree to the last count, and return the verdict."""
    with chdir(folder):
        command = _by_command(folder, suite, system)
        python = rg.evaluate(rg.load_suite(suite), system).verdict
        session = SuiteSession.of((folder / suite).resolve(), system)
        try:
            by_pytest = session.verdict()
        finally:
            session.close()
    assert (command.state, command.exit_code, command.gates) == (python.state, python.exit_code, python.gates)
    assert by_pytest == python
    done = run_pytest(folder, suite, "--rankgate-system", system, plugins=plugins)
    printed = re.findall(r"rankgate: exit code (\d+)", done.out)
    assert [int(code) for code in printed] == [python.exit_code], done.out
    assert done.code == (1 if python.exit_code else 0), done.out
    return python


def _by_command(folder: Path, suite: str, system: str) -> SuiteVerdict:
    before = set(folder.rglob("verdicts.json"))
    for file in before:
        file.unlink()
    done = rankgate("test", suite, "--system", system)
    (file,) = folder.rglob("verdicts.json")
    found = json.loads(file.read_text(encoding="utf-8"))
    assert done.code == found["exit_code"]
    gates = tuple(
        GateOutcome(one["gate"], Status(one["status"]), Counts(**one["counts"])) for one in found["verdicts"]
    )
    return SuiteVerdict(State(found["state"]), ExitCode(found["exit_code"]), gates)
