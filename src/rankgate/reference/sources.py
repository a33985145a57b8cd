"""What a library is made of: the files of a folder, or the records of another corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

import rankgate as rg
from rankgate.reference.nodes import node_of_record, nodes_of

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.reference.nodes import TreeNode


class Source:
    """A corpus as it is now, and the nodes of its documents.

    Raises:
        InputError: for what is not there or holds nothing.
        FormatError: for a file that is not of that kind.
        PluginError: for a kind that no plugin brings.
    """

    def __init__(self, root: Path, kind: str = "folder") -> None:
        here, place = (root, ".") if kind == "folder" else (root.parent, root.name)
        self.corpus: rg.Corpus = rg.open_source(
            rg.CorpusSource(place, kind, {}), rg.Room(here=here, root=here)
        )
        """The documents."""
        records = self.corpus.documents() if self.corpus.records else ()
        self._titles = {record.id: record.title for record in records}

    def marked(self, path: str, text: str) -> str:
        """Give all that the nodes of a document are made of."""
        return f"record\n{self._titles[path]}\n{text}" if path in self._titles else text

    def nodes(self, path: str, text: str, notes: list[str]) -> tuple[TreeNode, ...]:
        """Make the nodes of a document: a record is one."""
        if path in self._titles:
            return (node_of_record(path, self._titles[path], text),)
        return nodes_of(path, text, notes)
