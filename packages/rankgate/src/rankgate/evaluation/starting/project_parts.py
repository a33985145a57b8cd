"""The documents of a project: the pages of a site by its own configuration, or a folder of documents.

Configurations are read, never run: of ``conf.py`` only what is written out counts.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from rankgate.evaluation.starting.pages import DOCUMENTS

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
_SPHINX = (".", "docs", "doc", "docs/source", "doc/source", "doc/en", "documentation", "docs/en")
_DOCUSAURUS = (".", "website", "docs", "documentation", "site")
_SITE_DOCUMENTS = (".md", ".markdown", ".mdx", ".rst", ".txt")
_LEFT_OUT = re.compile(r"[^!#].*")


@dataclass(frozen=True, slots=True)
class ProjectDocuments:
    """The documents of a project."""

    folder: Path
    """Where they are."""
    include: tuple[str, ...] = ()
    """Globs of the files that are documents; none for all."""
    exclude: tuple[str, ...] = ()
    """Globs of files that the site leaves out."""
    program: str = ""
    """What makes a site of them: mkdocs, sphinx or docusaurus; empty where nothing says so."""
    configuration: str = ""
    """The file that says so, below the project."""


def find_documents(project: Path, given: Path | None = None) -> ProjectDocuments:
    """Return the documents of a project: those of its site, or of the first folder with a usual name.

    Args:
        project: Where to look.
        given: The folder that a person named; then only the kinds of files are looked for.
    """
    if given is not None:
        return _plain(given)
    for find in (_mkdocs, _docusaurus, _sphinx):
        found = find(project)
        if found is not None:
            return found
    for name in _FOLDERS:
        if any(_endings(project / name)):
            return _plain(project / name)
    return _plain(project)


def _plain(folder: Path) -> ProjectDocuments:
    return ProjectDocuments(folder, _include(folder))


def _include(folder: Path, endings: tuple[str, ...] = DOCUMENTS) -> tuple[str, ...]:
    """Return globs of the documents of a folder; none where it has none, as a folder of code."""
    found = _endings(folder)
    return tuple(f"**/*{ending}" for ending in endings if found[ending])


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


def _below(project: Path, folder: Path) -> bool:
    return folder.is_dir() and folder.resolve().is_relative_to(project.resolve())


def _mkdocs(project: Path) -> ProjectDocuments | None:
    """Read ``mkdocs.yml``: the folder of the documents, and what it leaves out."""
    for name in ("mkdocs.yml", "mkdocs.yaml", "docs/mkdocs.yml"):
        try:
            text = (project / name).read_text(encoding="utf-8", errors="replace")
            settings = yaml.load(text, _AnyTag)  # noqa: S506 - a safe loader that makes nothing of tags
        except (OSError, yaml.YAMLError, ValueError, RecursionError):
            continue
        settings = settings if isinstance(settings, dict) else {}
        docs = settings.get("docs_dir")
        folder = (project / name).parent / (docs if isinstance(docs, str) and docs else "docs")
        if _below(project, folder) and (include := _include(folder, (".md", ".markdown"))):
            left = settings.get("exclude_docs")
            return ProjectDocuments(folder, include, _gitignored(left, folder), "mkdocs", name)
    return None


class _AnyTag(yaml.SafeLoader):  # type: ignore[misc]
    """Reads YAML whose tags make nothing."""


def _nothing(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> None:
    """Make nothing of a tag that only Python or a plugin knows."""
    del loader, suffix, node


_AnyTag.add_multi_constructor("tag:yaml.org,2002:python/", _nothing)
_AnyTag.add_multi_constructor("!", _nothing)


def _gitignored(text: Any, folder: Path) -> tuple[str, ...]:
    """Return lines of a .gitignore as globs of what is there; those that take something back are not."""
    lines = text.splitlines() if isinstance(text, str) else []
    found = []
    for line in (line.strip() for line in lines):
        if _LEFT_OUT.fullmatch(line):
            glob = line.lstrip("/") if "/" in line.rstrip("/") else f"**/{line}"
            found.append(f"{glob.rstrip('/')}/**" if line.endswith("/") else glob)
    return _of_something(found, folder)


def _of_something(globs: list[str], folder: Path) -> tuple[str, ...]:
    """Return the globs that leave a file out: the suite is told of those that do not."""
    from rankgate.model.locations import fits_glob

    paths = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    return tuple(glob for glob in globs if any(fits_glob(path, glob) for path in paths))


def _docusaurus(project: Path) -> ProjectDocuments | None:
    """Read ``docusaurus.config.*`` where it is plain text: the folder of the documents."""
    for place in _DOCUSAURUS:
        for file in sorted((project / place).glob("docusaurus.config.*")):
            text = file.read_text(encoding="utf-8", errors="replace")
            docs = re.search(r"\bdocs\s*:\s*\{[^{}]*?\bpath\s*:\s*['\"`]([^'\"`]+)", text)
            folder = file.parent / (docs[1] if docs else "docs")
            if _below(project, folder) and (include := _include(folder, (".md", ".mdx"))):
                exclude = _of_something(["**/_*/**"], folder)
                return ProjectDocuments(folder, include, exclude, "docusaurus", _named(file, project))
    return None


def _sphinx(project: Path) -> ProjectDocuments | None:
    """Read ``conf.py``: what is written out of its patterns."""
    for place in _SPHINX:
        file = project / place / "conf.py"
        try:
            tree = ast.parse(file.read_text(encoding="utf-8", errors="replace"))
        except (OSError, SyntaxError, ValueError, RecursionError):
            continue
        written = _written(tree)
        if not {"extensions", "project", "master_doc", "html_theme"} & set(written):
            continue
        if include := _include(file.parent, _suffixes(written)):
            patterns = written.get("exclude_patterns")
            listed = [one for one in patterns if isinstance(one, str)] if isinstance(patterns, list) else []
            exclude = [one if "." in one.rpartition("/")[2] else f"{one.rstrip('/')}/**" for one in listed]
            return ProjectDocuments(
                file.parent, include, _of_something(exclude, file.parent), "sphinx", _named(file, project)
            )
    return None


def _suffixes(written: dict[str, Any]) -> tuple[str, ...]:
    """Return the endings of a site of Sphinx; MyST reads Markdown whether its ending is listed or not."""
    value, extensions = written.get("source_suffix"), written.get("extensions")
    listed = (
        [value] if isinstance(value, str) else list(value) if isinstance(value, list | dict | tuple) else []
    )
    if listed and isinstance(extensions, list) and {"myst_parser", "myst_nb"} & {*map(str, extensions)}:
        listed.append(".md")
    return tuple(dict.fromkeys(one for one in listed if one in _SITE_DOCUMENTS)) or (".rst", ".md")


def _written(tree: ast.Module) -> dict[str, Any]:
    """Return the settings of a module that are written out; None for those that are worked out."""
    found: dict[str, Any] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                found[node.targets[0].id] = ast.literal_eval(node.value)
            except (ValueError, TypeError, RecursionError):
                found[node.targets[0].id] = None
    return found


def _named(file: Path, project: Path) -> str:
    return PurePosixPath(file.resolve().relative_to(project.resolve())).as_posix()
