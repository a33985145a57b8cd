"""Blocks of reference pages: each is read by the program that would read it, or says why not.

A suite is loaded, a configuration is read, JSON is parsed, Python is compiled, and a call is understood by
the command that it names; nothing is asked or written. An indented block is read paragraph by paragraph:
it may hold a setting and the call that uses it. What is none of these is a fragment, behind a line
``<!-- fragment: why it is not read -->``; ``<!-- fragments: why -->`` says so of every such block of a page.
The options of calls behind a ``$`` must be known in either.
"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click
import yaml
from markdown_it import MarkdownIt

from rankgate.cli.main import cli
from rankgate.errors import RankgateError
from rankgate.io.toml import parse_toml
from rankgate.project.schema import read_configuration
from rankgate.suites.formats import load_suite

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FRAGMENT = re.compile(r"<!-- fragment: \S.* -->\s*\Z")
_PAGE = re.compile(r"^<!-- fragments: \S.* -->$", re.MULTILINE)
_PROGRAMS = ("rankgate ", "rankgate-reference ", "pip ", "just ", "go ", "jq ")
"""What a line begins with that is a call; of the first the options are known."""
_SUITE = re.compile(r"(corpus|cases|gates|metrics|map|match|scenarios|invariants|asked)\b[^=\n]*:")
_PYTHON = re.compile(r"(import|from|def|class|async def) |@\w|\w+ = \w+(\.\w+)*\(")
_NAMES_FILE = re.compile(r"(#|//|--) [\w./]+\.(toml|py|json|sql|ini)\b.*\n")


@dataclass(frozen=True)
class PageBlock:
    """One block of code of a page, whether it is fenced or indented."""

    line: int
    """Where it begins."""
    language: str
    """What it is written in, where it says so."""
    text: str
    """What stands in it."""
    fragment: bool
    """True where it says why it is not read."""


def page_blocks(text: str) -> Iterator[PageBlock]:
    """Go through the blocks of code of a page."""
    before = ""
    for token in MarkdownIt("commonmark").parse(text):
        if token.type in {"fence", "code_block"} and token.map is not None:
            fragment = _FRAGMENT.search(before) is not None
            yield PageBlock(token.map[0] + 1, token.info.partition(" ")[0], token.content, fragment)
        if not token.type.endswith("_open"):
            before = token.content if token.type == "html_block" else ""


def unread(text: str, folder: Path) -> list[str]:
    """Return the blocks of a page that are neither read nor fragments, each with its line and why.

    Args:
        text: The page.
        folder: Where suites may be written to be loaded.
    """
    found = []
    for block in page_blocks(text):
        calls = [line[2:] for line in block.text.splitlines() if line.startswith("$ rankgate ")]
        found += _problems(block, "bash", "\n".join(calls), folder)
        if block.fragment:
            continue
        parts = [block.text] if block.language else re.split(r"\n\s*\n", block.text.strip("\n"))
        for part in parts:
            language = block.language or _guess(part)
            if language in _READERS:
                found += _problems(block, language, part, folder)
            elif not _PAGE.search(text):
                found.append(f"{block.line}: not read: {part.strip().splitlines()[0]}")
    return found


def _problems(block: PageBlock, language: str, text: str, folder: Path) -> list[str]:
    try:
        _READERS[language](text, folder)
    except (RankgateError, ValueError, SyntaxError, yaml.YAMLError, click.ClickException) as error:
        return [f"{block.line}: {' '.join(f'{type(error).__name__}: {error}'.split())[:200]}"]
    return []


def _guess(text: str) -> str:
    """Return what a paragraph is written in, by how it begins."""
    named = _NAMES_FILE.match(text)
    if named and named[2] in {"py", "json", "toml"}:
        return {"py": "python"}.get(named[2], named[2])
    first = text.lstrip().partition("\n")[0]
    if first.startswith(_PROGRAMS):
        return "bash"
    if _PYTHON.match(text):
        return "python"
    if re.search(r"^\[[\w.\"-]+\]", text, re.MULTILINE) or re.match(r"[\w-]+ = ", first):
        return "toml"
    if _SUITE.match(first):
        return "yaml"
    return "json" if first.startswith(("{", "[")) else ""


def _read_yaml(text: str, folder: Path) -> None:
    if re.search(r"^cases:", text, re.MULTILINE):
        (folder / "suite.yaml").write_text(text, encoding="utf-8")
        load_suite(folder / "suite.yaml")
    else:
        yaml.safe_load(text)


def _read_toml(text: str, folder: Path) -> None:
    document = parse_toml(text, "rankgate.toml")
    systems = document.data.get("systems", {})
    if systems and all({"kind", "function", "command", "run"} & {*one} for one in systems.values()):
        read_configuration(folder / "rankgate.toml", document)


def _read_json(text: str, _folder: Path) -> None:
    text = _NAMES_FILE.sub("", text)
    try:
        json.loads(text)
    except ValueError:
        for line in text.splitlines():
            json.loads(line)


def _read_python(text: str, _folder: Path) -> None:
    compile(text, "block", "exec")


def _read_calls(text: str, _folder: Path) -> None:
    """Check that the commands that are called know their options."""
    for line in re.sub(r"\\\n\s*", " ", text).splitlines():
        words: list[str] = []
        for word in [*shlex.split(line, comments=True), ";"]:
            if word not in {"|", "&&", ";", ">", "||"}:
                words.append(word)
                continue
            if words and words[0] == "rankgate":
                _understand(words[1:])
            elif words and f"{words[0]} " not in _PROGRAMS:
                raise ValueError(f"{words[0]} is no program that is known here")
            words = []


def _understand(arguments: list[str]) -> None:
    command: click.Command = cli
    context = click.Context(cli, info_name="rankgate")
    while isinstance(command, click.Group) and arguments and not arguments[0].startswith("-"):
        if command.name == "judge" and arguments[0] not in command.list_commands(context):
            arguments = ["open", *arguments]
        _, found, arguments = command.resolve_command(context, arguments)
        if found is None:
            raise ValueError(f"no command {arguments}")
        command, context = found, click.Context(found, parent=context, info_name=found.name)
    command.make_parser(context).parse_args(list(arguments))


_READERS = {
    "yaml": _read_yaml,
    "toml": _read_toml,
    "json": _read_json,
    "python": _read_python,
    "bash": _read_calls,
}
