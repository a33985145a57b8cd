"""What the answers of a configured system are made of: what it says itself, and the files it depends on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError, Problem
from rankgate.io.digests import ContentsReader, files_below
from rankgate.model import fingerprint
from rankgate.plugins import contents_of
from rankgate.wording import shortest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rankgate.project.configuration import SystemEntry
    from rankgate.systems.adapter.launching import Env


def system_contents(entry: SystemEntry | None, system: object, root: Path) -> dict[str, str]:
    """Return what the answers of a system are made of.

    Args:
        entry: What the configuration says of it; None for a system that it does not name.
        system: The system, open.
        root: The folder of the configuration, which `depends` is relative to.

    Raises:
        InputError: for a pattern of `depends` that no file matches, or that leaves the root, and for a file
            of it that cannot be read.
    """
    declared: Mapping[str, str] = {} if entry is None else _declared(entry, root)
    return {**contents_of(system), **declared}


def _declared(entry: SystemEntry, root: Path) -> Mapping[str, str]:
    """Return digests of the files that `depends` names, each read whole, and of what is run beforehand."""
    reader = ContentsReader(root, whole=True)
    for path in depended_on(entry, root):
        try:
            reader.add_files(path)
        except OSError as error:
            where, found = f"systems.{entry.name}.depends", f"{shortest(path)} ({error.strerror})"
            raise InputError(Code.UNREADABLE_FILE(where, found, "files that can be read")) from error
    return {**_beforehand(entry, root), **reader.contents}


def _beforehand(entry: SystemEntry, root: Path) -> Mapping[str, str]:
    found = entry.options.get("env", ())
    env: Env = found if isinstance(found, Mapping) else tuple(found) if isinstance(found, list) else ()
    reader = ContentsReader(root)
    for option, command in (("prepare", entry.preparation.prepare), ("start", entry.preparation.start)):
        if command:
            add_preparation(reader, option, command, env)
    return reader.contents


def add_preparation(contents: ContentsReader, option: str, command: Sequence[str], env: Env) -> None:
    """Add a program that prepares a system or runs beside it: its words, and all that they name.

    Args:
        contents: What is found is added here; the program runs in its root.
        option: What the configuration calls it.
        command: The program and its arguments.
        env: Its variables.
    """
    from rankgate.systems.adapter.launching import names_of
    from rankgate.systems.adapter.variables import VARIABLE, strings_in
    from rankgate.systems.contents import add_program

    texts = [text for _, text in strings_in([list(command), env])]
    contents.add(option, fingerprint({"command": list(command), "env": env})[:16])
    add_program(contents, command, str(contents.root), names_of(env))
    for name in sorted({name for text in texts for name in VARIABLE.findall(text)}):
        contents.add_variable(name)


def depended_on(entry: SystemEntry, root: Path) -> list[Path]:
    """Return the files and folders that `depends` of a system names.

    Raises:
        InputError: with every pattern that no file matches, or that leaves the root.
    """
    found: list[Path] = []
    problems: list[Problem] = []
    for pattern in entry.depends:
        try:
            found += _matched(pattern, root, f"systems.{entry.name}.depends")
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return found


def _matched(pattern: str, root: Path, where: str) -> list[Path]:
    """Return the files and folders that a pattern names below the root."""
    parts = PurePath(pattern).parts
    if not parts or PurePath(pattern).is_absolute() or ".." in parts:
        fix = "copy what lies elsewhere into the project, or keep its version in a file there"
        raise InputError(Code.OUTSIDE_PROJECT(where, repr(pattern), f"a path inside {shortest(root)}", fix))
    inside = root.resolve()
    found = sorted(root.glob(pattern.rstrip("/")))
    if not found:
        fix = "correct the pattern, or take it out"
        raise InputError(
            Code.NO_SUCH_FILE(where, f"{pattern!r}, which no file matches", "files below the root", fix)
        )
    files = [file for one in found for file in (files_below(one) if one.is_dir() else [one])]
    outside = [file for file in files if not file.resolve().is_relative_to(inside)]
    if outside:
        link = f"{shortest(outside[0])}, a link that leads out of {shortest(root)}"
        raise InputError(Code.OUTSIDE_PROJECT(where, link, "files inside the root"))
    odd = [file for file in files if not file.is_file()]
    if odd:
        found_odd = f"{shortest(odd[0])}, which is no file that is there"
        raise InputError(Code.UNREADABLE_FILE(where, found_odd, "files below the root"))
    if not files:
        raise InputError(
            Code.NO_SUCH_FILE(where, f"{pattern!r}, a folder without files", "files below the root")
        )
    return found
