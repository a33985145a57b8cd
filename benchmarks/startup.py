"""`just bench-startup`: `rankgate --help` beside `python -c pass`, bytecode compiled, taking turns.

Fails where the ratio passes the goal. The best of many short runs stands for each: noise only
ever adds time.
"""

from __future__ import annotations

import compileall
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

GOAL = 7.5
TURNS = 25


def seconds(command: list[str]) -> float:
    """Time one command."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    """Measure, print and judge."""
    compileall.compile_dir(sysconfig.get_paths()["purelib"] + "/click", quiet=1)
    compileall.compile_dir(Path(__file__).parent.parent / "packages", quiet=1)
    rankgate = str(Path(sys.executable).with_name("rankgate"))
    commands = {"python -c pass": [sys.executable, "-c", "pass"], "rankgate --help": [rankgate, "--help"]}
    best = {name: min(seconds(command) for _ in range(3)) for name, command in commands.items()}
    for _ in range(TURNS):
        for name, command in commands.items():
            best[name] = min(best[name], seconds(command))
    ratio = best["rankgate --help"] / best["python -c pass"]
    for name, value in best.items():
        print(f"{name:16} {value * 1000:6.1f} ms")
    print(f"ratio {ratio:.2f}, goal at most {GOAL}")
    if ratio > GOAL:
        sys.exit("rankgate --help is too slow to start")


if __name__ == "__main__":
    main()
