"""Kept files that are damaged, through the commands that read them: what `support.fuzz` draws of these.

Each kind damages a copy of `support.kept_project` and calls one command, in this process. It must be refused
(exit 2 or 3), or tell what is so: the numbers of the undamaged files, or, where the file's own hash was made
anew, those that the file has now, which `kept_project` reads without rankgate. A hash tells accidents; who
can write a file and its hash can write any answer.
"""

from __future__ import annotations

import json
import shutil
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankgate.io import atomic, parquet
from rankgate.runs.store import run_folder
from support import kept_damage as damage
from support import kept_project as project
from support.commands import Done, rankgate
from support.fuzz_damage import damaged_bytes, other_value

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from support.kept_project import Figures, Kept

    Check = Callable[["Case"], bool]

SUITE = "search.yaml"
_HOME = ".rankgate/search/app"


class WrongError(AssertionError):
    """A command that ended otherwise than any may."""


@dataclass(slots=True)
class Case:
    """One damaged project."""

    draw: Random
    """What is drawn from."""
    anew: bool = False
    """True where hashes were made anew after the damage."""
    before: tuple[Figures | None, ...] = ()
    """What the damaged files said before the command."""
    done: Done | None = None
    """How the command ended."""

    def call(self, *words: str) -> bool:
        """Call a command; return whether it was answered.

        Raises:
            WrongError: where it ended as no command may.
        """
        # What a process remembers of files that it has read: every command is the first of its own.
        atomic._VERIFIED.clear()
        run_folder._SOUND.clear()
        parquet._SCANNED.clear()
        self.done = done = rankgate(*words)
        if done.code not in (0, 1, 2, 3, 4) or "Traceback" in done.err + done.out:
            raise WrongError(f"{' '.join(words)}: exit code {done.code}: {done.err[-600:]}")
        told = "found" in done.out or "cannot be judged" in done.out
        if done.code == 2 and not done.err.strip() and not told:
            raise WrongError(f"{' '.join(words)}: refused without a word")
        return done.code in (0, 1, 4)

    def agree(
        self, told: tuple[float, ...], said: Figures | None, *, digits: int = 9, depth: int | None = None
    ) -> None:
        """Check numbers that a command told: they are the undamaged ones, or those of a file hashed anew.

        With `depth`, reciprocal ranks look no deeper.

        Raises:
            WrongError: where they are neither.
        """
        figures = said if self.anew and said is not None else GOOD
        right = (figures.within(depth) if depth else figures).means
        if not _near(told, right, digits):
            raise WrongError(f"told {told}, and it is {right}" + ("" if said else " (cannot be read)"))


def _near(told: tuple[float, ...], right: tuple[float, ...], digits: int = 9) -> bool:
    return all(abs(one - other) < 0.6 * 10**-digits for one, other in zip(told, right, strict=True))


def _score(case: Case) -> bool:
    words = ("-m", "rr", "-m", "r@3", "--format", "json")
    if not case.call("score", "-q", "judgments", "-r", "out", *words):
        return False
    case.agree(_scored(case), project.run_says(Path("out")))
    return True


def _scored(case: Case) -> tuple[float, ...]:
    found = json.loads(case.done.out if case.done else "")["runs"][0]["metrics"]
    return tuple(found[name]["value"] or 0.0 for name in ("rr", "r@3"))


def _test(case: Case) -> bool:
    if not case.call("test", SUITE, "-s", "stored", "-o", "json=told.json"):
        return False
    case.agree(_reported(), project.run_says(Path("out")))
    return True


def _reported() -> tuple[float, ...]:
    found = {one["metric"]: one["value"] for one in json.loads(Path("told.json").read_text())["metrics"]}
    return found["rr@10"] or 0.0, found["r@3"] or 0.0


def _compare(case: Case) -> bool:
    if not case.call("compare", "out", "app", "-u", SUITE, "--format", "json"):
        return False
    (pair,) = json.loads(case.done.out if case.done else "")["pairs"]
    case.agree(tuple(row["before"] for row in pair["metrics"]), project.run_says(Path("out")))
    case.anew = False
    case.agree(tuple(row["after"] for row in pair["metrics"]), None)
    return True


def _set(case: Case) -> bool:
    if not case.call("baseline", "set", SUITE, "-s", "app", "--run", "out"):
        return False
    kept = project.baseline_says(Path("baselines"))
    if kept is None:
        raise WrongError("a baseline that cannot be read")
    case.agree(kept.by_id.means, project.run_says(Path("out")))
    return True


def _merge(case: Case) -> bool:
    if not case.call("runs", "merge", "out", "-o", "whole"):
        return False
    whole = project.run_says(Path("whole"))
    if whole is None or not (case.anew or _near(whole.means, GOOD.means)):
        return _refused_next(case, "whole")
    case.agree(whole.means, project.run_says(Path("out")))
    return True


def _refused_next(case: Case, folder: str) -> bool:
    """Check that what was kept without being looked into is refused by who looks."""
    if case.call("score", "-q", "judgments", "-r", folder, "-m", "rr"):
        raise WrongError("what cannot be so was kept and scored")
    return False


def _resume(folder: str, *words: str) -> Check:
    """Resume a run: each answer is what the system says, or, hashed anew, what the file said before.

    Kept answers follow their questions, so that the file may have said it under another id.
    """

    def check(case: Case) -> bool:
        kept = project.kept_answers_say(Path(folder)) if case.anew else None
        said = [kept.by_id.rr, kept.by_question.rr] if kept else []
        if not case.call(*words, "--resume"):
            return False
        after = project.run_says(Path(folder))
        if after is None:
            return _refused_next(case, folder)
        for query, value in after.rr.items():
            if value not in (GOOD.rr[query], *(one.get(query) for one in said)):
                raise WrongError(f"{query} scores {value}, and it is {GOOD.rr[query]}")
        return True

    return check


READERS: dict[str, tuple[int, str, Check]] = {
    "score": (10, "out", _score),
    "test": (2, "out", _test),
    "compare": (2, "out", _compare),
    "baseline set": (3, "out", _set),
    "merge": (3, "out", _merge),
    "resume": (2, "half", _resume("half", "run", SUITE, "-s", "app", "-o", "half")),
    "resume whole": (1, "out", _resume("out", "run", SUITE, "-s", "app", "-o", "out")),
}
"""Who reads a run: how often, which, and how it is checked."""


def _reader(draw: Random) -> tuple[str, str, Check]:
    (name,) = draw.choices(list(READERS), [one[0] for one in READERS.values()])
    return name, READERS[name][1], READERS[name][2]


def runs(case: Case) -> tuple[str, Check]:
    """Damage the tables of a run."""
    name, folder, check = _reader(case.draw)
    case.anew = case.draw.random() < 0.5
    return f"{name}: {damage.change_run(Path(folder), case.draw, anew=case.anew)}", check


def manifests(case: Case) -> tuple[str, Check]:
    """Damage the manifest of a run, or that of judgments; in half of the cases beside tables written anew."""
    draw = case.draw
    name, folder, check = _reader(draw)
    place = Path(folder)
    said = ""
    if draw.random() < 0.5:
        case.anew = True
        said = damage.change_run(place, draw, anew=True) + ", "
    elif name == "score" and draw.random() < 0.3:
        place = Path("judgments")
    change = damage.change_place if draw.random() < 0.1 else damage.change_manifest
    return f"{name}: {said}{change(place / 'manifest.json', draw)}", check


def _show(case: Case) -> bool:
    if not case.call("baseline", "show", SUITE, "-s", "app"):
        return False
    rows = dict(line.split()[:2] for line in (case.done.out if case.done else "").splitlines()[1:])
    said = _baseline(case)
    # The depth is part of the name, where the baseline tells it: a damaged one may tell another.
    name, rr = next(row for row in rows.items() if row[0].partition("@")[0] == "rr")
    depth = int(name.partition("@")[2] or 0)
    case.agree((float(rr), float(rows["r@3"])), said.by_question if said else None, digits=4, depth=depth)
    return True


def _baseline(case: Case) -> Kept | None:
    # Lines have no hash: what they say is what was found.
    case.anew = True
    return project.baseline_says(Path("baselines"))


def _compare_baseline(case: Case) -> bool:
    if not case.call("compare", "baseline", "app", "-u", SUITE, "--format", "json"):
        return False
    (pair,) = json.loads(case.done.out if case.done else "")["pairs"]
    said = _baseline(case)
    case.agree(tuple(row["before"] for row in pair["metrics"]), said.by_question if said else None)
    return True


def _test_against(case: Case) -> bool:
    """Test the system beside its baseline: green only where it is no worse than what the file says."""
    if not case.call("test", SUITE, "-s", "app", "-o", "json=told.json"):
        return False
    # Beside a baseline that lacks queries, figures are over those that both have.
    new = (json.loads(Path("told.json").read_text())["comparison"] or {}).get("new")
    if not new and not _near(_reported(), GOOD.means):
        raise WrongError(f"told {_reported()} of a system that is as it was")
    if case.done is None or case.done.code != 0:
        return True
    said = _baseline(case)
    before = said.by_question.rr if said and case.anew else GOOD.rr
    named = "in the baseline" in case.done.out
    if said is None or (len(before) < len(GOOD.rr) and not named):
        raise WrongError(f"green beside a baseline of {len(before)} questions")
    if sum(before.values()) - sum(GOOD.rr[query] for query in before) >= 0.05 * len(before) + 1e-9:
        raise WrongError(f"green though the baseline says {said.by_question.means}")
    return True


def _set_again(case: Case) -> bool:
    """Set the baseline again over a damaged one."""
    case.call("baseline", "set", SUITE, "-s", "app")
    if case.done is None or case.done.code != 0:
        return False
    said = project.baseline_says(Path("baselines"))
    if said is None or said.by_id.means != GOOD.means:
        raise WrongError("a baseline that was set is not what was found")
    return True


def baselines(case: Case) -> tuple[str, Check]:
    """Damage the lines of a baseline."""
    draw = case.draw
    check = draw.choices((_show, _compare_baseline, _test_against, _set_again), (10, 2, 2, 1))[0]
    home = Path("baselines")
    Path("rankgate.toml").write_text(project.toml({**project.CONFIGURATION, "require_baseline": ["app"]}))
    path = home / "search.app.jsonl"
    if draw.random() < 0.1:
        return damage.change_place(path, draw), check
    if draw.random() < 0.4:
        return damage.change_bytes(path, draw), check
    lines = path.read_bytes().splitlines()
    for _ in range(draw.choice((1, 1, 2, 5))):
        _change_lines(lines, draw)
    path.write_bytes(b"\n".join(lines) + b"\n")
    return f"{path.name}: lines changed", check


def _change_lines(lines: list[bytes], draw: Random) -> None:
    at, kind = draw.randrange(len(lines)), draw.randrange(8)
    if kind == 0 and len(lines) > 1:
        del lines[at]
    elif kind == 1:
        lines.insert(draw.randrange(len(lines)), lines[at])
    elif kind == 2:
        draw.shuffle(lines)
    else:
        lines[at] = json.dumps(other_value(json.loads(lines[at]), draw)).encode()


def configurations(case: Case) -> tuple[str, Check]:
    """Damage the configuration, in a file of its own or in pyproject.toml."""
    draw, own = case.draw, draw_own(case.draw)
    table: Any = project.CONFIGURATION
    if draw.random() < 0.6:
        for _ in range(draw.choice((1, 1, 2, 4))):
            table = other_value(table, draw)
    if not isinstance(table, dict):
        table = {"systems": table}
    data = project.toml(table if own else {"tool": {"rankgate": table}}).encode(errors="replace")
    if table is project.CONFIGURATION or draw.random() < 0.2:
        for _ in range(draw.choice((1, 1, 2, 8))):
            data = damaged_bytes(data, data, draw)
    Path("rankgate.toml").unlink()
    Path("rankgate.toml" if own else "pyproject.toml").write_bytes(data)
    return f"{'rankgate' if own else 'pyproject'}.toml of {len(data)} bytes", draw.choices(
        (_configured("stored"), _configured("app"), _listed), (2, 2, 3)
    )[0]


def draw_own(draw: Random) -> bool:
    """Draw whether the configuration is a file of its own."""
    return draw.random() < 0.7


def _configured(system: str) -> Check:
    def check(case: Case) -> bool:
        if not case.call("test", SUITE, "-s", system, "-o", "json=told.json"):
            return False
        if not _near(_reported(), GOOD.means):
            raise WrongError(f"told {_reported()} of what was not changed")
        return True

    return check


def _listed(case: Case) -> bool:
    return case.call("list", "systems")


def foreign(case: Case) -> tuple[str, Check]:
    """Put Parquet of others, whole or damaged, where judgments or a run are read."""
    draw = case.draw
    kind = draw.choice(("judgments", "judgments", "own judgments", "run"))
    path = Path({"run": "out/hits-00000.parquet"}.get(kind, "judged.parquet"))
    if kind == "own judgments":
        said = damage.change_table(path, draw)
    else:
        path.write_bytes(damage.packed(damage.foreign_table(draw), draw))
        said = f"{path.name}: of others"
    if kind == "run":
        damage.hash_again(Path("out"))
        case.anew = True
    return f"{kind}: {said}", _score if kind == "run" else _foreign_judgments


def _foreign_judgments(case: Case) -> bool:
    words = ("-m", "rr", "-m", "r@3", "--format", "json")
    if not case.call("score", "-q", "judged.parquet", "-r", "out", *words):
        return False
    judged = project.judgments_say(Path("judged.parquet"))
    case.anew = True
    case.agree(_scored(case), None if judged is None else project.run_says(Path("out"), *judged))
    return True


KINDS: dict[str, Callable[[Case], tuple[str, Check]]] = {
    "runs": runs,
    "baselines": baselines,
    "manifests": manifests,
    "configurations": configurations,
    "foreign": foreign,
}
"""What is damaged, by name."""


class KeptFiles:
    """One kind, drawn case by case; makes the project that is damaged once a process."""

    def __init__(self, name: str, folder: Path) -> None:
        """Write the whole project into a folder."""
        self._damage = KINDS[name]
        self._whole = folder / "whole"
        project.write_project(self._whole)
        # Written from memory, since nothing else takes as long as copying.
        self._files = {
            path.relative_to(self._whole): path.read_bytes()
            for path in self._whole.rglob("*")
            if path.is_file()
        }
        self._folders = sorted({path.parent for path in self._files})
        global GOOD  # noqa: PLW0603 - what every check compares with
        found = project.run_says(self._whole / "out")
        if found is None:
            raise AssertionError("the undamaged run cannot be read")
        GOOD = found

    def prepare(self, folder: Path, draw: Random) -> tuple[str, Callable[[], bool]]:
        """Damage a copy; return what was done to it, and the call that tells whether it was accepted."""
        place = folder / "project"
        shutil.rmtree(place, ignore_errors=True)
        for inner in self._folders:
            (place / inner).mkdir(parents=True, exist_ok=True)
        for path, data in self._files.items():
            (place / path).write_bytes(data)
        case = Case(draw)
        with chdir(place):
            said, check = self._damage(case)

        def read() -> bool:
            with chdir(place):
                return check(case)

        return said, read


GOOD: Figures = project.Figures({}, {})
"""What the undamaged files say."""
