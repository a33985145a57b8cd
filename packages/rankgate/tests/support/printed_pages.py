"""Pages whose blocks are run: files are written, commands are run in order, and what they print is compared.

A block of code on such a page is one of three:

- a file, ``yaml title="search.yaml"``: it is written as it stands. Behind a line ``<!-- replaces: gates -->``
  it is one key of a YAML file that is there, and takes the place of that key;
- commands, ``console``: each line that begins with ``$`` is run, and prints the lines that follow. A line
  ``…`` stands for any number of lines, and ``…`` in a line for anything in it, such as a date. A command that
  ends with ``# exit code 1`` ends so, every other with 0;
- a fragment, behind a line ``<!-- fragment: why it is not run -->``.

A page with a line ``<!-- project: examples/docs_search -->`` starts in a copy of that folder, every other in
an empty one.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from support.repository import ROOT

if TYPE_CHECKING:
    from pathlib import Path

LEFT_OUT = "…"
_BLOCK = re.compile(
    r"(?:^<!-- fragment: (?P<reason>[^\n]+?) -->\n+)?"
    r"(?:^<!-- replaces: (?P<key>\w+) -->\n+)?"
    r"^(?P<fence>`{3,})(?P<info>[^\n]*)\n(?P<text>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
_PROJECT = re.compile(r"^<!-- project: (\S+) -->$", re.MULTILINE)
_CODE = re.compile(r"\s+# exit code (\d+)$")


@dataclass(frozen=True)
class Block:
    """One block of code of a page."""

    language: str
    """What it is written in."""
    file: str
    """The file that it is, or empty."""
    text: str
    """What stands in it."""
    fragment: str
    """Why it is not run, or empty."""
    key: str = ""
    """The key that it takes the place of, where it is a part of its file."""


@dataclass
class Step:
    """One command of a page."""

    command: str
    """What is typed."""
    shown: list[str]
    """The lines that the page shows below it."""
    code: int = 0
    """How it ends."""


def blocks(text: str) -> list[Block]:
    """Return the blocks of code of a page, in order."""
    found = []
    for match in _BLOCK.finditer(text):
        language, _, rest = match["info"].partition(" ")
        title = re.search(r'title="([^"]+)"', rest)
        file, reason, key = title[1] if title else "", match["reason"] or "", match["key"] or ""
        found.append(Block(language, file, match["text"], reason, key))
    return found


def steps(text: str) -> list[Step]:
    """Return the commands of a console block."""
    found: list[Step] = []
    inside = ""
    for line in text.splitlines():
        if inside:
            found[-1].command += f"\n{line}"
            inside = "" if line == inside else inside
        elif line.startswith("$ "):
            code = _CODE.search(line)
            found.append(Step(_CODE.sub("", line[2:]), [], int(code[1]) if code else 0))
            here = re.search(r"<<'(\w+)'", line)
            inside = here[1] if here else ""
        else:
            found[-1].shown.append(line)
    return found


def agrees(shown: list[str], printed: str) -> bool:
    """Return whether the lines shown are the lines printed, all of them but where lines are left out."""
    wanted = [line.rstrip() for line in shown]
    pattern = "".join(
        r"(?:[^\n]*\n)*?"
        if line.strip() == LEFT_OUT
        else r"[^\n]*".join(map(re.escape, line.split(LEFT_OUT))) + r"\n"
        for line in wanted
    )
    lines = "".join(f"{line.rstrip()}\n" for line in printed.splitlines())
    return re.fullmatch(pattern, lines) is not None


def environment(folder: Path, python: Path | None = None) -> dict[str, str]:
    """Return the variables of a reader who installed everything: programs, a name for git, nothing else."""
    tools = folder / "tools"
    tools.mkdir()
    called = f'exec "{python or sys.executable}"'
    programs = {
        "pip": '[ "$1" = install ]',
        "python": f'{called} "$@"',
        "rankgate": f'{called} -m rankgate "$@"',
        "rankgate-reference": f'{called} -c "from rankgate_reference.main import main; main()" "$@"',
        "pytest": f'{called} -m pytest -p no:cacheprovider "$@"',
    }
    for name, script in programs.items():
        (tools / name).write_text(f"#!/bin/sh\n{script}\n")
        (tools / name).chmod(0o755)
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("GIT_", "GITHUB_", "CI", "PYTEST_", "RANKGATE_", "COLUMNS"))
    }
    who = {
        f"GIT_{role}_{what}": "a@example.org"
        for role in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    path = f"{tools}:{os.environ['PATH']}"
    source = str(ROOT / "packages" / "rankgate" / "src")
    return {**kept, **who, "PATH": path, "PYTHONPATH": source, "HOME": str(folder), "COLUMNS": "100"}


def start_project(text: str, folder: Path) -> None:
    """Make the folder that a page starts in."""
    project = _PROJECT.search(text)
    if project:
        shutil.copytree(ROOT / project[1], folder, ignore=shutil.ignore_patterns("__pycache__", ".rankgate"))
    else:
        folder.mkdir()


def run_page(text: str, folder: Path, variables: dict[str, str], seconds: float = 120) -> list[str]:
    """Do what a page says in a folder of its own, and return where it does not come out as it is printed.

    Args:
        text: The page.
        folder: The folder, which is made.
        variables: The environment of its commands.
        seconds: How long a command may take.
    """
    wrong = []
    start_project(text, folder)
    for block in blocks(text):
        if block.fragment:
            continue
        if block.file:
            place = folder / block.file
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(_whole(block, place), encoding="utf-8")
        elif block.language == "console":
            for step in steps(block.text):
                wrong += _run(step, folder, variables, seconds)
    return wrong


def _whole(block: Block, place: Path) -> str:
    """Return what a file becomes by a block."""
    if not block.key:
        return block.text
    before = place.read_text(encoding="utf-8")
    whole, count = re.subn(rf"(?ms)^{block.key}:.*?(?=^\S|\Z)", lambda _match: block.text, before)
    assert count == 1, f"{place.name} has {count} keys {block.key}"
    return whole


def _run(step: Step, folder: Path, variables: dict[str, str], seconds: float) -> list[str]:
    done = subprocess.run(
        ["bash", "-c", step.command],
        cwd=folder,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=seconds,
    )
    if done.returncode == step.code and agrees(step.shown, done.stdout):
        return []
    shown = [f"$ {step.command}", f"-- shown, exit code {step.code}:", *step.shown]
    return ["\n".join([*shown, f"-- printed, exit code {done.returncode}:", done.stdout])]


def undeclared(text: str) -> list[str]:
    """Return the blocks of a page that are neither a file, nor commands, nor a fragment with its reason."""
    return [
        block.text.partition("\n")[0]
        for block in blocks(text)
        if not (block.fragment or block.file or block.language == "console")
    ]
