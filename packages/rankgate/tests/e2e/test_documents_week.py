"""The guide to a week of documentation work: every command is run, and prints every line that is shown."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from support.repository import ROOT

if TYPE_CHECKING:
    from pathlib import Path

GUIDE = ROOT / "docs" / "documents-week.md"
LEFT_OUT = "…"


@dataclass
class Command:
    """One command of the guide, and the lines that it shows."""

    text: str
    shown: list[str] = field(default_factory=list)


def commands() -> list[Command]:
    """Return the commands of the guide in order; one that reads its text from the guide has all of it."""
    found: list[Command] = []
    inside = False
    for block in re.findall(r"```console\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ ") and not inside:
                found.append(Command(line.removeprefix("$ ")))
                inside = line.endswith("<<'END'")
            elif inside:
                found[-1].text += f"\n{line}"
                inside = line != "END"
            else:
                found[-1].shown.append(line)
    return found


def missing(shown: list[str], printed: str) -> list[str]:
    """Return the lines that are shown and not printed, in their order."""
    lines = iter([line.rstrip() for line in printed.splitlines()])
    wanted = [line.rstrip() for line in shown if line.strip() not in ("", LEFT_OUT)]
    return [line for line in wanted if line not in lines]


def test_every_command_of_the_week_prints_what_the_guide_shows(tmp_path: Path) -> None:
    project, tools = tmp_path / "project", tmp_path / "bin"
    project.mkdir()
    tools.mkdir()
    for name, words in (("rankgate", "-m rankgate"), ("python", "")):
        (tools / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        (tools / name).chmod(0o755)
    named = {
        f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("GIT_", "GITHUB_", "CI", "RANKGATE_"))
    }
    environment = {
        **kept,
        **named,
        "PATH": f"{tools}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "COLUMNS": "100",
    }
    said = commands()
    assert sum(command.text.startswith("rankgate ") for command in said) >= 15
    for command in said:
        done = subprocess.run(
            ["bash", "-c", command.text],
            cwd=project,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, (command.text, done.stdout, done.stderr)
        assert not missing(command.shown, done.stdout + done.stderr), (command.text, done.stdout, done.stderr)
