"""The vectors of a corpus of ordinary size: an array in a file, compared by NumPy with every query.

Up to a hundred thousand vectors a product of a matrix takes a few milliseconds, less than a store takes to
begin; and it needs no store. `rows.json` says what the rows of the array are and which file has it, so that
replacing it replaces both at once.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

from rankgate_reference.lexical.index import Scored

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

ROWS = "rows.json"
"""The file that says what an array holds."""

_NEAR = 1e-4
"""How far a product in single precision may be from the exact one, with room to spare."""
_UNSAVED = 20_000


class Embedded(NamedTuple):
    """A node whose vectors stand in a table: one for how it begins, and one for each further part."""

    id: str
    """The node."""
    path: str
    """Its file."""
    hash: str
    """The hash of the file that it was made of."""
    start: int
    """The first of its own lines."""
    end: int
    """The last of them."""
    facets: tuple[str, ...]
    """What it can be filtered by."""
    vectors: int
    """How many vectors it has."""


class ArrayTable:
    """Nodes and their vectors in memory, read from a folder and saved to it."""

    def __init__(self, folder: Path, dimensions: int) -> None:
        """Read what the folder holds; what cannot be read is as if it was not there."""
        import numpy as np

        self._folder = folder
        self._nodes: list[Embedded] = []
        self._arrays: list[NDArray[np.float32]] = [np.zeros((0, dimensions), np.float32)]
        self._file, self._unsaved = "", 0
        self._starts: NDArray[np.int64] | None = None
        with suppress(OSError, ValueError, KeyError, TypeError, IndexError):
            kept = json.loads((folder / ROWS).read_text(encoding="utf-8"))
            sets = [tuple(one) for one in kept["facets"]]
            nodes = [Embedded._make((*row[:5], sets[row[5]], row[6])) for row in kept["nodes"]]
            array = np.load(folder / PurePath(kept["file"]).name, mmap_mode="r", allow_pickle=False)
            if array.dtype == np.float32 and array.shape == (sum(one.vectors for one in nodes), dimensions):
                self._nodes, self._arrays, self._file = nodes, [array], kept["file"]

    def __len__(self) -> int:
        return sum(map(len, self._arrays))

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return len(self._nodes)

    def hashes(self) -> dict[str, str]:
        """Return the hash of every file that is in."""
        return {node.path: node.hash for node in self._nodes}

    def remove(self, paths: Collection[str]) -> None:
        """Take out the nodes of files."""
        import numpy as np

        gone = set(paths)
        stays = [node.path not in gone for node in self._nodes]
        rows = np.repeat(np.array(stays, bool), [node.vectors for node in self._nodes])
        self._arrays = [self.array()[rows]]
        self._nodes = [node for node, stay in zip(self._nodes, stays, strict=True) if stay]
        self._unsaved, self._starts = self._unsaved + 1, None

    def add(self, nodes: Sequence[Embedded], vectors: NDArray[np.float32]) -> None:
        """Add nodes with their vectors, those of a node one behind the other."""
        self._nodes += nodes
        self._arrays.append(vectors)
        self._unsaved, self._starts = self._unsaved + len(vectors), None
        if self._unsaved > _UNSAVED:
            self.save()

    def save(self) -> None:
        """Write what changed; the files are the old ones or the new ones, whatever happens meanwhile."""
        import numpy as np

        if not self._unsaved:
            return
        number = int("".join(filter(str.isdigit, self._file)) or 0) + 1
        file = f"vectors-{number}.npy"
        np.save(self._folder / file, self.array(), allow_pickle=False)
        sets = {one: at for at, one in enumerate(dict.fromkeys(node.facets for node in self._nodes))}
        nodes = [(*node[:5], sets[node.facets], node.vectors) for node in self._nodes]
        part = self._folder / f"{ROWS}.part"
        rows = json.dumps({"file": file, "facets": list(sets), "nodes": nodes})
        part.write_text(rows, encoding="utf-8", newline="\n")
        part.replace(self._folder / ROWS)
        old, self._file, self._unsaved = self._file, file, 0
        self._forget(old)

    def clear(self) -> None:
        """Remove the files, `rows.json` first: without it the array is not looked at."""
        (self._folder / ROWS).unlink(missing_ok=True)
        self._forget(self._file)

    def _forget(self, file: str) -> None:
        # Windows removes no file that someone still reads; the next one to save does not need it either.
        with suppress(OSError):
            if file:
                (self._folder / file).unlink(missing_ok=True)

    def array(self) -> NDArray[np.float32]:
        """Return all vectors, in the order of the nodes."""
        import numpy as np

        if len(self._arrays) > 1:
            self._arrays = [np.concatenate(self._arrays)]
        return self._arrays[0]

    def embedded(self) -> Sequence[Embedded]:
        """Return the nodes, in the order of their vectors."""
        return self._nodes

    def nearest(self, vector: NDArray[np.float32], k: int, facets: Sequence[Collection[str]]) -> list[Scored]:
        """Find the nodes that are nearest by the best of their vectors; equal ones in the order of ids.

        Args:
            vector: What is looked for, of length 1.
            k: How many are wanted.
            facets: A node must have one of each.
        """
        import numpy as np

        array = self.array()
        if not len(array):
            return []
        if self._starts is None:
            counts = np.array([node.vectors for node in self._nodes], np.int64)
            self._starts = np.cumsum(counts) - counts
        starts = self._starts
        scores = np.maximum.reduceat(array @ vector, starts)
        passing = np.flatnonzero(self._passing(facets)) if facets else np.arange(len(scores))
        if len(passing) > k:
            least = np.partition(scores[passing], len(passing) - k)[len(passing) - k]
            passing = passing[scores[passing] >= least - _NEAR]
        # A product of a matrix may round equal rows differently; these are the same wherever they stand.
        exact = vector.astype(float)
        found = []
        for at in passing.tolist():
            node = self._nodes[at]
            rows = array[starts[at] : starts[at] + node.vectors]
            score = float((rows * exact).sum(axis=1).max())
            found.append(Scored(node.id, score, node.path, node.start, node.end))
        return sorted(found, key=lambda hit: (-hit.score, hit.id))[:k]

    def _passing(self, facets: Iterable[Collection[str]]) -> list[bool]:
        known: dict[tuple[str, ...], bool] = {}
        for node in self._nodes:
            if node.facets not in known:
                known[node.facets] = all(not set(some).isdisjoint(node.facets) for some in facets)
        return [known[node.facets] for node in self._nodes]
