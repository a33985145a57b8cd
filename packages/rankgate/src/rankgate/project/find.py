"""The configuration that holds for a folder or a suite."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.errors import Code, FormatError
from rankgate.io.toml import read_toml
from rankgate.project.configuration import NAME, PROJECT, Configuration
from rankgate.wording import shortest

if TYPE_CHECKING:
    from rankgate.io.yaml import Document


def find_configuration(start: Path, top: Path | None = None) -> Configuration:
    """Look for the configuration in a folder and upwards.

    Args:
        start: The folder.
        top: The last folder to look in; by default the root of the file system.

    Raises:
        FormatError: for a file that is not right, or two of them in one folder.
    """
    start = start.resolve()
    for folder in (start, *start.parents):
        if top is not None and not folder.is_relative_to(top):
            break
        own, project = folder / NAME, folder / PROJECT
        section = _section(project) if project.is_file() else None
        if own.is_file() and section is not None:
            found = f"{NAME} and [tool.rankgate]"
            raise FormatError(Code.TWO_CONFIGURATIONS(str(folder), found, "one of the two"))
        if own.is_file():
            return _read(own, read_toml(shortest(own)))
        if section is not None:
            return _read(project, section)
    return Configuration(root=_project_root(start))


def configuration_for(suite: str | Path | None) -> Configuration:
    """Find the configuration that a suite is tested by: the nearest upward from its file, or else from here.

    Where there is none at all, the project is the one that
    this folder is in, or else the suite's own.

    Raises:
        FormatError: as `find_configuration` does.
    """
    if suite is None:
        return find_configuration(Path.cwd())
    file = Path(suite).resolve()
    beside = find_configuration(file.parent)
    if beside.path is not None:
        return beside
    here = find_configuration(Path.cwd())
    return here if here.path is not None or file.is_relative_to(here.root) else beside


def suite_option(path: str | Path | None) -> str:
    """Return ``--suite FILE`` for a command that is run here; empty if it finds the suite without it."""
    if path is None:
        return ""
    usual = find_configuration(Path.cwd()).suite_files
    if [one.resolve() for one in usual] == [Path(path).resolve()]:
        return ""
    return f"--suite {shlex.quote(str(shortest(Path(path).resolve())))}"


def _read(path: Path, document: Document) -> Configuration:
    from rankgate.project.schema import read_configuration  # it imports pydantic

    return read_configuration(path, document)


def _section(project: Path) -> Document | None:
    """Return ``[tool.rankgate]`` of a file; None if there is none."""
    whole = read_toml(shortest(project))
    tool = whole.data.get("tool", {})
    if "rankgate" not in tool:
        return None
    return replace(whole, data=tool["rankgate"], mark=tool.marks["rankgate"][1])


def _project_root(start: Path) -> Path:
    """Without a configuration, the repository or the project is the root; without those, the folder."""
    for folder in (start, *start.parents):
        if any((folder / mark).exists() for mark in (".git", PROJECT)):
            return folder
    return start
