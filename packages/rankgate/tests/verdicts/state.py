"""The nouns of a state. Everything is frozen: an action makes another state of one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Answer = tuple[str, ...] | Literal["error", "late", "missing"]
"""What a system answers to one query: places in order, or that it fails, or that it is too late.

Of a run that others have made, a query may be missing.
"""

Filters = tuple[tuple[str, str], ...]


def tokens_of(place: str) -> int:
    """Return how many tokens reading a place costs: each its own number."""
    return 20 + sum(map(ord, place)) % 180


def answer_of(case: str) -> str:
    """Return the answer that a case expects, where it has one in place of targets."""
    return f"ninety days for {case}"


def text_of(place: str) -> str:
    """Return the text at a place: the answer to a case at `answers_at` of it, else what is none."""
    return answer_of(place.removeprefix("says-")) if place.startswith("says-") else f"nothing here {place}"


def answers_at(case: str) -> str:
    """Return the place whose text answers a case."""
    return f"says-{case}"


def lines_on_top(edits: int) -> int:
    """Return how many lines so many edits of the corpus have put on top of every document.

    Four at a time: of a block that moves by less, some lines are still where it was.
    """
    return 4 * edits


NOWHERE = "nowhere"
"""A hit that the documents do not have."""


@dataclass(frozen=True)
class Documents:
    """The state of the corpus."""

    edits: int = 0
    """How often it was edited: lines were put on top of every document."""
    removed: frozenset[str] = frozenset()
    """The documents that were removed, by path."""
    cut: frozenset[str] = frozenset()
    """The documents whose last four lines were cut, by path."""

    def lines(self, path: str) -> int:
        """Return how many lines a document has; none where it is not there."""
        if path in self.removed or not path.endswith(".md"):
            return 0
        return lines_on_top(self.edits) + 12 - (4 if path in self.cut else 0)

    def has(self, place: str) -> bool:
        """Return whether a place is there: its document, and its lines to the last."""
        path, _, lines = place.partition(":")
        last = int(lines.partition("-")[2]) if lines else 1
        return last <= self.lines(path)

    def located(self, answer: Answer) -> Answer:
        """Return an answer as it is located: past the end only the file is known, else nothing."""
        if isinstance(answer, str):
            return answer
        files = (hit.partition(":")[0] for hit in answer)
        return tuple(
            hit if self.has(hit) else path if self.has(path) else NOWHERE
            for hit, path in zip(answer, files, strict=True)
        )


@dataclass(frozen=True)
class Target:
    """What a case should find."""

    place: str
    """An id, or a path of the corpus, with lines such as ``a.md:5-8`` or without."""
    grade: int = 1
    reviewed: bool = True
    group: str | None = None
    """Targets of one group are alternatives."""


@dataclass(frozen=True)
class Case:
    """One case of a suite."""

    name: str
    query: str
    targets: tuple[Target, ...] = ()
    empty: bool = False
    """True for ``expect: empty``."""
    top: tuple[str, int] | None = None
    """A place that must be among so many first hits."""
    category: str | None = None
    lang: str | None = None
    tags: tuple[str, ...] = ()
    """Tags without a value, of which it may have several."""
    group: str | None = None
    weight: int = 1
    xfail: Literal["past", "today", "future"] | None = None
    """Whether a known miss has expired; today is its last day."""
    never: str | None = None
    """A place that must not be among the hits."""
    exhaustive: bool = False
    answer: bool = False
    """Whether it has no targets but an answer, which `answer_of` has."""
    filters: Filters = ()

    @property
    def question(self) -> Question:
        """What is asked."""
        return Question(self.query, self.filters)


@dataclass(frozen=True)
class Question:
    """What a system is asked, but for the depth."""

    query: str
    filters: Filters = ()


@dataclass(frozen=True)
class Gate:
    """One gate, by its parts; `text` is how it is written."""

    kind: Literal["metric", "errors", "checks", "scenarios", "invariants", "drop", "lost"]
    metric: str = ""
    bar: float = 0.0
    where: tuple[str, str] | None = None
    key: str = ""
    """Of ``worst``: whose slices are looked at."""
    ranks: tuple[int, int] = (1, 10)
    """Of ``lost``: the rank that was reached, and the depth it is gone from."""
    against: str | None = None
    bare: bool = False
    """Of ``lost``: whether how many may be lost is left to how many there are."""
    sign: str = ""
    """How it compares; where it does not say, as such gates mostly do."""
    unit: str = ""
    """``%`` or ``ms``, where the bar has one."""
    goal: str = ""

    @property
    def compares(self) -> str:
        """The sign that it has, written or not."""
        usual = {"metric": ">=", "drop": "<", "errors": "<=", "lost": "<="}
        return self.sign or usual.get(self.kind, "=")

    @property
    def text(self) -> str:
        measured = {
            "metric": self.metric,
            "drop": f"drop({self.metric})",
            "lost": f"lost({self.ranks[0]} -> absent@{self.ranks[1]})",
        }.get(self.kind, self.kind)
        bar = f"{100 * self.bar:.14g}%" if self.unit == "%" else f"{self.bar:.14g}{self.unit}"
        if self.kind in ("checks", "scenarios", "invariants") and not self.unit:
            bar = "100%"
        return (
            (f"worst({self.key}) " if self.key else "")
            + measured
            + ("" if self.bare else f" {self.compares} {bar}")
            + (f" goal {self.goal}" if self.goal else "")
            + (f" against {self.against}" if self.against else "")
            + (f" where {self.where[0]} = {self.where[1]}" if self.where else "")
        )


@dataclass(frozen=True)
class Probe:
    """What is asked beside the cases: a scenario of one search, or an invariant that there are no hits."""

    name: str
    query: str
    finds: str | None = None
    """Of a scenario: the place that must be among ten hits. Without one it is an invariant."""


@dataclass(frozen=True)
class Suite:
    """One suite."""

    path: str
    """Its file, relative to the project."""
    cases: tuple[Case, ...]
    gates: tuple[Gate, ...]
    corpus: bool = False
    """Whether its targets are places of the corpus."""
    k: int | None = None
    note: int = 0
    """What changes the file and nothing else."""
    collides: bool = False
    """Whether two of its cases have no name, and queries that come to the same one."""
    allow_estimated: bool = False
    probes: tuple[Probe, ...] = ()

    @property
    def name(self) -> str:
        return self.path.rsplit("/", 1)[-1].removesuffix(".yaml")


Via = Literal[
    "module",
    "import",
    "depends",
    "hidden",
    "script",
    "argument",
    "variable",
    "url",
    "param",
    "body",
    "server",
]
"""Where it is said which book a system answers from.

Of a function: its ``module``, one that it ``import``s, a file it ``depends`` on, a ``hidden`` file. Of a
command: its ``script``, an ``argument``, a ``variable``. Of HTTP: the ``url``, a ``variable`` in it, a
``param``, the ``body`` file, or the ``server`` alone.
"""
TIRED, WAVERING = "tired", "wavering"
"""The books that answer well the first time, and later fail, or answer the other way round."""
UNSEEN: frozenset[str] = frozenset({"hidden", "server"})
"""Where a change cannot be known."""


@dataclass(frozen=True)
class System:
    """One system of the configuration."""

    name: str
    kind: Literal["function", "command", "http", "run"]
    via: Via = "module"
    book: str = "good"
    """Which of the state's books it answers from now."""
    folder: str = ""
    """Of a stored run: its folder."""
    gates: tuple[Gate, ...] | None = None
    gate: bool = True
    max_errors: int = 0
    max_gone: int = 0
    lenient: bool | None = None
    """What ``on_inconclusive`` says: ``warn``, ``fail``, or nothing."""
    concurrency: int = 1
    comment: int = 0
    """What changes the source and no answer."""
    option: int = 0
    """What changes an option and no answer."""

    @property
    def contents(self) -> tuple[object, ...]:
        """Everything that can be known of what its answers are made of."""
        seen = "" if self.via in UNSEEN else self.book
        return (self.name, self.kind, self.via, seen, self.comment, self.option)


@dataclass(frozen=True)
class Kept:
    """A run folder: what was asked, of what, and what was answered."""

    suite: str
    """The path of its suite."""
    contents: tuple[object, ...]
    corpus: Documents | None
    k: int
    asked: Mapping[str, Question]
    """By the name of the case."""
    answers: Mapping[str, Answer]
    """Of those that were answered, by name."""
    questions: frozenset[Question] = frozenset()
    """All that its suite asked then, of which a part is asked only some."""
    part: tuple[int, int] | None = None
    repeats: tuple[Mapping[str, Answer], ...] = ()
    """The answers of further times."""
    damaged: bool = False
    green: bool | None = None
    """Whether nothing but a baseline was missing when it was tested; None where it was not."""

    @property
    def finished(self) -> bool:
        """Whether everything was answered, errors and all."""
        return self.asked.keys() <= self.answers.keys()

    @property
    def whole(self) -> bool:
        """Whether nothing errored either, so that there is nothing to resume."""
        return self.finished and not any(isinstance(one, str) for one in self.answers.values())


@dataclass(frozen=True)
class Baseline:
    """A baseline file."""

    suite: str
    """The name in its head."""
    system: str
    """The name in its head."""
    corpus: Documents | None
    k: int | None
    """How many hits were asked for; None where it does not tell."""
    answers: Mapping[str, tuple[Question, Answer]]
    """By the name that a case had."""
    repeats: tuple[Mapping[str, Answer], ...] = ()
    """What was answered when the same was asked again, by the same names."""
    damaged: bool = False
    findable: bool = True
    """Whether it says what finds its hits again when the corpus is edited."""
    relevant: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The hits that were relevant when it was set, by the name that a case had."""

    def every(self, name: str) -> list[Answer]:
        """Return what a case was answered each time that it was asked."""
        return [self.answers[name][1], *(one[name] for one in self.repeats)]


@dataclass(frozen=True)
class State:
    """All there is."""

    suites: tuple[Suite, ...]
    systems: tuple[System, ...]
    books: Mapping[str, Mapping[Question, Answer]]
    """What is answered, by the book's name; what is not in a book has an empty answer."""
    tiring: frozenset[Question] = frozenset()
    """What the books of the tired and the wavering answer well only the first time that a command asks."""
    corpus: Documents = Documents()
    """What became of the corpus."""
    latest: Mapping[tuple[str, str], Kept] = field(default_factory=dict)
    """The run of the latest test of a suite and a system."""
    runs: Mapping[str, Kept] = field(default_factory=dict)
    """Run folders by their path."""
    baselines: Mapping[tuple[str, str], Baseline] = field(default_factory=dict)
    """By the suite's path and the system's name."""
    require_baseline: bool = False
    home: str = ""
    """The folder of all of it, ending in a slash; what stands in the working folder is then not meant."""

    def suite(self, path: str) -> Suite:
        return next(one for one in self.suites if one.path == path)

    def system(self, name: str) -> System:
        return next(one for one in self.systems if one.name == name)

    def with_suite(self, suite: Suite) -> State:
        return replace(self, suites=tuple(suite if one.path == suite.path else one for one in self.suites))

    def with_system(self, system: System) -> State:
        return replace(
            self, systems=tuple(system if one.name == system.name else one for one in self.systems)
        )

    def answer(self, system: System, question: Question, k: int, time: int = 1) -> Answer:
        """Return what a system answers now, the n-th time that one command asks."""
        found = self.books[system.book].get(question, ())
        if isinstance(found, str):
            return found
        again = time > 1 and question in self.tiring
        if again and system.book == TIRED:
            return "error"
        return found[::-1][:k] if again and system.book == WAVERING else found[:k]
