"""What one `rankgate score` costs, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Cost:
    """What one call cost, and what it said."""

    clock: float
    """Seconds."""
    processor: float
    """Seconds, of this process alone."""
    memory: float
    """The most that it held, in GiB."""
    means: dict[str, float]
    """The mean of each metric."""


def scored(run: Path, judged: Path, *options: str) -> Cost:
    """Call `rankgate score`, with nothing of its files in the page cache where that can be had."""
    os.sync()
    with suppress(OSError):
        Path("/proc/sys/vm/drop_caches").write_text("3")
    program = [str(Path(sys.executable).parent / "rankgate"), "score", "-q", str(judged), "-r", str(run)]
    start = time.perf_counter()
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen([*program, "--format", "json", *options], stdout=said)
        _, status, used = os.wait4(process.pid, 0)
        clock = time.perf_counter() - start
        if status:
            sys.exit(f"{program} ended with {status}")
        said.seek(0)
        metrics = json.load(said)["runs"][0]["metrics"]
    means = {name: one["value"] for name, one in metrics.items()}
    return Cost(clock, used.ru_utime + used.ru_stime, used.ru_maxrss / 2**20, means)
