"""A corpus that can be searched and walked: its nodes, its index, and what keeps both up to date.

What is made lies in a folder of the cache: the nodes (`store.py`) and the index (`lexical/index.py`). Opening
a library reads the corpus, parses the files whose content changed, and replaces them in both. What it then
searches and walks stays as it is, also while another process brings the cache up to date.
"""

from __future__ import annotations

import hashlib
import json
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rankgate as rg
from rankgate_reference.documents.nodes import RECORD, path_of
from rankgate_reference.documents.sources import Source, checked, is_folder, resolved
from rankgate_reference.lexical.deeper import in_layers
from rankgate_reference.lexical.index import LexicalIndex
from rankgate_reference.lexical.weights import Weights
from rankgate_reference.library.cache_folder import FORMAT, default_cache, held, parts
from rankgate_reference.library.symbols import fitting
from rankgate_reference.library.versions import parsers
from rankgate_reference.vectors.hybrid import HybridSearch, alone

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from rankgate_reference.documents.nodes import TreeNode
    from rankgate_reference.lexical.index import Scored
    from rankgate_reference.library.store import Store
    from rankgate_reference.vectors.hybrid import Blend
    from rankgate_reference.vectors.models import Embedder

_TRIES = 3
_AT_ONCE = 50_000_000
_A_NODE = 500


class Library:
    """The nodes of a folder or of records, searched and walked.

    It is a `rankgate.System` and a `rankgate.Navigator`. Made by `Library.open`. Threads share it.
    """

    thread_safe = True

    def __init__(self, source: Source, store: Store, lexical: LexicalIndex) -> None:
        self._source = source
        self._store = store
        self.lexical = lexical
        """The index of words."""
        self.changed: tuple[str, ...] = ()
        """The files that were parsed when it was opened, or the records that were taken in."""
        self.removed: tuple[str, ...] = ()
        """The files or records that were taken out when it was opened."""
        self._place = Path()
        self._weights = Weights()
        self._alone = lexical
        self._own = ""
        self._unsteady: list[str] = []

    @classmethod
    def open(
        cls,
        root: str | Path,
        *,
        kind: str = "folder",
        cache: str | Path | None = None,
        weights: Weights | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Library:
        """Open the library of a folder or a file of records, and bring it up to date.

        Args:
            root: The folder or the file; nothing outside it is read.
            kind: What it is, as a suite names it; options follow, as in ``jsonl,id=key,text=body``.
            cache: Where nodes and index are kept; by default in rankgate's cache, by place and kind.
            weights: What counts how much.
            progress: Told how many files or records are done, and of how many.

        Raises:
            InputError: for what is not there or holds no text.
            FormatError: for a file that is not of that kind.
            SystemFailedError: where the index cannot be written.
        """
        root = checked(root, kind)
        place = default_cache(root, kind) if cache is None else resolved(cache)
        own = (
            f"{place.relative_to(root).as_posix()}/" if is_folder(kind) and place.is_relative_to(root) else ""
        )
        return cls.of(lambda: Source.open(root, kind), place, weights=weights, progress=progress, own=own)

    @classmethod
    def of(
        cls,
        read: Callable[[], Source],
        place: Path,
        *,
        weights: Weights | None = None,
        progress: Callable[[int, int], None] | None = None,
        own: str = "",
    ) -> Library:
        """Open the library of a corpus, and bring it up to date.

        Args:
            read: Opens the corpus; called again where files change while they are read.
            place: The folder that nodes and index are kept in.
            weights: What counts how much.
            progress: Told how many files or records are done, and of how many.
            own: What the paths begin with that the library itself writes.

        Raises:
            InputError: for what is not there or holds no text.
            FormatError: for a file that is not of that kind.
            SystemFailedError: where the index cannot be written.
        """
        source, weights = read(), weights or Weights()
        with held(place):
            library = cls(source, *parts(place, weights, source.kind))
            library._place, library._weights, library._own = place, weights, own
            try:
                for left in range(_TRIES)[::-1]:
                    library._update(progress or (lambda _done, _total: None))
                    if not library._unsteady or not left:
                        break
                    library._source = read()
                library._store.hold()
                # Opened while nobody else writes: it is of the same state as the nodes.
                library._alone = LexicalIndex.open(place / "lexical", alone(weights))
            except BaseException:
                library.close()
                raise
        return library

    @property
    def _corpus(self) -> rg.Corpus:
        return self._source.corpus

    @property
    def records(self) -> bool:
        """True where documents are records, whose ids are never parsed."""
        return self._corpus.records

    @property
    def unit(self) -> str:
        """What a document is: a file or a record."""
        return "record" if self.records else "file"

    @property
    def notes(self) -> tuple[str, ...]:
        """What was skipped, and what could not be read as it should, in words and with counts."""
        own = len(self._corpus.paths()) - len(self._paths())
        said = [f"{own} files of the library's own cache skipped"] if own else []
        if self._unsteady:
            some = f"{', '.join(self._unsteady[:3])}{', …' if len(self._unsteady) > 3 else ''}"
            many = f"{len(self._unsteady)} {self.unit}s"
            said.append(f"{many} kept changing while they were read, and stay as they were before ({some})")
        return (*self._corpus.notes, *said, *self._store.notes())

    @property
    def fingerprint(self) -> str:
        """The hash of every path and content of the folder, or of every record."""
        return self._corpus.fingerprint

    def search(self, query: rg.Query) -> rg.Ranking:
        """Find nodes by their words."""
        first = self._weights.candidates
        if query.k <= first:
            return ranking(self.lexical.search(query.text, query.k, query.filters))
        return ranking(
            in_layers(
                lambda size: self.lexical.search(query.text, size, query.filters),
                query.k,
                first,
                len(self.lexical),
            )
        )

    def hybrid(
        self,
        embedder: Embedder,
        blend: Blend | None = None,
        *,
        words: bool = True,
        progress: Callable[[int, int], None] | None = None,
    ) -> HybridSearch:
        """Bring the vectors of the nodes up to date, and give the search that uses them.

        Args:
            embedder: What makes vectors.
            blend: How words and vectors are made one.
            words: False to search by vectors alone.
            progress: Told how many files are done, and of how many.

        Raises:
            InputError: where LanceDB is not installed or cannot use the cache.
            SystemFailedError: where the model fails, or someone else makes vectors all the while.
        """
        from rankgate_reference.vectors.index import VectorIndex

        # Embedding a large folder takes long, and whoever searches by words alone need not wait for it.
        place = self._place / "vectors"
        with held(place):
            vectors = VectorIndex.open(place, embedder)
            vectors.update(self._store.hashes(), self._store.nodes, progress)
        lexical = self._alone if words else None
        return HybridSearch(vectors, self._weights, lexical, blend, records=self.records)

    def warnings(self, query: rg.Query) -> tuple[str, ...]:
        """Return why a query's filters let nothing through."""
        return self.lexical.warnings(query.filters) if query.filters else ()

    def explain(self, text: str, id: str) -> str:  # noqa: A002 - what it is
        """Return what each term of a query counted for a node, and where it stands in it."""
        return self.lexical.explain(text, id, self._store.node(id))

    def node(self, id: str) -> TreeNode:  # noqa: A002 - what it is
        """Return a node.

        Raises:
            SystemFailedError: for an id that no node has.
        """
        found = self._store.node(id)
        if found is None:
            raise rg.SystemFailedError(rg.Problem(repr(id[:200]), "no node has this id", "one from a result"))
        return found

    def nodes(self, document: str) -> list[TreeNode]:
        """Return the nodes of the document that an id is of, itself first; the id of a record is not parsed.

        Raises:
            SystemFailedError: for a document that is not in the library.
        """
        named = self._store.node(document)
        found = [] if named is None else self._store.nodes(named.path)
        if not found and not self.records:
            found = self._store.nodes(path_of(document)) or self._store.nodes(document)
        if not found:
            raise rg.SystemFailedError(
                rg.Problem(repr(document[:200]), "no document has this id", "one that documents() lists")
            )
        return found

    def documents(self) -> Sequence[rg.Node]:
        """List the documents."""
        return [_public(node) for node in self.documents_without_text]

    def tree(self, document: str) -> Sequence[rg.Node]:
        """List a document's nodes, parents before children."""
        nodes = self.nodes(document)
        return [_public(node) for node in depth_first(nodes, nodes[0])]

    def read(self, node: str) -> str:
        """Return a node's own text."""
        return self.node(node).text

    def subtree(self, node: str) -> str:
        """Return the text of a node and of all below it, depth first."""
        top = self.node(node)
        return "\n".join(one.text for one in depth_first(self._store.nodes(top.path), top) if one.text)

    def find_symbol(self, name: str, k: int = 10) -> list[TreeNode]:
        """Find symbols: by name or by the end of their qualified name, then those that begin so.

        ``send`` finds ``Client.send``, and so does ``Client.send``; ``Other.send`` does not.
        """
        found = (self._store.node(one) for _, one in self.symbols(name)[: max(0, k)])
        return [node for node in found if node is not None]

    def symbols(self, name: str) -> list[tuple[str, str]]:
        """List every symbol that a name may mean, as how it fits and its id, the best first."""
        return fitting(name, self._store.symbols_beginning)

    @cached_property
    def documents_without_text(self) -> tuple[TreeNode, ...]:
        """The node of every file, without its text, in the order of their paths."""
        return tuple(self._store.documents())

    def why_missing(self, path: str) -> str:
        """Return why a file of the folder is not in the library; empty where nothing is known of it."""
        return self._corpus.skipped.get(path, "")

    def close(self) -> None:
        """Let go of the files."""
        self._store.close()

    def _paths(self) -> Sequence[str]:
        """List the files, without those that this library itself writes."""
        paths = self._corpus.paths()
        return [path for path in paths if not path.startswith(self._own)] if self._own else paths

    def _update(self, progress: Callable[[int, int], None]) -> None:
        """Bring nodes and index up to date; files that change meanwhile are left as they are, and named."""
        store, corpus = self._store, self._corpus
        self._unsteady = []
        made = json.dumps([FORMAT, self._source.kind, *parsers()])
        fingerprint = hashlib.sha256(f"{made} {corpus.fingerprint}".encode()).hexdigest()
        pending = set(store.pending())
        if not pending and store.fact("fingerprint") == fingerprint:
            return
        known = store.hashes()
        removed = sorted((known.keys() | pending) - set(self._paths()))
        digests: dict[str, str] = {}
        for path in self._paths():
            text = self._text(path)
            if text is None:
                continue
            # The same text gives other nodes with other parsers, and vectors are kept by this hash as well.
            marked = f"{made}\n{self._source.marked(path, text)}"
            digest = hashlib.sha256(marked.encode(errors="surrogatepass")).hexdigest()
            if path in pending or known.get(path) != digest:
                digests[path] = digest
        self._replace(digests, removed, progress)
        if not self._unsteady:
            store.replace((), (), fingerprint)

    def _replace(
        self, digests: Mapping[str, str], removed: Sequence[str], progress: Callable[[int, int], None]
    ) -> None:
        """Parse files and write them, so many at once that their nodes fit into memory."""
        changed = sorted(digests)
        waiting = list(enumerate(changed))[::-1]
        gone = removed
        if waiting or gone:
            self._store.begin([*changed, *gone])
        while waiting or gone:
            files: list[tuple[str, str, Sequence[TreeNode], str]] = []

            def parsed(files: list[Any] = files) -> Iterator[tuple[str, Sequence[TreeNode]]]:
                room = _AT_ONCE
                while waiting and room > 0:
                    at, path = waiting.pop()
                    progress(at, len(changed))
                    text = self._text(path)
                    if text is None:
                        continue
                    notes: list[str] = []
                    nodes = self._source.nodes(path, text, notes)
                    said = "\n".join(note.replace("\n", " ") for note in notes)
                    files.append((path, digests[path], nodes, said))
                    room -= len(text) + len(nodes) * _A_NODE
                    yield path, nodes

            self.lexical.update(parsed(), gone)
            self._store.replace(files, gone)
            self.changed += tuple(path for path, *_ in files)
            self.removed += tuple(gone)
            gone = ()
        progress(len(changed), len(changed))

    def _text(self, path: str) -> str | None:
        """Return a file's text; None where it is no longer what it was when the folder was read."""
        try:
            return self._corpus.text(path)
        except rg.InputError:
            if path not in self._unsteady:
                self._unsteady.append(path)
            return None


def ranking(found: Sequence[Scored]) -> rg.Ranking:
    """Return nodes that were found as a ranking, each with its file and its own lines."""
    # Every look at a public name of rankgate costs a microsecond or two.
    hit, lines = rg.Hit, rg.Lines
    return rg.Ranking(
        tuple(
            [hit(id=one.id, path=one.path, lines=lines(one.start, one.end), score=one.score) for one in found]
        )
    )


def _public(node: TreeNode) -> rg.Node:
    lines = rg.Lines(node.start, max(node.start, node.end))
    place = rg.Location.of_id(node.id) if node.kind == RECORD else rg.Location(path=node.path, lines=lines)
    return rg.Node(node.id, node.title, place, node.parent)


def depth_first(nodes: Sequence[TreeNode], top: TreeNode) -> Iterator[TreeNode]:
    """Go through a node and all below it: Go's methods may stand before their type."""
    below: dict[str | None, list[TreeNode]] = {}
    for node in nodes:
        below.setdefault(node.parent, []).append(node)
    waiting = [top]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(below.get(node.id, []))
