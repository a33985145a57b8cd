"""An index of the suite's corpus, for systems that build their own."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rankgate.chunks import Chunking
from rankgate.corpora.cache import cache_folder, writing
from rankgate.errors import InputError, Problem
from rankgate.files.atomic import replacing
from rankgate.model.fingerprints import fingerprint
from rankgate.model.search import Indexer
from rankgate.model.suite import MatchBy
from rankgate.model.systems import asked_of, system_name
from rankgate.model.wording import many

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping
    from pathlib import Path

    from rankgate.corpora.corpus import Corpus
    from rankgate.model.search import Document, System
    from rankgate.model.suite import Suite
    from rankgate.runs.asking.progress import Progress


@dataclass(frozen=True, slots=True)
class SuiteIndex:
    """What a system searches, where it was built from the corpus."""

    options: Mapping[str, object] = field(default_factory=dict)
    """What the manifest of a run says of it."""
    notes: tuple[str, ...] = ()
    """What it was built from, in words."""


def have_index(
    system: System,
    corpus: Corpus | None,
    chunks: Chunking | None,
    progress: Progress | None = None,
    *,
    suite: Suite | None = None,
) -> SuiteIndex:
    """Let the system build an index of the corpus, unless it has one.

    Args:
        system: What will be asked.
        corpus: What is indexed: the suite's.
        chunks: How it is cut; None where the configuration does not say.
        progress: Told of every document.
        suite: What is asked; where nobody says how to cut, its targets do.

    Raises:
        InputError: where documents are cut for a system that does not take them, or there are none.
    """
    name = system_name(system)
    if not isinstance(system, Indexer) or not system.wants_documents:
        if chunks is not None:
            found = "an index of its own" if isinstance(system, Indexer) else "no index that is built"
            fix = "take chunks out, or have an index built: name none"
            raise InputError(Problem(f"{name}.chunks", f"{str(chunks)!r} for {found}", "no chunks", fix))
        return SuiteIndex()
    if corpus is None:
        fix = "name an index in the configuration, or a suite that has a corpus"
        raise InputError(Problem(name, "no index, and no corpus to build one of", "something to search", fix))
    chunks = chunks or _default_chunks(suite, corpus)
    notes: Counter[str] = Counter()
    taken = 0

    def pieces() -> Iterator[Document]:
        nonlocal taken
        for one in chunks.cut(reading, notes):
            taken += 1
            yield one

    index = f"{chunks.by}-{fingerprint([corpus.fingerprint, chunks.fingerprint])[:16]}"
    with closing(_told(corpus, progress)) as reading, asked_of(system, "build"):
        new = system.build(pieces(), index)
    if new:
        _keep(index, taken, notes)
    how = f"{index}, {many(len(corpus), 'document')} cut by {chunks}"
    return SuiteIndex({"chunks": str(chunks), "built": index}, _words(how, index, new=new))


def _default_chunks(suite: Suite | None, corpus: Corpus) -> Chunking:
    """Return sections where a target of the suite lies inside a file, and whole files elsewhere.

    A whole file says nothing of where in it the answer is; but to a suite of ids or files, sections of one
    file would be the same answer several times.
    """
    if suite is None or corpus.records or suite.matching.by is MatchBy.PATH:
        return Chunking()
    inside = any(
        one.lines or one.heading or one.symbol or one.quote
        for case in suite.cases
        for one in (*(target.location for target in case.targets), *(top.location for top in case.top))
    )
    return Chunking("section" if inside else "file")


def _words(how: str, index: str, *, new: bool) -> tuple[str, ...]:
    kept = _kept(index)
    if kept is None:
        return (f"index {how}: built before, and not from this machine's cache",)
    taken, notes = kept
    built = f"index {how} into {many(taken, 'piece')}{'' if new else ': built before'}"
    return (built, *(f"{many(count, 'file')} {words}" for words, count in notes.items()))


def _notes_file(index: str) -> Path:
    return cache_folder() / "indexes" / "notes" / f"{index}.json"


def _keep(index: str, taken: int, notes: Mapping[str, int]) -> None:
    """Remember what was said when an index was built, so that it can be said whenever it is searched."""
    file = _notes_file(index)
    with writing(file.parent), replacing(file) as aside:
        aside.write_text(json.dumps({"pieces": taken, "notes": dict(notes)}), encoding="utf-8")


def _kept(index: str) -> tuple[int, dict[str, int]] | None:
    try:
        found = json.loads(_notes_file(index).read_bytes())
        return int(found["pieces"]), {str(words): int(count) for words, count in found["notes"].items()}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None


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
