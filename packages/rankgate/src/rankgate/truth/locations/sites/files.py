"""Where the configuration of a site is found, and what it may read: the corpus and the folders above."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.corpora.folder import FolderCorpus
from rankgate.errors import Code, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rankgate.corpora.corpus import Corpus
    from rankgate.outline.anchors.page import PageAnchor

_LARGEST = 1 << 20
_HIGHEST = 4
_ROOTS = (".git", "rankgate.toml", "pyproject.toml")
_FRONT = re.compile(r"(---|\+\+\+)[ \t]*\n(.*?)^\1", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"^(\w+)[ \t]*[:=][ \t]*(.*?)[ \t]*$", re.MULTILINE)
_VIRTUAL = Path("/corpus")


@dataclass(frozen=True, slots=True)
class SiteConfiguration:
    """The file that a site is configured by."""

    name: str
    """Its path, as messages show it."""
    folder: Path
    """The folder that it lies in."""
    text: str
    """Its text."""


@dataclass(frozen=True, slots=True)
class SiteRules:
    """What a site's own configuration says about its addresses and ids."""

    base: str
    """The address of the site, such as ``https://docs.example.org/app/``; empty where nobody says."""
    pages: Mapping[str, str]
    """The file of each page by its address below the base, without slashes around it and its ending."""
    anchors: Callable[[str], Sequence[PageAnchor]]
    """What lists the ids of the page that a file is."""
    ending: str = "/"
    """How an address ends: a slash, or ``.html``."""


@dataclass(slots=True)
class SiteFiles:
    """The files that a site may be read from."""

    corpus: Corpus
    """What is searched."""
    _modules: dict[str, str | None] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """The folder of the corpus; one that is not there for a corpus that lies in none."""
        return self.corpus.folder if isinstance(self.corpus, FolderCorpus) else _VIRTUAL

    def configuration(self, program: str, names: Sequence[str], given: str = "") -> SiteConfiguration:
        """Find the configuration of a site: in the corpus, or in a folder above it inside the project.

        Raises:
            InputError: where there is none.
        """
        wanted = (given,) if given else tuple(names)
        inside = [path for path in self.corpus.paths() if _is_named(path, wanted)]
        if inside:
            path = min(inside, key=lambda one: (one.count("/"), one))
            return SiteConfiguration(path, (self.folder / path).parent, self.corpus.text(path))
        for place in (folder / name for folder in self._above() for name in wanted):
            if self._allowed(place):
                text = place.read_text(encoding="utf-8", errors="replace")
                return SiteConfiguration(str(place), place.parent, text)
        found = f"no {' or '.join(wanted)}, neither in the corpus nor above it"
        expected = f"the configuration of a site of {program}"
        fix = f"name it, {{{program}: path/to/{names[0]}}}, or write rules of from and to"
        raise InputError(Code.WRONG_VALUE("map", found, expected, fix))

    def beside(self, configuration: SiteConfiguration, name: str) -> SiteConfiguration | None:
        """Read another file, named relative to the configuration; None where it is not there."""
        path = Path(posixpath.normpath((configuration.folder / name).as_posix()))
        inside = posixpath.relpath(path.as_posix(), self.folder.as_posix())
        if inside in self.corpus:
            return SiteConfiguration(inside, path.parent, self.corpus.text(inside))
        if self._allowed(path):
            return SiteConfiguration(
                str(path), path.parent, path.read_text(encoding="utf-8", errors="replace")
            )
        return None

    def below(self, folder: Path, suffixes: Sequence[str]) -> dict[str, str]:
        """List the files of the corpus below a folder that end so: their paths there, and in the corpus."""
        own, top = self.folder.as_posix(), posixpath.normpath(folder.as_posix())
        found = {}
        for path in self.corpus.paths():
            name = posixpath.relpath(f"{own}/{path}", top) if path.endswith(tuple(suffixes)) else ".."
            if not name.startswith(".."):
                found[name] = path
        return found

    def included(self, top: Path, source: str, name: str) -> tuple[str, str] | None:
        """Find a file of the corpus that another names relative to itself, or with a slash to a folder."""
        own = posixpath.relpath(top.as_posix(), self.folder.as_posix())
        folder = own if name.startswith("/") else posixpath.dirname(source)
        path = posixpath.normpath(posixpath.join(folder, name.lstrip("/")))
        return (path, self.corpus.text(path)) if path in self.corpus else None

    def module(self, name: str) -> tuple[str, str] | None:
        """Find a Python module in the corpus by its dotted name, wherever its package lies."""
        if name not in self._modules:
            way = name.replace(".", "/")
            ends = (f"/{way}.py", f"/{way}/__init__.py")
            fitting = [path for path in self.corpus.paths() if f"/{path}".endswith(ends)]
            self._modules[name] = min(fitting, key=lambda path: (path.count("/"), path), default=None)
        path = self._modules[name]
        return None if path is None else (path, self.corpus.text(path))

    def front_matter(self, path: str) -> dict[str, str]:
        """Read the plain fields that stand above the text of a page."""
        found = _FRONT.match(self.corpus.text(path))
        pairs = _FIELD.findall(found[2]) if found is not None else []
        return {name.lower(): value.strip("\"'") for name, value in pairs}

    def _allowed(self, place: Path) -> bool:
        """Check whether a file may be read: it lies in the project, whatever a suite or a link says."""
        above = self._above()
        if not above or not place.is_file() or place.stat().st_size > _LARGEST:
            return False
        return place.resolve().is_relative_to(above[-1].resolve())

    def _above(self) -> list[Path]:
        """List the folders above the corpus, up to that of the project."""
        if not isinstance(self.corpus, FolderCorpus):
            return []
        found = [self.folder]
        while len(found) <= _HIGHEST and not any((found[-1] / name).exists() for name in _ROOTS):
            found.append(found[-1].parent)
        return found


def _is_named(path: str, names: Sequence[str]) -> bool:
    return any(f"/{path}".endswith(f"/{name}") for name in names)
