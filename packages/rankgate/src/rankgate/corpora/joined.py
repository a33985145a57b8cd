"""Several corpora of files as one: the files of each lie in a folder of its name."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from rankgate.model.fingerprints import fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from rankgate.corpora.folder import FolderCorpus
    from rankgate.model.search import Document


# Without slots, so that what is asked for every target is worked out once.
@dataclass(frozen=True, eq=False)
class JoinedCorpus:
    """Files of several corpora, by paths that begin with the name of their part."""

    parts: Mapping[str, FolderCorpus]
    """The corpora, by the names of their folders."""
    pin: Mapping[str, str] = field(default_factory=dict)
    """The options that would hold exactly this; a file that is read has its own hashes."""

    said: tuple[str, ...] = ()
    """Notes on the whole."""

    records = False

    @cached_property
    def fingerprint(self) -> str:
        """The hash of every path and content, as that of a folder with the same files."""
        found = (
            (f"{name}/{path}", sha256)
            for name, part in self.parts.items()
            for path, sha256 in part.hashes().items()
        )
        return fingerprint([list(each) for each in sorted(found)])

    @property
    def notes(self) -> tuple[str, ...]:
        """What was skipped or replaced in each part, and what is said of the whole."""
        parts = (f"{name}: {note}" for name, part in self.parts.items() for note in part.notes)
        return (*parts, *self.said)

    @cached_property
    def skipped(self) -> Mapping[str, str]:
        """Why a file that is there is not in the corpus, by path."""
        return {
            f"{name}/{path}": why for name, part in self.parts.items() for path, why in part.skipped.items()
        }

    def __contains__(self, path: str) -> bool:
        name, _, inside = path.partition("/")
        return name in self.parts and inside in self.parts[name]

    def __len__(self) -> int:
        return sum(map(len, self.parts.values()))

    def paths(self) -> tuple[str, ...]:
        """List the files, sorted."""
        return self._paths

    @cached_property
    def _paths(self) -> tuple[str, ...]:
        return tuple(sorted(f"{name}/{path}" for name, part in self.parts.items() for path in part.paths()))

    def text(self, path: str) -> str:
        """Return a file's text.

        Raises:
            KeyError: for a path that is not in the corpus.
            InputError: for a file that has changed since the corpus was opened.
        """
        name, _, inside = path.partition("/")
        return self.parts[name].text(inside)

    def lines(self, path: str) -> int:
        """Count a file's lines.

        Raises:
            KeyError: for a path that is not in the corpus.
        """
        name, _, inside = path.partition("/")
        return self.parts[name].lines(inside)

    def documents(self) -> Iterator[Document]:
        """Go through the files as documents, each named by its path."""
        for name, part in sorted(self.parts.items()):
            for document in part.documents():
                path = f"{name}/{document.path}"
                yield replace(document, id=path, path=path)

    def only(self, why_not: Callable[[str], str | None], notes: tuple[str, ...] = ()) -> JoinedCorpus:
        """Return the corpus without the files that there is a reason to leave out."""
        return replace(
            self,
            parts={
                name: part.only(lambda path, name=name: why_not(f"{name}/{path}"))  # type: ignore[misc]
                for name, part in self.parts.items()
            },
            said=(*self.said, *notes),
        )
