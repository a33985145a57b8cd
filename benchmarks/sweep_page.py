"""`just bench-sweep-page`: the page of a sweep of 100 variants over 250 queries, all of them asked before.

Prints how long `rankgate sweep --format html` takes on stored runs, as a process of its own with its start,
how large the page is, and how long it takes to open in Chromium: from navigation until all is built, and
until a filtered row stands in the table. With --check, fails where a goal is passed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from support.chromium import browser_or_skip
from support.drawn_sweeps import sweep_project

VARIANTS, QUERIES, OPENINGS = 100, 250, 5
MOST_SECONDS, MOST_BYTES, MOST_MS = 10, 15_000_000, 1000
FILTERED = """new Promise((done) => {
  const ready = performance.getEntriesByName("rankgate-ready")[0].startTime;
  const paint = performance.getEntriesByName("first-contentful-paint")[0].startTime;
  const from = performance.now();
  const box = document.getElementById("variant-find");
  box.value = "v077";
  box.dispatchEvent(new Event("input"));
  requestAnimationFrame(() => requestAnimationFrame(() => {
    if (document.querySelectorAll("#board tbody tr").length !== 1) throw new Error("no row");
    done([paint, ready, ready + performance.now() - from]);
  }));
})"""


def swept(project: Path, page: Path) -> tuple[float, float]:
    """Run the command, and return the seconds it took, by the clock and of processors."""
    program = Path(sys.executable).with_name("rankgate")
    command = [str(program), "sweep", "--format", "html", "-o", str(page)]
    before, began = os.times(), time.monotonic()
    subprocess.run(command, cwd=project, check=True, stderr=subprocess.DEVNULL)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return time.monotonic() - began, used


def main() -> int:
    """Measure, print and judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail where a goal is passed")
    check = parser.parse_args().check
    with tempfile.TemporaryDirectory() as folder, browser_or_skip() as browser:
        project, page = (
            sweep_project(Path(folder) / "project", VARIANTS, QUERIES),
            Path(folder) / "sweep.html",
        )
        asked, _ = swept(project, page)
        seconds, used = min(swept(project, page) for _ in range(3))
        size = page.stat().st_size
        times = []
        for _ in range(OPENINGS):
            tab = browser.open(page)
            times.append(tab.run(FILTERED))
            tab.shut()
    paint, ready, row = (median(one) for one in zip(*times, strict=True))
    print(f"{VARIANTS} variants, {QUERIES} queries; asked, kept and rendered in {asked:.1f} s")
    goal = f"goal under {MOST_SECONDS} s"
    print(f"rendered from stored runs in {seconds:.1f} s, {used:.1f} s of processors (the best of 3; {goal})")
    print(f"{size / 1e6:.2f} MB (goal under {MOST_BYTES / 1e6:.0f} MB)")
    print(
        f"first paint {paint:.0f} ms, ready {ready:.0f} ms (medians of {OPENINGS}; goal under {MOST_MS} ms)"
    )
    print(f"first filtered row {row:.0f} ms")
    return int(check and (seconds >= MOST_SECONDS or size >= MOST_BYTES or ready >= MOST_MS))


if __name__ == "__main__":
    sys.exit(main())
