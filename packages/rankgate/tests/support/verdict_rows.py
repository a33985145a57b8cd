"""Verdicts of commands, read from their JSON reports: the rows of `acceptance/verdicts.tsv`.

The wording of a report may change, these rows may not. Only this module knows how a JSON report is laid out.
"""

from __future__ import annotations

import csv
import json
import re
from dataclasses import astuple, dataclass, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from support.transcripts import Ran

_TESTS = re.compile(r"\brankgate (test|score)\b")


@dataclass(frozen=True)
class Row:
    """The verdict of a command on one system."""

    transcript: str
    """The name of its file, without the ending."""
    command: str
    """The number of the command in the transcript, from 1."""
    system: str
    """The suite and the system, or `-` without a report."""
    exit_code: str
    """The exit code of the command, and that of the system if it differs."""
    gates: str
    """The gates that did not pass, each with its status."""
    cases: str
    """The cases that failed, with `!` for an error, then the scenarios and invariants that failed."""
    values: str
    """Metrics, then gates, each with its value to four decimals."""

    def __str__(self) -> str:
        return "\t".join(astuple(self))


class Verdicts:
    """Rows of one transcript, collected after each command."""

    def __init__(self, transcript: str, folder: Path) -> None:
        self.rows: list[Row] = []
        self._transcript = transcript
        self._folder = folder
        self._seen: dict[Path, int] = {}
        self._commands = 0

    def after(self, one: Ran) -> None:
        """Add the rows of a command that just ran."""
        self._commands += 1
        found = self._written()
        if one.printed.startswith(("{", "[")):
            found += _reports(one.printed)
        if found or _TESTS.search(one.step.command):
            rows = [_row(self._transcript, self._commands, one.code, report) for report in found]
            rows = rows or [Row(self._transcript, str(self._commands), "-", str(one.code), "-", "-", "-")]
            self.rows += sorted(set(rows), key=lambda row: row.system)

    def _written(self) -> list[dict[str, Any]]:
        """Return the JSON reports that were written since the last command."""
        found: list[dict[str, Any]] = []
        for path in sorted(self._folder.rglob("*.json")):
            written = path.stat().st_mtime_ns
            if self._seen.get(path) != written:
                self._seen[path] = written
                found += _reports(path.read_text(encoding="utf-8", errors="replace"))
        return found


def _reports(text: str) -> list[dict[str, Any]]:
    try:
        read = json.loads(text)
    except ValueError:
        return []
    several = read.get("reports", [read]) if isinstance(read, dict) else []
    return [
        one
        for one in several
        if isinstance(one, dict) and {"gates", "metrics", "attention", "exit_code"} <= one.keys()
    ]


def _row(transcript: str, command: int, code: int, report: dict[str, Any]) -> Row:
    gates = [f"{one['gate']} ({one['state']})" for one in report["gates"] if one["state"] != "passed"]
    bad = [one for one in report["cases"] if one["state"] != "passed"]
    cases = [one["name"] + "!" * (one["state"] == "error") for one in bad]
    probes = [*report["scenarios"], *report["invariants"]]
    cases += [one["name"] for one in probes if one["state"] == "failed"]
    values = [(one["metric"], one["value"]) for one in report["metrics"]]
    values += [(one["gate"], one["value"]) for one in report["gates"]]
    shown = [f"{name}: {_number(value)}" for name, value in values if "latency" not in name]
    own = report["exit_code"]
    return Row(
        transcript,
        str(command),
        f"{report['suite']}, {report['system']}",
        str(code) if own == code else f"{code} (of it {own})",
        "; ".join(gates) or "-",
        "; ".join(cases) or "-",
        "; ".join(shown) or "-",
    )


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.4f}"


def read_rows(path: Path) -> list[Row]:
    """Read the rows that are kept, without the reasons of their changes."""
    with path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    names = [field.name.replace("_", " ") for field in fields(Row)]
    assert lines[0] == [*names, "reason of a change"], lines[0]
    return [Row(*line[: len(names)]) for line in lines[1:]]
