"""What rankgate reports about a state: by Python, by the command line and by pytest."""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from verdicts.project import SUITE, State, write_project
from verdicts.reference import GateResult, Outcome

EXIT_CODE = re.compile(r"rankgate: exit code (\d+)")


@dataclass(frozen=True)
class Observed:
    """A verdict of rankgate in the words of the reference."""

    exit_code: int
    report: Mapping[str, Any] | None = None
    """The JSON report; null if the suite or the call is invalid."""
    output: str = ""

    def cases(self) -> dict[str, str]:
        return {case["name"]: _words(case) for case in (self.report or {})["cases"]}

    def gates(self) -> tuple[GateResult, ...]:
        return tuple(
            GateResult(
                gate["gate"], gate["state"], gate["value"] or 0.0, gate["count"], tuple(gate["queries"])
            )
            for gate in (self.report or {})["gates"]
        )

    def regressed(self) -> set[str]:
        """Return the regressed queries, without unstable ones."""
        cases = (self.report or {})["cases"]
        worse = ("regressed", "unknown")
        return {case["name"] for case in cases if case["change"] in worse and not case["unstable"]}

    def listed(self, name: str) -> list[str]:
        return list(((self.report or {})["comparison"] or {}).get(name, []))


def _words(case: Mapping[str, Any]) -> str:
    known, state, change = case["known"], str(case["state"]), case["change"]
    if known:
        words = [*["failed"] * (state == "failed"), "known miss", *["passes"] * known["passes"]]
        return " ".join(words)
    words = [state, *[str(change)] * bool(change)]
    # An unstable query that is not scored has no word; all of them are in the list of unstable queries.
    return " ".join([*words, *["unstable"] * (case["unstable"] and bool(change))])


def by_python(folder: Path, state: State) -> Observed:
    """Test a project by `rankgate.flow`."""
    from rankgate.errors import RankgateError
    from rankgate.flow import run_test

    suite = write_project(folder, state)
    try:
        with _inside(folder):
            report = run_test(suite, state.run.system, only=state.only or (), today=state.today).report
    except RankgateError as error:
        return Observed(int(error.exit_code), output=str(error))
    return Observed(report.exit_code, asdict(report))


def by_command(folder: Path, state: State) -> Observed:
    """Test a project by `rankgate test`."""
    write_project(folder, state)
    only = [word for name in state.only or () for word in ("--only", name)]
    return by_command_in(folder, SUITE, "--system", state.run.system, *only)


def by_command_in(folder: Path, *arguments: str) -> Observed:
    """Run `rankgate test` in a folder."""
    path = folder / "report.json"
    path.unlink(missing_ok=True)
    code, output = run_command(folder, "test", *arguments, "-o", "json=report.json")
    report = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return Observed(code, report if report.get("cases") else None, output)


def run_command(folder: Path, *arguments: str) -> tuple[int, str]:
    """Run `rankgate` in this process, and return the exit code and what it prints."""
    from rankgate.cli.main import main

    code, output = 0, io.StringIO()
    with _inside(folder), _captured(output), patch.object(sys, "argv", ["rankgate", *arguments]):
        try:
            main()
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return code, output.getvalue()


def by_pytest(folder: Path, state: State) -> Observed:
    """Test a project by pytest, and return the exit code that it prints."""
    import pytest

    from rankgate import pytest_plugin

    write_project(folder, state)
    output = io.StringIO()
    options = ["-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", ".", "--rankgate-system"]
    isolated = patch.dict(os.environ, {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})
    with _inside(folder), _captured(output), isolated:
        pytest.main([*options, state.run.system, "-W", "ignore", SUITE], [pytest_plugin])
    found = EXIT_CODE.search(output.getvalue())
    return Observed(int(found[1]) if found else 0, output=output.getvalue())


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    """Work in a folder, and forget what was imported from it."""
    known, path = set(sys.modules), [*sys.path]
    importlib.invalidate_caches()
    try:
        with contextlib.chdir(folder):
            yield
    finally:
        sys.path[:] = path
        for name in set(sys.modules) - known:
            if (getattr(sys.modules[name], "__file__", None) or "").startswith(str(folder)):
                del sys.modules[name]


@contextlib.contextmanager
def _captured(output: io.StringIO) -> Iterator[None]:
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        yield


def differences(expected: Outcome, observed: Observed) -> list[str]:
    """Return what differs between the reference and rankgate, one line each."""
    found = []
    if expected.exit_code != observed.exit_code:
        found.append(f"exit code: {expected.exit_code} ({expected.headline}), not {observed.exit_code}")
    if not expected.cases:  # the suite or the call is invalid
        return found
    if observed.report is None:
        return [*found, f"no report: {observed.output}"]
    cases = observed.cases()
    for name, words in expected.cases:
        if cases.get(name) != words:
            found.append(f"{name}: {words!r}, not {cases.get(name)!r}")
    found += [f"{name}: not expected" for name in cases.keys() - dict(expected.cases).keys()]
    gates = observed.gates()
    if [gate.gate for gate in gates] != [gate.gate for gate in expected.gates]:
        return [*found, f"gates: {expected.gates}, not {gates}"]
    for gate, other in zip(expected.gates, gates, strict=True):
        if _shown(gate) != _shown(other):
            found.append(f"{gate.gate}: {_shown(gate)!r}, not {_shown(other)!r}")
    if set(expected.regressed) != observed.regressed():
        found.append(f"regressed: {expected.regressed}, not {observed.regressed()}")
    for name in ("removed", "new", "unstable"):
        if list(getattr(expected, name)) != observed.listed(name):
            found.append(f"{name}: {getattr(expected, name)}, not {observed.listed(name)}")
    return found


def _shown(gate: GateResult) -> str:
    numbers = f"{round(gate.value, 9):.4g} of {gate.n}" if gate.n else ""
    return " ".join([gate.verdict, numbers, *gate.queries])
