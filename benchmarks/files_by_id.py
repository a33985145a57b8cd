"""A folder with a file for each document, searched by ripgrep: how it is asked about records and pieces."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from rankgate.model import Hit, Ranking
from rankgate.systems.registry import open_system

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.model import Document, Query


class FilesById:
    """Asks ripgrep about documents. A file's name is the document's id, with what no name may hold escaped.

    A hit is the whole document: its id, and its path and lines where it is a piece of a file.
    """

    def __init__(self, options: Mapping[str, object], documents: Sequence[Document]) -> None:
        self._documents = {quote(document.id, safe=""): document for document in documents}
        for name, document in self._documents.items():
            text = f"{document.title}\n{document.text}\n" if document.title else f"{document.text}\n"
            (Path(str(options["folder"])) / name).write_text(text, encoding="utf-8")
        self._system = open_system("ripgrep", options)
        self.version = getattr(self._system, "version", None)

    def search(self, query: Query) -> Ranking:
        """Ask ripgrep."""
        found = [(self._documents[str(hit.path)], hit.score) for hit in self._system.search(query).hits]
        return Ranking(tuple(Hit(one.id, one.path, one.lines, score) for one, score in found))
