"""`just bench-many`: what a test of many queries costs: a stored run, compared with a baseline and reported.

    python benchmarks/many_queries.py            5,000 queries
    python benchmarks/many_queries.py 1e5        as many as are named

Every query has ten hits and two judged ids, and one in fifty lost its target since the baseline. What counts
is the processor's time of the whole command, reports and page written, the best of three (of one above 20,000
queries); the page is opened in Chromium. With --check, fails where 5,000 queries take ten seconds or more.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from support.chromium import browser_or_skip

MOST_SECONDS = 10
ROUNDS = 3
FEW = 20_000
ANSWERS = """import os

WORSE = bool(os.environ.get("WORSE"))


def search(query, k):
    number = int(query.split()[-1])
    rank = number * 2654435761 % 97 % 12
    hits = [f"other-{(number + at) % 5000}" for at in range(10)]
    if rank < 10 and not (WORSE and number % 50 == 0):
        hits[rank] = f"doc-{number}"
    return hits[:k]
"""
SYSTEMS = """suites = [{file = "cases.suite.jsonl", gates = ["ndcg@10 >= 0.1", "drop(ndcg@10) <= 0.1"]}]
[systems.app]
function = "./app.py:search"
[systems.stored]
run = "kept"
"""
READY = 'performance.getEntriesByType("navigation")[0].loadEventEnd'


def project(folder: Path, queries: int) -> None:
    """Write a project with a run, its baseline, and a run that is worse."""
    with (folder / "cases.suite.jsonl").open("w", encoding="utf-8") as file:
        for number in range(queries):
            case = {
                "name": f"q{number}",
                "query": f"how to do the thing number {number}",
                "id": [{"id": f"doc-{number}", "grade": 3}, {"id": f"doc-{number}-b", "grade": 1}],
                "category": f"c{number % 7}",
                "tags": [f"lang={('go', 'py', 'rs')[number % 3]}"],
            }
            file.write(json.dumps(case) + "\n")
    (folder / "app.py").write_text(ANSWERS)
    (folder / "rankgate.toml").write_text(SYSTEMS)
    call(folder, "run", "cases.suite.jsonl", "-s", "app", "-o", "kept")
    call(folder, "baseline", "set", "cases.suite.jsonl", "-s", "stored", "--run", "kept")
    call(folder, "run", "cases.suite.jsonl", "-s", "app", "-o", "kept", "--replace", WORSE="1")


def call(folder: Path, *words: str, code: int = 0, **env: str) -> None:
    """Call rankgate in a folder, with bytecode kept as everywhere else."""
    # So regular a suite is packed more than 200 times smaller, which is refused of a file that nobody knows.
    own = {"PYTHONDONTWRITEBYTECODE": "", "RANKGATE_MAX_UNPACKED": "40G"}
    variables = {**os.environ, **own, **env}
    program = [sys.executable, "-m", "rankgate", *words]
    done = subprocess.run(program, cwd=folder, env=variables, capture_output=True, text=True, check=False)
    if done.returncode != code:
        raise SystemExit(f"{' '.join(words)} ended with {done.returncode}\n{done.stdout}{done.stderr}")


def main() -> int:
    """Measure, print and judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("queries", nargs="?", type=float, default=5000)
    parser.add_argument("--check", action="store_true", help="fail where the goal is missed")
    given = parser.parse_args()
    queries, times = int(given.queries), []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        project(folder, queries)
        for _ in range(ROUNDS if queries <= FEW else 1):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            call(folder, "test", "cases.suite.jsonl", "-s", "stored", code=1)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        (page,) = (folder / ".rankgate").glob("*/stored/report.html")
        size = page.stat().st_size
        each = ", ".join(f"{seconds:.1f}" for seconds in times)
        print(f"{queries:,} queries: {min(times):.1f} s of the processor ({each}), {peak:,.0f} MB at most")
        with browser_or_skip() as browser:
            tab = browser.open(page)
            print(f"its page: {size / 1e6:.1f} MB, ready after {tab.run(READY):.0f} ms")
            tab.shut()
    return int(given.check and queries <= 5000 and min(times) >= MOST_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
