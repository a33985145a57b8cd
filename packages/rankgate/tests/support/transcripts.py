"""Run Markdown pages: write their files, run their commands in order, and compare the output.

This is the one runner for the documentation and for the acceptance transcripts. Prysk reads only indented
`.t` files and has no titled files, while the pages of the documentation are Markdown and have to run too.

A block of code on such a page is one of three:

- a file, ``yaml title="search.yaml"``. Behind a line ``<!-- replaces: gates -->`` the block is one key of
  a YAML file that exists, and replaces that key;
- commands, ``console``: each line that begins with ``$`` is a command, and the lines below it are its output
  (stdout and stderr). A heredoc (``<<'END'``) goes on until its end. ``# exit code 1`` at the end of a
  command is its exit code; without it the exit code is 0;
- a fragment, behind a line ``<!-- fragment: why it is not run -->``.

A page with a line ``<!-- project: examples/docs_search -->`` starts in a copy of that folder, every other
page in an empty one.

On a documentation page a line ``…`` stands for any number of lines, and ``…`` in a line for any text in it.

An acceptance transcript has the whole output instead. The runner compares it exactly but for `MASKS` and
white space at the end of a line. It reads two more lines, which only transcripts have:

- ``<!-- needs: opensearch -->``: the transcript needs a server or an environment, see `support/needs.py`;
- ``<!-- serves: server.py -->``: before the first command, the runner starts ``python server.py``, which
  listens on the port in ``$PORT``, and stops it after the last command.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from support.repository import FIXTURES, ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

LEFT_OUT = "…"
_BLOCK = re.compile(
    r"(?:^<!-- fragment: (?P<reason>[^\n]+?) -->\n+)?"
    r"(?:^<!-- replaces: (?P<key>\w+) -->\n+)?"
    r"^(?P<fence>`{3,})(?P<info>[^\n]*)\n(?P<text>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
_DIRECTIVE = re.compile(r"^<!-- (project|needs|serves): (\S+) -->$", re.MULTILINE)
_CODE = re.compile(r"\s+# exit code (\d+)$")


@dataclass(frozen=True)
class Mask:
    """Text that differs between two runs, and its placeholder in a transcript."""

    placeholder: str
    """What replaces the text."""
    pattern: str
    """Where the text occurs, with the text in the group `it`."""
    example: str
    """A text that the pattern matches, with the part to replace in braces."""

    def hide(self, text: str) -> str:
        """Return a text with the placeholder in place of what the pattern matches."""
        parts, end = [], 0
        for found in re.finditer(self.pattern, text):
            parts += [text[end : found.start("it")], self.placeholder]
            end = found.end("it")
        return "".join([*parts, text[end:]])


MASKS = (
    Mask(
        "<time>",
        r"\b(?P<it>20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(\+00:00|Z))",
        "{2026-11-19T11:16:07+00:00}",
    ),
    Mask(
        "<date>",
        r'(\(\S+, |person \w+, |"date":")(?P<it>20\d\d-\d\d-\d\d)(?=[)"])',
        "(app:search, {2026-11-19})",
    ),
    Mask("<ms>", r"\b(p50|p95|max) (?P<it>\d+(\.\d+)? ms)", "p50 {0.04 ms}"),
    Mask(
        "<seconds>",
        r"\b(in|took|Took) (?P<it>\d+(\.\d+)?(s \(\d+:\d\d:\d\d\)| ?(ms|s|min)))(?!\w)",
        "in {0.31 s}",
    ),
    Mask("<s>", r' time="(?P<it>\d+\.\d{3})"', '<testcase time="{0.003}"'),
    Mask(
        "<version>",
        r"""\brankgate(-reference)?:?(" value="|[ |`]+)(?P<it>\d+\.\d+\.\d+)\b""",
        "rankgate {0.2.0}",
    ),
    Mask("<python>", r"""\bPython:?(" value="|[ |`]+)(?P<it>3\.\d+\.\d+)\b""", "Python {3.11.7}"),
    Mask("<port>", r"\b127\.0\.0\.1:(?P<it>\d{4,5})\b", "127.0.0.1:{40123}"),
)
"""All that may differ between two runs, beside the paths of the project, its parent and the repository."""


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


def masked(printed: str, paths: dict[str, str] | None = None) -> list[str]:
    """Return the lines of an output with placeholders for what differs between two runs.

    Args:
        printed: The output.
        paths: Folders of this run, each with its placeholder, the innermost first.
    """
    for path, placeholder in (paths or {}).items():
        printed = printed.replace(path, placeholder)
    for mask in MASKS:
        printed = mask.hide(printed)
    return [line.rstrip() for line in printed.removesuffix("\n").split("\n")] if printed else []


_LEFT_OUT = (
    *("GIT_", "GITHUB_", "CI", "PYTEST_", "RANKGATE_", "XDG_"),
    *("COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR", "CLICOLOR"),
)
"""Prefixes of variables that could change an output."""


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
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_LEFT_OUT)}
    who = {
        f"GIT_{role}_{what}": "a@example.org"
        for role in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    path = f"{tools}:{os.environ['PATH']}"
    source = str(ROOT / "packages" / "rankgate" / "src")
    return {**kept, **who, "PATH": path, "PYTHONPATH": source, "HOME": str(folder), "COLUMNS": "100"}


def transcript_environment(folder: Path, python: Path | None = None) -> dict[str, str]:
    """Return the variables of an acceptance transcript: a page's, a fixed clock for git, and a free port."""
    dates = {f"GIT_{role}_DATE": "2030-01-01T00:00:00Z" for role in ("AUTHOR", "COMMITTER")}
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    same = {"LANG": "C.UTF-8", "TZ": "UTC", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    return {**environment(folder, python), **dates, **same, "PORT": port, "FIXTURES": str(FIXTURES)}


def directive(text: str, name: str) -> str:
    """Return what a page declares as `project`, `needs` or `serves`; empty without such a line."""
    found = [value for key, value in _DIRECTIVE.findall(text) if key == name]
    assert len(found) <= 1, f"more than one line <!-- {name}: … -->"
    return found[0] if found else ""


def start_project(text: str, folder: Path) -> None:
    """Make the folder that a page starts in."""
    if project := directive(text, "project"):
        shutil.copytree(ROOT / project, folder, ignore=shutil.ignore_patterns("__pycache__", ".rankgate"))
    else:
        folder.mkdir()


@dataclass(frozen=True)
class Ran:
    """A command of a page after it ran."""

    step: Step
    """The command, as the page shows it."""
    printed: str
    """Its output."""
    code: int
    """Its exit code."""


def ran(text: str, folder: Path, variables: dict[str, str], seconds: float = 120) -> Iterator[Ran]:
    """Do what a page says in a folder of its own, and yield each command after it ran.

    Args:
        text: The page.
        folder: The folder, which is made.
        variables: The environment of its commands.
        seconds: How long a command may take.
    """
    start_project(text, folder)
    server = None
    try:
        for block in blocks(text):
            if block.fragment:
                continue
            if block.file:
                write_file(block, folder)
            elif block.language == "console":
                if server is None and (program := directive(text, "serves")):
                    server = _server(program, folder, variables)
                for step in steps(block.text):
                    yield _run(step, folder, variables, seconds)
    finally:
        if server is not None:
            server.kill()
            server.wait()


def _server(program: str, folder: Path, variables: dict[str, str]) -> subprocess.Popen[bytes]:
    """Start the server of a transcript, and wait until it accepts connections."""
    with (folder.parent / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, program], cwd=folder, env=variables, stdout=log, stderr=subprocess.STDOUT
        )
    end = time.monotonic() + 30
    while time.monotonic() < end and process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", int(variables["PORT"])), 1):
            return process
        time.sleep(0.02)
    process.kill()
    process.wait()
    said = (folder.parent / "server.log").read_text(errors="replace")
    raise RuntimeError(f"{program} does not listen on $PORT:\n{said}")


def run_page(text: str, folder: Path, variables: dict[str, str], seconds: float = 120) -> list[str]:
    """Do what a documentation page says, and return the commands whose output differs from the page.

    Args:
        text: The page.
        folder: The folder, which is made.
        variables: The environment of its commands.
        seconds: How long a command may take.
    """
    return [
        _difference(one, one.printed.splitlines())
        for one in ran(text, folder, variables, seconds)
        if one.code != one.step.code or not agrees(one.step.shown, one.printed)
    ]


def run_transcript(
    text: str,
    folder: Path,
    variables: dict[str, str],
    after: Callable[[Ran], None],
    seconds: float = 120,
) -> tuple[list[str], str]:
    """Do what a transcript says; return the commands whose output differs, and the transcript to store.

    Args:
        text: The transcript.
        folder: The folder, which is made.
        variables: The environment of its commands.
        after: Called after each command, before the next one runs.
        seconds: How long a command may take.
    """
    paths = {str(folder): "<project>", str(folder.parent): "<home>"}
    paths |= {str(FIXTURES.resolve()): "<fixtures>", str(FIXTURES): "<fixtures>", str(ROOT): "<repository>"}
    wrong = []
    outputs: list[tuple[list[str], int]] = []
    for one in ran(text, folder, variables, seconds):
        after(one)
        lines = masked(one.printed, paths)
        outputs.append((lines, one.code))
        if one.code != one.step.code or lines != [line.rstrip() for line in one.step.shown]:
            wrong.append(_difference(one, lines))
    return wrong, rewritten(text, outputs)


def rewritten(text: str, outputs: Sequence[tuple[list[str], int]]) -> str:
    """Return a transcript with other outputs and exit codes of its commands."""
    left = iter(outputs)

    def block(found: re.Match[str]) -> str:
        if found["reason"] or not found["info"].startswith("console"):
            return found[0]
        lines = []
        for step in steps(found["text"]):
            output, code = next(left)
            first, *rest = step.command.split("\n")
            lines += [f"$ {first}  # exit code {code}" if code else f"$ {first}", *rest, *output]
            taken = [line for line in output if line.startswith("$ ")]
            assert not taken, f"an output line that looks like a command: {taken[0]}"
        inner = max((len(line) - len(line.lstrip("`")) for line in lines), default=0)
        fence = "`" * max(3, inner + 1)
        return "\n".join([f"{fence}{found['info']}", *lines, fence])

    return _BLOCK.sub(block, text)


def _difference(one: Ran, lines: list[str]) -> str:
    shown = [f"$ {one.step.command}", f"-- shown, exit code {one.step.code}:", *one.step.shown]
    return "\n".join([*shown, f"-- printed, exit code {one.code}:", *lines])


def write_file(block: Block, folder: Path) -> None:
    """Write the file that a block is, or its key of a file."""
    place = folder / block.file
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(_whole(block, place), encoding="utf-8")
    # A module that was rewritten within a second would be read from its old bytecode.
    shutil.rmtree(place.parent / "__pycache__", ignore_errors=True)


def _whole(block: Block, place: Path) -> str:
    """Return what a file becomes by a block."""
    if not block.key:
        return block.text
    before = place.read_text(encoding="utf-8")
    whole, count = re.subn(rf"(?ms)^{block.key}:.*?(?=^\S|\Z)", lambda _match: block.text, before)
    assert count == 1, f"{place.name} has {count} keys {block.key}"
    return whole


def _run(step: Step, folder: Path, variables: dict[str, str], seconds: float) -> Ran:
    done = subprocess.run(
        ["bash", "-c", step.command],
        cwd=folder,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=seconds,
    )
    return Ran(step, done.stdout, done.returncode)


def undeclared(text: str) -> list[str]:
    """Return the blocks of a page that are neither a file, nor commands, nor a fragment with its reason."""
    return [
        block.text.partition("\n")[0]
        for block in blocks(text)
        if not (block.fragment or block.file or block.language == "console")
    ]
