"""`just bench-reference-vectors`: vectors in an array beside LanceDB, the same ones, at several sizes.

Drawn vectors of 256 numbers, one a node. The two take turns, query by query, and both look at every vector;
processor time counts all threads. It also counts the queries for which the first ten differ.

    python benchmarks/reference_vectors.py [SIZE ...]
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from rankgate_reference.vectors.arrays import ArrayTable, Embedded
from rankgate_reference.vectors.lance import LanceTable
from rankgate_reference.vectors.models import normalised

if TYPE_CHECKING:
    from numpy.typing import NDArray

DIMENSIONS, QUERIES, K = 256, 50, 10


def drawn(count: int, seed: int) -> NDArray[np.float32]:
    """Return random vectors of length 1."""
    return normalised(np.random.default_rng(seed).standard_normal((count, DIMENSIONS)).astype(np.float32))


def measure(size: int, folder: Path) -> None:
    """Write and search so many vectors both ways, and print what it takes."""
    vectors = drawn(size, 1)
    nodes = [Embedded(f"n{at:06}", f"{at % 100}.md", "", 1, 1, (), 1) for at in range(size)]
    tables: dict[str, ArrayTable | LanceTable] = {}
    for name, kind in (("array", ArrayTable), ("LanceDB", LanceTable)):
        (folder / name).mkdir()
        start = time.process_time()
        tables[name] = kind(folder / name, DIMENSIONS)
        tables[name].add(nodes, vectors)
        tables[name].save()
        print(f"  {name:8} written in {time.process_time() - start:6.2f} s of the processor")
    # Read back, as a search does.
    tables["array"] = ArrayTable(folder / "array", DIMENSIONS)
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in tables}
    differ = 0
    for at, vector in enumerate(drawn(QUERIES + 5, 2)):
        found = []
        for name, table in tables.items():
            wall, processor = time.perf_counter(), time.process_time()
            found.append([hit.id for hit in table.nearest(vector, K, ())])
            if at >= 5:
                taken[name].append((time.perf_counter() - wall, time.process_time() - processor))
        differ += found[0] != found[1]
    for name, times in taken.items():
        wall, processor = (median(column) * 1e3 for column in zip(*times, strict=True))
        print(f"  {name:8} p50 {wall:7.2f} ms, {processor:7.2f} ms of the processor")
    print(f"  first {K} differ for {differ} of {QUERIES + 5} queries")


def main() -> None:
    """Measure and print."""
    for size in [int(float(one)) for one in sys.argv[1:]] or [1_000, 10_000, 100_000]:
        print(f"{size:,} vectors of {DIMENSIONS}")
        with tempfile.TemporaryDirectory() as folder:
            measure(size, Path(folder))


if __name__ == "__main__":
    main()
