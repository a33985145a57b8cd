"""Vector search over nodes: a table of LanceDB for each model.

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
from rankgate_reference.lexical.index import Scored
from rankgate_reference.vectors.kept import kept_vectors
from rankgate_reference.vectors.models import normalised
from rankgate_reference.vectors.texts import embedded_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from rankgate_reference.documents.nodes import TreeNode
    from rankgate_reference.vectors.models import Embedder

    Filters = Mapping[str, str | tuple[str, ...]]

FORMAT = 2
"""Changes when other texts are embedded, or rows mean something else."""

_TABLE = "nodes"
_MARK = "\x1f"
_ROWS = 512
_LISTED = 500


class VectorIndex:
    """The vectors of nodes in a folder. Threads share it; one at a time updates it.

    Made by `VectorIndex.open`.
    """

    def __init__(self, engine: Any, table: Any, embedder: Embedder) -> None:
        self._engine = engine
        self._table = table
        self._embedder = embedder

    @classmethod
    def open(cls, folder: Path, embedder: Embedder) -> VectorIndex:
        """Open the vectors that a model made; the folder holds those of others beside them.

        Raises:
            InputError: where LanceDB is not installed or cannot use the folder.
        """
        try:
            import lancedb
            import pyarrow as pa
        except ImportError as error:
            fix = "to install: pip install 'rankgate[lancedb]'"
            raise rg.InputError(rg.Problem("vector search", str(error), "lancedb", fix)) from error
        place = folder / _folder_name(embedder)
        for again in (False, True):
            try:
                place.mkdir(parents=True, exist_ok=True)
                table = lancedb.connect(str(place)).create_table(
                    _TABLE, schema=_schema(pa, embedder.dimensions), exist_ok=True
                )
                return cls(pa, table, embedder)
            except Exception as error:  # LanceDB raises OSError, ValueError, RuntimeError and its own
                if again:
                    found = f"a folder that LanceDB cannot use ({error})"
                    raise rg.InputError(rg.Problem(str(place), found, "one that can be written")) from error
                # What does not open is made anew, as vectors can be.
                shutil.rmtree(place, ignore_errors=True)
        raise AssertionError

    def __len__(self) -> int:
        return int(self._table.count_rows("part = 0"))

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
        known = self._hashes()
        stale = sorted(path for path, digest in known.items() if hashes.get(path) != digest)
        wanted = sorted(path for path, digest in hashes.items() if known.get(path) != digest)
        if not stale and not wanted:
            return 0
        try:
            for start in range(0, len(stale), _LISTED):
                self._table.delete(f"path IN ({_quoted(stale[start : start + _LISTED])})")
            waiting: list[tuple[TreeNode, str]] = []
            for at, path in enumerate(wanted):
                if progress is not None:
                    progress(at, len(wanted))
                # A file is written whole or not at all, as its hash says that it is there.
                waiting += [(node, hashes[path]) for node in nodes(path)]
                if len(waiting) >= _ROWS:
                    self._add(waiting)
                    waiting = []
            if waiting:
                self._add(waiting)
            if progress is not None:
                progress(len(wanted), len(wanted))
            self._table.optimize()
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
        request = self._table.search(vector, vector_column_name="vector").distance_type("dot")
        if filters:
            request = request.where(_condition(filters), prefilter=True)
        request = request.select(["id", "path", "start", "end", "_distance"])
        try:
            found = _with_ties(request, k)
        except Exception as error:  # LanceDB raises OSError, ValueError, RuntimeError and its own
            raise rg.SystemFailedError(
                rg.Problem("the vectors", f"{type(error).__name__}: {error}", "an answer")
            ) from error
        hits = [
            Scored(row["id"], 1.0 - row["_distance"], row["path"], row["start"], row["end"]) for row in found
        ]
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:k]

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

    def _hashes(self) -> dict[str, str]:
        found = self._table.search().select(["path", "hash"]).limit(None).to_arrow()
        return dict(zip(found["path"].to_pylist(), found["hash"].to_pylist(), strict=True))

    def _add(self, rows: Sequence[tuple[TreeNode, str]]) -> None:
        parts = [
            (node, digest, at, text) for node, digest in rows for at, text in enumerate(embedded_texts(node))
        ]
        texts = [text for *_, text in parts]
        vectors = kept_vectors(self._embedder, texts, lambda some: _vectors(self._embedder, some))
        nodes = [node for node, *_ in parts]
        columns: dict[str, list[Any]] = {
            "id": [node.id for node in nodes],
            "path": [node.path for node in nodes],
            "hash": [digest for _, digest, _, _ in parts],
            "part": [at for _, _, at, _ in parts],
            "start": [node.lines.start for node in nodes],
            "end": [node.lines.end for node in nodes],
            "facets": [_facets(node) for node in nodes],
        }
        schema = _schema(self._engine, self._embedder.dimensions)
        flat = self._engine.array(vectors.reshape(-1))
        arrays = [self._engine.array(values, schema.field(name).type) for name, values in columns.items()]
        arrays.append(self._engine.FixedSizeListArray.from_arrays(flat, self._embedder.dimensions))
        self._table.add(self._engine.Table.from_arrays(arrays, schema=schema))


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


def _with_ties(request: Any, k: int) -> list[dict[str, Any]]:
    """Return the nearest nodes, each by its nearest part, and with the last of them all that are as near."""
    # Parts of a node stand beside each other, so that more are asked for than are wanted.
    limit = 2 * k + 1
    while True:
        rows: list[dict[str, Any]] = request.limit(limit).to_arrow().to_pylist()
        # Backwards, so that the nearest is what stays.
        nearest = {row["id"]: row for row in reversed(rows)}
        nodes = sorted(nearest.values(), key=lambda row: row["_distance"])
        if len(rows) < limit or (len(nodes) > k and nodes[-1]["_distance"] > nodes[k - 1]["_distance"]):
            return nodes
        limit *= 4


def _schema(engine: Any, dimensions: int) -> Any:
    text = engine.string()
    return engine.schema(
        {
            "id": text,
            "path": text,
            "hash": text,
            "part": engine.int64(),
            "start": engine.int64(),
            "end": engine.int64(),
            "facets": engine.list_(text),
            "vector": engine.list_(engine.float32(), dimensions),
        }
    )


def _folder_name(embedder: Embedder) -> str:
    """Name a model's folder by what it is called and a hash of that and of what its vectors are made of.

    Names may differ in a sign only, and a model that has changed must not be asked about its old vectors.
    """
    digest = getattr(embedder, "digest", None) or ""
    made = f"{embedder.name} {embedder.dimensions} {FORMAT} {digest}".rstrip()
    plain = re.sub(r"[^a-z0-9]+", "-", embedder.name.lower()).strip("-")[:40]
    return f"{plain}-{hashlib.sha256(made.encode()).hexdigest()[:12]}"


def _facets(node: TreeNode) -> list[str]:
    return [_facet(key, value) for key, values in node.facets.items() for value in values]


def _facet(key: str, value: str) -> str:
    return f"{key}{_MARK}{value}".encode(errors="replace").decode()


def _condition(filters: Filters) -> str:
    parts = []
    for key, value in filters.items():
        values = value if isinstance(value, tuple) else (value,)
        parts.append(f"array_has_any(facets, [{_quoted(_facet(key, one) for one in values)}])")
    return " AND ".join(parts)


def _quoted(values: Iterable[str]) -> str:
    return ", ".join("'" + value.replace("'", "''") + "'" for value in values)
