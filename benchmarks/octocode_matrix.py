"""`just bench-octocode CLONE`: the variant matrix of octocode's benchmark as a sweep of the reference system.

octocode sweeps retrieval parameters over one index: vectors alone, vectors and words at 70:30 and at 30:70, a
graph, a reranker. Here the same are asked of the reference system with MiniLM (eight bits) over the same 127
queries on the same commit. CLONE is a clone of github.com/Muvon/octocode. ``--write`` puts what is printed
into benchmarks/octocode/MATRIX.md.

Its own program is not asked: it fetches its embedding model from a hub when it runs.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from octocode_projects import COMMIT, octocode_project
from rankgate.reports.sweep.formats import render
from rankgate.sweeps.flow import SweepOptions, run_sweep
from rankgate.sweeps.sweep_file import read_sweep

ROOT = Path(__file__).parents[1]
WRITTEN = ROOT / "benchmarks" / "octocode" / "MATRIX.md"
CONFIGURATION = """\
suites = ["code.yaml"]
system = "reference"

[systems.reference]
kind = "reference"
root = "tree"
mode = "hybrid"
model = "minilm"
"""
SWEEP = """\
system = "reference"
metrics = ["ndcg@10", "hit@5", "rr@10", "r@10"]
baseline = "hybrid_70_30"

[variants.vector_only]
set = { mode = "vector" }
[variants.lexical_only]
set = { mode = "lexical" }
[variants.hybrid_70_30]
set = { lexical = 0.3 }
[variants.hybrid_30_70]
set = { lexical = 0.7 }
[variants.hybrid_by_ranks]
set = { lexical = 0.3, fusion = "ranks" }
[variants.hybrid_100_0]
set = { lexical = 0 }
[variants.hybrid_70_30_again]
set = { lexical = 0.30, fusion = "scores" }
[variants.rerank]
set = { lexical = 0.3, rerank = "reranker:order" }
needs = ["reranker.py"]
"""
INTRODUCTION = """\
# octocode's matrix

`just bench-octocode CLONE --write`, rankgate {rankgate}, {day}. 127 queries of octocode on its commit
{commit}, asked of the reference system: its nodes (functions, types, sections), MiniLM in eight bits, words
by BM25, one index. octocode's own variants are vectors alone, hybrid at 70:30 and 30:70, a graph and a
reranker.

Not run: `rerank`, as no real cross-encoder can be had without a hub (the sweep leaves it out, as `needs`
names a file that is not there); `graph`, which the reference system does not have; octocode's own program,
which fetches its model from a hub when it runs. `hybrid_70_30_again` spells the options of `hybrid_70_30`
otherwise, and must be found to be the same system. `hybrid_100_0` gives words no weight: it
finds what `vector_only` finds, but for slips of the pen in a query, which the words of the index put right.
The figures before nodes were ranked by themselves are in [BEFORE.md](BEFORE.md).
"""


def main() -> int:
    """Ask what was not asked before, and print the table, the variants that are the same, and the runs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("clone", type=Path)
    parser.add_argument("--write", action="store_true", help="write benchmarks/octocode/MATRIX.md")
    given = parser.parse_args()
    work = ROOT / ".benchmarks" / "octocode"
    shutil.rmtree(work, ignore_errors=True)
    os.environ["RANKGATE_CACHE"] = str(work / "cache")
    octocode_project(work, given.clone, "code")
    (work / "rankgate.toml").write_text(CONFIGURATION, encoding="utf-8")
    (work / "sweep.toml").write_text(SWEEP, encoding="utf-8")
    result = run_sweep(read_sweep(work / "sweep.toml"), SweepOptions())
    again = run_sweep(read_sweep(work / "sweep.toml"), SweepOptions())
    git = ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    head = INTRODUCTION.format(rankgate=commit, day=f"{datetime.now(UTC):%d %B %Y}", commit=COMMIT)
    runs = sorted(path.name for path in (work / ".rankgate").rglob("*") if (path / "manifest.json").exists())
    listed = "\n".join(f"- `{name}`" for name in runs)
    same = [row.means for row in result.reports[0].rows] == [row.means for row in again.reports[0].rows]
    text = f"{head}\n{render(result.reports, 'markdown')}\n## Runs, by their identity\n\n{listed}\n"
    found = "the table is the same" if same else "the table differs"
    text += f"\nAsked again, {found}: {len(runs)} runs are kept.\n"
    print(text)
    if given.write:
        WRITTEN.parent.mkdir(exist_ok=True)
        WRITTEN.write_text(text, encoding="utf-8")
    return int(not same)


if __name__ == "__main__":
    sys.exit(main())
