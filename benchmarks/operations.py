"""`just bench-operations`: every figure of suites/operations/README.md.

The reference system in each of its modes on the suite's own catalogue, and, where RANKGATE_SHARED_DATA names
the shared data, on the real one. P@5 stands beside what it could be at most.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import rankgate as rg
from operations_suite import FOLDER, REAL, SUITE, asked, of_real, printed


def main() -> None:
    """Print every figure."""
    cases = rg.load_suite(SUITE).cases
    shared = os.environ.get("RANKGATE_SHARED_DATA")
    with tempfile.TemporaryDirectory() as folder:
        for mode in ("hybrid", "lexical", "vector"):
            found = asked(cases, FOLDER / "catalogue.json", Path(folder) / "own", mode)
            print(printed(f"Own catalogue, {mode}", found))
        if shared:
            real = Path(shared) / REAL
            kept = of_real(cases, real)
            for mode in ("hybrid", "lexical"):
                found = asked(kept, real, Path(folder) / "real", mode)
                print(printed(f"Real catalogue, {mode}", found))


if __name__ == "__main__":
    main()
