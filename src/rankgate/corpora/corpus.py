"""What the layers above know of a corpus, whatever it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from rankgate.model.search import Document

GROUP = "rankgate.corpora"
"""The entry points that open corpora: functions of a `CorpusSource` and a `Room`."""


class Corpus(Protocol):
    """Documents with names and texts, pinned by a fingerprint of their content.

    The documents of a corpus of files are named by paths; those of a corpus of records by ids that are never
    parsed.
    """

    @property
    def fingerprint(self) -> str:
        """The hash of every name and content: equal content, equal fingerprint, wherever it comes from."""
        ...

    @property
    def records(self) -> bool:
        """True where documents are records with ids, and not files with paths and lines."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What was skipped or replaced, in words and with counts."""
        ...

    @property
    def skipped(self) -> Mapping[str, str]:
        """Why a file that is there is not in the corpus, by path."""
        ...

    @property
    def pin(self) -> Mapping[str, str]:
        """The options that would hold exactly this, such as its sha256; empty where the source has them."""
        ...

    def __contains__(self, name: str) -> bool: ...

    def __len__(self) -> int: ...

    def paths(self) -> tuple[str, ...]:
        """List the names, sorted."""
        ...

    def text(self, path: str) -> str:
        r"""Give a document's text, with ``\n`` at the ends of lines.

        Raises:
            KeyError: for a name that is not in the corpus.
        """
        ...

    def lines(self, path: str) -> int:
        """Count a document's lines.

        Raises:
            KeyError: for a name that is not in the corpus.
        """
        ...

    def documents(self) -> Iterator[Document]:
        """Go through the documents in the order of their names."""
        ...


@dataclass(frozen=True, slots=True)
class Room:
    """Where a corpus may come from and be kept."""

    here: Path
    """The folder that a source's place is relative to: the suite's."""
    root: Path
    """The folder that files must lie in: the project's."""
    cache: Path | None = None
    """Where fetched and unpacked corpora are kept; by default the platform's cache folder."""
    progress: Callable[[str], None] | None = None
    """Told in words what takes long: what is fetched or unpacked."""
    unpinned: bool = False
    """True where a branch or a release without its hash will do; the hash that was found is in the notes."""

    def tell(self, words: str) -> None:
        """Say what is about to take long, to whoever listens."""
        if self.progress is not None:
            self.progress(words)
