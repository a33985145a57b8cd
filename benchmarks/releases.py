"""`just bench-releases`: suites written once, carried over forty releases of three projects, gates on.

At each release the documents change under the suite as they did in the project's history. What rankgate
follows by itself is counted and compared with what somebody found who read both releases
(`releases/decisions-*.yaml`); what it asks is answered from there. Then the search is asked over the new
documents, against the baseline of the first release. At every second release the pages of five queries are
left out of the index, which must be found.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import rankgate as rg
from release_decisions import Decisions, read_decisions
from release_documents import CACHE, FOLDER, fetch, pinned_releases, sections, write_index
from release_following import Places, follow, settle
from support.commands import rankgate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PROJECTS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    # Where the documentation lies in the sdist, and what nobody would index: changes by version, and lists.
    "starlette": ("docs", ()),
    "flask": ("docs", ()),
    "pytest": ("doc/en", ("announce/", "changelog.rst", "_templates/", "reference/plugin_list.rst")),
}
CONFIGURATION = """\
suites = ["suite.yaml"]
[systems.search]
kind = "tantivy"
index = "index"
search = { all = 1.0 }
"""
LOST_PAGES_OF = 5
_CORPUS = re.compile(r"^corpus:\n(?:  .*\n)+", re.MULTILINE)
_RENEW = "rankgate baseline set"
_NOTHING = "nothing relevant was found"
_TARGETS = ("unchanged", "moved", "asked", "gone", "wrong", "unread", "undecided")
_TESTS = ("right alarms", "false alarms", "off", "renewed", "planted", "found")
_NEVER = ("wrong", "unread", "undecided", "false alarms", "off")


@dataclass(slots=True)
class Step:
    """What happened at one release."""

    version: str
    """The release."""
    followed: Counter[str] = field(default_factory=Counter)
    """Targets by what became of them: unchanged, moved, asked, gone; and wrong and unread among the moved."""
    code: int = -1
    """The exit code of the test."""
    ndcg: float = 0.0
    """nDCG@10."""
    open: int = 0
    """How many gates were inconclusive or not enforced."""
    renewed: bool = False
    """Whether the baseline had to be renewed, because rankgate said so."""
    right: bool = False
    """Whether there was an alarm that somebody read and found right."""
    lost: list[str] = field(default_factory=list)
    """The cases that `lost` names."""
    planted: int | None = None
    """The exit code of the test with the planted loss; None where there was none."""
    notes: list[str] = field(default_factory=list)
    """What somebody should look at."""


def walk(name: str, room: Path) -> list[Step]:
    """Carry one suite over all releases of its project."""
    under, skipped = PROJECTS[name]
    reader = Reader(read_decisions(name))
    written = (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
    (room / "suite.yaml").write_text(_CORPUS.sub("corpus: docs/\n", written), encoding="utf-8")
    (room / "rankgate.toml").write_text(CONFIGURATION, encoding="utf-8")
    steps = []
    os.chdir(room)
    for number, release in enumerate(pinned_releases(name)):
        step = Step(release.version)
        release.write_documents(under, room / "docs")
        if number:
            reader.mend(room, step)
        else:
            rankgate("suite", "fix", "suite.yaml", "--yes").printed()
        pieces = sections(room / "docs", skipped)
        write_index(pieces, (), room / "index")
        _tested(step, first=not number)
        if step.code == 1:
            reader.react(room, step)
        if number % 2:
            write_index(pieces, _pages(room, release.version), room / "index")
            step.planted = _code(rankgate("test").code)
        steps.append(step)
        print(_row(name, step), flush=True)
    return steps


class Reader:
    """Somebody who read every release, and knows where each target should be."""

    def __init__(self, decisions: Mapping[str, Decisions]) -> None:
        """Take what was decided, by release."""
        self._decisions = decisions
        # A location may be written in another way than by who decided, and mean the same lines.
        self._names: dict[str, str] = {}

    def mend(self, room: Path, step: Step) -> None:
        """Carry the suite to the documents of a release; check what is sure, answer what is asked."""
        decided = self._decisions.get(step.version, Decisions())
        changed, step.followed["unchanged"] = follow(room / "suite.yaml")
        places = Places.of_folder(room / "docs")
        taken: dict[str, str] = {}
        gone: dict[str, str] = {}
        for each in changed:
            name = self._names.get(each.old, each.old)
            if each.new is not None:
                self._check(each.old, each.new, decided, places, step)
                continue
            step.followed["asked"] += 1
            if name in decided.gone:
                gone[each.old] = decided.gone[name]
            elif name in decided.moved or name in decided.kept:
                taken[each.old] = decided.moved.get(name, each.old)
            else:
                step.followed["undecided"] += 1
                step.notes.append(f"undecided: {each.old} ({each.why})")
        step.followed["gone"] = len(gone)
        left = settle(room / "suite.yaml", taken, gone)
        step.notes += [f"left: {left}"] if left else []

    def react(self, room: Path, step: Step) -> None:
        """Do what somebody does who has read an alarm and found it right, and test again."""
        decided = self._decisions.get(step.version, Decisions())
        lost = set(step.lost)
        if decided.retired:
            settle(room / "suite.yaml", {}, decided.retired)
        if lost & set(decided.accepted):
            rankgate("baseline", "set", "--failed").printed()
        if decided.retired or lost & set(decided.accepted):
            step.right = True
            _tested(step, first=False)

    def _check(self, old: str, new: str, decided: Decisions, places: Places, step: Step) -> None:
        """Compare what was followed without asking with where somebody found it."""
        step.followed["moved"] += 1
        name = self._names.get(old, old)
        right = decided.moved.get(name) or decided.proven.get(name)
        if name in decided.gone or (right is not None and not places.same(new, right)):
            step.followed["wrong"] += 1
            step.notes.append(f"wrong: {old} -> {new}, should be {right or 'gone'}")
        elif right is not None and new != right:
            self._names[new] = right
        elif right is None and new != old:
            step.followed["unread"] += 1
            step.notes.append(f"unread: {old} -> {new}")


def _tested(step: Step, *, first: bool) -> None:
    """Test, and set the baseline at the first release, or where rankgate says that it must be renewed."""
    done = rankgate("test", "-o", "json=report.json")
    if first:
        rankgate("baseline", "set").printed()
        done = rankgate("test", "-o", "json=report.json")
    if done.code == 4 and _RENEW in done.out:
        step.renewed = True
        verdicts = json.loads(Path("report.json").read_text(encoding="utf-8"))["verdicts"]
        step.notes += [f"renewed: {each['reason']}" for each in verdicts if each["status"] == "inconclusive"][
            :1
        ]
        rankgate("baseline", "set").printed()
        done = rankgate("test", "-o", "json=report.json")
    step.code = _code(done.code)
    if done.code == 2:
        step.notes.append(done.err[:400])
        return
    report = json.loads(Path("report.json").read_text(encoding="utf-8"))
    step.ndcg = next(each["number"] for each in report["metrics"] if each["metric"] == "ndcg@10")
    step.open = sum(each["status"] not in ("passed", "failed") for each in report["verdicts"])
    if done.code == 1:
        failed = [each for each in report["verdicts"] if each["status"] == "failed"]
        step.notes += [f"alarm: {each['gate']}: {each['reason']}" for each in failed]
        step.lost = [each["query"] for verdict in failed for each in verdict["lost"]]


def _pages(room: Path, seed: str) -> set[str]:
    """Return the pages of five queries, drawn among those that find something relevant."""
    report = json.loads((room / "report.json").read_text(encoding="utf-8"))
    missed = {each["case"] for each in report["failures"] if _NOTHING in each["reasons"]}
    asked = {each["case"] for each in report["cases"]} - missed
    found = [case for case in rg.load_suite(room / "suite.yaml").cases if case.id in asked]
    drawn = random.Random(seed).sample(found, LOST_PAGES_OF)
    return {str(target.location.path) for case in drawn for target in case.targets}


def _code(code: object) -> int:
    if not isinstance(code, int):
        raise SystemExit(f"rankgate ended with {code!r}, expected an exit code")
    return code


_COLUMNS = (
    "project",
    "release",
    "unchanged",
    "moved",
    "asked",
    "gone",
    "wrong",
    "exit",
    "nDCG@10",
    "planted",
)


def _row(name: str, step: Step) -> str:
    counts = [step.followed[each] for each in _TARGETS[:5]]
    said = {" renewed": step.renewed, " after 1": step.right, f" {step.open} open": step.open}
    code = f"{step.code}{''.join(words for words, holds in said.items() if holds)}"
    planted = "" if step.planted is None else str(step.planted)
    cells = (name, step.version, *counts, code, f"{step.ndcg:.3f}", planted)
    return "| " + " | ".join(map(str, cells)) + " |"


def _totals(steps: Sequence[Step]) -> Counter[str]:
    """Count over all releases."""
    found = sum((step.followed for step in steps), Counter[str]())
    found["right alarms"] = sum(step.right for step in steps)
    found["false alarms"] = sum(step.code == 1 for step in steps)
    found["off"] = sum(step.open > 0 or step.code not in (0, 1) for step in steps)
    found["renewed"] = sum(step.renewed for step in steps)
    found["planted"] = sum(step.planted is not None for step in steps)
    found["found"] = sum(step.planted == 1 for step in steps)
    return found


def main() -> int:
    """Walk, print, and check what must hold."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("projects", nargs="*", choices=[[], *PROJECTS], help="only these")
    parser.add_argument("--check", action="store_true", help="exit with 1 where something does not hold")
    options = parser.parse_args()
    print("| " + " | ".join(_COLUMNS) + " |\n|" + "---|" * len(_COLUMNS))
    fetch(FOLDER / "releases.txt", CACHE)
    began, walked = time.monotonic(), {}
    for name in options.projects or PROJECTS:
        with tempfile.TemporaryDirectory() as room:
            here = Path.cwd()
            walked[name] = walk(name, Path(room).resolve())
            os.chdir(here)
    broken = 0
    for name, steps in walked.items():
        found = _totals(steps)
        print(f"\n{name}: " + ", ".join(f"{found[each]} {each}" for each in (*_TARGETS, *_TESTS)))
        for step in steps:
            for note in step.notes:
                print(f"  {step.version}: {note}")
        broken += sum(found[each] for each in _NEVER) + found["planted"] - found["found"]
    print(f"\n{time.monotonic() - began:.0f} s")
    return int(options.check and broken > 0)


if __name__ == "__main__":
    sys.exit(main())
