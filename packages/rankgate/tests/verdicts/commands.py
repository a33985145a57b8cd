"""Commands of a history: test, run, kill, resume, shard, merge, baseline set."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from verdicts.oracle import kept
from verdicts.oracle.judge import Expected
from verdicts.oracle.kept import Asking
from verdicts.pending import ready
from verdicts.state import UNSEEN
from verdicts.steps import Step, a_live_system, a_suite, a_system

if TYPE_CHECKING:
    from random import Random

    from verdicts.state import State, Suite, System
    from verdicts.steps import Draw

FOLDERS = ("runs/a", "runs/b")
_ORDER = (2, 3, 1, 4, 0)


def _asking_words(asking: Asking) -> list[str]:
    words = ["--resume"] if asking.resume else []
    words += ["--k", str(asking.k)] if asking.k else []
    words += ["--repeat", str(asking.repeat)] if asking.repeat > 1 else []
    words += ["--shard", f"{asking.part[0]}/{asking.part[1]}"] if asking.part else []
    words += ["--replace"] if asking.replace else []
    # Of several threads nobody knows which answers are there when they are stopped.
    return words + (["--concurrency", "1"] if asking.stop is not None else [])


def test_step(state: State, suite: Suite, system: System, asking: Asking) -> Step:
    """Return the step of `rankgate test`."""
    expected, after = kept.test(state, suite, system, asking)
    call = ("test", suite.path, "--system", system.name, *_asking_words(asking))
    return Step(f"rankgate {' '.join(call)}", after, call, expected)


def _test(state: State, rng: Random) -> Step:
    asking = Asking(repeat=rng.choice((1, 1, 1, 1, 2)), k=rng.choice((None, None, None, 20)))
    return test_step(state, a_suite(state, rng), a_system(state, rng), asking)


def _test_repeated(state: State, rng: Random) -> Step:
    asking = Asking(repeat=rng.choice((2, 3)))
    return test_step(state, a_suite(state, rng), a_system(state, rng), asking)


def _test_resume(state: State, rng: Random) -> Step | None:
    system, suite = a_live_system(state, rng), a_suite(state, rng)
    if system is None or (suite.path, system.name) not in state.latest:
        return None
    return test_step(state, suite, system, Asking(resume=True))


def _test_several(state: State, rng: Random) -> Step | None:
    """Test several systems, or several suites, with one command."""
    systems, suites = [a_system(state, rng)], [a_suite(state, rng)]
    if len(state.suites) > 1 and rng.random() < 0.5:
        suites = rng.sample(state.suites, 2)
    elif len(state.systems) > 1:
        systems = rng.sample(state.systems, 2)
    if len(suites) + len(systems) < 3:
        return None
    codes, after = [], state
    for suite in suites:
        for system in systems:
            expected, after = kept.test(after, suite, system, Asking())
            codes.append(expected.code)
    if 2 in codes:
        # Nobody says how far it came before it was refused.
        pairs = {(suite.path, system.name) for suite in suites for system in systems}
        after = replace(after, latest={key: one for key, one in after.latest.items() if key not in pairs})
    named = [word for system in systems for word in ("--system", system.name)]
    call = ("test", *(suite.path for suite in suites), *named)
    return Step(f"rankgate {' '.join(call)}", after, call, Expected(min(codes, key=_ORDER.index)))


def run_step(state: State, suite: Suite, system: System, folder: str, asking: Asking) -> Step:
    """Return the step of `rankgate run`."""
    expected, after = kept.run(state, suite, system, folder, asking)
    call = ("run", suite.path, "--system", system.name, "-o", folder, *_asking_words(asking))
    words = f"rankgate {' '.join(call)}"
    how = "killed" if asking.killed else "interrupted"
    words += f", {how} after {asking.stop} answers" if asking.stop is not None else ""
    return Step(words, after, call, expected, stop=asking.stop, killed=asking.killed)


def _run(state: State, rng: Random) -> Step | None:
    system = a_live_system(state, rng)
    if system is None:
        return None
    k = rng.choice((None, None, None, 12, 20))
    asking = Asking(replace=rng.random() < 0.9, k=k, repeat=rng.choice((1, 1, 1, 2)))
    return run_step(state, a_suite(state, rng), system, rng.choice(FOLDERS), asking)


def _killed(state: State, rng: Random) -> Step | None:
    system, suite = a_live_system(state, rng), a_suite(state, rng)
    if system is None or len(suite.cases) < 2:
        return None
    asking = Asking(replace=True, stop=rng.randint(1, len(suite.cases) - 1))
    return run_step(state, suite, system, rng.choice(FOLDERS), asking)


def _repeated(state: State, rng: Random) -> Step | None:
    system = a_live_system(state, rng)
    if system is None:
        return None
    asking = Asking(replace=True, repeat=rng.choice((2, 3)))
    return run_step(state, a_suite(state, rng), system, rng.choice(FOLDERS), asking)


def _sigkilled(state: State, rng: Random) -> Step | None:
    system, suite = a_live_system(state, rng), a_suite(state, rng)
    # Of a system that may change unseen, what was written by then would have to be known.
    if system is None or system.via in UNSEEN or len(suite.cases) < 2 or suite.collides:
        return None
    asking = Asking(replace=True, stop=rng.randint(1, len(suite.cases) - 1), killed=True)
    return run_step(state, suite, system, rng.choice(FOLDERS), asking)


def _resume(state: State, rng: Random) -> Step | None:
    system, suite = a_live_system(state, rng), a_suite(state, rng)
    folders = [one for one in FOLDERS if one in state.runs and not state.runs[one].repeats]
    if system is None or not folders:
        return None
    folder = rng.choice(folders)
    asking = Asking(resume=True, k=None if rng.random() < 0.8 else state.runs[folder].k)
    return run_step(state, suite, system, folder, asking)


def _shard(state: State, rng: Random) -> Step | None:
    system, suite = a_live_system(state, rng), a_suite(state, rng)
    if system is None or len(suite.cases) < 2:
        return None
    number = rng.choice((1, 2))
    return run_step(state, suite, system, f"part-{number}", Asking(part=(number, 2), replace=True))


def _merge(state: State, rng: Random) -> Step | None:
    if "part-1" not in state.runs:
        return None
    into = rng.choice(("runs/a", "runs/b", "runs/m", "runs/n"))
    folders = ("part-1", "part-2") if rng.random() < 0.9 else ("part-1",)
    expected, after = kept.merge(state, folders, into)
    call = ("runs", "merge", *folders, "-o", into)
    return Step(f"rankgate {' '.join(call)}", after, call, expected)


def _baseline(state: State, rng: Random) -> Step | None:
    system, suite = a_live_system(state, rng), a_suite(state, rng)
    if system is None:
        return None
    folder = rng.choice((None, None, None, *FOLDERS))
    known = state.latest.get((suite.path, system.name)) if folder is None else state.runs.get(folder)
    if known is None:
        return None
    failed = rng.random() < 0.5 and ready("baseline set --failed")
    expected, after = kept.set_baseline(state, suite, system, folder, failed=failed)
    words = ["baseline", "set", suite.path, "--system", system.name]
    words += [] if folder is None else ["--run", folder]
    call = (*words, "--failed") if failed else tuple(words)
    return Step(f"rankgate {' '.join(call)}", after, call, expected)


COMMANDS: dict[str, tuple[float, Draw]] = {
    "test": (4, _test),
    "test of several": (1, _test_several),
    "test --repeat": (0.5, _test_repeated),
    "test --resume": (2, _test_resume),
    "run": (3, _run),
    "run, interrupted": (2, _killed),
    "run, killed": (0.1, _sigkilled),
    "run --repeat": (0.5, _repeated),
    "run --resume": (3, _resume),
    "run --shard": (2, _shard),
    "runs merge": (1.5, _merge),
    "baseline set": (4, _baseline),
}
"""Each command with its weight."""
