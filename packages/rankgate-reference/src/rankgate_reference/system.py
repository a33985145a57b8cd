"""The reference system as a kind of system that a configuration can name."""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rankgate as rg
from rankgate_reference.documents.given import GivenDocuments
from rankgate_reference.documents.sources import SUITE, Source
from rankgate_reference.lexical.weights import RANKED, Weights
from rankgate_reference.library.cache_folder import default_cache
from rankgate_reference.library.library import Library, ranking
from rankgate_reference.progress import Bar
from rankgate_reference.vectors.fusion import FUSIONS, load_reranker
from rankgate_reference.vectors.hybrid import FILES_SHARE, Blend, rerank_with
from rankgate_reference.vectors.models import DEFAULT, load_embedder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Search = Callable[[rg.Query], rg.Ranking]
    Progress = Callable[[int, int], None]

KIND = rg.SystemKind(
    "A folder of documentation and code, as a tree of sections and symbols; or records",
    base="project",
    library="tantivy",
    extra="reference",
    tested="tested with tantivy 0.27.0 and lancedb 0.40.0",
)

MODES = ("lexical", "vector", "hybrid")
"""How nodes can be searched."""


@dataclass(frozen=True, slots=True)
class ReferenceOptions:
    """What is searched, and how."""

    root: str = "."
    """The folder or file to search, relative to `project`; nothing outside it is read."""
    corpus: str = "folder"
    """What `root` is: folder, jsonl, beir, git or archive; options follow, as in
    jsonl,id=key,text=body. Or `suite`: the corpus of the suite that is asked, without a root."""
    mode: str = "lexical"
    """lexical, vector or hybrid."""
    model: str = ""
    """The embedder for vector and hybrid, by name (minilm, wordllama, fastembed/MODEL), or as module:attr."""
    cache: str = ""
    """Where nodes and index are kept, relative to `project`; by default in rankgate's cache."""
    ranked: str = "nodes"
    """nodes, each section or symbol by itself; or files, each by its best node, its others far behind."""
    fusion: str = "scores"
    """For hybrid: scores or ranks of words and vectors are made one."""
    lexical: float | None = None
    """For hybrid: what words count, from 0 to 1, where a node has all of the query; 0.7, of files 0.4."""
    rerank: str = ""
    """What orders the best nodes anew, as module:attr: (query, nodes) -> their positions, best first."""
    texts: bool = False
    """True to return each node's own text with it."""
    weights: Mapping[str, float] = field(default_factory=dict)
    """What counts how much, by the names of `Weights`, where it is not the default."""
    project: str = "."
    """The folder that paths are relative to and modules are imported from; usually the project's."""


class ReferenceSystem:
    """Searches and walks a folder or records. Threads share it."""

    thread_safe = True

    def __init__(self, name: str, options: ReferenceOptions) -> None:
        self.name = name
        self._options = options
        self._project = Path(options.project)
        self._cache = self._project / options.cache if options.cache else None
        self._weights = Weights(**_fitted({**RANKED[options.ranked], **options.weights}))
        self.version: str | None = f"tantivy {version('tantivy')}"
        self._library: Library | None = None
        self._open()

    @property
    def library(self) -> Library:
        """What is searched.

        Raises:
            SystemFailedError: where nothing was given to be searched.
        """
        if self._library is None:
            fix = "ask it by a suite that has a corpus, not in a process of its own; or name root and corpus"
            problem = rg.Problem(self.name, "no documents yet", "the corpus of a suite", fix)
            raise rg.SystemFailedError(problem)
        return self._library

    def _open(self) -> None:
        root = self._project / self._options.root
        place = self._cache or default_cache(root, self._options.corpus)
        kind, cache, weights = self._options.corpus, self._cache, self._weights
        self._searched(
            place, lambda said: Library.open(root, kind=kind, cache=cache, weights=weights, progress=said)
        )

    def _searched(self, place: Path, opened: Callable[[Progress], Library]) -> None:
        """Open a library, and have it searched from now on."""
        began = time.monotonic()
        with Bar() as bar:
            library = opened(bar.stage("indexing"))
            try:
                self._search = search_by(self._options.mode, library, self._options, bar.stage("embedding"))
            except BaseException:
                library.close()
                raise
        self.close()
        self._library = library
        # An update of some files took a time that says nothing of building the whole.
        whole = len(library.changed) == len(library.documents_without_text)
        timed = whole and self._options.mode == "lexical"
        self._index_seconds = time.monotonic() - began if timed else None
        self._words = place / "lexical"

    def search(self, query: rg.Query) -> rg.Ranking:
        """Find nodes."""
        found = self._search(query) if self._library is not None else self.library.search(query)
        if not self._options.texts:
            return found
        return rg.Ranking(tuple(self._with_text(hit) for hit in found.hits))

    def warnings(self, query: rg.Query) -> tuple[str, ...]:
        """Return why a query's filters let nothing through."""
        return self.library.warnings(query)

    def documents(self) -> Sequence[rg.Node]:
        """List the documents."""
        return self.library.documents()

    def tree(self, document: str) -> Sequence[rg.Node]:
        """List a document's nodes, parents before children."""
        return self.library.tree(document)

    def read(self, node: str) -> str:
        """Return a node's own text."""
        return self.library.read(node)

    def subtree(self, node: str) -> str:
        """Return the text of a node and of all below it, depth first."""
        return self.library.subtree(node)

    def describe(self) -> dict[str, object]:
        """Return the options and what was searched, for the manifest of a run."""
        given = asdict(self._options)
        if self._options.mode != "lexical":
            given["model"] = self._options.model or DEFAULT
        searched = {} if self._library is None else {"fingerprint": self._library.fingerprint}
        return {"kind": "reference", **given, "weights": asdict(self._weights), **searched}

    def built_index(self) -> rg.SystemIndex | None:
        """Return the index of the folder or the records; that of vectors does not say where it lies."""
        options = self._options
        if self._library is None:
            return None
        model = "" if options.mode == "lexical" else options.model or DEFAULT
        indexed = self._weights.indexed if options.mode != "vector" else ()
        made = json.dumps([self.library.fingerprint, options.corpus, model, indexed])
        name = hashlib.sha256(made.encode()).hexdigest()[:16]
        return rg.SystemIndex(f"reference/{name}", None if model else str(self._words), self._index_seconds)

    def contents(self) -> dict[str, str]:
        """Return the versions that the answers depend on; what is searched is among the options."""
        return {name: version(name) for name in ("rankgate-reference", "tantivy")}

    def close(self) -> None:
        """Let go of the files."""
        if self._library is not None:
            self._library.close()

    def _with_text(self, hit: rg.Hit) -> rg.Hit:
        text = self.library.read(hit.id) if hit.id else None
        return rg.Hit(id=hit.id, path=hit.path, lines=hit.lines, score=hit.score, text=text)


class SuiteReferenceSystem(ReferenceSystem):
    """Searches the corpus of the suite that is asked, of which it makes nodes: a `rankgate.Indexer`."""

    wants_documents = True
    whole_documents = True

    def build(self, documents: Iterable[rg.Document], name: str) -> bool:
        """Make nodes and index of documents, and search them from now on."""
        place = self._cache / name if self._cache else default_cache(Path(name), SUITE)
        source = Source(GivenDocuments(documents), SUITE)
        self._searched(
            place, lambda said: Library.of(lambda: source, place, weights=self._weights, progress=said)
        )
        return bool(self.library.changed or self.library.removed)

    def _open(self) -> None:
        """Wait for the documents."""


def open_reference(name: str, options: Mapping[str, object]) -> ReferenceSystem:
    """Open the search that a configuration names; the entry point of the kind `reference`.

    Raises:
        InputError: with every option that is unknown or wrong, and for a folder that cannot be searched.
    """
    read = _read_options(name, options)
    return (SuiteReferenceSystem if read.corpus == SUITE else ReferenceSystem)(name, read)


def search_by(
    mode: str, library: Library, options: ReferenceOptions, progress: Callable[[int, int], None] | None = None
) -> Search:
    """Return the way to search that a mode names; where it needs vectors, they are brought up to date.

    Args:
        mode: One of `MODES`.
        library: What is searched.
        options: The model, the fusion and the reranker are used.
        progress: Told how many files are embedded, and of how many.

    Raises:
        InputError: for a model or a reranker that is not there.
        SystemFailedError: where the model fails.
    """
    if ":" in options.model + options.rerank:
        folder = str(Path(options.project).resolve())
        if folder not in sys.path:
            sys.path.insert(0, folder)
    search = library.search if mode == "lexical" else _by_vectors(mode, library, options, progress)
    if not options.rerank:
        return search
    return rerank_with(load_reranker(options.rerank), search, library.node)


def _by_vectors(
    mode: str, library: Library, options: ReferenceOptions, progress: Callable[[int, int], None] | None
) -> Search:
    embedder = load_embedder(options.model or DEFAULT)
    files = options.ranked == "files"
    share = FILES_SHARE if files else Blend().lexical
    blend = Blend(share if options.lexical is None else options.lexical, options.fusion, steady=files)
    found = library.hybrid(embedder, blend, words=mode == "hybrid", progress=progress)
    return lambda query: ranking(found.search(query))


def _read_options(name: str, found: Mapping[str, object]) -> ReferenceOptions:
    kinds: dict[str, tuple[type[Any], ...]] = {one.name: (str,) for one in fields(ReferenceOptions)}
    kinds |= {"texts": (bool,), "weights": (Mapping,), "lexical": (int, float)}
    expected = {"texts": "true or false", "weights": "a table of numbers", "lexical": "a number from 0 to 1"}
    problems = []
    for key, value in found.items():
        if key not in kinds:
            problems.append(rg.Problem(f"{name}.{key}", "an unknown option", f"one of {', '.join(kinds)}"))
        elif not isinstance(value, kinds[key]) or (key == "lexical" and not _is_share(value)):
            problems.append(rg.Problem(f"{name}.{key}", repr(value)[:80], expected.get(key, "a text")))
    for key, choices in (("mode", MODES), ("fusion", FUSIONS), ("ranked", tuple(RANKED))):
        chosen = found.get(key, choices[0])
        if isinstance(chosen, str) and chosen not in choices:
            problems.append(rg.Problem(f"{name}.{key}", repr(chosen[:80]), f"one of {', '.join(choices)}"))
    if found.get("corpus") == SUITE and "root" in found:
        fix = "take root out, or say what kind of corpus it is"
        problems.append(rg.Problem(f"{name}.root", "a root", "none with the corpus of the suite", fix))
    weights = found.get("weights", {})
    if isinstance(weights, Mapping):
        problems += _wrong_weights(name, weights)
    if problems:
        raise rg.InputError(problems)
    return ReferenceOptions(**{key: found[key] for key in kinds if key in found})  # type: ignore[arg-type]


def _is_share(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1


def _wrong_weights(name: str, weights: Mapping[Any, Any]) -> list[rg.Problem]:
    known = {one.name: one.type for one in fields(Weights)}
    problems = []
    for key, value in weights.items():
        where = f"{name}.weights.{key}"
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if key not in known:
            problems.append(rg.Problem(where, "an unknown weight", f"one of {', '.join(known)}"))
        elif not number or not 0 <= value <= 1000 or (known[key] == "int" and value != int(value)):
            kind = "a whole number" if known[key] == "int" else "a number"
            problems.append(rg.Problem(where, repr(value)[:80], f"{kind} from 0 to 1000"))
    return problems


def _fitted(weights: Mapping[str, float]) -> dict[str, Any]:
    known = {one.name: one.type for one in fields(Weights)}
    return {key: int(value) if known[key] == "int" else float(value) for key, value in weights.items()}
