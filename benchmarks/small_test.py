"""`just bench-small-test`: what a test of 12 queries costs, beside an earlier commit.

    python benchmarks/small_test.py 79add97a           this checkout beside that commit
    python benchmarks/small_test.py 79add97a 0b34fb75  two commits

Each is called in turn, 21 times, as a process of its own with the libraries of this environment; what counts
is the processor's time of each process, which a busy machine changes less than the clock. Prints medians and
their ratio, and fails above --most.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
ROUNDS = 21
QUERIES = 12
SEARCH = """def search(query, k):
    return [{"path": f"page{int(query.split()[-1])}.md", "start": 1, "end": 3}]
"""


def project(folder: Path) -> None:
    """Write a project of 12 pages and queries, with a gate and a function to ask."""
    (folder / "docs").mkdir(parents=True)
    cases = []
    for number in range(QUERIES):
        (folder / "docs" / f"page{number}.md").write_text(f"# Page {number}\n\nAbout {number}.\n")
        cases.append(f"  - query: about page {number}\n    at: page{number}.md:1-3\n")
    (folder / "app.py").write_text(SEARCH)
    (folder / "rankgate.toml").write_text('system = "app"\n[systems.app]\nfunction = "app:search"\n')
    (folder / "s.yaml").write_text(f"corpus: docs/\ngates: [ndcg@10 >= 0.5]\ncases:\n{''.join(cases)}")


def checked_out(commit: str, folder: Path) -> Path:
    """Return the source of a commit, written to a folder."""
    source = folder / commit
    source.mkdir()
    packed = subprocess.run(["git", "-C", ROOT, "archive", commit], check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", source], input=packed, check=True)
    return source / "packages" / "rankgate" / "src"


def seconds(source: Path, folder: Path) -> float:
    """Call a test once, and return the seconds of the processor that it took; bytecode is kept."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "rankgate", "test", "s.yaml"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{source}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure two states of the project in turn."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("commits", nargs="+")
    parser.add_argument("--most", type=float, default=1.05)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        sources = {commit: checked_out(commit, folder) for commit in asked.commits[:2]}
        if len(sources) == 1:
            sources["this checkout"] = ROOT / "packages" / "rankgate" / "src"
        times: dict[str, list[float]] = {name: [] for name in sources}
        for name, source in sources.items():
            project(folder / "projects" / name)
            seconds(source, folder / "projects" / name)
        for _ in range(ROUNDS):
            for name, source in sources.items():
                times[name].append(seconds(source, folder / "projects" / name))
    medians = {name: statistics.median(found) for name, found in times.items()}
    for name, found in times.items():
        print(f"{name}: median {medians[name]:.3f} s, {min(found):.3f} to {max(found):.3f}")
    (_, before), (_, after) = medians.items()
    print(f"ratio {after / before:.3f}, at most {asked.most}")
    sys.exit(after > asked.most * before)


if __name__ == "__main__":
    main()
