"""The documents of a project: the first folder with a usual name that has some."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from rankgate.project.init.pages import DOCUMENTS

SKIPPED = frozenset(
    {
        ".git",
        ".venv",
        "venv",
        "node_modules",
        "__pycache__",
        "build",
        "dist",
        "tests",
        "test",
        "site-packages",
        "_build",
    }
)
"""Folders that nobody keeps documents or a search in."""
_FOLDERS = ("docs", "doc", "documentation", "content", "wiki")


@dataclass(frozen=True, slots=True)
class ProjectDocuments:
    """The documents of a project."""

    folder: Path
    """Where they are."""
    include: tuple[str, ...] = ()
    """Globs of the files that are documents; none for all."""


def find_documents(project: Path, given: Path | None = None) -> ProjectDocuments:
    """Return the documents of a project: those of the first folder with a usual name.

    Args:
        project: Where to look.
        given: The folder that a person named; then only the kinds of files are looked for.
    """
    if given is not None:
        return _plain(given)
    for name in _FOLDERS:
        if any(_endings(project / name)):
            return _plain(project / name)
    return _plain(project)


def _plain(folder: Path) -> ProjectDocuments:
    return ProjectDocuments(folder, _include(folder))


def _include(folder: Path) -> tuple[str, ...]:
    """Return globs of the documents of a folder; none where it has none, as a folder of code."""
    found = _endings(folder)
    return tuple(f"**/*{ending}" for ending in DOCUMENTS if found[ending])


def _endings(folder: Path) -> Counter[str]:
    """Count the documents of a folder by their endings; license files and the like are none."""
    return Counter(
        path.suffix.lower()
        for path in folder.rglob("*")
        if path.suffix.lower() in DOCUMENTS
        and not SKIPPED & set(path.relative_to(folder).parts[:-1])
        and path.name.lower() not in {"license.txt", "requirements.txt", "cmakelists.txt", "robots.txt"}
        and path.is_file()
    )
