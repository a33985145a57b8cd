"""A corpus that can be searched and walked: its nodes, its index, and what keeps both up to date.

What is made lies in a folder of the cache: the nodes (`store.py`) and the index (`lexical.py`). Opening a
library reads the corpus, parses the files whose content changed, and replaces them in both.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import rankgate as rg
from rankgate.reference.files_first import is_test
from rankgate.reference.lexical import LexicalIndex
from rankgate.reference.nodes import nodes_of, path_of
from rankgate.reference.store import Store
from rankgate.reference.weights import Weights

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rankgate.reference.hybrid import Blend, HybridSearch
    from rankgate.reference.lexical import Scored
    from rankgate.reference.models import Embedder
    from rankgate.reference.nodes import TreeNode

FORMAT = 3
"""Changes when what lies in the cache means something else; what is older is made anew."""

_WAIT = 600.0
_FITS = ("exact", "suffix", "prefix")


class Library:
    """The nodes of a folder, searched and walked; a `rankgate.System` and a `rankgate.Navigator`.

    Made by `Library.open`. Threads share it.
    """

    thread_safe = True

    def __init__(self, corpus: rg.Corpus, store: Store, lexical: LexicalIndex) -> None:
        self._corpus = corpus
        self._store = store
        self.lexical = lexical
        """The index of words."""
        self.changed: tuple[str, ...] = ()
        """The files that were parsed when it was opened."""
        self.removed: tuple[str, ...] = ()
        """The files that were taken out when it was opened."""
        self._place = Path()
        self._weights = Weights()

    @classmethod
    def open(
        cls,
        root: str | Path,
        *,
        cache: str | Path | None = None,
        weights: Weights | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Library:
        """Open the library of a folder, and bring it up to date.

        Args:
            root: The folder; nothing outside it is read.
            cache: Where nodes and index are kept; by default in rankgate's cache, by the folder's place.
            weights: What counts how much.
            progress: Told how many files are done, and of how many.

        Raises:
            InputError: for a folder that is not there or holds no text.
            SystemFailedError: where the index cannot be written.
        """
        root, weights = Path(root).resolve(), weights or Weights()
        corpus = rg.open_source(rg.CorpusSource(".", "folder", {}), rg.Room(here=root, root=root))
        place = Path(cache) if cache is not None else _default_cache(root)
        with _held(place):
            library = cls(corpus, *_parts(place, weights))
            library._place, library._weights = place, weights
            library._update(progress or (lambda _done, _total: None))
        return library

    @property
    def notes(self) -> tuple[str, ...]:
        """What was skipped, and what could not be read as it should, in words and with counts."""
        return (*self._corpus.notes, *self._store.notes())

    def search(self, query: rg.Query) -> rg.Ranking:
        """Find nodes by their words."""
        return ranking(self.lexical.search(query.text, query.k, query.filters))

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
            SystemFailedError: where the model fails, or someone else holds the cache.
        """
        from rankgate.reference.hybrid import HybridSearch, alone
        from rankgate.reference.vectors import VectorIndex

        with _held(self._place):
            vectors = VectorIndex.open(self._place / "vectors", embedder)
            vectors.update(self._store.hashes(), self._store.nodes, progress)
            weights = self._weights
            lexical = LexicalIndex.open(self._place / "lexical", alone(weights)) if words else None
        return HybridSearch(vectors, weights, lexical, blend)

    def warnings(self, query: rg.Query) -> tuple[str, ...]:
        """Say why a query's filters let nothing through."""
        return self.lexical.warnings(query.filters) if query.filters else ()

    def explain(self, text: str, id: str) -> str:  # noqa: A002 - what it is
        """Say what each term of a query counted for a node, and where it stands in it."""
        return self.lexical.explain(text, id, self._store.node(id))

    def node(self, id: str) -> TreeNode:  # noqa: A002 - what it is
        """Give a node.

        Raises:
            SystemFailedError: for an id that no node has.
        """
        found = self._store.node(id)
        if found is None:
            raise rg.SystemFailedError(rg.Problem(repr(id[:200]), "no node has this id", "one from a result"))
        return found

    def nodes(self, document: str) -> list[TreeNode]:
        """Give the nodes of the file that an id names, the document first.

        Raises:
            SystemFailedError: for a file that is not in the library.
        """
        found = self._store.nodes(path_of(document)) or self._store.nodes(document)
        if not found:
            raise rg.SystemFailedError(
                rg.Problem(repr(document[:200]), "no document has this id", "one that documents() lists")
            )
        return found

    def all_nodes(self) -> Iterator[tuple[str, list[TreeNode]]]:
        """Go through the files and their nodes, in the order of the paths."""
        for path in self._corpus.paths():
            yield path, self._store.nodes(path)

    def documents(self) -> Sequence[rg.Node]:
        """List the documents."""
        return [_public(node) for node in self._store.documents()]

    def tree(self, document: str) -> Sequence[rg.Node]:
        """List a document's nodes, parents before children."""
        nodes = self.nodes(document)
        return [_public(node) for node in depth_first(nodes, nodes[0])]

    def read(self, node: str) -> str:
        """Give a node's own text."""
        return self.node(node).text

    def subtree(self, node: str) -> str:
        """Give the text of a node and of all below it, depth first."""
        top = self.node(node)
        return "\n".join(one.text for one in depth_first(self._store.nodes(top.path), top) if one.text)

    def find_symbol(self, name: str, k: int = 10) -> list[TreeNode]:
        """Find symbols: by name or by the end of their qualified name, then those that begin so.

        ``send`` finds ``Client.send``, and so does ``Client.send``; ``Other.send`` does not.
        """
        found = (self._store.node(one) for _, one in self.symbols(name)[: max(0, k)])
        return [node for node in found if node is not None]

    def symbols(self, name: str) -> list[tuple[str, str]]:
        """List every symbol that a name may mean, as how it fits and its id, the best first.

        It fits as the whole qualified name (``exact``), with the names of file and folders before it or not;
        as the end of it (``suffix``); or but for the end of the last name (``prefix``). The same letters
        come before others, tests behind the rest, short names before long ones.
        """
        name = name.strip().removesuffix("()")
        if "/" in name:
            name = name.rpartition("::")[2]
        wanted = tuple(part for part in name.replace("::", ".").split(".") if part)
        if not wanted:
            return []
        found = []
        for one, symbol in self._store.symbols_beginning(wanted[-1]):
            parts = tuple(symbol.split("."))
            fit = _fit(parts, path_of(one), wanted)
            if fit is not None:
                found.append((fit, is_test(path_of(one)), len(parts), len(symbol), one))
        return [(_FITS[fit[0]], one) for fit, *_, one in sorted(found)]

    @cached_property
    def documents_without_text(self) -> tuple[TreeNode, ...]:
        """The node of every file, without its text, in the order of their paths."""
        return tuple(replace(node, text="") for node in self._store.documents())

    def why_missing(self, path: str) -> str:
        """Say why a file of the folder is not in the library; empty where nothing is known of it."""
        return self._corpus.skipped.get(path, "")

    def close(self) -> None:
        """Let go of the files."""
        self._store.close()

    def _update(self, progress: Callable[[int, int], None]) -> None:
        store, corpus = self._store, self._corpus
        pending = set(store.pending())
        if not pending and store.fact("fingerprint") == corpus.fingerprint:
            return
        known = store.hashes()
        removed = sorted((known.keys() | pending) - set(corpus.paths()))
        digests: dict[str, str] = {}
        for path in corpus.paths():
            digest = hashlib.sha256(corpus.text(path).encode(errors="surrogatepass")).hexdigest()
            if path in pending or known.get(path) != digest:
                digests[path] = digest
        changed = sorted(digests)
        store.begin([*changed, *removed])
        files: list[tuple[str, str, Sequence[TreeNode], str]] = []

        def parsed() -> Iterator[tuple[str, Sequence[TreeNode]]]:
            for at, path in enumerate(changed):
                progress(at, len(changed))
                notes: list[str] = []
                nodes = nodes_of(path, corpus.text(path), notes)
                files.append(
                    (path, digests[path], nodes, "\n".join(note.replace("\n", " ") for note in notes))
                )
                yield path, nodes
            progress(len(changed), len(changed))

        self.lexical.update(parsed(), removed)
        store.replace(files, removed, corpus.fingerprint)
        self.changed, self.removed = tuple(changed), tuple(removed)


@contextmanager
def _held(place: Path) -> Iterator[None]:
    """Keep others from writing to a cache."""
    from filelock import FileLock, Timeout

    try:
        place.mkdir(parents=True, exist_ok=True)
        with FileLock(place / "lock", timeout=_WAIT):
            yield
    except Timeout as error:
        found = "a library that someone else has been updating for ten minutes"
        raise rg.SystemFailedError(rg.Problem(str(place), found, "one that is free")) from error
    except OSError as error:
        raise rg.InputError(
            rg.Problem(str(place), f"a folder that cannot be used ({error})", "one that can be written")
        ) from error


def ranking(found: Sequence[Scored]) -> rg.Ranking:
    """Give nodes that were found as a ranking, each with its file and its own lines."""
    # Every look at a public name of rankgate costs a microsecond or two.
    hit, lines = rg.Hit, rg.Lines
    return rg.Ranking(
        tuple(
            [hit(id=one.id, path=one.path, lines=lines(one.start, one.end), score=one.score) for one in found]
        )
    )


def _fit(parts: tuple[str, ...], path: str, wanted: tuple[str, ...]) -> tuple[int, bool] | None:
    """Say how a qualified name fits: which of `_FITS`, and whether only in other letters."""
    above = PurePosixPath(path).with_suffix("").parts
    whole = (*(above[:-1] if above[-1:] == ("__init__",) else above), *parts)
    last, named = whole[-len(wanted) :], min(len(parts), len(wanted))
    if last[:-named] != wanted[:-named]:
        return None
    small, asked = ([part.casefold() for part in one[-named:]] for one in (last, wanted))
    if small == asked:
        return (0 if len(wanted) >= len(parts) else 1), last != wanted
    if small[:-1] == asked[:-1] and small[-1].startswith(asked[-1]):
        return 2, not last[-1].startswith(wanted[-1])
    return None


def _parts(place: Path, weights: Weights) -> tuple[Store, LexicalIndex]:
    """Open nodes and index; where they were made otherwise, or do not open, they are made anew."""
    made = json.dumps([FORMAT, weights.indexed])
    file, folder = place / "nodes.sqlite", place / "lexical"
    try:
        store = Store(file)
        if store.fact("made") == made:
            lexical = LexicalIndex.open(folder, weights)
            # An update that was cut short is repeated; an index that lost nodes otherwise is made anew.
            if store.pending() or len(lexical) == store.count():
                return store, lexical
        store.close()
    except (rg.InputError, rg.SystemFailedError):
        if not file.exists() and not folder.exists():
            raise
    for one in (file, file.with_name("nodes.sqlite-wal"), file.with_name("nodes.sqlite-shm")):
        one.unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    store = Store(file)
    store.note("made", made)
    return store, LexicalIndex.open(folder, weights)


def _default_cache(root: Path) -> Path:
    import platformdirs

    name = hashlib.sha256(str(root).encode(errors="surrogateescape")).hexdigest()[:16]
    kept = os.environ.get("RANKGATE_CACHE") or platformdirs.user_cache_path("rankgate")
    return Path(kept) / "reference" / f"{root.name or 'root'}-{name}"


def _public(node: TreeNode) -> rg.Node:
    return rg.Node(
        node.id,
        node.title,
        rg.Location(path=node.path, lines=rg.Lines(node.start, max(node.start, node.end))),
        node.parent,
    )


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
