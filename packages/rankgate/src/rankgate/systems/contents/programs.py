"""What a command line is made of: the program, the files that its arguments name, and its variables."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.systems.contents.python_sources import PythonSources

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.files.digests import ContentsReader

FILES = "files that the program reads and servers that it asks"
"""What is unknown of every program."""


def add_program(
    contents: ContentsReader, command: Sequence[str], cwd: str | None, env: Sequence[str]
) -> None:
    """Add a program, the files that its arguments name, and the variables that it gets.

    Of a script in Python, what it imports from its own folder is added too. What a shell is told by ``-c`` is
    part of the options; what that starts is not known.

    Args:
        contents: What is found is added here.
        command: The program and its arguments.
        cwd: The folder it runs in.
        env: The names of its variables.
    """
    folder = Path(cwd or ".")
    if command:
        _add_executable(contents, command[0], folder)
    for number, argument in enumerate(command[1:], 1):
        if command[number - 1] == "-m":
            _add_module(contents, argument, folder)
        for name in dict.fromkeys((argument, argument.partition("=")[2])):
            if (path := _file(name, folder)) is not None:
                _add_file(contents, path)
    for name in env:
        contents.add_variable(name)
    contents.add_unknown(FILES)


def _add_executable(contents: ContentsReader, program: str, folder: Path) -> None:
    own = _file(program, folder) if "/" in program or "\\" in program else None
    found = own or shutil.which(program)
    if found is None:
        contents.add_unknown(f"the program {program}, which is not found")
    elif own is not None:
        _add_file(contents, own)
    else:
        # Where it is installed differs from machine to machine.
        contents.add_files(Path(found), program)


def _add_file(contents: ContentsReader, path: Path) -> None:
    if path.suffix == ".py":
        PythonSources(contents, [path.parent], here=False).follow(path)
    else:
        contents.add_files(path)


def _add_module(contents: ContentsReader, module: str, folder: Path) -> None:
    for name in (f"{module}.__main__", module):
        path = folder.joinpath(*name.split(".")).with_suffix(".py")
        if path.is_file():
            PythonSources(contents, [folder], here=False).follow_module(path.resolve(), name)


def _file(name: str, folder: Path) -> Path | None:
    """Return the file that a word names in a folder; None where it names none."""
    try:
        return folder / name if name and (folder / name).is_file() else None
    except (OSError, ValueError):
        return None
