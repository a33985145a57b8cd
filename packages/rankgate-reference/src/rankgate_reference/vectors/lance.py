"""The vectors of a large corpus: a table of LanceDB, compared with every vector.

There is no index that could miss one.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import rankgate as rg
from rankgate_reference.lexical.index import Scored

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from rankgate_reference.vectors.arrays import Embedded

TABLE = "nodes"
"""The name of the table."""

_LISTED = 500


class LanceTable:
    """Nodes and their vectors in LanceDB; what is added is written at once."""

    def __init__(self, folder: Path, dimensions: int) -> None:
        """Open the table of a folder, or make it.

        Raises:
            InputError: where LanceDB is not installed or cannot use the folder.
        """
        try:
            import lancedb
            import pyarrow as pa
        except ImportError as error:
            fix = "to install: pip install 'rankgate[reference]'"
            raise rg.InputError(rg.Problem("vector search", str(error), "lancedb", fix)) from error
        self._arrow, self._schema = pa, _schema(pa, dimensions)
        self._table = _opened(lancedb, folder, self._schema)

    def __len__(self) -> int:
        return int(self._table.count_rows())

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return int(self._table.count_rows("part = 0"))

    def hashes(self) -> dict[str, str]:
        """Return the hash of every file that is in."""
        found = self._table.search().select(["path", "hash"]).limit(None).to_arrow()
        return dict(zip(found["path"].to_pylist(), found["hash"].to_pylist(), strict=True))

    def remove(self, paths: Collection[str]) -> None:
        """Take out the nodes of files."""
        listed = list(paths)
        for start in range(0, len(listed), _LISTED):
            self._table.delete(f"path IN ({_quoted(listed[start : start + _LISTED])})")

    def add(self, nodes: Sequence[Embedded], vectors: NDArray[np.float32]) -> None:
        """Add nodes with their vectors, those of a node one behind the other."""
        rows = [(node, part) for node in nodes for part in range(node.vectors)]
        columns: dict[str, list[Any]] = {
            "id": [node.id for node, _ in rows],
            "path": [node.path for node, _ in rows],
            "hash": [node.hash for node, _ in rows],
            "part": [part for _, part in rows],
            "start": [node.start for node, _ in rows],
            "end": [node.end for node, _ in rows],
            "facets": [list(node.facets) for node, _ in rows],
        }
        made = self._arrow
        arrays = [made.array(values, self._schema.field(name).type) for name, values in columns.items()]
        arrays.append(made.FixedSizeListArray.from_arrays(made.array(vectors.reshape(-1)), vectors.shape[1]))
        self._table.add(made.Table.from_arrays(arrays, schema=self._schema))

    def save(self) -> None:
        """Make one file of many small ones."""
        self._table.optimize()

    def nearest(self, vector: NDArray[np.float32], k: int, facets: Sequence[Collection[str]]) -> list[Scored]:
        """Find the nodes that are nearest by the best of their vectors; equal ones in the order of ids.

        Args:
            vector: What is looked for, of length 1.
            k: How many are wanted.
            facets: A node must have one of each.
        """
        request = self._table.search(vector, vector_column_name="vector").distance_type("dot")
        if facets:
            parts = [f"array_has_any(facets, [{_quoted(some)}])" for some in facets]
            request = request.where(" AND ".join(parts), prefilter=True)
        request = request.select(["id", "path", "start", "end", "_distance"])
        hits = [
            Scored(row["id"], 1.0 - row["_distance"], row["path"], row["start"], row["end"])
            for row in _with_ties(request, k)
        ]
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:k]


def _opened(engine: Any, folder: Path, schema: Any) -> Any:
    for again in (False, True):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            return engine.connect(str(folder)).create_table(TABLE, schema=schema, exist_ok=True)
        except Exception as error:  # LanceDB raises OSError, ValueError, RuntimeError and its own
            if again:
                found = f"a folder that LanceDB cannot use ({error})"
                raise rg.InputError(rg.Problem(str(folder), found, "one that can be written")) from error
            # What does not open is made anew, as vectors can be.
            shutil.rmtree(folder / f"{TABLE}.lance", ignore_errors=True)
    raise AssertionError


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


def _quoted(values: Iterable[str]) -> str:
    return ", ".join("'" + value.replace("'", "''") + "'" for value in values)
