"""Vector search over nodes: a table for each model, an array up to a hundred thousand vectors, then LanceDB.

Each row has the hash of the file that it was made of, so that the table itself says what is up to date: an
update that was cut short leaves files out, and the next one adds them. Search looks at every vector; there
is no index that could miss one.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from typing import TYPE_CHECKING, Any

import rankgate as rg
from rankgate_reference.vectors.arrays import ROWS, ArrayTable, Embedded
from rankgate_reference.vectors.kept import kept_vectors
from rankgate_reference.vectors.lance import TABLE, LanceTable
from rankgate_reference.vectors.models import normalised
from rankgate_reference.vectors.texts import embedded_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from rankgate_reference.documents.nodes import TreeNode
    from rankgate_reference.lexical.index import Scored
    from rankgate_reference.vectors.models import Embedder

    Filters = Mapping[str, str | tuple[str, ...]]

FORMAT = 2
"""Changes when other texts are embedded, or rows mean something else."""

MOST_IN_ARRAY = 100_000
"""Up to how many vectors an array is used; beyond that, they are in LanceDB."""

_MARK = "\x1f"
_ROWS = 512


class VectorIndex:
    """The vectors of nodes in a folder. Threads share it; one at a time updates it.

    Made by `VectorIndex.open`.
    """

    def __init__(self, table: ArrayTable | LanceTable, place: Path, embedder: Embedder) -> None:
        self._table = table
        self._place = place
        self._embedder = embedder

    @classmethod
    def open(cls, folder: Path, embedder: Embedder) -> VectorIndex:
        """Open the vectors that a model made; the folder holds those of others beside them.

        Raises:
            InputError: where the folder cannot be used, or has a table of LanceDB, which is not installed.
        """
        place = folder / _folder_name(embedder)
        if (place / f"{TABLE}.lance").exists() and not (place / ROWS).exists():
            return cls(LanceTable(place, embedder.dimensions), place, embedder)
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise rg.InputError(rg.Problem(str(place), str(error), "a folder that can be written")) from error
        return cls(ArrayTable(place, embedder.dimensions), place, embedder)

    def __len__(self) -> int:
        return self._table.nodes

    def update(
        self,
        hashes: Mapping[str, str],
        nodes: Callable[[str], Sequence[TreeNode]],
        progress: Callable[[int, int], None] | None = None,
    ) -> int:
        """Bring the vectors up to date with the files, and give how many files were embedded.

        Args:
            hashes: The hash of every file there is.
            nodes: Gives the nodes of a file.
            progress: Told how many files are done, and of how many.

        Raises:
            SystemFailedError: where the model or LanceDB fails.
        """
        try:
            known = self._table.hashes()
            stale = sorted(path for path, digest in known.items() if hashes.get(path) != digest)
            wanted = sorted(path for path, digest in hashes.items() if known.get(path) != digest)
            if stale or wanted:
                self._replace(stale, [(path, hashes[path]) for path in wanted], nodes, progress)
        except rg.RankgateError:
            raise
        except Exception as error:  # LanceDB raises OSError, ValueError, RuntimeError and its own
            raise rg.SystemFailedError(
                rg.Problem("the vectors", f"{type(error).__name__}: {error}", "nodes that can be written")
            ) from error
        return len(wanted)

    def search(self, text: str, k: int = 10, filters: Filters | None = None) -> list[Scored]:
        """Find the nodes whose vectors are nearest to that of a text, by cosine; equal ones in order of ids.

        Raises:
            SystemFailedError: where the model or LanceDB fails.
        """
        filters = filters or {}
        if k < 1:
            return []
        vector = _vectors(self._embedder, [text])[0]
        if not vector.any():
            return []
        facets = [
            [_facet(key, one) for one in (value if isinstance(value, tuple) else (value,))]
            for key, value in filters.items()
        ]
        try:
            return self._table.nearest(vector, k, facets)
        except Exception as error:  # LanceDB raises OSError, ValueError, RuntimeError and its own
            raise rg.SystemFailedError(
                rg.Problem("the vectors", f"{type(error).__name__}: {error}", "an answer")
            ) from error

    def knows(self, word: str) -> bool:
        """Check whether the model knows a word; one that cannot say knows them all.

        Raises:
            SystemFailedError: where the model fails.
        """
        try:
            knows = getattr(self._embedder, "knows", None)
            return knows is None or bool(knows(word))
        except rg.RankgateError:
            raise
        except Exception as error:  # a plugin may raise anything
            said = f"knows: {type(error).__name__}: {error}"
            raise rg.SystemFailedError(
                rg.Problem(f"model {self._embedder.name!r}", said, "true or false")
            ) from error

    def _replace(
        self,
        stale: Sequence[str],
        wanted: Sequence[tuple[str, str]],
        nodes: Callable[[str], Sequence[TreeNode]],
        progress: Callable[[int, int], None] | None,
    ) -> None:
        if stale:
            self._table.remove(stale)
        waiting: list[tuple[TreeNode, str]] = []
        try:
            for at, (path, digest) in enumerate(wanted):
                if progress is not None:
                    progress(at, len(wanted))
                # A file is written whole or not at all, as its hash says that it is there.
                waiting += [(node, digest) for node in nodes(path)]
                if len(waiting) >= _ROWS:
                    self._add(waiting)
                    waiting = []
            if waiting:
                self._add(waiting)
        finally:
            self._table.save()
        if progress is not None:
            progress(len(wanted), len(wanted))

    def _add(self, rows: Sequence[tuple[TreeNode, str]]) -> None:
        texts = [embedded_texts(node) for node, _ in rows]
        every = [text for some in texts for text in some]
        vectors = kept_vectors(self._embedder, every, lambda some: _vectors(self._embedder, some))
        made = [
            Embedded(node.id, node.path, digest, node.lines.start, node.lines.end, _facets(node), len(some))
            for (node, digest), some in zip(rows, texts, strict=True)
        ]
        table = self._table
        if isinstance(table, ArrayTable) and len(table) + len(vectors) > MOST_IN_ARRAY:
            self._table = self._moved(table)
        self._table.add(made, vectors)

    def _moved(self, table: ArrayTable) -> LanceTable:
        """Write what an array holds into a table of LanceDB, and then remove the array."""
        shutil.rmtree(self._place / f"{TABLE}.lance", ignore_errors=True)
        larger = LanceTable(self._place, self._embedder.dimensions)
        if len(table):
            larger.add(table.embedded(), table.array())
        table.clear()
        return larger


def _vectors(embedder: Embedder, texts: Sequence[str]) -> Any:
    import numpy as np

    try:
        found = np.asarray(embedder.embed(texts), dtype=np.float32)
    except rg.RankgateError:
        raise
    except Exception as error:  # a plugin may raise anything
        said = f"{type(error).__name__}: {error}"
        raise rg.SystemFailedError(rg.Problem(f"model {embedder.name!r}", said, "vectors")) from error
    if found.shape != (len(texts), embedder.dimensions):
        expected = f"{len(texts)} vectors of {embedder.dimensions}"
        raise rg.SystemFailedError(
            rg.Problem(f"model {embedder.name!r}", f"an array of shape {found.shape}", expected)
        )
    # A score is a cosine whatever a model gives, and what is no number would be near to everything.
    return normalised(found)


def _folder_name(embedder: Embedder) -> str:
    """Name a model's folder by what it is called and a hash of that and of what its vectors are made of.

    Names may differ in a sign only, and a model that has changed must not be asked about its old vectors.
    """
    digest = getattr(embedder, "digest", None) or ""
    made = f"{embedder.name} {embedder.dimensions} {FORMAT} {digest}".rstrip()
    plain = re.sub(r"[^a-z0-9]+", "-", embedder.name.lower()).strip("-")[:40]
    return f"{plain}-{hashlib.sha256(made.encode()).hexdigest()[:12]}"


def _facets(node: TreeNode) -> tuple[str, ...]:
    return tuple(_facet(key, value) for key, values in node.facets.items() for value in values)


def _facet(key: str, value: str) -> str:
    return f"{key}{_MARK}{value}".encode(errors="replace").decode()
