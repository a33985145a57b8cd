"""The history of a suite and a system: the metrics of each test in a line of ``history.jsonl``."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from rankgate.corpora.git import Git
from rankgate.errors import RankgateError
from rankgate.io.atomic import replacing
from rankgate.report import Report

HISTORY = "history.jsonl"
MOST = 1000
"""The number of tests that a history has."""
SHOWN = 50
"""The number of tests that a report shows."""
_STATUS = ("--porcelain=v2", "--branch", "--untracked-files=no", "--ignore-submodules=all")


@dataclass(frozen=True, slots=True)
class Commit:
    """What git says of a folder."""

    name: str = ""
    """The hash of the commit; empty where there is none, or no git."""
    dirty: bool = False
    """True where files that git knows were changed since."""


def checked_out(folder: Path) -> Commit:
    """Ask git which commit a folder is at; a project without git has none, and needs none."""
    folder = folder.resolve()
    top = next((one for one in (folder, *folder.parents) if (one / ".git").exists()), None)
    if top is None:
        return Commit()
    try:
        said = Git(top, str(top)).status(*_STATUS)
    except RankgateError:
        return Commit()
    lines = (said or b"").decode(errors="replace").splitlines()
    name = next((line.split()[-1] for line in lines if line.startswith("# branch.oid ")), "")
    return Commit(name if name != "(initial)" else "", any(not line.startswith("#") for line in lines))


def add_to_history(folder: Path, report: Report) -> None:
    """Append the metrics of a test to the history of its suite and system."""
    line = {
        "time": report.time,
        "commit": report.provenance.get("commit", ""),
        "exit_code": report.exit_code,
        "values": {one.metric: one.value for one in report.metrics},
    }
    lines = [*_lines(folder), json.dumps(line, ensure_ascii=False)][-MOST:]
    with replacing(folder / HISTORY) as aside:
        aside.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def read_history(folder: Path) -> dict[str, tuple[float | None, ...]]:
    """Return the values of each metric in former tests, oldest first. Unreadable lines are left out."""
    tests = []
    for line in _lines(folder)[-SHOWN:]:
        try:
            tests.append(dict(json.loads(line)["values"]))
        except (ValueError, TypeError, KeyError):
            continue
    names = dict.fromkeys(name for values in tests for name in values)
    return {name: tuple(_number(values.get(name)) for values in tests) for name in names}


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _lines(folder: Path) -> list[str]:
    path = folder / HISTORY
    if not path.is_file():
        return []
    return path.read_text(encoding="utf-8", errors="replace").splitlines()
