"""Having an index of the suite's corpus, for systems that build their own."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rankgate.chunks.chunker import Chunking
from rankgate.errors import InputError, Problem
from rankgate.model.fingerprints import fingerprint
from rankgate.model.search import Indexer
from rankgate.model.wording import many

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping

    from rankgate.corpora.corpus import Corpus
    from rankgate.model.search import Document, System
    from rankgate.runs.progress import Progress


@dataclass(frozen=True, slots=True)
class Index:
    """What a system searches, where it was built from the corpus."""

    options: Mapping[str, object] = field(default_factory=dict)
    """What the manifest of a run says of it."""
    notes: tuple[str, ...] = ()
    """What it was built from, in words."""


def have_index(
    system: System, corpus: Corpus | None, chunks: Chunking | None, progress: Progress | None = None
) -> Index:
    """Have the system build an index of the corpus, unless it has one.

    Args:
        system: What will be asked.
        corpus: What is indexed: the suite's.
        chunks: How it is cut; None where the configuration does not say.
        progress: Told of every document.

    Raises:
        InputError: where documents are cut for a system that does not take them, or there are none.
    """
    name = getattr(system, "name", type(system).__name__)
    if not isinstance(system, Indexer) or not system.wants_documents:
        if chunks is not None:
            found = "an index of its own" if isinstance(system, Indexer) else "no index that is built"
            fix = "take chunks out, or have an index built: name none"
            raise InputError(Problem(f"{name}.chunks", f"{str(chunks)!r} for {found}", "no chunks", fix))
        return Index()
    if corpus is None:
        fix = "name an index in the configuration, or a corpus in the suite"
        raise InputError(Problem(name, "no index, and a suite without a corpus", "something to search", fix))
    chunks = chunks or Chunking()
    notes: Counter[str] = Counter()
    taken = 0

    def pieces() -> Iterator[Document]:
        nonlocal taken
        for one in chunks.cut(reading, notes):
            taken += 1
            yield one

    pinned = fingerprint([corpus.fingerprint, chunks.fingerprint])
    with closing(_told(corpus, progress)) as reading:
        new = system.build(pieces(), f"{chunks.by}-{pinned[:16]}")
    options = {"chunks": str(chunks)}
    if not new:
        return Index(options, (f"index of the corpus, cut by {chunks}: built before",))
    built = f"index built of {many(len(corpus), 'document')}, cut by {chunks} into {many(taken, 'piece')}"
    return Index(options, (built, *(f"{many(count, 'file')} {words}" for words, count in notes.items())))


def _told(corpus: Corpus, progress: Progress | None) -> Generator[Document, None, None]:
    """Go through the documents of a corpus, and tell how far it is."""
    if progress is None:
        yield from corpus.documents()
        return
    progress.start(len(corpus), "indexing")
    try:
        for document in corpus.documents():
            yield document
            progress.advance(0)
    finally:
        progress.finish()
