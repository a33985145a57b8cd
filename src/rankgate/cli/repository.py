"""Where the files of a report stand in the repository, which is how a code host names them."""

from __future__ import annotations

import os
from pathlib import Path


class Repository:
    """Turns paths as a command was given them into paths below the repository's root."""

    def __init__(self, *folders: Path) -> None:
        self._folders = (Path.cwd(), *folders)
        workspace = os.environ.get("GITHUB_WORKSPACE")
        self._root = Path(workspace).resolve() if workspace else _root(Path.cwd().resolve())

    def place(self, file: str) -> str:
        """Write a path as the repository has it; as it is, where it lies elsewhere.

        A report that is read again may have been made in another folder: the first that has the file counts.
        """
        places = [folder / file for folder in self._folders]
        try:
            place = next((one for one in places if one.is_file()), places[0]).resolve()
        except (OSError, ValueError, RuntimeError):
            return file
        return place.relative_to(self._root).as_posix() if place.is_relative_to(self._root) else file


def _root(start: Path) -> Path:
    """Without a workspace, the folder of the repository; without that, this one."""
    return next((folder for folder in (start, *start.parents) if (folder / ".git").exists()), start)
