"""`just bench-capacity`: what a size costs, as the table of docs/capacity.md.

Each size is a stored run of 100 hits a query with its judgments, 12 a query, scored with five metrics by
`rankgate score` in a process of its own, start and reading of the files included. What `just bench-billion`
has made is taken for 10^8 and 10^9 rows. From the sizes follow straight lines for time, memory and disk, by
which a reader can plan larger ones.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from generated import HITS, generate, store
from score_cost import Cost, scored

FOLDER = Path(__file__).parent.parent / ".benchmarks"
BILLION = FOLDER / "billion-1e+09"


@dataclass(frozen=True)
class Size:
    """A size and what it cost."""

    rows: int
    cost: Cost
    disk: float
    """The files of run and judgments, in GiB."""

    @classmethod
    def of(cls, rows: int) -> Size:
        """Measure a size."""
        run, judged = _files(rows)
        files = [*run.iterdir(), *(judged.iterdir() if judged.is_dir() else [judged])]
        return cls(rows, scored(run, judged), sum(file.stat().st_size for file in files) / 2**30)


def _files(rows: int) -> tuple[Path, Path]:
    if (BILLION / "done").exists() and rows in (10**8, 10**9):
        whole = rows == 10**9
        return BILLION / ("run" if whole else "part-0"), BILLION / f"judged{'' if whole else '-0'}.parquet"
    made = generate(FOLDER / f"{rows:.0e}", rows)
    store(made)
    return made.stored, made.folder / "judgments"


def main() -> None:
    """Measure the sizes given, smallest first."""
    sizes = [Size.of(int(float(size))) for size in sys.argv[1:]]
    print("| rows | queries | time | processor | rows per core-second | memory | disk |")
    print("|---|---|---|---|---|---|---|")
    for one in sizes:
        print(
            f"| {one.rows:.0e} | {one.rows // HITS:,} | {one.cost.clock:.1f} s | {one.cost.processor:.1f} s "
            f"| {one.rows / one.cost.processor:,.0f} | {one.cost.memory:.2f} GiB | {one.disk:.2f} GiB |"
        )
    if len(sizes) > 1:
        rows = np.array([one.rows for one in sizes], dtype=float)
        for name, unit, values in (
            ("processor", "s", [one.cost.processor for one in sizes]),
            ("memory", "GiB", [one.cost.memory for one in sizes]),
            ("disk", "GiB", [one.disk for one in sizes]),
        ):
            # Each size counts alike: the line is fitted to relative errors.
            per_row, base = np.polyfit(rows, values, 1, w=1 / np.array(values))
            print(f"{name}: {base:.2f} {unit} and {per_row * 1e8:.2f} {unit} for each 10^8 rows")


if __name__ == "__main__":
    main()
