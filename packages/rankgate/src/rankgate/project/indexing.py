"""An index of the suite's corpus, for systems that build their own."""

from __future__ import annotations

import json
import re
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.chunks.chunking import Chunking
from rankgate.corpora.cache import cache_folder, writing
from rankgate.errors import Code, InputError
from rankgate.io.atomic import replacing
from rankgate.io.digests import ContentsReader
from rankgate.model import Indexer, MatchBy, fingerprint
from rankgate.plugins import asked_of, system_name, whole_documents
from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping

    from rankgate.corpora.corpus import Corpus
    from rankgate.model import Document, Suite, System
    from rankgate.runs.asking.progress import Progress

_NO_NAME = re.compile(r"[^A-Za-z0-9_.]+")


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
            raise InputError(
                Code.NOT_SUPPORTED(f"{name}.chunks", f"{str(chunks)!r} for {found}", "no chunks", fix)
            )
        return SuiteIndex()
    if corpus is None:
        fix = "name an index in the configuration, or a suite that has a corpus"
        raise InputError(
            Code.NO_INDEX(name, "no index, and no corpus to build one of", "something to search", fix)
        )
    if whole_documents(system):
        if chunks is not None:
            fix = "take chunks out: it makes pieces of its own"
            problem = Code.NOT_SUPPORTED(f"{name}.chunks", f"{str(chunks)!r}", "whole documents", fix)
            raise InputError(problem)
        chunks = Chunking()
    chunks = chunks or usual_chunks(suite, corpus)
    cut = _Cut()
    index = index_name(chunks, corpus.fingerprint)
    with closing(_told(corpus, progress)) as reading, asked_of(system, "build"):
        new = system.build(cut.counted(chunks.cut(reading, cut.notes)), index)
    if new:
        _keep(index, cut)
    how = f"{index}, {many(len(corpus), 'document')} cut by {chunks}"
    return SuiteIndex({"chunks": str(chunks), "built": index}, _words(how, index, new=new))


def usual_chunks(suite: Suite | None, corpus: Corpus | None) -> Chunking:
    """Return sections where a target of the suite lies inside a file, and whole files elsewhere.

    A whole file says nothing of where in it the answer is; but to a suite of ids or files, sections of one
    file would be the same answer several times.
    """
    if suite is None or corpus is None or corpus.records or suite.matching.by is MatchBy.PATH:
        return Chunking()
    suite = suite.whole or suite
    inside = any(
        one.lines or one.heading or one.symbol or one.quote
        for case in suite.cases
        for one in (*(target.location for target in case.targets), *(top.location for top in case.top))
    )
    return Chunking("section" if inside else "file")


def index_name(chunks: Chunking, corpus: str) -> str:
    """Return what an index is called: by how documents are cut, what cuts them, and which they are.

    Args:
        chunks: How they are cut.
        corpus: The fingerprint of the documents.
    """
    made_of = [corpus, chunks.fingerprint]
    if not getattr(chunks.kind, "__module__", "").startswith("rankgate."):
        from rankgate.systems.contents import add_python

        reader = ContentsReader(Path(chunks.root))
        add_python(reader)
        made_of += [f"{name} {digest}" for name, digest in reader.contents.items()]
    plain = _NO_NAME.sub("-", chunks.by.rpartition("/")[2]).strip("-.") or "own"
    return f"{plain}-{fingerprint(made_of)[:16]}"


@dataclass(slots=True)
class _Cut:
    """What documents were cut into."""

    pieces: int = 0
    unplaced: int = 0
    notes: Counter[str] = field(default_factory=Counter)

    def counted(self, pieces: Iterator[Document]) -> Iterator[Document]:
        for one in pieces:
            self.pieces += 1
            self.unplaced += one.path is not None and one.lines is None
            yield one


def _words(how: str, index: str, *, new: bool) -> tuple[str, ...]:
    kept = _kept(index)
    if kept is None:
        return (f"index {how}: built before, and not from this machine's cache",)
    words = [f"index {how} into {many(kept.pieces, 'piece')}{'' if new else ': built before'}"]
    if kept.unplaced:
        number = many(kept.unplaced, "piece")
        words.append(
            f"{number} of {kept.pieces} could not be placed in the documents: found, and without lines"
        )
    return (*words, *(f"{many(count, 'file')} {said}" for said, count in kept.notes.items()))


def _notes_file(index: str) -> Path:
    return cache_folder() / "indexes" / "notes" / f"{index}.json"


def _keep(index: str, cut: _Cut) -> None:
    """Remember what was said when an index was built, so that it can be said whenever it is searched."""
    file = _notes_file(index)
    with writing(file.parent), replacing(file) as aside:
        kept = {"pieces": cut.pieces, "unplaced": cut.unplaced, "notes": dict(cut.notes)}
        aside.write_text(json.dumps(kept), encoding="utf-8", newline="\n")


def _kept(index: str) -> _Cut | None:
    try:
        found = json.loads(_notes_file(index).read_bytes())
        notes = Counter({str(words): int(count) for words, count in found["notes"].items()})
        return _Cut(int(found["pieces"]), int(found.get("unplaced", 0)), notes)
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
