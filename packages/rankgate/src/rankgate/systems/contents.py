"""What code and programs are made of: the Python files of the project, and the files that a command names."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.io.digests import LISTED, file_digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rankgate.io.digests import ContentsReader

MOST_FILES = 2_000
"""How many Python files of a project are read."""
_MOST_FOLDERS = 5_000
_LEFT_OUT = {"__pycache__", "node_modules", "site-packages", "dist-packages"}


def add_python(contents: ContentsReader, defined_in: Iterable[str] = ()) -> None:
    """Add the Python files of the project, and files outside of it that define what is called.

    Each has a digest of its own; of many files, all have one.
    """
    files = _python_files(contents.root)
    if len(files) <= LISTED:
        for file in files:
            contents.add_files(file)
    else:
        digest = hashlib.sha256()
        for file in files:
            digest.update(f"{file.relative_to(contents.root).as_posix()}\0{file_digest(file)}\0".encode())
        contents.add("*.py", digest.hexdigest()[:16])
    for file in map(Path, defined_in):
        if file.is_file() and not file.resolve().is_relative_to(contents.root):
            contents.add_files(file, file.name)


def add_program(
    contents: ContentsReader, command: Sequence[str], cwd: str | None, env: Iterable[str]
) -> None:
    """Add the files that a command names, the project's Python files for a script, and its variables.

    Args:
        contents: What is found is added here.
        command: The program and its arguments.
        cwd: The folder it runs in.
        env: The names of its variables.
    """
    folder = Path(cwd or ".")
    if "-m" in command or any(word.endswith(".py") for word in command):
        add_python(contents)
    for word in command:
        for name in dict.fromkeys((word, word.partition("=")[2])):
            if name and _is_file(folder / name):
                contents.add_files(folder / name)
    for name in env:
        contents.add_variable(name)


def _python_files(root: Path) -> list[Path]:
    """List the Python files below a folder; environments are left out."""
    found: list[Path] = []
    for number, (parent, folders, files) in enumerate(os.walk(root), 1):
        if "pyvenv.cfg" in files:
            folders.clear()
            continue
        folders[:] = sorted(one for one in folders if not one.startswith(".") and one not in _LEFT_OUT)
        found += (Path(parent, one) for one in sorted(files) if one.endswith(".py"))
        if len(found) > MOST_FILES or number > _MOST_FOLDERS:
            return found[:MOST_FILES]
    return found


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
