"""The nouns of a state. Everything is frozen: an action makes another state of one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Answer = tuple[str, ...] | Literal["error", "late"]
"""What a system answers to one query: places in order, or that it fails, or that it is too late."""

Filters = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Target:
    """What a case should find."""

    place: str
    """An id, or a path of the corpus, with lines such as ``a.md:5-8`` or without."""
    grade: int = 1
    reviewed: bool = True


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
    group: str | None = None
    weight: int = 1
    xfail: Literal["past", "future"] | None = None
    """Whether a known miss has expired."""
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

    kind: Literal["metric", "worst", "errors", "checks", "drop", "lost", "latency"]
    metric: str = ""
    bar: float = 0.0
    where: tuple[str, str] | None = None
    key: str = ""
    """Of ``worst``, and of ``drop`` and ``lost`` of the worst slice: whose slices are looked at."""
    ranks: tuple[int, int] = (1, 10)
    """Of ``lost``: the rank that was reached, and the depth it is gone from."""
    against: str | None = None
    bare: bool = False
    """Of ``lost``: whether how many may be lost is left to how many there are."""

    @property
    def text(self) -> str:
        tail = f" against {self.against}" if self.against else ""
        tail += f" where {self.where[0]} = {self.where[1]}" if self.where else ""
        body = {
            "metric": f"{self.metric} >= {self.bar:g}",
            "worst": f"worst({self.key}) {self.metric} >= {self.bar:g}",
            "errors": f"errors <= {self.bar:g}",
            "checks": "checks = 100%",
            "drop": f"drop({self.metric}) < {self.bar:g}",
            "lost": f"lost({self.ranks[0]} -> absent@{self.ranks[1]})"
            + ("" if self.bare else f" <= {self.bar:g}"),
            "latency": f"latency.p95 < {self.bar:g}ms",
        }[self.kind]
        return (f"worst({self.key}) " if self.key and self.kind != "worst" else "") + body + tail


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
    lenient: bool = False
    """True for ``on_inconclusive: warn``."""
    note: int = 0
    """What changes the file and nothing else."""
    collides: bool = False
    """Whether two of its cases have no name, and queries that come to the same one."""

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
    lenient: bool | None = None
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
    corpus: int | None
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
    corpus: int | None
    k: int
    answers: Mapping[str, tuple[Question, Answer]]
    """By the name that a case had."""
    damaged: bool = False


@dataclass(frozen=True)
class State:
    """All there is."""

    suites: tuple[Suite, ...]
    systems: tuple[System, ...]
    books: Mapping[str, Mapping[Question, Answer]]
    """What is answered, by the book's name; what is not in a book has an empty answer."""
    tiring: frozenset[Question] = frozenset()
    """What the books of the tired and the wavering answer well only the first time that a command asks."""
    corpus: int = 0
    """How often the corpus was edited."""
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
