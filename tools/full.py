"""Run the long version of the tests and benchmarks, part by part, each with a log.

    python tools/full.py                # every part that has not passed on this source
    python tools/full.py fuzz-1 running   # these, whatever their logs say
    python tools/full.py --list         # what the logs say

A log is benchmarks/full/PART.log: the commit, the date, what was printed, and how it ended after how many
seconds. A part that failed or was stopped is run again by the next call; one that passed on the same source
is not, so that `just full` can be stopped and continued. A part that takes more than 40 minutes is ended and
has failed.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

ROOT = Path(__file__).parents[1]
LOGS = ROOT / "benchmarks" / "full"
LIMIT = 40 * 60

SOURCE = (
    "packages",
    "benchmarks/*.py",
    "benchmarks/releases",
    "examples",
    "suites",
    "requirements",
    "pyproject.toml",
    "conftest.py",
    "justfile",
)
"""What a log speaks of: when any of it has changed since, the part is run again."""

_PYTEST = ".venv/bin/pytest -q -rs"
_DRAWN = f"{_PYTEST} -n 2 --dist loadgroup -m 'not long' --hypothesis-profile=long --doctest-modules"
_CORE = "packages/rankgate/tests"
_REFERENCE = "packages/rankgate-reference"
_EXAMPLES = f"packages/rankgate/src {_REFERENCE}/src"
_SCORING = f"{_CORE}/scoring {_CORE}/gates {_CORE}/evaluation"
_SUITES = f"{_CORE}/suites {_CORE}/files {_CORE}/truth {_CORE}/review"
_REST = " ".join(f"--ignore {folder}" for folder in f"{_SCORING} {_SUITES}".split())

PARTS = {
    # Every property on 500 examples, drawn anew.
    "tests-scoring": f"{_DRAWN} {_SCORING}",
    "tests-suites": f"{_DRAWN} {_SUITES}",
    "tests-rest": f"{_DRAWN} {_EXAMPLES} {_CORE} {_REFERENCE}/tests {_REST}",
    # 100 kills, and a server with a model: what the tests mark as long, alone.
    "faults": f"{_PYTEST} -m long --ignore {_CORE}/faults/test_opensearch_cluster.py "
    f"--ignore {_CORE}/faults/test_killed_judging.py --ignore {_CORE}/faults/test_object_stores.py "
    f"--ignore {_CORE}/e2e/test_tutorials_from_the_wheel.py "
    f"{_CORE}/faults {_CORE}/e2e {_CORE}/pins {_CORE}/systems/engines {_CORE}/parity {_CORE}/security",
    # Three nodes of OpenSearch, one of which is killed in the middle of a run.
    "cluster": f"{_PYTEST} -m long {_CORE}/faults/test_opensearch_cluster.py",
    # Runs in an object store: 20 kills of writers and of readers, 200 races, 10 % of requests refused or cut;
    # the verbs and commands on a server of Azure's.
    "stores": f"just azurite && CI=true {_PYTEST} -m long {_CORE}/faults/test_object_stores.py "
    f"{_CORE}/files/stores {_CORE}/cli/test_addresses_in_azure.py",
    # Runs on a real Ray beside runs of one process; three nodes behind one limit, of which ten are killed.
    "ray": "just test-ray && just bench-ray --kills 0 --check",
    "ray-kills": "just bench-ray --rate 600 --check",
    # Every generation of Elasticsearch; SciFact on every engine, and what each costs; the shipped suites.
    "elasticsearch": "just test-elasticsearch",
    "engines": "just scifact --check && just bench-engine-overhead",
    "results": "just results --check",
    "mcp1": "just test-mcp1",
    "python-3.12": "just test-pythons 3.12",
    "python-3.13": "just test-pythons 3.13",
    "python-3.14": "just test-pythons 3.14",
    # Both wheels with the lowest versions that their metadata allow; each extra alone, on every Python.
    "lowest": "just test-lowest",
    "extras": "just test-extras",
    # The four tutorials, every line as it is printed, from the built wheel in an empty environment.
    "tutorials": "CI=true just test-tutorials",
    # 10^5 damaged files for every loader.
    "fuzz-1": "just fuzz 50000:1 files",
    "fuzz-2": "just fuzz 50000:2 files",
    # 10^5 projects with damaged runs, manifests, baselines, configurations, and foreign Parquet.
    "fuzz-kept-1": "just fuzz 10000:1 kept",
    "fuzz-kept-2": "just fuzz 10000:2 kept",
    # 5,000 drawn states with their histories, every hundredth as real processes.
    "verdicts-1": "just verdicts 2500 1000000 --processes 100",
    "verdicts-2": "just verdicts 2500 1002500 --processes 100",
    # 50,000 drawn states of gates, 300 of them also by the command line, pytest and Python.
    "gates": "just gate-states 50000 0 --ways 6",
    # 10^5 hostile strings through every command into every output.
    "hostile": "just hostile 100000",
    # Faults in a copy of the source, until the oracle of the states sees each.
    "verdict-faults-1": "just verdict-faults --part 1/2",
    "verdict-faults-2": "just verdict-faults --part 2/2",
    # The same for faults in how gates are judged, by the oracle of the states of gates.
    "gate-faults": "just verdict-faults --by gate_states",
    # 10,000 drawn histories of documents, and where `suite mend` finds targets of every kind.
    "drift-edits": "just drawn-edits 10000",
    # Every heading of sites built by MkDocs, Sphinx and Hugo, to its address and back.
    "sites": "just sites",
    # 20,000 pieces of Chroma's corpora through ten changes, and 10^5 hits in 10 MB.
    "placing": "just bench-placing",
    # Suites carried over forty releases of three projects, gates on, losses planted.
    "releases": "just bench-releases --check",
    # The suites over pinned releases, carried to later minor and major ones; a sample of it was read.
    "carried": "just bench-carried --check",
    # What asking costs beside a bare loop, over HTTP and in process.
    "running": "just bench-running",
    # The statistics of comparisons, simulated in full.
    "paired": "just bench-paired",
    # Model judges of known confusion: who passes calibration, by pairs; means corrected by people.
    "calibration": "just bench-calibration --check",
    # What sweeps claim of equal variants, and what the winner is worth on held-out queries.
    "sweeps": "just bench-sweeps",
    # A sweep of 28 variants that is killed 20 times, and the page of one with 100 variants and 250 queries.
    "swept": f"{_PYTEST} -m long {_REFERENCE}/tests/suites_shipped/test_handbook_sweep.py && "
    "just bench-sweep-page --check",
    # How often a search over 2,000 combinations, and over a real grid, finds what is good.
    "search": "just bench-search",
    # The judgments that settle a comparison, by effect, by rank and in random order.
    "judge-order": "just bench-judge-order --check",
    # Bounds of drops: exact scans of wrong passes, drawn suites, power; comparisons, simulated in full.
    "bounds": f"{_PYTEST} -n 2 -m long {_CORE}/scoring && just bench-bounds",
    # What plan states of power, of needed queries, of margins and of false alarms, and what comes true.
    "plan": "just bench-plan",
    # The reference system: its long tests, quality beside published results, speed beside bare Tantivy.
    "reference": f"{_PYTEST} -m long {_REFERENCE}/tests && just bench-reference-quality && "
    "just bench-reference-quality --mode hybrid && just bench-reference-speed",
    # The pages of 10,000 queries and of a sweep of 100 variants in Chromium, and 1,000 drawn edits of suites.
    "pages": f"{_PYTEST} -m long --ignore {_CORE}/browser/test_every_browser.py "
    f"--ignore {_CORE}/browser/test_judging_every_browser.py "
    f"{_CORE}/browser {_CORE}/reports {_CORE}/review {_CORE}/suites && "
    "just bench-page --check && just bench-sweep-page --check",
    # First screen, filter, address, axe and every control by keys in Chromium, Firefox and WebKit.
    "browsers": "CI=true just test-browsers",
    # The judging page in the same browsers: 50 judgments by keys, mouse and touch at three widths; 100 kills.
    "judging": "CI=true just test-judging",
    # 10^8 lines of a log of searches, counted and sampled in one pass.
    "sample": "just bench-sample 1e8",
    # One query with 10^6 hits, and one shard ten times the others, within memory; every definition of Django.
    "skew": f"{_PYTEST} -m long {_CORE}/runs {_CORE}/outline",
    # 10^9 hits made, then scored by one process, in parts and on Ray; 1.9 * 10^8 with slices beside Polars.
    "billion-made": "just make-billion",
    "billion": "just bench-billion",
    "slices": "just bench-slices 1.9e8",
    # 10^8 rows, 10^6 cases.
    "benchmarks": "just bench-startup bench-engines && just bench-suites && just bench-scoring 1e6 1e7 1e8",
}

_PROGRESS = re.compile(r"^[.sxF]*[ .]*\[ *\d+%\]$")
_ENDED = re.compile(r"^(?P<how>passed|failed.*|stopped.*) after (?P<seconds>[\d,]+) s$")


@dataclass(frozen=True, slots=True)
class Log:
    """What the log of a part says of itself."""

    commit: str
    date: str
    ended: re.Match[str] | None

    @classmethod
    def read(cls, part: str) -> Log | None:
        """Read the head and the last line of a log; None where there is none."""
        path = LOGS / f"{part}.log"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        if len(lines) < 2 or not lines[0].startswith("commit "):
            return None
        return cls(lines[0].removeprefix("commit "), lines[1].removeprefix("date "), _ENDED.match(lines[-1]))

    @property
    def current(self) -> bool:
        """Whether it is of the source as it is now."""
        return "," not in self.commit and not _changed(self.commit)

    @property
    def passed(self) -> bool:
        """Whether the part passed, so that it need not be run again on the same source."""
        return self.ended is not None and self.ended["how"] == "passed"


def _git(*arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()


def _changed(commit: str) -> bool:
    """Whether the source differs from that of a commit, changes that are not committed counted."""
    done = subprocess.run(
        ["git", "diff", "--quiet", commit, "--", *SOURCE], cwd=ROOT, check=False, capture_output=True
    )
    return done.returncode != 0


def run(part: str) -> bool:
    """Run one part, print what it prints, and write its log; tells whether it passed."""
    LOGS.mkdir(exist_ok=True)
    commit = _git("rev-parse", "HEAD") + (", with changes" if _changed("HEAD") else "")
    start = time.monotonic()
    with (LOGS / f"{part}.log").open("w", encoding="utf-8") as log:
        log.write(f"commit {commit}\ndate {datetime.now(UTC):%Y-%m-%dT%H:%MZ}\n\n")
        log.flush()
        # A group of its own, so that what the part started ends with it.
        process = subprocess.Popen(
            ["bash", "-euo", "pipefail", "-c", PARTS[part]],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        signal.signal(signal.SIGALRM, lambda *_: os.killpg(process.pid, signal.SIGTERM))
        signal.alarm(LIMIT)
        try:
            if process.stdout is not None:
                _copy(process.stdout, log)
            code = process.wait()
        except BaseException:
            os.killpg(process.pid, signal.SIGTERM)
            raise
        finally:
            signal.alarm(0)
        seconds = time.monotonic() - start
        how = "passed" if code == 0 else f"failed (exit {code})" if seconds < LIMIT else "stopped (the limit)"
        log.write(f"{how} after {seconds:,.0f} s\n")
    print(f"{part}: {how} after {seconds:,.0f} s", flush=True)
    return code == 0


def _copy(output: IO[str], log: IO[str]) -> None:
    """Copy what a part prints to the terminal and its log, without the paths of this machine and the dots."""
    for line in output:
        shown = line.replace(str(ROOT), ".")
        sys.stdout.write(shown)
        if not _PROGRESS.match(shown.rstrip()):
            log.write(shown)
            log.flush()


def listing() -> None:
    """Print a line a part: how it ended, when, and whether the source has changed since."""
    for part in PARTS:
        log = Log.read(part)
        if log is None:
            said = "never run"
        else:
            ended = log.ended.group(0) if log.ended else "not finished"
            said = f"{ended}, {log.date}, {log.commit[:7]}{'' if log.current else ', of another source'}"
        print(f"{part:16} {said}")


def main() -> int:
    """Run the parts asked for, or those that are due."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--list", action="store_true", help="print what the logs say, and run nothing")
    arguments = parser.parse_args()
    if unknown := [part for part in arguments.parts if part not in PARTS]:
        parser.error(f"no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
    if arguments.list:
        listing()
        return 0
    due = [part for part in PARTS if (log := Log.read(part)) is None or not (log.passed and log.current)]
    failed = [part for part in arguments.parts or due if not run(part)]
    if failed:
        print(f"failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
