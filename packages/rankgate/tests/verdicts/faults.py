"""Faults put into a copy of rankgate one by one: how many states until the oracle sees each.

    python -m verdicts.faults                   # all that histories show
    python -m verdicts.faults --by gate_states  # all that states of gates show
    python -m verdicts.faults --part 1/2        # every second one
    python -m verdicts.faults hashes two-sided  # these

A fault is a line of the source that is written otherwise, as it once was or as somebody might write it. The
verdict is asked for by the command line alone, which takes half the time: by the other ways too, a fault is
seen no later. A state that shows a fault must agree on the source as it is, so that no fault of the oracle
is counted.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from verdicts.fault_table import FAULTS, Fault
from verdicts.gate_fault_table import GATE_FAULTS

TESTS = Path(__file__).parents[1]
SOURCE = TESTS.parent / "src"
MOST = 5000
_FOUND = re.compile(r"^after (\d+) states: (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Found:
    """How long it took to see a fault."""

    fault: Fault
    states: int | None
    """None where it was not seen."""
    said: str

    def __str__(self) -> str:
        after = f"{self.states:>5}" if self.states is not None else "never"
        return f"{after}  {self.fault.name:<14} {self.fault.what}\n       {self.said}"


def seek(fault: Fault, most: int) -> Found:
    """Draw states against a copy of rankgate with a fault in it, until one disagrees."""
    with tempfile.TemporaryDirectory(prefix="fault-") as folder:
        source = Path(folder) / "src"
        shutil.copytree(SOURCE, source)
        path = source / "rankgate" / fault.file
        path.write_text(fault.applied(path.read_text(encoding="utf-8")), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", *_drawing(fault), str(most), "0", "--first"],
            env={**os.environ, "PYTHONPATH": f"{source}{os.pathsep}{TESTS}"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
    found = _FOUND.search(done.stdout)
    if found is None:
        return Found(fault, None, (done.stdout.strip().splitlines() or [""])[-1])
    states, said = int(found[1]), found[2][:150].replace(str(folder), ".")
    if not _agrees(fault, states - 1):
        return Found(fault, None, f"rankgate without the fault disagrees as well: {said}")
    return Found(fault, states, said)


def _drawing(fault: Fault) -> tuple[str, ...]:
    """Return what draws the states in which a fault shows, and how it asks for verdicts."""
    return (f"verdicts.{fault.by}",) if fault.by else ("verdicts", "--only-called")


def _agrees(fault: Fault, seed: int) -> bool:
    """Check whether the oracle agrees on a state with the source as it is: that it was the fault it saw."""
    done = subprocess.run(
        [sys.executable, "-m", *_drawing(fault)[:1], "1", str(seed), "--first"],
        env={**os.environ, "PYTHONPATH": f"{SOURCE}{os.pathsep}{TESTS}"},
        stdout=subprocess.DEVNULL,
        check=False,
    )
    return done.returncode == 0


def _logged(log: Path | None) -> dict[str, int | None]:
    """Read which faults were looked for, and after how many states each was found."""
    text = log.read_text(encoding="utf-8") if log is not None and log.exists() else ""
    rows = re.findall(r"^ *(\d+|never)  (\S+)", text, re.MULTILINE)
    return {name: None if after == "never" else int(after) for after, name in rows}


def _part(text: str) -> tuple[int, int]:
    number, _, of = text.partition("/")
    return int(number), int(of)


def main() -> int:
    """Print a line a fault, and the median; return 1 where one is not found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--by", default="", help="gate_states for the faults that states of gates show")
    parser.add_argument("--most", type=int, default=MOST, help="how many states to draw at most")
    parser.add_argument("--part", type=_part, default=(1, 1), help="1/2 for the first half of them")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--log", type=Path, help="what was found before is not looked for again")
    given = parser.parse_args()
    needed = _logged(given.log)
    every = (*FAULTS, *GATE_FAULTS)
    wanted = given.names or [one.name for one in every if one.by == given.by]
    wanted = wanted[given.part[0] - 1 :: given.part[1]]
    chosen = [one for one in every if one.name in wanted and one.name not in needed]
    with ThreadPoolExecutor(given.workers) as pool:
        for done in as_completed([pool.submit(seek, fault, given.most) for fault in chosen]):
            found = done.result()
            needed[found.fault.name] = found.states
            print(found, flush=True)  # noqa: T201
            if given.log is not None:
                with given.log.open("a", encoding="utf-8") as log:
                    log.write(f"{found}\n")
    seen = [states for states in needed.values() if states is not None]
    lost = len(needed) - len(seen)
    median = statistics.median(seen) if seen else 0
    print(f"{len(needed)} faults, {lost} not found, median {median:,.0f} states")  # noqa: T201
    return int(lost > 0)


if __name__ == "__main__":
    sys.exit(main())
