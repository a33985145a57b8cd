"""Documents that a suite gives to the system: its own corpus, whatever kind that is."""

from __future__ import annotations

import hashlib
from types import MappingProxyType
from typing import TYPE_CHECKING

import rankgate as rg

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


class GivenDocuments:
    """A corpus of documents that are there already, by path or, for records, by id.

    Raises:
        InputError: where there are none.
    """

    notes: tuple[str, ...] = ()
    """Always empty: whoever opened the documents says what was left out."""
    skipped: Mapping[str, str] = MappingProxyType({})
    """Always empty, as `notes`."""
    pin: Mapping[str, str] = MappingProxyType({})
    """Always empty: it is held by its fingerprint alone."""

    def __init__(self, documents: Iterable[rg.Document]) -> None:
        found = {one.id: one for one in documents}
        if not found:
            raise rg.InputError(rg.Problem("the corpus of the suite", "no documents", "documents to search"))
        self._documents = {name: found[name] for name in sorted(found)}
        self.records = all(one.path is None for one in found.values())
        """True where documents are records with ids, and not files with paths and lines."""
        hashed = hashlib.sha256()
        for one in self._documents.values():
            for part in (one.id, one.title if self.records else "", one.text):
                said = part.encode(errors="surrogatepass")
                hashed.update(f"{len(said)} ".encode() + said)
        self.fingerprint = hashed.hexdigest()
        """The hash of every name and content."""

    def __contains__(self, name: str) -> bool:
        return name in self._documents

    def __len__(self) -> int:
        return len(self._documents)

    def paths(self) -> tuple[str, ...]:
        """List the names, sorted."""
        return tuple(self._documents)

    def text(self, path: str) -> str:
        """Return a document's text."""
        return self._documents[path].text

    def lines(self, path: str) -> int:
        """Count a document's lines."""
        text = self.text(path)
        return max(1, text.count("\n") + (not text.endswith("\n")))

    def documents(self) -> Iterator[rg.Document]:
        """Go through the documents in the order of their names."""
        return iter(self._documents.values())
