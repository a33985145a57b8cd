"""`just bench-operations`: every figure of suites/operations/README.md; ``--write`` puts them there.

The reference system in each of its modes on the suite's own catalogue, and, where RANKGATE_SHARED_DATA names
the shared data, on the real one. P@5 stands beside what it could be at most.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import rankgate as rg
from page_tables import write_tables
from reference_support.operations_suite import FOLDER, REAL, SUITE, asked, gate_table, of_real, slice_table


def main() -> None:
    """Measure, print and write."""
    suite = rg.load_suite(SUITE)
    shared = os.environ.get("RANKGATE_SHARED_DATA")
    with tempfile.TemporaryDirectory() as folder:
        own, cache = FOLDER / "catalogue.json", Path(folder)
        hybrid = asked(suite.cases, own, cache / "own")
        tables = {"gates": gate_table(hybrid, suite), "slices": slice_table(hybrid)}
        if shared:
            real = Path(shared) / REAL
            kept = of_real(suite.cases, real)
            modes = {
                mode: asked(kept, real, cache / "real", mode) for mode in ("hybrid", "lexical", "vector")
            }
            tables["real"] = slice_table({f"all, {mode}": found["all"] for mode, found in modes.items()})
    for name, table in tables.items():
        print(f"{name}\n\n{table}\n")
    if "--write" in sys.argv:
        write_tables(FOLDER / "README.md", tables)


if __name__ == "__main__":
    main()
