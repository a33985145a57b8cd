"""Changes of systems and of the configuration, and damage to kept files."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from verdicts.commands import FOLDERS
from verdicts.drawing import BOOKS, METRICS, VIAS, draw_gates
from verdicts.state import TIRED, WAVERING, Gate
from verdicts.steps import Step, a_live_system, a_suite, a_system

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from random import Random

    from verdicts.state import Baseline, Kept, State, Suite, System
    from verdicts.steps import Draw

    SystemChange = Callable[[System, State, Random], System | None]
    BaselineChange = Callable[[Baseline, Random], Baseline | None]
    BaselineSpoil = Callable[[Path, Baseline | None], None]


def _system_edit(
    words: str, change: Callable[[System, State, Random], System | None], *, live: bool = True
) -> Draw:
    """Return the edit that changes one system."""

    def draw(state: State, rng: Random) -> Step | None:
        system = a_live_system(state, rng) if live else a_system(state, rng)
        new = None if system is None else change(system, state, rng)
        if system is None or new is None or new == system:
            return None
        said = f"{words} ({system.book} → {new.book}, by its {new.via})" if new.book != system.book else words
        return Step(f"{system.name}: {said}", state.with_system(new))

    return draw


def _worse(system: System, _: State, rng: Random) -> System:
    return replace(system, book=rng.choice(("bad", "bad", "fair", "mute", "flaky")))


def _mended(system: System, _: State, __: Random) -> System:
    return replace(system, book="good")


def _any_book(system: System, _: State, rng: Random) -> System:
    book = rng.choice(BOOKS)
    return replace(system, book="bad" if book in (TIRED, WAVERING) and system.kind != "function" else book)


def _down(system: System, _: State, __: Random) -> System:
    return replace(system, book="down")


def _another_way(system: System, _: State, rng: Random) -> System:
    via: Any = rng.choice(VIAS[system.kind])
    return replace(system, via=via)


def _own_gates(system: System, state: State, rng: Random) -> System:
    gates = tuple(draw_gates(rng, state.suites[0])) if rng.random() < 0.7 else None
    # Of two suites, only one may have the slice or the check.
    if gates and any(one.where or one.kind in ("worst", "checks") for one in gates) and len(state.suites) > 1:
        gates = None
    return replace(system, gates=gates)


def _against(system: System, state: State, rng: Random) -> System:
    names = [one.name for one in state.systems] + ["mian"]
    gate = Gate("drop", rng.choice(METRICS), rng.choice((0.02, 0.2)), against=rng.choice(names))
    return replace(system, gates=(*(system.gates or ()), gate))


def _unseen(system: System, _: State, __: Random) -> System | None:
    via: Any = {"function": "hidden", "http": "server"}.get(system.kind)
    return None if via is None else replace(system, via=via)


def _failing(system: System, _: State, __: Random) -> System:
    return replace(system, book="flaky")


def _tiring(system: System, _: State, __: Random) -> System | None:
    return replace(system, book=TIRED) if system.kind == "function" else None


def _wavering(system: System, _: State, __: Random) -> System | None:
    return replace(system, book=WAVERING) if system.kind == "function" else None


def _slightly_worse(system: System, _: State, rng: Random) -> System:
    return replace(system, book=rng.choice(("fair", "shifted", "shifted")))


def _stored(system: System, state: State, rng: Random) -> System | None:
    folders = [one for one in state.runs if not one.startswith("part-") or rng.random() < 0.2]
    if not folders:
        return None
    return replace(system, kind="run", folder=rng.choice(sorted(folders)), concurrency=1)


def _other_folder(system: System, state: State, rng: Random) -> System | None:
    if system.kind != "run":
        return None
    return replace(system, folder=rng.choice((*FOLDERS, "runs/nowhere")))


def _damage(words: str, spoil: Callable[[Path], None], *, gone: bool = False) -> Draw:
    """Return damage to a run folder; `gone` leaves no run there."""

    def draw(state: State, rng: Random) -> Step | None:
        folders = [name for name, one in state.runs.items() if one.answers and not one.damaged]
        if not folders:
            return None
        name = rng.choice(sorted(folders))
        runs: dict[str, Kept] = dict(state.runs)
        if gone:
            del runs[name]
        else:
            runs[name] = replace(runs[name], damaged=True)
        return Step(f"{name}: {words}", replace(state, runs=runs), spoil=lambda root: spoil(root / name))

    return draw


def _damage_latest(words: str, spoil: Callable[[Path], None]) -> Draw:
    """Return damage to the run that a test has left behind."""

    def draw(state: State, rng: Random) -> Step | None:
        whole = sorted(key for key, one in state.latest.items() if one.answers and not one.damaged)
        # Results say the name of a suite, not its path.
        if not whole or len({one.name for one in state.suites}) < len(state.suites):
            return None
        suite, system = key = rng.choice(whole)
        latest = {**state.latest, key: replace(state.latest[key], damaged=True)}
        return Step(
            f"the latest run of {system} on {suite}: {words}",
            replace(state, latest=latest),
            spoil=lambda root: spoil(_latest_folder(root, state.suite(suite), system)),
        )

    return draw


def _latest_folder(root: Path, suite: Suite, system: str) -> Path:
    """Find the folder of the latest run by what the history of its results says."""
    for path in sorted((root / ".rankgate").glob("*/*/history.jsonl")):
        said = json.loads(path.read_text(encoding="utf-8").splitlines()[-1])
        if (said["suite"], said["system"]) == (suite.name, system):
            return path.parent / "run"
    raise LookupError(f"{suite.path}: no latest run of {system}")


def _flip(table: str) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        path = min(folder.glob(f"{table}-*.parquet"))
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 4
        path.write_bytes(bytes(data))

    return spoil


def _rewrite(folder: Path) -> None:
    """Write other hits, in a file that can be read."""
    import polars as pl

    path = min(folder.glob("hits-*.parquet"))
    table = pl.read_parquet(path)
    table.reverse().write_parquet(path)


def _shorten(folder: Path) -> None:
    path = max(folder.glob("queries-*.parquet"))
    path.write_bytes(path.read_bytes()[:-9])


def _drop_shard(folder: Path) -> None:
    min(folder.glob("hits-*.parquet")).unlink()


def _break_manifest(folder: Path) -> None:
    (folder / "manifest.json").write_text("{", encoding="utf-8")


def _kept_baseline(
    words: str,
    change: Callable[[Baseline, Random], Baseline | None],
    spoil: Callable[[Path, Baseline | None], None],
) -> Draw:
    """Return a change of a baseline file by hand."""

    def draw(state: State, rng: Random) -> Step | None:
        if not state.baselines:
            return None
        (suite, system), baseline = rng.choice(sorted(state.baselines.items(), key=lambda item: item[0]))
        if baseline.damaged:
            return None
        new = change(baseline, rng)
        baselines = {key: one for key, one in state.baselines.items() if key != (suite, system)}
        if new is not None:
            baselines[suite, system] = new
        after = replace(state, baselines=baselines)
        return Step(
            f"the baseline of {system} on {suite}: {words}",
            after,
            spoil=lambda root: spoil(_baseline_file(root / suite, baseline), new),
        )

    return draw


def _baseline_file(suite: Path, baseline: Baseline) -> Path:
    """Find the file of a baseline by what its head says."""
    for path in sorted((suite.parent / "baselines").glob("*.jsonl")):
        head = json.loads(path.read_text(encoding="utf-8").partition("\n")[0])
        if (head["suite"], head["system"]) == (baseline.suite, baseline.system):
            return path
    raise LookupError(f"{suite}: no baseline of {baseline.system}")


def _delete(path: Path, _: Baseline | None) -> None:
    path.unlink()


def _most_lines_gone(baseline: Baseline, rng: Random) -> Baseline:
    names = sorted(baseline.answers)
    left = rng.sample(names, max(1, len(names) * rng.choice((1, 2, 3)) // 5))
    return replace(baseline, answers={name: baseline.answers[name] for name in left})


def _only_those(path: Path, baseline: Baseline | None) -> None:
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    kept = () if baseline is None else baseline.answers
    # A line without a query is what finds a location again.
    left = [line for line in lines if (said := json.loads(line)).get("query") in kept or "query" not in said]
    path.write_text("\n".join([head, *left]) + "\n", encoding="utf-8")


def _not_findable(baseline: Baseline, _: Random) -> Baseline:
    return replace(baseline, findable=False)


def _without_places(path: Path, _: Baseline | None) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    left = [line for line in lines if {"query", "baseline"} & json.loads(line).keys()]
    path.write_text("\n".join(left) + "\n", encoding="utf-8")


def _another_head(path: Path, baseline: Baseline | None) -> None:
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    said = json.loads(head)
    if baseline is not None:
        said |= {"suite": baseline.suite, "system": baseline.system}
    path.write_text("\n".join([json.dumps(said), *lines]) + "\n", encoding="utf-8")


def _broken_line(path: Path, _: Baseline | None) -> None:
    text = path.read_text(encoding="utf-8")
    path.write_text(text[: len(text) - 12], encoding="utf-8")


def _require(state: State, _: Random) -> Step | None:
    new = replace(state, require_baseline=not state.require_baseline)
    return Step(f"require_baseline = {str(new.require_baseline).lower()}", new)


def _gate_of_suite(state: State, rng: Random) -> Step:
    """Draw the gates of a suite again."""
    suite = a_suite(state, rng)
    return Step(
        f"{suite.path}: other gates", state.with_suite(replace(suite, gates=tuple(draw_gates(rng, suite))))
    )


def _comment(system: System, _: State, __: Random) -> System | None:
    return None if system.kind == "http" else replace(system, comment=system.comment + 1)


def _option(system: System, _: State, __: Random) -> System | None:
    return None if system.kind == "function" else replace(system, option=system.option + 1)


def _gated(system: System, _: State, __: Random) -> System:
    return replace(system, gate=not system.gate)


def _max_errors(system: System, _: State, rng: Random) -> System:
    return replace(system, max_errors=rng.choice((0, 1, 2, 50)))


def _concurrency(system: System, _: State, __: Random) -> System:
    return replace(system, concurrency=1 if system.concurrency > 1 else 3)


def _leniency(system: System, _: State, rng: Random) -> System:
    return replace(system, lenient=rng.choice((None, True, False)))


def _gone(_: Baseline, __: Random) -> None:
    return None


def _of_another_system(baseline: Baseline, _: Random) -> Baseline:
    return replace(baseline, system="other")


def _of_another_suite(baseline: Baseline, _: Random) -> Baseline:
    return replace(baseline, suite="other")


def _unreadable(baseline: Baseline, _: Random) -> Baseline:
    return replace(baseline, damaged=True)


SABOTAGE: dict[str, tuple[float, Draw]] = {
    "a worse system": (5, _system_edit("worse", _worse)),
    "a mended system": (2, _system_edit("mended", _mended)),
    "another book": (2, _system_edit("answers otherwise", _any_book)),
    "an outage": (1.5, _system_edit("down", _down)),
    "slightly worse": (0.5, _system_edit("slightly worse", _slightly_worse)),
    "some errors": (0.5, _system_edit("some errors", _failing)),
    "a tiring system": (0.3, _system_edit("tires", _tiring)),
    "a wavering system": (0.3, _system_edit("wavers", _wavering)),
    "made unseen": (0.3, _system_edit("made in a way that cannot be seen", _unseen)),
    "made in another way": (0.7, _system_edit("made in another way", _another_way)),
    "a comment in the source": (1, _system_edit("a comment in its source", _comment)),
    "another option": (1, _system_edit("another time limit", _option)),
    "gate = false": (0.7, _system_edit("gate", _gated, live=False)),
    "max_errors": (0.7, _system_edit("max_errors", _max_errors, live=False)),
    "concurrency": (0.5, _system_edit("concurrency", _concurrency)),
    "gates of its own": (1.5, _system_edit("gates of its own", _own_gates, live=False)),
    "against another": (1, _system_edit("a gate against a name", _against, live=False)),
    "other gates": (1, _gate_of_suite),
    "inconclusive warns": (1, _system_edit("on_inconclusive", _leniency, live=False)),
    "a stored run": (4, _system_edit("is a stored run now", _stored)),
    "another folder": (0.5, _system_edit("another folder", _other_folder, live=False)),
    "a flipped bit of hits": (1, _damage("one bit of the hits flipped", _flip("hits"))),
    "a flipped bit of queries": (0.7, _damage("one bit of the queries flipped", _flip("queries"))),
    "hits rewritten": (1, _damage("hits rewritten", _rewrite)),
    "a shortened file": (0.5, _damage("queries cut short", _shorten)),
    "a shard deleted": (0.5, _damage("a file of hits deleted", _drop_shard)),
    "a broken manifest": (0.5, _damage("the manifest broken", _break_manifest)),
    "a flipped bit of the latest": (0.4, _damage_latest("one bit of the hits flipped", _flip("hits"))),
    "the latest cut short": (0.3, _damage_latest("queries cut short", _shorten)),
    "a shard of the latest deleted": (0.3, _damage_latest("a file of hits deleted", _drop_shard)),
    "the latest manifest broken": (0.3, _damage_latest("the manifest broken", _break_manifest)),
    "a folder deleted": (0.5, _damage("deleted", shutil.rmtree, gone=True)),
    "a baseline deleted": (1, _kept_baseline("deleted", _gone, _delete)),
    "lines of a baseline deleted": (1, _kept_baseline("lines deleted", _most_lines_gone, _only_those)),
    "a baseline of another system": (0.7, _kept_baseline("of another", _of_another_system, _another_head)),
    "a baseline of another suite": (0.7, _kept_baseline("of another", _of_another_suite, _another_head)),
    "what finds the hits of a baseline": (
        0.7,
        _kept_baseline("nothing finds its hits", _not_findable, _without_places),
    ),
    "a broken baseline": (0.5, _kept_baseline("cut short", _unreadable, _broken_line)),
    "require_baseline": (0.5, _require),
}
"""Each change with its weight."""

LATEST_DAMAGE = (
    "a flipped bit of the latest",
    "the latest cut short",
    "a shard of the latest deleted",
    "the latest manifest broken",
)
"""Those that damage what a test has left behind."""
BASELINE_DAMAGE = (
    "a baseline deleted",
    "lines of a baseline deleted",
    "a baseline of another system",
    "a baseline of another suite",
    "a broken baseline",
)
"""Those that change a baseline file by hand."""
DAMAGE = (
    "a flipped bit of hits",
    "a flipped bit of queries",
    "hits rewritten",
    "a shortened file",
    "a shard deleted",
    "a broken manifest",
    "a folder deleted",
)
"""Those that damage a run folder."""
