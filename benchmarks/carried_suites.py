"""`just bench-carried`: the suites of code, documentation and ratings, carried to later releases.

    python benchmarks/carried_suites.py                 print what becomes of the targets
    python benchmarks/carried_suites.py code ratings    of these suites alone
    python benchmarks/carried_suites.py --check         exit with 1 where a target is followed wrongly
    python benchmarks/carried_suites.py --write         and write the tables into releases/METHOD.md
    python benchmarks/carried_suites.py --draw FOLDER   draw the sample anew, and write what is to be read

What is carried is planned as `rankgate suite fix SUITE --to .corpora/later-minor` does it; nothing is
written to a suite. `later-minor.txt` has the last release of the same major version of each project,
`later-major.txt` the last of the next one.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from carried_sample import answer_of, check, drawn, read_sample, reading, state_of
from page_tables import table_of, write_tables
from rankgate.cli.progress_line import ProgressLine
from rankgate.project.suite_fix import open_mending
from rankgate.truth.follow import DriftStatus
from release_documents import FOLDER, ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from carried_sample import Checked
    from rankgate.project.suite_fix import Mending

SUITES = ("code", "docs", "ratings")
STEPS = ("minor", "major")
PAGE = FOLDER / "METHOD.md"
_STATES = tuple(DriftStatus)
_COLUMNS = ("suite", "step", "targets", *_STATES, "settled", "of these rewritten", "asked", "edited in place")
_SAMPLED = {
    "rewritten": "written to another location without asking",
    "kept": "kept without asking",
    "settled": "both",
    "first proposal": "asked, the first proposal is right",
    "one of the proposals": "asked, one of at most five proposals is right",
    "really gone, and asked": "in no place any more, and said to be gone",
}


def planned(suite: str, step: str) -> Mending:
    """Find out what became of the targets of a suite in the releases of a step."""
    with ProgressLine() as waiting:
        file = ROOT / "suites" / suite / f"{suite}.yaml"
        return open_mending(file, None, f".corpora/later-{step}", None, waiting.tell)


def row_of(suite: str, step: str, mending: Mending) -> list[str]:
    """Count what became of the targets of a suite."""
    plan = mending.plan
    sure = sum(each.sure for each in plan.targets)
    counts = [plan.counts[each] for each in _STATES]
    standing = sum(each.stands for each in plan.open)
    numbers = (len(plan.targets), *counts, sure, len(plan.moved), len(plan.open), standing)
    return [suite, step, *(f"{number:,}" for number in numbers)]


def totals(rows: Sequence[Sequence[str]]) -> list[str]:
    """Add the rows up."""
    sums = [sum(int(row[at].replace(",", "")) for row in rows) for at in range(2, len(_COLUMNS))]
    return ["all", "", *(f"{number:,}" for number in sums)]


def sample_table(checked: Checked) -> str:
    """Lay out how many answers on the sample are right."""
    rows = [[words, checked.counted(kind)] for kind, words in _SAMPLED.items()]
    return table_of(("what was read", "right, with the exact one-sided 95 % bound"), rows)


def draw(folder: Path, plans: Mapping[tuple[str, str], Mending]) -> None:
    """Write the sample to be read, and the entries of its decisions, without what became of the targets."""
    folder.mkdir(parents=True, exist_ok=True)
    text: list[str] = []
    entries: list[dict[str, str | None]] = []
    for number, (name, change) in enumerate(drawn(plans), 1):
        text += reading(number, name, plans[name], change)
        answer = answer_of(change)
        at = {"suite": name[0], "step": name[1], "at": str(change.location)}
        entries.append({**at, "answer": None if answer is None else str(answer), "found": "?"})
    (folder / "to-read.txt").write_text("\n".join(text) + "\n", encoding="utf-8")
    shown = yaml.safe_dump(entries, sort_keys=False, allow_unicode=True, width=1000)
    (folder / "decisions.yaml").write_text(shown, encoding="utf-8")
    states = Counter(state_of(change) for _, change in drawn(plans))
    print(f"{len(entries)} targets to read in {folder}: {dict(states)}")


def main() -> int:
    """Carry, print, and check what must hold."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("suites", nargs="*", choices=[[], *SUITES], help="only these")
    parser.add_argument("--check", action="store_true", help="exit with 1 where a target is followed wrongly")
    parser.add_argument("--write", action="store_true", help="write the tables into releases/METHOD.md")
    parser.add_argument("--draw", type=Path, metavar="FOLDER", help="draw the sample anew")
    options = parser.parse_args()
    if options.suites and (options.write or options.draw):
        parser.error("--write and --draw take all suites")
    plans, rows = {}, []
    for suite in options.suites or SUITES:
        for step in STEPS:
            began = time.process_time()
            plans[suite, step] = mending = planned(suite, step)
            rows.append(row_of(suite, step, mending))
            seconds = time.process_time() - began
            print(f"{suite} to later-{step}.txt: {seconds:.0f} s of the processor", file=sys.stderr)
    if options.draw:
        draw(options.draw, plans)
        return 0
    checked = check(read_sample(), plans)
    tables = {"carried": table_of(_COLUMNS, [*rows, totals(rows)]), "carried-sample": sample_table(checked)}
    print("\n\n".join(tables.values()))
    print("".join(f"\nwrong: {each}" for each in checked.wrong))
    if options.write:
        write_tables(PAGE, tables)
    return int(options.check and bool(checked.wrong))


if __name__ == "__main__":
    sys.exit(main())
