"""Who is measured on the suites that the project ships, and how each is set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from files_by_id import FilesById
from own_indexes import in_opensearch, in_sqlite
from rankgate.model import Indexer
from rankgate.project.indexing import have_index, index_name
from rankgate.systems.registry import open_system
from suite_ground import PLANS

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.model import System
    from suite_ground import Ground

ALL = tuple(plan.name for plan in PLANS)


@dataclass(frozen=True, slots=True)
class Contender:
    """A system, and how it is set."""

    name: str
    """What the command line calls it."""
    label: str
    """What the tables call it."""
    kind: str
    """The kind of system."""
    setting: str
    """How it is set, in words."""
    options: Mapping[str, object] = field(default_factory=dict)
    """Options of the adapter, beside where the index lies."""
    suites: tuple[str, ...] = ALL
    """The suites that it is asked."""

    @property
    def indexes(self) -> bool:
        """False where it builds nothing before it is asked."""
        return self.kind != "ripgrep"


CONTENDERS = (
    Contender(
        "ripgrep-files",
        "ripgrep, files",
        "ripgrep",
        "the files as they are; a hit is the first line that matches; files by the number of matches",
        suites=("handbook",),
    ),
    Contender(
        "ripgrep",
        "ripgrep, pieces",
        "ripgrep",
        "a file for each piece, title and text; a hit is the piece; pieces by the number of matches",
    ),
    Contender("sqlite", "SQLite FTS5", "sqlite", "`porter unicode61`, any word; title and text count alike"),
    Contender(
        "bm25s",
        "bm25s",
        "bm25s",
        "Snowball English, stop words of bm25s, k1 = 1.5, b = 0.75; title and text as one",
    ),
    Contender(
        "tantivy",
        "Tantivy",
        "tantivy",
        "plain: `en_stem`, any word, k1 = 1.2, b = 0.75; title and text as one",
    ),
    Contender(
        "opensearch",
        "OpenSearch",
        "opensearch",
        "one node, over HTTP; `english`, any word, k1 = 1.2, b = 0.75, one shard; title and text as one",
    ),
    Contender(
        "lancedb-vector",
        "LanceDB, vectors",
        "lancedb",
        '`mode = "vector"`: `minilm` of title and text, cosine, every vector compared',
        {"mode": "vector", "embedder": "minilm_model:embed"},
    ),
    Contender("reference-lexical", "reference, lexical", "reference", 'its own nodes; `mode = "lexical"`'),
    Contender(
        "reference-vector",
        "reference, vector",
        "reference",
        'its own nodes; `mode = "vector"` with `minilm`',
        {"mode": "vector", "model": "minilm_model:MODEL"},
    ),
    Contender(
        "reference-hybrid",
        "reference, hybrid",
        "reference",
        'its own nodes; `mode = "hybrid"` with `minilm`, words 0.7 where a node has all of the query, '
        "less where it has less; for a single identifier, words 0.95",
        {"mode": "hybrid", "model": "minilm_model:MODEL"},
    ),
)


def opened(contender: Contender, ground: Ground, folder: Path, server: Mapping[str, object]) -> System:
    """Open a system with an index of its own, built anew from the files of the suite.

    Args:
        contender: Who.
        ground: What is searched.
        folder: An empty one, with a name of its own.
        server: Where its server is; empty for those that keep files.
    """
    options = {"kind": contender.kind, **contender.options}
    if contender.kind == "reference":
        system = open_system("reference", {**options, "corpus": "suite", "cache": str(folder)})
        have_index(system, ground.open_corpus(), None)
        return system
    if contender.name == "ripgrep-files":
        return open_system("ripgrep", {**options, "folder": ground.folder})
    if contender.kind == "ripgrep":
        return FilesById({**options, "folder": str(folder)}, ground.pieces())
    if contender.kind == "sqlite":
        return open_system("sqlite", in_sqlite(folder, ground.pieces()))
    if contender.kind == "opensearch":
        return open_system("opensearch", in_opensearch(server, folder.name, ground.pieces()))
    system = open_system(contender.kind, {**options, "folder": str(folder)})
    if ground.plan.half is None:
        have_index(system, ground.open_corpus(), ground.plan.chunks)
    elif isinstance(system, Indexer):
        # No index time is told of these suites, and outlines of 800 files take longer than most indexes.
        system.build(ground.pieces(), index_name(ground.plan.chunks, ground.corpus.fingerprint))
    return system
