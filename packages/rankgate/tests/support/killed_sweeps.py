"""Sweeps that are killed at random moments and run again, and what of their reports must not depend on it."""

from __future__ import annotations

import json
import os
import random
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankgate.runs.store.run_folder import StoredRun
from support.forked import start

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TIMES = ("index_seconds", "latency", "latency_p95")
"""The numbers of a row that are times."""


@dataclass(frozen=True)
class KilledSweep:
    """The sweep of a project, run in processes of its own."""

    folder: Path
    """The project."""
    cache: Path
    """Where engines keep their indexes."""

    @property
    def _env(self) -> dict[str, str]:
        return {**os.environ, "RANKGATE_CACHE": str(self.cache)}

    def finished(self, timeout: float = 120) -> dict[str, Any]:
        """Run it to its end, and return its report without times."""
        with start("rankgate", ["sweep", "--format", "json"], folder=self.folder, env=self._env) as process:
            assert process.wait(timeout) == 0, process.err()
            (found,) = json.loads(process.out())["sweeps"]
        return without_times(found)

    def kill(self, reached: Callable[[], bool], delay: float, patience: float = 60) -> bool:
        """Start it, wait until something holds and a while longer, and kill it; return if it still ran."""
        with start("rankgate", ["sweep", "--format", "json"], folder=self.folder, env=self._env) as process:
            begun = time.monotonic()
            while process.poll() is None and not reached() and time.monotonic() < begun + patience:
                time.sleep(0.001)
            end = time.monotonic() + delay
            while process.poll() is None and time.monotonic() < end:
                time.sleep(0.001)
            running = process.poll() is None
            process.kill()
        return running

    def stored(self) -> dict[tuple[str, str], float | None]:
        """Return the time that each answer took, by its run and query: one asked again took another time."""
        found: dict[tuple[str, str], float | None] = {}
        for folder in sorted(self.folder.glob(".rankgate/sweeps/*/*/runs/*")):
            for shard in StoredRun.open(folder).shards():
                rows = shard.queries.select("query", "latency_ms").iter_rows()
                found |= {(folder.name, query): time for query, time in rows}
        return found


def without_times(found: dict[str, Any]) -> dict[str, Any]:
    """Return a report without what differs from one run to the next."""
    for row in found["rows"]:
        for name in TIMES:
            row.pop(name)
    return found


def taken_sizes(found: dict[str, Any]) -> dict[str, int]:
    """Take the sizes of indexes out of a report, and return them by variant."""
    return {row["name"]: row.pop("index_bytes") for row in found["rows"]}


def moments(seed: int, number: int, longest: float) -> list[float]:
    """Draw the seconds after which a sweep is killed."""
    chance = random.Random(seed)
    return [chance.uniform(0, longest) for _ in range(number)]
