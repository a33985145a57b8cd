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
_ENGINES = "packages/rankgate-engines"
_REFERENCE = "packages/rankgate-reference"
_MODULE = f"PYTHONPATH={_CORE}:{_REFERENCE}/tests .venv/bin/python -m"
_EXAMPLES = f"packages/rankgate/src {_ENGINES}/src {_REFERENCE}/src"
_SCORING = f"{_CORE}/scoring {_CORE}/gates {_CORE}/project"
_SUITES = f"{_CORE}/suites {_CORE}/files {_CORE}/truth"
_REST = " ".join(f"--ignore {folder}" for folder in f"{_SCORING} {_SUITES}".split())

PARTS = {
    # Every property on 500 examples, drawn anew.
    "tests-scoring": f"{_DRAWN} {_SCORING}",
    "tests-suites": f"{_DRAWN} {_SUITES}",
    "tests-rest": f"{_DRAWN} {_EXAMPLES} {_CORE} {_ENGINES}/tests {_REFERENCE}/tests {_REST}",
    # Tests marked as long: kills, a million rows, an OpenSearch cluster that loses a node.
    "long": f"{_PYTEST} -m long --ignore {_CORE}/browser --ignore {_CORE}/faults/test_killed_judging.py "
    f"--ignore {_CORE}/e2e/test_tutorials_from_the_wheel.py {_CORE} {_ENGINES}/tests",
    "elasticsearch": "just test-elasticsearch",
    "results": "just results --check",
    "mcp1": "just test-mcp1",
    "python-3.12": "just test-pythons 3.12",
    "python-3.13": "just test-pythons 3.13",
    "python-3.14": "just test-pythons 3.14",
    # The wheels with the lowest versions that their metadata allow; each extra alone, on every Python.
    "lowest": "just test-lowest",
    "extras": "just test-extras",
    # The tutorials, every line as it is printed, from the built wheel in an empty environment.
    "tutorials": "CI=true just test-tutorials",
    # 10^5 damaged files for every loader; 20,000 projects with damaged runs, baselines and configurations.
    "fuzz-1": "just fuzz 50000:1 files",
    "fuzz-2": "just fuzz 50000:2 files",
    "fuzz-kept-1": "just fuzz 10000:1 kept",
    "fuzz-kept-2": "just fuzz 10000:2 kept",
    # 30,000 drawn states, 3,000 of them also by the command line and pytest.
    "verdicts-1": "just verdicts 15000",
    "verdicts-2": "just verdicts 15000 15000",
    # 10^5 hostile strings through every command into every output.
    "hostile": f"{_MODULE} support.hostile 100000 0",
    # Faults in the source, until the tests find each.
    "verdict-faults": f"{_MODULE} verdicts.faults",
    # 10,000 drawn histories of documents, and where `suite fix` finds targets of every kind.
    "drift-edits": f"{_MODULE} support.drawn_edits 10000 0",
    # Suites carried over forty releases of three projects, gates on, losses planted.
    "releases": "just bench-releases --check",
    # The suites over pinned releases, carried to later minor and major ones; a sample of it was read.
    "carried": "just bench-carried --check",
    # The cost of running queries beside the bare client, over HTTP and in process.
    "running": "just bench-running",
    # The reference system: its long tests, quality beside published results, speed beside bare Tantivy.
    "reference": f"{_PYTEST} -m long {_REFERENCE}/tests && just bench-reference quality && "
    "just bench-reference quality --mode hybrid && just bench-reference speed",
    # The report page in Chromium, Firefox and WebKit; the judging page with 50 judgments and 100 kills.
    "browsers": "CI=true just test-browsers",
    "judging": "CI=true just test-judging",
    # 10^8 lines of a log of searches, counted and sampled in one pass.
    "sample": "just bench-sample 1e8",
    # 10^9 hits made and scored in one process and in parts; 1.9 * 10^8 with slices beside Polars.
    "billion": "just bench-billion",
    "slices": "just bench-slices 1.9e8",
    "scoring": "just bench-startup && just bench-scoring 1e6 1e7 1e8",
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
