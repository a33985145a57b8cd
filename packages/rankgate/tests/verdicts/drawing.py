"""Drawing a state: suites with cases of each kind, books of answers, and one to three systems."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from verdicts.pending import ready
from verdicts.project import BLOCKS, FILES
from verdicts.state import TIRED, WAVERING, Case, Gate, Question, State, Suite, System, Target

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from random import Random

    from verdicts.state import Answer

IDS = tuple(f"d{number}" for number in range(1, 13))
METRICS = ("ndcg@5", "ndcg@10", "p@3", "r@5", "rr@10", "hit@3")
BOOKS = ("good", "fair", "shifted", "bad", "flaky", "down", "mute", "tired", "wavering")
"""How the systems of a state may answer: from well to not at all."""
TYPES = ("guide", "api")
"""Values of the one filter that there is."""
NAMES = ("app", "beta", "a.b", "a-b", "App")
"""Some of them look alike to a file system."""
PATHS = (("s.yaml", "more.yaml"), ("x/s.yaml", "y/s.yaml"), ("s.v1.yaml", "s-v1.yaml"))
"""The suites of a project, where it has two."""
VIAS: dict[str, tuple[str, ...]] = {
    "function": ("module", "import", "depends", "hidden"),
    "command": ("script", "argument", "variable", "variable"),
    "http": ("url", "variable", "variable", "param", "body", "server"),
}
_WORDS = (
    "rotate a key",
    "it's late",
    "what is C++",
    "größe",
    "a/b 100%",
    "sign in",
    "retry",
    "x",
    "quota & plan",
)


def draw_state(rng: Random) -> State:
    """Draw a state without anything kept yet."""
    paths = ("s.yaml",) if rng.random() < 0.8 else rng.choice(PATHS)
    suites = [_suite(rng, path, number) for number, path in enumerate(paths)]
    spare = [Question(f"spare {number}") for number in range(3)]
    systems = tuple(_systems(rng))
    # Commands and requests of a state have no place for a filter.
    if all(one.kind == "function" for one in systems) and rng.random() < 0.3:
        suites[0] = _filtered(rng, suites[0])
    books = {name: _book(rng, name, suites, spare) for name in BOOKS}
    if rng.random() < 0.015:
        suites[0], books = _slow(rng, suites[0], books)
        systems = tuple(_waiting(one) for one in systems)
    questions = sorted(books["good"], key=str)
    return State(
        suites=tuple(suites),
        systems=systems,
        books=books,
        tiring=frozenset(rng.sample(questions, min(2, len(questions)))),
        home="p/" if rng.random() < 0.1 and ready("home") else "",
    )


def _slow(
    rng: Random, suite: Suite, books: dict[str, dict[Question, Answer]]
) -> tuple[Suite, dict[str, dict[Question, Answer]]]:
    """Let one query be too late, beside a gate on latency."""
    late = rng.choice(suite.cases).question
    gates = (*suite.gates, Gate("metric", "latency.p95", 1500, sign="<", unit="ms"))
    return replace(suite, gates=gates), {**books, "flaky": {**books["flaky"], late: "late"}}


def _filtered(rng: Random, suite: Suite) -> Suite:
    """Ask some cases with a filter."""
    cases = [
        replace(one, filters=(("type", rng.choice(TYPES)),)) if rng.random() < 0.4 else one
        for one in suite.cases
    ]
    return replace(suite, cases=tuple(cases))


def _waiting(system: System) -> System:
    """Make a system meet what is late."""
    return replace(system, book="flaky" if system.book != "bad" else "bad")


def _suite(rng: Random, path: str, number: int) -> Suite:
    corpus = rng.random() < 0.4
    count = rng.choice((3, 5, 6, 6, 7, 8, 10, 12, 14))
    reviewed = rng.choice((1.0, 1.0, 1.0, 0.8, 0.5, 0.0)) if ready("unreviewed") else 1.0
    sliced = rng.random() < 0.5
    cases = [_case(rng, at, number, corpus=corpus, reviewed=reviewed, sliced=sliced) for at in range(count)]
    if not any(case.targets for case in cases):
        cases[0] = replace(cases[0], empty=False, targets=draw_targets(rng, reviewed, corpus=corpus))
    weighted = rng.random() < 0.3
    if weighted:
        cases = [replace(case, weight=rng.randint(1, 4)) for case in cases]
    suite = Suite(path, tuple(cases), (), corpus=corpus)
    suite = replace(suite, k=rng.choice((None, None, None, 12)))
    return replace(suite, gates=tuple(draw_gates(rng, suite)))


def _case(rng: Random, at: int, number: int, *, corpus: bool, reviewed: float, sliced: bool) -> Case:
    query = f"{rng.choice(_WORDS)} {number}{at}"
    case = Case(f"case-{number}-{at}", query)
    if sliced:
        langs = ("go", "go", "go", "py", "py", None)
        kinds = ("exact", "exact", "vague", None)
        case = replace(case, lang=rng.choice(langs), category=rng.choice(kinds))
    if rng.random() < 0.15:
        return replace(case, empty=True)
    case = replace(case, targets=draw_targets(rng, reviewed, corpus=corpus))
    if rng.random() < 0.1:
        case = replace(case, xfail=rng.choice(("past", "future")))
    checked = [one for one in case.targets if one.grade > 0]
    if checked and rng.random() < 0.2:
        case = replace(case, top=(rng.choice(checked).place, rng.choice((1, 2, 3, 5))))
    if rng.random() < 0.1:
        case = replace(case, group=rng.choice(("one", "two")))
    return case


def draw_targets(rng: Random, reviewed: float, *, corpus: bool) -> tuple[Target, ...]:
    count = rng.choice((1, 1, 1, 2, 2, 3))
    if corpus:
        # One target a file, so that no hit reaches two.
        places = [f"{name}.md" for name in rng.sample(FILES, count)]
        places = [f"{one}:{rng.choice(BLOCKS)}" if rng.random() < 0.7 else one for one in places]
    else:
        places = rng.sample(IDS, count)
    grades = [rng.choice((1, 1, 2, 3)) for _ in places]
    if count > 1 and rng.random() < 0.2:
        grades[-1] = 0
    return tuple(
        Target(place, grade, reviewed=grade == 0 or rng.random() < reviewed)
        for place, grade in zip(places, grades, strict=True)
    )


def draw_gates(rng: Random, suite: Suite) -> Iterator[Gate]:
    """Draw one to four gates that a person might write for a suite."""
    seen: set[str] = set()
    for _ in range(rng.choice((1, 1, 2, 3))):
        gate = _gate(rng, suite)
        if gate.text not in seen:
            seen.add(gate.text)
            yield gate


def _gate(rng: Random, suite: Suite) -> Gate:
    bar = rng.choice((0.1, 0.3, 0.5, 0.613, 0.8, 1.0))
    metric = rng.choice(METRICS)
    langs = {case.lang for case in suite.cases} - {None}
    where = ("lang", str(rng.choice(sorted(filter(None, langs))))) if langs and rng.random() < 0.5 else None
    kind = rng.choices(
        ("metric", "worst", "errors", "checks", "drop", "lost"),
        (8, 3 if langs and ready("worst") else 0, 1, 1, 3, 2),
    )[0]
    checked = any(case.top or case.empty for case in suite.cases)
    if kind == "worst":
        return Gate("metric", metric, bar, key="lang")
    if kind == "errors":
        return Gate("errors", bar=rng.choice((0, 0, 1, 2)))
    if kind == "checks" and checked:
        return Gate("checks")
    key = "lang" if langs and where is None and rng.random() < 0.4 else ""
    if kind == "drop":
        return Gate("drop", metric, rng.choice((0.02, 0.1, 0.3)), where=where, key=key)
    if kind == "lost":
        ranks = rng.choice(((1, 10), (3, 10), (10, 10), (1, 3), (3, 12)))
        allowed = rng.choice((None, 0, 0, 1))
        return Gate("lost", bar=allowed or 0, ranks=ranks, bare=allowed is None, where=where, key=key)
    return Gate("metric", metric, bar, where=where)


def _book(
    rng: Random, name: str, suites: Sequence[Suite], spare: Sequence[Question]
) -> dict[Question, Answer]:
    asked = [(case, suite) for suite in suites for case in suite.cases]
    book = {case.question: _answer(rng, name, case, corpus=suite.corpus) for case, suite in asked}
    for one in spare:
        case, suite = rng.choice(asked)
        book[one] = _answer(rng, name, case, corpus=suite.corpus)
    if name == "flaky":
        for one in rng.sample(list(book), rng.choice((1, 1, 2))):
            book[one] = "error"
    return book


def _answer(rng: Random, name: str, case: Case, *, corpus: bool) -> Answer:
    if name == "mute":
        return ()
    if name == "down":
        return "error" if rng.random() < 0.9 else ()
    # What is shifted is found, but lower: around the depth that a gate looks at.
    chance, depth = {"bad": (0.15, 8), "fair": (0.7, 4), "shifted": (1.0, 4)}.get(name, (0.97, 1))
    if case.empty:
        return () if rng.random() < chance else tuple(_others(rng, case, 2, corpus=corpus))
    hits = _others(rng, case, rng.choice((0, 2, 4, 6, 12)), corpus=corpus)
    for target in reversed(case.targets):
        if target.grade > 0 and rng.random() < chance:
            hits.insert(rng.randrange(min(depth, len(hits) + 1)), _hit(rng, target.place))
    return tuple(hits)


def _hit(rng: Random, place: str) -> str:
    """Draw a hit that reaches a place."""
    if not place.endswith(".md"):
        return place
    return f"{place}:{rng.choice(BLOCKS)}" if rng.random() < 0.5 else place


def _others(rng: Random, case: Case, count: int, *, corpus: bool) -> list[str]:
    """Draw hits that reach nothing, most of the time."""
    wanted = {one.place.partition(":")[0] for one in case.targets}
    if not corpus:
        return rng.sample([one for one in IDS if one not in wanted or rng.random() < 0.05], min(count, 8))
    places = [f"{name}.md:{block}" for name in FILES for block in BLOCKS]
    places = [one for one in places if one.partition(":")[0] not in wanted or rng.random() < 0.1]
    return rng.sample(places, min(count, len(places)))


def _systems(rng: Random) -> Iterator[System]:
    for name in rng.sample(NAMES, rng.choice((1, 1, 2, 3))):
        book = rng.choice(("good", "good", "good", "good", "fair", "bad", "flaky", "tired", "wavering"))
        kind: Any = rng.choices(("function", "command", "http"), (6, 2, 3))[0]
        via: Any = rng.choice(VIAS[kind])
        yield System(
            name=name,
            kind=kind,
            via=via,
            book="good" if book in (TIRED, WAVERING) and kind != "function" else book,
            gate=rng.random() > 0.06 or not ready("gate"),
            max_errors=rng.choice((0, 0, 0, 1, 2)),
            max_gone=rng.choice((0, 0, 1, 3, 9)),
            lenient=True if rng.random() < 0.1 else None,
            concurrency=rng.choice((1, 1, 1, 3)),
        )
