"""Lines written into TOML files of users: all else stays as it was, and what it says is checked before."""

from __future__ import annotations

import copy
import json
import posixpath
import re
import tomllib
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError
from rankgate.io.atomic import replacing
from rankgate.project.configuration import PROJECT
from rankgate.wording import shortest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

_VALUE = r"""("(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
"""A string of one line."""


def read_toml_text(path: Path) -> str:
    """Read a file with its own ends of lines."""
    with path.open(encoding="utf-8", newline="") as file:
        return file.read()


def first_that_says(texts: Iterable[str], wanted: Mapping[str, object]) -> str | None:
    """Return the first of several texts that says what is wanted and nothing else; None where none does."""
    for text in texts:
        try:
            if tomllib.loads(text) == wanted:
                return text
        except tomllib.TOMLDecodeError:
            continue
    return None


def write_first_that_says(path: Path, texts: Iterable[str], wanted: Mapping[str, object]) -> bool:
    """Write the first of several texts that says what is wanted and nothing else.

    Returns:
        False where none of them does; the file is then as it was.
    """
    text = first_that_says(texts, wanted)
    if text is not None:
        with replacing(path) as aside, aside.open("w", encoding="utf-8", newline="") as file:
            file.write(text)
    return text is not None


def _end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def write_setting(path: Path, key: str, value: object) -> bool:
    """Write a setting of the project into its configuration, where the file does not say it.

    Returns:
        True where it was written.

    Raises:
        InputError: for a file in which there is no place for it.
    """
    text, own = read_toml_text(path), path.name != PROJECT
    wanted = copy.deepcopy(tomllib.loads(text))
    section = wanted if own else wanted["tool"]["rankgate"]
    if key in section:
        return False
    section[key], line = value, f"{key} = {json.dumps(value, ensure_ascii=False)}"
    if write_first_that_says(path, _with_setting(text, line, own=own), wanted):
        return True
    fix = f"write it there by hand: {line}"
    found = "no line where a key can stand"
    raise InputError(Code.CANNOT_EDIT(str(shortest(path)), found, f"one for {key}", fix))


def add_needs(path: Path, system: str, needs: Sequence[str]) -> bool:
    """Add `needs` to the table of a system, and return whether there was a place for it."""
    text = read_toml_text(path)
    wanted = tomllib.loads(text)
    section = wanted if path.name != PROJECT else wanted["tool"]["rankgate"]
    section["systems"][system]["needs"] = list(needs)
    line, end, lines = f"needs = {json.dumps(needs)}", _end(text), text.splitlines(keepends=True)
    texts = (
        "".join([*lines[: at + 1], "" if lines[at].endswith("\n") else end, line, end, *lines[at + 1 :]])
        for at in range(len(lines))
    )
    return write_first_that_says(path, texts, wanted)


def add_suite_gate(path: Path, file: str, system: str, gate: str) -> str:
    """Add a gate to a suite's entry in a configuration: to that of the system, else to that of all systems.

    Returns:
        The entry, as it is written to a new line. It is empty if the file was not changed, because it has no
        entry of the suite or none that can be changed in place.
    """
    text = read_toml_text(path)
    wanted = tomllib.loads(text)
    section = wanted if path.name != PROJECT else wanted["tool"]["rankgate"]
    entries = section.get("suites", [])
    tables = [{"file": one} if isinstance(one, str) else one for one in entries]
    mine = [at for at, one in enumerate(tables) if posixpath.normpath(str(one.get("file"))) == file]
    chosen = sorted(
        (at for at in mine if tables[at].get("system") in (None, system)),
        key=lambda at: tables[at].get("system") is None,
    )
    if not chosen:
        return ""
    at = chosen[0]
    entry = tables[at]
    entries[at] = entry | {"gates": [*entry.get("gates", []), gate]}
    if not write_first_that_says(path, _with_suite_gate(text, str(entry["file"]), gate), wanted):
        return ""
    return ", ".join(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in entries[at].items())


def _with_suite_gate(text: str, file: str, gate: str) -> Iterator[str]:
    """Return the text with the gate at every place where it could be, the best first."""
    end, added = _end(text), f"gates = {json.dumps([gate], ensure_ascii=False)}"
    one = json.dumps(gate, ensure_ascii=False)
    for found in re.finditer(rf"\bfile\s*=\s*{_VALUE}", text):
        for between in (", ", end):
            yield f"{text[: found.end()]}{between}{added}{text[found.end() :]}"
    for found in re.finditer(_VALUE, text):
        if found[0][1:-1] != file:
            continue
        entry = f"{{file = {found[0]}, {added}}}"
        yield text[: found.start()] + entry + text[found.end() :]
    for found in re.finditer(r"\]", text):
        before = text[: found.start()]
        for comma in (", ", ""):
            stripped = before.rstrip()
            yield f"{stripped}{comma}{one}{before[len(stripped) :]}{text[found.start() :]}"


def _with_setting(text: str, setting: str, *, own: bool) -> Iterator[str]:
    """Return the text with the line at every place where it could stand, the best first."""
    end = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    heads = [at for at, line in enumerate(lines) if line.lstrip().startswith("[")]
    if not own:
        named = [at for at in heads if lines[at].replace(" ", "").startswith("[tool.rankgate]")]
        for at in named:
            yield "".join([*lines[: at + 1], setting, end, *lines[at + 1 :]])
        for at in heads:
            yield "".join([*lines[:at], "[tool.rankgate]", end, setting, end, end, *lines[at:]])
        return
    for at in [*heads, len(lines)]:
        # What is said above a table belongs to it.
        top = at
        while top and (not lines[top - 1].strip() or lines[top - 1].lstrip().startswith("#")):
            top -= 1
        before = "".join(lines[:top])
        gap = "" if not before or before.endswith("\n") else end
        after = "".join(lines[top:])
        yield f"{before}{gap}{setting}{end}{end if after and after.strip() and not before else ''}{after}"
