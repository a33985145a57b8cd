"""Where a suite may point: files and folders inside the project, unless its configuration allows more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.errors import InputError, Problem

if TYPE_CHECKING:
    from pathlib import Path

OUTSIDE = "move it there, or set corpora_outside = true in rankgate.toml"
"""What to do about a corpus outside the project."""

_RELATIVE = "the corpus of a suite is relative to the suite's file"


def folder_inside(folder: Path, root: Path, expected: str = "a folder of text files") -> Path:
    """Give a folder with every link resolved.

    Raises:
        InputError: for what is not there, is no folder, or lies outside `root`.
    """
    place = _inside(folder, root, "a folder")
    if not place.is_dir():
        found = "a file" if place.exists() else "no such folder"
        raise InputError(Problem(f"corpus {folder}", found, expected, _RELATIVE))
    return place


def file_inside(file: Path, root: Path, expected: str) -> Path:
    """Give a file with every link resolved.

    Raises:
        InputError: for what is not there, is no file, or lies outside `root`.
    """
    place = _inside(file, root, "a file")
    if not place.is_file():
        found = "a folder" if place.is_dir() else "what is no file" if place.exists() else "no such file"
        raise InputError(Problem(f"corpus {file}", found, expected, _RELATIVE))
    return place


def _inside(given: Path, root: Path, what: str) -> Path:
    try:
        place, top = given.resolve(), root.resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise InputError(Problem(f"corpus {str(given)!r}", f"no path ({error})", what, _RELATIVE)) from error
    if not place.is_relative_to(top):
        raise InputError(
            Problem(f"corpus {given}", f"{place}, outside the project", f"{what} in {top}", OUTSIDE)
        )
    return place
