"""Draw states of gates, and print where rankgate and the oracle disagree.

python -m verdicts.gate_states 1000        # the first thousand
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import TYPE_CHECKING

from verdicts.gate_drawing import LISTS, draw_material, draw_rules
from verdicts.oracle.findings import OPEN, REFUSED, REQUIRED, WAITING, WAIVED
from verdicts.oracle.judge import judge
from verdicts.project import work_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from verdicts.gate_drawing import Material
    from verdicts.kept_answers import Judged, Said
    from verdicts.oracle.findings import Finding
    from verdicts.oracle.judge import Expected
    from verdicts.state import System

_NEAR = 1e-9
_SHOWN = {WAITING: OPEN, REQUIRED: REFUSED}


def differences(expected: Expected, said: Judged) -> Iterator[str]:
    """Say in what a verdict is not the one that it must be."""
    if said.code != expected.code:
        yield f"exit code {said.code}, expected {expected.code} ({expected.why or said.why})"
    if said.gates is None or expected.gates is None:
        return
    for text in said.gates.keys() ^ expected.gates.keys():
        yield f"{text}: {'judged' if text in said.gates else 'not judged'}"
    for text, status in expected.gates.items():
        if text in said.gates and said.gates[text].status != status:
            yield f"{text}: {said.gates[text]}, expected {status}, {expected.found[text]}"
        elif text in said.gates:
            found = expected.found[text]
            agree = any(_agree(said.gates[text], one) for one in (found, *found.also))
            if not agree or said.gates[text].lost != found.lost:
                yield f"{text}: {said.gates[text]}, expected {found}"


def _agree(said: Said, found: Finding) -> bool:
    counts = found.counts
    if said.counts != (counts.scored, counts.undefined, counts.unreviewed, counts.errored):
        return False
    if found.status == WAIVED:
        # What is shown of a gate that nothing is held to is for people.
        return True
    if said.value is None or found.value is None:
        return said.value is found.value
    return abs(said.value - found.value) <= _NEAR * max(1.0, abs(found.value))


def states(first: int, last: int, folder: Path) -> Iterator[tuple[int, Material, System, Judged]]:
    """Draw states by number, and judge each by rankgate; what cannot be judged says so."""
    from verdicts.kept_answers import Judged, KeptAnswers

    for number in range(first // LISTS, (last - 1) // LISTS + 1):
        material = draw_material(number)
        every = [draw_rules(material, number * LISTS + at) for at in range(LISTS)]
        kept = KeptAnswers(material, folder)
        for at, rules in enumerate(every):
            if not first <= (seed := number * LISTS + at) < last:
                continue
            try:
                said = kept.judge(rules, every)
            except Exception as error:  # noqa: BLE001 - whatever comes through is what is looked for
                said = Judged(f"{type(error).__name__}: {error}")
            yield seed, material.under(rules), rules, said


def by_each_way(material: Material, expected: Expected) -> Iterator[str]:
    """Write a state as a project with a stored run, and ask for its verdict by each of the three ways."""
    from verdicts.kept_answers import Judged, KeptAnswers, said_in
    from verdicts.project import Project
    from verdicts.ways import InProcess

    with work_folder() as folder:
        project, ways, name = Project(folder), InProcess(), material.system.name
        project.write(material.state)
        KeptAnswers(material, folder).store()
        called = ways.call(
            project, ["test", material.suite.path, "--system", name, "--report", "json=verdict.json"]
        )
        gates = None if expected.gates is None else said_in(folder / "verdict.json")
        for one in differences(expected, Judged(called.code, gates, called.out[-500:])):
            yield f"the command line: {one}"
        asked = ways.pytest(project, material.suite.path, name)
        if asked.code != expected.code:
            yield f"pytest: {asked.code}, expected {expected.code}"
        python = ways.python(project, material.suite.path, name)
        if (python.code, python.gates) != (expected.code, expected.gates):
            yield f"Python: {python.code} {python.gates}, expected {expected.code} {expected.gates}"


def main() -> int:
    """Compare so many states; return 1 where some disagree."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("states", type=int)
    parser.add_argument("seed", type=int, nargs="?", default=0)
    parser.add_argument("--most", type=int, default=5, help="how many disagreements to print")
    parser.add_argument("--ways", type=int, default=0, metavar="N", help="so many by each of the ways too")
    parser.add_argument("--first", action="store_true", help="stop at the first disagreement")
    given = parser.parse_args()
    # Tables of ten rows gain nothing by threads. It is read when Polars is loaded.
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
    found, begun, spent, asked, last = 0, time.monotonic(), 0.0, 0, -1
    with work_folder() as folder:
        for seed, material, rules, said in states(given.seed, given.seed + given.states, folder):
            started = time.process_time()
            expected = judge(material.state, material.suite, rules, material.answers, material.min_n)
            spent += time.process_time() - started
            told = list(differences(expected, said))
            # One of each material at most, so that many are seen.
            if asked < given.ways and material.writable and seed // LISTS != last and not told:
                told, asked, last = list(by_each_way(material, expected)), asked + 1, seed // LISTS
            if not told:
                continue
            found += 1
            if given.first:
                print(f"after {seed - given.seed + 1} states: {seed} {told[0]}")  # noqa: T201
                break
            if found <= given.most:
                gates = [gate.text for gate in rules.gates or ()]
                print(f"state {seed}: {gates}", *told, sep="\n    ", end="\n\n", flush=True)  # noqa: T201
    seconds = time.monotonic() - begun
    busy = f"{time.process_time():,.0f} s of CPU, {spent:,.0f} of them the oracle's"
    took = f"{given.states:,} states in {seconds:,.0f} s ({busy})"
    took += f", {asked:,} of them by each way" if given.ways else ""
    print(f"{took}, {found:,} disagreements")  # noqa: T201
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
