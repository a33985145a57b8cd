"""Many states in parts, by several processes, with a log of what is done, so that they can be continued.

python -m verdicts.parts 30000 0 --workers 2 --log benchmarks/full/verdicts-30000.log
python -m verdicts.parts 50000 0 --by gate_states --ways 6
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

TESTS = Path(__file__).parents[1]
PART = {"": 250, "gate_states": 1000}
"""How many states one process checks before another takes over, by the module that draws them."""
_DONE = re.compile(r"^states (\d+) to (\d+): ")


def main() -> int:
    """Check what the log does not have yet; return 1 where anything disagrees."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("states", type=int)
    parser.add_argument("seed", type=int, nargs="?", default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--by", default="", choices=PART, help="gate_states for states of gates alone")
    parser.add_argument("--processes", default="0", metavar="N", help="every N-th state as real processes")
    parser.add_argument("--ways", default="0", metavar="N", help="of gates: N of a part by each of the ways")
    parser.add_argument("--log", type=Path)
    given = parser.parse_args()
    last = given.seed + given.states
    size = PART[given.by]
    parts = [(first, min(first + size, last)) for first in range(given.seed, last, size)]
    drawing = ("verdicts", "--processes", given.processes)
    if given.by:
        drawing = (f"verdicts.{given.by}", "--ways", given.ways)
    known = _logged(given.log)
    lock = Lock()

    def check(part: tuple[int, int]) -> bool:
        if part in known:
            return known[part]
        good, told = _checked(*part, *drawing)
        with lock:
            print(told, flush=True)  # noqa: T201
            if given.log is not None:
                given.log.parent.mkdir(parents=True, exist_ok=True)
                with given.log.open("a", encoding="utf-8") as log:
                    log.write(told + "\n")
        return good

    with ThreadPoolExecutor(given.workers) as pool:
        good = list(pool.map(check, parts))
    told = f"{given.states:,} states, {len(good) - sum(good)} of {len(good)} parts with disagreements"
    print(told)  # noqa: T201
    return int(not all(good))


def _logged(log: Path | None) -> dict[tuple[int, int], bool]:
    """Read which parts were checked, and whether all of each agreed."""
    lines = log.read_text(encoding="utf-8").splitlines() if log is not None and log.exists() else []
    found = [(one, line) for line in lines if (one := _DONE.match(line))]
    return {(int(one[1]), int(one[2])): ", 0 disagreements" in line for one, line in found}


def _checked(first: int, last: int, module: str, *options: str) -> tuple[bool, str]:
    done = subprocess.run(
        [sys.executable, "-m", module, str(last - first), str(first), *options],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    *stories, summary = done.stdout.strip().splitlines() or ["it printed nothing"]
    told = f"states {first} to {last}: {summary} (commit {_commit()})"
    return done.returncode == 0, "\n".join([*stories, told])


def _commit() -> str:
    """Return the commit that is checked out, with a plus where files were changed since."""
    asked = ["git", "describe", "--always", "--abbrev=10", "--exclude=*", "--dirty=+"]
    done = subprocess.run(asked, cwd=TESTS, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


if __name__ == "__main__":
    sys.exit(main())
