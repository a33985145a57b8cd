"""One state from its seed: what is drawn, what happens to it, and where rankgate says something else."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING

from verdicts.commands import COMMANDS, test_step
from verdicts.drawing import draw_state
from verdicts.edits import EDITS
from verdicts.oracle import kept
from verdicts.oracle.kept import Asking
from verdicts.pending import PENDING
from verdicts.project import Project, suite_text, work_folder
from verdicts.sabotage import BASELINE_DAMAGE, DAMAGE, LATEST_DAMAGE, SABOTAGE
from verdicts.steps import Action, a_suite, a_system
from verdicts.ways import report_gates

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verdicts.oracle.judge import Expected
    from verdicts.server import Server
    from verdicts.state import State
    from verdicts.steps import Draw, Step
    from verdicts.ways import InProcess, Processes, Said

KINDS: Mapping[str, tuple[float, Draw]] = {
    name: entry for name, entry in {**COMMANDS, **EDITS, **SABOTAGE}.items() if name not in PENDING
}
"""Everything that may happen, with its weight."""
_ALWAYS = 0.45
"""How often a command is drawn where an edit could be."""
FREE = "anything"
PLOTS = (
    (FREE, 20),
    ("good, test, baseline set, edits, ?", 25),
    ("run, edits, a stored run, edits", 20),
    ("begun, edits, resumed, a stored run", 15),
    ("good, test, edits, test --resume, ?", 5),
    ("run --shard, edits, run --shard, run --shard, runs merge, edits, a stored run", 8),
    ("run --shard, changed, run --shard, runs merge", 4),
    ("run, damaged, a stored run or resumed", 7),
    ("run, asked otherwise, a stored run", 10),
    ("begun, changed, resumed", 8),
    ("made unseen, some errors, run, a mended system, resumed", 5),
    ("made unseen, some errors, test, a mended system, test --resume", 3),
    ("a tiring system, run --repeat, a stored run", 3),
    ("good, test, baseline set, compared, a wavering system, test --repeat", 4),
    ("a wavering system, run --repeat, a stored run", 3),
    ("good, test, baseline set, compared, slightly worse", 12),
    ("good, test, baseline set, a guard on lost, slightly worse", 4),
    ("good, test, baseline set, compared, the corpus edited, slightly worse", 6),
    ("good, lost documents, test, edits", 12),
    ("good, test, baseline set, compared, lost documents, slightly worse", 12),
    ("all weights, good, test, baseline set, a guard on a drop, slightly worse", 4),
    ("good, test, baseline set, baseline damaged", 5),
    ("changed, test of several", 4),
    ("test, latest damaged, test --resume or baseline set", 3),
    ("killed, edits, resumed or stored", 1),
)
"""What most histories are like, with weights: by chance alone, actions that belong together seldom meet.

Seeded faults (`fault_table`) that were hard to see, by how many states have one that shows, and what was
changed for it:

- a relevant hit that falls just below the depth of `lost`: none in 3,000, now 1 in 500. The book `shifted`
  finds everything, but lower, and `a guard on lost` looks at small depths.
- what failed is not asked again by `--resume`: none in 3,000, now 1 in 100. A system is made unseen, so that
  it is mended without being another one.
- weights in a drop: 1 in 3,000, now 1 in 500. All cases have weights, and a drop has seven bars.
- another value of a variable: 1 in 1,500, now 1 in 130. More systems have one, and a run is resumed right
  after the change.
- a baseline headed with another system, a drop deeper than its baseline, the last of several systems: 1 in
  750, now 1 in 500, 170 and 190, by a plot each. An outage in repeats: 1 in 600, now 1 in 125, likewise.
- hits of a baseline that stay where their lines were: none in 1,400. Four lines are put on top of every
  document, since of a block that moves by less some lines are still there, and a plot edits the corpus
  between a baseline and a gate on it.
"""
_CHOICES = {
    "begun": ("run, interrupted", "run"),
    "resumed": ("run --resume",),
    "good": ("a mended system",),
    "damaged": DAMAGE,
    "baseline damaged": BASELINE_DAMAGE,
    "latest damaged": LATEST_DAMAGE,
    "changed": ("a worse system", "a mended system", "another book", "an outage"),
    "compared": ("a guard on lost", "a guard on a drop", "a deeper metric"),
    "asked otherwise": (
        "a deeper metric",
        "another k",
        "the corpus edited",
        "a query edited",
        "other filters",
        "a case added",
        "queries swapped",
    ),
    "lost documents": ("a document removed", "documents cut"),
    "killed": ("run, killed",),
    "test --resume or baseline set": ("test --resume", "baseline set"),
    "resumed or stored": ("run --resume", "a stored run"),
    "a stored run or resumed": ("a stored run", "run --resume"),
}
"""Words of a plot that stand for several kinds."""


@dataclass(frozen=True)
class History:
    """A state before anything happened, and what happens."""

    seed: int
    actions: tuple[Action, ...]

    @classmethod
    def drawn(cls, seed: int) -> History:
        rng = Random(f"history {seed}")
        plot = rng.choices([plot for plot, _ in PLOTS], [weight for _, weight in PLOTS])[0]
        return cls(seed, tuple(_actions(rng, plot)))

    def start(self) -> State:
        return draw_state(Random(f"state {self.seed}"))

    def steps(self) -> Iterator[Step]:
        """Go through what happens; an action that meets nothing to be done to is left out."""
        state = self.start()
        for action in self.actions:
            step = KINDS[action.kind][1](state, Random(action.seed))
            if step is not None:
                state = step.state
                yield step

    def asked(self, state: State) -> Step:
        """Return the test that the verdict is asked by."""
        rng = Random(f"verdict {self.seed}")
        return test_step(state, a_suite(state, rng), a_system(state, rng), Asking())


def _actions(rng: Random, plot: str) -> Iterator[Action]:
    words = ["?"] * rng.choice((0, 1, 2, 3, 3, 4, 5, 6)) if plot == FREE else plot.split(", ")
    for word in words:
        kinds = _CHOICES.get(word, (word,))
        if word == "edits":
            kinds = (*EDITS, *SABOTAGE)
            for _ in range(rng.choice((0, 1, 1, 2, 3))):
                yield from _one_of(rng, kinds)
        elif word == "?":
            yield from _one_of(rng, tuple(COMMANDS) if rng.random() < _ALWAYS else (*EDITS, *SABOTAGE))
        else:
            yield from _one_of(rng, kinds)


def _one_of(rng: Random, kinds: Sequence[str]) -> Iterator[Action]:
    known = {name: KINDS[name][0] for name in kinds if name in KINDS}
    if known:
        yield Action(rng.choices(list(known), list(known.values()))[0], rng.randrange(2**32))


@dataclass(frozen=True)
class Disagreement:
    """Where rankgate says something else than the oracle."""

    history: History
    way: str
    """What was asked: a command of the history, or the verdict by one of the three ways."""
    expected: Expected
    said: Said
    story: tuple[str, ...]

    def brief(self) -> str:
        """Write it in one line."""
        found = self.said.gates or {}
        gates = {
            gate: f"{status} / {found.get(gate, 'not there')}"
            for gate, status in (self.expected.gates or {}).items()
            if found.get(gate) != status
        }
        last = (self.said.out.strip().splitlines() or [""])[-1]
        codes = f"{self.expected.code} / {self.said.code}"
        said = gates if self.said.gates else last
        return f"{self.history.seed} {self.way}: {codes} {said} {self.expected.why}"

    def __str__(self) -> str:
        lines = [f"seed {self.history.seed}: {self.way}", *self.story]
        lines.append(
            f"expected {_shown(self.expected.code, self.expected.gates)} {self.expected.why}".rstrip()
        )
        lines.append(f"found    {_shown(self.said.code, self.said.gates)}")
        return "\n".join([*lines, *(f"    | {line}" for line in self.said.out.splitlines()[-12:])])


def _shown(code: int | str, gates: Mapping[str, str] | None) -> str:
    return f"{code}" + "".join(f"; {gate}: {status}" for gate, status in sorted((gates or {}).items()))


def check(
    history: History, ways: InProcess | Processes, server: Server, *, only_called: bool = False
) -> Disagreement | None:
    """Do everything that a history says; return the first disagreement.

    With `only_called`, the verdict is asked for by the command line, and not by pytest and Python too.
    """
    with work_folder() as folder:
        state = server.state = history.start()
        project = Project(folder, server.address, state.home)
        story: list[str] = []
        for step in history.steps():
            project.write(state)
            if step.spoil is not None:
                step.spoil(project.root)
            story.append(step.words)
            if step.call and step.expected is not None:
                said = _called(ways, project, state, step)
                story[-1] += f"    # {step.expected.code}"
                if _differs(step.expected, said):
                    return _disagreement(history, step.words, step.expected, said, story, state)
            state = server.state = step.state
        project.write(state)
        return _verdict(history, ways, project, state, story, only_called=only_called)


def _verdict(
    history: History,
    ways: InProcess | Processes,
    project: Project,
    state: State,
    story: list[str],
    *,
    only_called: bool,
) -> Disagreement | None:
    """Ask for the verdict in each of the three ways."""
    last = history.asked(state)
    expected = last.expected
    if expected is None:
        return None
    suite, system = state.home + last.call[1], last.call[3]
    said = _called(ways, project, state, last)
    if _differs(expected, said):
        return _disagreement(history, "the command line", expected, said, [*story, last.words], state)
    if only_called:
        return None
    if "pytest" not in PENDING:
        said = ways.pytest(project, suite, system)
        if said.code != expected.code:
            words = f"pytest {suite} --rankgate-system {system}"
            return _disagreement(history, "pytest", expected, said, [*story, words], state)
    if "Python" not in PENDING:
        said = ways.python(project, suite, system)
        if said.code != expected.code or said.gates != expected.gates:
            words = f"rg.evaluate(rg.load_suite({suite!r}), {system!r})"
            return _disagreement(history, "Python", expected, said, [*story, words], state)
    return _by_function(history, ways, project, state, (last, story))


def _by_function(
    history: History,
    ways: InProcess | Processes,
    project: Project,
    state: State,
    asked: tuple[Step, list[str]],
) -> Disagreement | None:
    """Give Python the function of a system in place of its name, for every third state."""
    last, story = asked
    suite, system = last.call[1], state.system(last.call[3])
    if history.seed % 3 or system.kind != "function" or "late" in state.books[system.book].values():
        return None
    module = f"app_{state.systems.index(system)}"
    expected = kept.function(state, state.suite(suite), system, f"{module}:search")
    said = ways.function(project, state.home + suite, f"{state.home}{module}.py")
    if said.code == expected.code and said.gates == expected.gates:
        return None
    words = f"rg.evaluate(rg.load_suite({suite!r}), {module}.search)"
    return _disagreement(history, "Python, with a function", expected, said, [*story, words], state)


def _called(ways: InProcess | Processes, project: Project, state: State, step: Step) -> Said:
    """Call the command of a step; of a test of one suite, read what its report says of each gate."""
    words = project.called(state, step.call)
    if step.expected is None or step.expected.gates is None:
        return ways.call(project, words, step.stop, killed=step.killed)
    report = project.folder / "verdict.json"
    report.unlink(missing_ok=True)
    said = ways.call(project, [*words, "--report", f"json={report.name}"])
    return replace(said, gates=report_gates(report))


def _differs(expected: Expected, said: Said) -> bool:
    return said.code != expected.code or (expected.gates is not None and said.gates != expected.gates)


def _disagreement(
    history: History, way: str, expected: Expected, said: Said, story: list[str], state: State
) -> Disagreement:
    files = [f"{one.path}:\n{suite_text(one)}" for one in state.suites]
    return Disagreement(history, way, expected, said, (*files, *(repr(one) for one in state.systems), *story))


def smallest(found: Disagreement, ways: InProcess | Processes, server: Server) -> Disagreement:
    """Take actions out of a history as long as rankgate still disagrees."""
    history, best = found.history, found
    at = 0
    while at < len(history.actions):
        fewer = History(history.seed, (*history.actions[:at], *history.actions[at + 1 :]))
        again = check(fewer, ways, server)
        if again is None:
            at += 1
        else:
            history, best = fewer, again
    return best
