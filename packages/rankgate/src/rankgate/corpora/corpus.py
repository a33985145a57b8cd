"""What the layers above know of a corpus, whatever it comes from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, cast, runtime_checkable

from rankgate.corpora.options import named
from rankgate.corpora.selection import Selection, without_selection
from rankgate.errors import Code, InputError
from rankgate.plugins import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from rankgate.model.search import Document
    from rankgate.model.suite import CorpusSource


GROUP = "rankgate.corpora"
"""The entry points that open corpora: functions of a `CorpusSource` and an `OpenContext`."""


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
        r"""Return a document's text, with ``\n`` at the ends of lines.

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


@runtime_checkable
class SelectableCorpus(Protocol):
    """A corpus of files that can be had without some of them."""

    def only(self, why_not: Callable[[str], str | None], notes: tuple[str, ...] = ()) -> Corpus:
        """Return the corpus without the files that there is a reason to leave out.

        Args:
            why_not: Returns the reason; None for a file that stays.
            notes: What the notes of the corpus say besides.
        """
        ...


@dataclass(frozen=True, slots=True)
class OpenContext:
    """Where a corpus may come from and be kept."""

    here: Path
    """The folder that a source's place is relative to: the suite's."""
    root: Path
    """The folder that files must lie in: the project's."""
    cache: Path | None = None
    """Where unpacked corpora are kept; by default the platform's cache folder."""
    progress: Callable[[str], None] | None = None
    """Receives the progress of long work, such as unpacking."""
    unpinned: bool = False
    """True where the name of a branch will do; the hash that was found is in the notes."""

    def tell(self, words: str) -> None:
        """Report what is about to take long, to whoever listens."""
        if self.progress is not None:
            self.progress(words)


def open_source(source: CorpusSource, context: OpenContext) -> Corpus:
    """Open a corpus through the plugin of its kind, without the files that the suite leaves out.

    Raises:
        PluginError: for a kind that no plugin brings.
        InputError: for a source that is not there, not allowed, or not what it was pinned to.
    """
    opener = cast("Callable[[CorpusSource, OpenContext], Corpus]", load(GROUP, source.kind))
    selection = Selection.of(source)
    corpus = opener(without_selection(source), context)
    return _selected(corpus, selection, source) if selection else corpus


def _selected(corpus: Corpus, selection: Selection, source: CorpusSource) -> Corpus:
    """Return a corpus without what is left out; refuse records, which have no paths, and to leave nothing."""
    if not isinstance(corpus, SelectableCorpus):
        found = f"include or exclude with {source.kind}"
        fix = "take include and exclude out: records have ids, and no paths"
        raise InputError(Code.NO_CORPUS(named(source), found, "a corpus of files", fix))
    chosen = corpus.only(selection.why_not, tuple(selection.unused(corpus.paths())))
    if not len(chosen):
        found = f"none of {len(corpus)} files left by include and exclude"
        fix = f"globs fit whole paths, such as {corpus.paths()[0]}; ** fits any number of folders"
        raise InputError(Code.NO_CORPUS(named(source), found, "documents", fix))
    return chosen


def moved_to(source: CorpusSource, to: str) -> CorpusSource:
    """Name another state of a corpus: a commit of the repository, or another path.

    A path is one that the suite could have named. The hash of the old state is dropped.

    >>> from rankgate.model import CorpusSource
    >>> str(moved_to(CorpusSource("1.zip", "archive", {"sha256": "0" * 64, "under": "src"}), "2.zip"))
    'archive 2.zip, under src'
    >>> str(moved_to(CorpusSource(".", "git", {"commit": "1a2b3c4"}), "5d6e7f8"))
    'git ., commit 5d6e7f8'

    Raises:
        InputError: for what names no state of such a corpus.
    """
    if not to.strip():
        raise InputError(Code.MISSING_OPTION(named(source), "nothing to move to", "a commit or a path"))
    if source.kind == "git":
        return replace(source, options={**source.options, "commit": to})
    options = {key: value for key, value in source.options.items() if key != "sha256"}
    return replace(source, place=to, options=options)
