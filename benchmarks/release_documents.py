"""The documents of pinned releases, and an index of them as a team would keep one: Tantivy, by sections."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from rankgate.chunks.chunking import Chunking
from rankgate.corpora.corpus import OpenContext, open_source
from rankgate.corpora.folder import FolderCorpus
from rankgate.model import CorpusSource
from rankgate.plugins import close_system
from rankgate.systems.registry import open_system

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from rankgate.model import Document, Indexer

ROOT = Path(__file__).parents[1]
FOLDER = Path(__file__).with_name("releases")
CACHE = ROOT / ".fixtures" / "releases"
_PINNED = re.compile(r"([\w.-]+)==(\S+) --hash=sha256:([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class Release:
    """One release of a project."""

    name: str
    """The project."""
    version: str
    """The version."""
    sha256: str
    """The hash of its sdist."""

    def write_documents(self, under: str, folder: Path) -> None:
        """Write the text files of its documentation to a folder, in place of what is there."""
        archive = f"{self.name}-{self.version}.tar.gz"
        source = CorpusSource(archive, "archive", {"sha256": self.sha256, "under": under})
        corpus = open_source(source, OpenContext(here=CACHE, root=CACHE, cache=CACHE))
        shutil.rmtree(folder, ignore_errors=True)
        for path in corpus.paths():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(corpus.text(path), encoding="utf-8")


def pinned_releases(name: str) -> list[Release]:
    """Read the releases of a project, in the order in which they are walked."""
    lines = (FOLDER / "releases.txt").read_text(encoding="utf-8").splitlines()
    found = [_PINNED.fullmatch(line) for line in lines if line and not line.startswith("#")]
    return [Release(*each.groups()) for each in found if each is not None and each[1] == name]


def fetch(listed: Path, folder: Path) -> None:
    """Download the releases of a list that are not in a folder yet."""
    command = [sys.executable, str(ROOT / "suites" / "fetch.py"), str(listed), "--downloads", str(folder)]
    subprocess.run(command, check=True)


def sections(documents: Path, skipped: Sequence[str]) -> list[Document]:
    """Cut a folder of documents into sections, but for what begins with a path that is skipped."""
    corpus = FolderCorpus.open(documents, root=documents)
    kept = (each for each in corpus.documents() if not each.id.startswith(tuple(skipped)))
    return list(Chunking("section").cut(kept))


def write_index(pieces: Sequence[Document], without: Collection[str], folder: Path) -> None:
    """Write an index of all pieces but those of some pages, in place of what is there."""
    shutil.rmtree(folder, ignore_errors=True)
    made = folder.with_name(f"{folder.name}-made")
    shutil.rmtree(made, ignore_errors=True)
    system = open_system("search", {"kind": "tantivy", "folder": str(made)})
    cast("Indexer", system).build((each for each in pieces if each.path not in without), "documents")
    close_system(system)
    next(made.rglob("meta.json")).parent.rename(folder)
    shutil.rmtree(made)
