"""A system whose answers follow from the query alone, and a run of it.

    python seeded_engine.py FOLDER COUNT SHARD_SIZE THREADS

It fails on some queries, finds nothing for others, and takes a little time, so that a run can be killed.
With ``ASKED`` in the environment it adds a byte to that file for every query that it is asked.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from pathlib import Path

from rankgate.locations import Lines
from rankgate.model import Hit, Query, Ranking

_SECONDS = 0.0001


def search(query: Query) -> Ranking:
    """Answer, or fail, as the query says."""
    if log := os.environ.get("ASKED"):
        handle = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(handle, b".")
        os.close(handle)
    time.sleep(_SECONDS)
    drawn = hashlib.sha256(query.text.encode()).digest()
    if drawn[0] < 8:
        raise ValueError(f"no index for {query.text!r}")
    if drawn[0] < 12:
        raise TimeoutError(f"{drawn[1]} ms")
    return Ranking(tuple(_hit(drawn, rank) for rank in range(drawn[2] % 9)))


def _hit(drawn: bytes, rank: int) -> Hit:
    value = drawn[3 + rank]
    lines = Lines(value + 1, value + 5) if value % 3 else None
    # Few enough different texts that most stand in several shards.
    text = f"größe {value} 鍵 " * (value % 7 + 1) if value % 4 else None
    return Hit(f"doc-{value}-{rank}", f"docs/{value % 16}.md", lines, 1 / (1 + rank + value), text)


class Engine:
    """The same, as `execute` wants it."""

    def search(self, query: Query) -> Ranking:
        """Answer."""
        return search(query)


def run(folder: Path, count: int, size: int, threads: int) -> None:
    """Run it, or go on where the last run stopped."""
    from rankgate.runs.asking.ask import CaseQuery
    from rankgate.runs.asking.execute import KeepOptions, execute
    from rankgate.runs.store.manifest import Manifest

    questions = [CaseQuery(f"q{number}", Query(f"text {number}")) for number in range(count)]
    execute(
        questions,
        [Engine()] * threads,
        keep=KeepOptions(folder=folder, shard_size=size, existing="resume"),
        manifest=Manifest("seeded"),
    )


if __name__ == "__main__":
    run(Path(sys.argv[1]), *map(int, sys.argv[2:]))
