"""Seeded faults: a line of rankgate each, replaced by what it once was or could become by mistake.

    python -m verdicts.faults                 # all of them
    python -m verdicts.faults deeper lost     # these

A fault is found if the worked examples or the drawn states disagree with the reference, or if its `tests`
fail. Each runs in a process of its own, and the source is replaced when its module is imported.
"""

from __future__ import annotations

import argparse
import importlib.machinery
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import CodeType

from verdicts.fault_table import FAULTS, Fault

TESTS = Path(__file__).parents[1]
SOURCE = TESTS.parent / "src" / "rankgate"
STATES = 3000


def apply(fault: Fault) -> None:
    """Replace the source of a module when it is imported."""
    path = SOURCE / fault.file
    code = compile(fault.applied(path.read_text(encoding="utf-8")), str(path), "exec")
    loader = importlib.machinery.SourceFileLoader
    original = loader.get_code

    def get_code(self: importlib.machinery.SourceFileLoader, fullname: str) -> CodeType | None:
        return code if Path(self.path) == path else original(self, fullname)

    loader.get_code = get_code  # type: ignore[method-assign, assignment]


def find(fault: Fault) -> str:
    """Return what finds a fault that was applied; empty if nothing does."""
    if fault.tests:
        import pytest

        arguments = [str(TESTS / name) for name in fault.tests.split()]
        # pytest loads the modules of a plugin's package by itself, in order to rewrite their assertions.
        options = ["--assert=plain", "-q", "-x", "--no-header", "-p", "no:cacheprovider", "-p", "no:xdist"]
        code = pytest.main([*options, *arguments])
        return f"tests: {fault.tests}" if code == pytest.ExitCode.TESTS_FAILED else ""
    return next(_disagreements(), "")


def _disagreements() -> Iterator[str]:
    from verdicts.drawing import draw
    from verdicts.examples import EXAMPLES
    from verdicts.observed import by_python, differences
    from verdicts.project import State

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()

        def first(state: State) -> str:
            try:
                return next(iter(differences(state.expected(), by_python(folder, state))), "")
            except Exception as error:  # noqa: BLE001 - a fault may crash rankgate
                return f"{type(error).__name__}: {error}"

        for example in EXAMPLES:
            if found := first(example.state):
                yield f"example: {example.title}: {found}"
        for seed in range(STATES):
            if found := first(draw(seed)):
                yield f"after {seed + 1} states: {found}"


def search(fault: Fault) -> str:
    """Search for a fault in a process of its own; return what finds it."""
    done = subprocess.run(
        [sys.executable, "-m", "verdicts.faults", "--apply", fault.name],
        cwd=TESTS,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return (done.stdout.strip().splitlines() or [""])[-1] if done.returncode == 0 else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--apply", action="store_true", help="in this process, for the first name")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    chosen = [fault for fault in FAULTS if not given.names or fault.name in given.names]
    if given.apply:
        apply(chosen[0])
        found = find(chosen[0])
        print(found)  # noqa: T201
        return int(not found)
    missed = 0
    with ThreadPoolExecutor(given.workers) as pool:
        for fault, found in zip(chosen, pool.map(search, chosen), strict=True):
            missed += not found
            print(f"{fault.name}: {fault.what}\n    {found or 'NOT FOUND'}", flush=True)  # noqa: T201
    print(f"{len(chosen)} faults, {missed} not found")  # noqa: T201
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
