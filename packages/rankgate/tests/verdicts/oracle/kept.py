"""What commands do to kept answers, and when kept answers may be read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from verdicts.oracle.judge import (
    OUTAGE,
    WRONG,
    Answers,
    Expected,
    RefusedError,
    depth,
    gates_of,
    judge,
    questions,
)
from verdicts.oracle.scorer import reaches
from verdicts.state import Baseline, Kept, System

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verdicts.state import Answer, Case, State, Suite


INTERRUPTED, KILLED = 130, -9


@dataclass(frozen=True)
class Asking:
    """How a system is asked."""

    k: int | None = None
    resume: bool = False
    repeat: int = 1
    part: tuple[int, int] | None = None
    replace: bool = False
    stop: int | None = None
    """After how many answers it is interrupted."""
    killed: bool = False
    """Whether it has no time to write down what it has by then."""


def _asked(state: State, suite: Suite, system: System, k: int, part: tuple[int, int] | None) -> Kept:
    """Return a run of today's questions without an answer."""
    cases = suite.cases if part is None else suite.cases[part[0] - 1 :: part[1]]
    return Kept(
        suite=suite.path,
        contents=system.contents,
        corpus=state.corpus if suite.corpus else None,
        k=k,
        asked={case.name: case.question for case in cases},
        answers={},
        questions=frozenset(case.question for case in suite.cases),
        part=part,
    )


def ask(state: State, suite: Suite, system: System, old: Kept | None, asking: Asking) -> Kept:
    """Return the run that asking leaves behind.

    Raises:
        RefusedError: where an older run cannot be resumed.
    """
    _check_names(suite)
    k = depth(suite, gates_of(suite, system), asking.k)
    new = _asked(state, suite, system, k, asking.part)
    kept: Mapping[str, Answer] = {}
    if asking.resume and old is not None:
        _check_same(old, new)
        by_question = {old.asked[name]: one for name, one in old.answers.items() if not isinstance(one, str)}
        if not old.whole:
            kept = {name: by_question[one] for name, one in new.asked.items() if one in by_question}
    due = [name for name in new.asked if name not in kept]
    # What a run that was killed has written nobody knows; it is asked again, of what it was asked of before.
    due = due if asking.stop is None else due[: 0 if asking.killed else asking.stop]
    fresh = {name: state.answer(system, new.asked[name], k) for name in due}
    again = tuple(
        {name: state.answer(system, one, k, time) for name, one in new.asked.items()}
        for time in range(2, asking.repeat + 1)
    )
    return replace(new, answers={**kept, **fresh}, repeats=again)


def _check_names(suite: Suite) -> None:
    if suite.collides:
        raise RefusedError("two cases have one name")


def _check_same(old: Kept, new: Kept) -> None:
    if old.damaged:
        raise RefusedError("the kept run is damaged")
    different = [
        what
        for what, one, other in (
            ("system", old.contents, new.contents),
            ("corpus", old.corpus, new.corpus),
            ("k", old.k, new.k),
            ("questions", old.questions, new.questions),
            ("part", old.part, new.part),
        )
        if one != other
    ]
    if different:
        raise RefusedError(f"a run of another {', '.join(different)}")


def readable(state: State, suite: Suite, kept: Kept | None, need: int) -> Answers:
    """Return the answers of a kept run to today's questions.

    Raises:
        RefusedError: where it does not answer them.
    """
    _check_names(suite)
    if kept is None:
        raise RefusedError("no run there")
    if kept.damaged:
        raise RefusedError("the kept run is damaged")
    if kept.part is not None or not kept.finished:
        raise RefusedError("the kept run is a part or not finished")
    if kept.corpus != (state.corpus if suite.corpus else None):
        raise RefusedError("the kept run is of another corpus")
    if kept.k < need:
        raise RefusedError("the kept run is not deep enough")
    names = {case.name: _kept_name(kept, case) for case in suite.cases}

    def cut(answers: Mapping[str, Answer]) -> dict[str, Answer]:
        found = {name: answers[old] for name, old in names.items()}
        return {name: one if isinstance(one, str) else one[:need] for name, one in found.items()}

    return Answers(cut(kept.answers), need, tuple(map(cut, kept.repeats)))


def _kept_name(kept: Kept, case: Case) -> str:
    """Find a case in a run: a name that it has stands for what it was asked, others are found by question."""
    if case.name in kept.asked:
        if kept.asked[case.name] != case.question:
            raise RefusedError(f"{case.name} was asked another question")
        return case.name
    for name, question in kept.asked.items():
        if question == case.question:
            return name
    raise RefusedError(f"{case.name} was never asked that question")


def test(state: State, suite: Suite, system: System, asking: Asking) -> tuple[Expected, State]:
    """Return what `rankgate test` must say, and what it leaves behind."""
    where = (suite.path, system.name)
    if system.kind == "run":
        try:
            need = depth(suite, gates_of(suite, system), asking.k)
            answers = readable(state, suite, state.runs.get(system.folder), need)
        except RefusedError as refused:
            return Expected(WRONG, None, str(refused)), state
        return judge(state, suite, system, answers), state
    old = state.latest.get(where)
    try:
        kept = ask(state, suite, system, old, asking)
    except RefusedError as refused:
        # The run is still there; the verdict on it is not.
        latest = state.latest if old is None else {**state.latest, where: replace(old, green=False)}
        return Expected(WRONG, None, str(refused)), replace(state, latest=latest)
    said = judge(state, suite, system, Answers(kept.answers, kept.k, kept.repeats))
    kept = replace(kept, green=said.green)
    latest = {key: one for key, one in state.latest.items() if key != where}
    # A verdict that was refused leaves behind what nobody should go on with.
    return said, replace(state, latest=latest if said.gates is None else {**latest, where: kept})


def function(state: State, suite: Suite, system: System, name: str) -> Expected:
    """Return what the function of a system must be judged as, which the configuration says nothing of."""
    bare = System(name, "function", system.via, system.book)
    return test(replace(state, require_baseline=False), suite, bare, Asking())[0]


def run(state: State, suite: Suite, system: System, folder: str, asking: Asking) -> tuple[Expected, State]:
    """Return what `rankgate run` must end with, and what it leaves behind."""
    old = state.runs.get(folder)
    if system.kind == "run":
        return Expected(WRONG, None, "a stored run cannot be asked"), state
    if old is not None and not asking.resume and not asking.replace:
        return Expected(WRONG, None, "the folder holds a run"), state
    try:
        kept = ask(state, suite, system, old, asking)
    except RefusedError as refused:
        return Expected(WRONG, None, str(refused)), state
    after = replace(state, runs={**state.runs, folder: kept})
    if asking.stop is not None and not kept.finished:
        return Expected(KILLED if asking.killed else INTERRUPTED, None, "interrupted"), after
    errors = Answers(kept.answers, kept.k, kept.repeats).failed
    return Expected(OUTAGE if errors > system.max_errors else 0), after


def merge(state: State, folders: tuple[str, ...], into: str) -> tuple[Expected, State]:
    """Return what `rankgate runs merge` must end with, and what it leaves behind."""
    parts = [state.runs.get(folder) for folder in folders]
    if into in state.runs:
        return Expected(WRONG, None, "the folder holds a run"), state
    runs = [one for one in parts if one is not None]
    if len(runs) < len(parts) or any(one.damaged or not one.finished for one in runs):
        return Expected(WRONG, None, "a part is missing, damaged or not finished"), state
    same = {(one.questions, one.contents, one.corpus, one.k) for one in runs}
    numbers = sorted(one.part for one in runs if one.part)
    count = len(runs)
    if len(same) > 1 or numbers != [(number, count) for number in range(1, count + 1)]:
        return Expected(WRONG, None, "parts of different runs"), state
    asked = {name: one for part in runs for name, one in part.asked.items()}
    if sum(len(part.asked) for part in runs) > len(asked):
        return Expected(WRONG, None, "a query in two parts"), state
    answers = {name: one for part in runs for name, one in part.answers.items()}
    whole = replace(runs[0], part=None, asked=asked, answers=answers)
    return Expected(0), replace(state, runs={**state.runs, into: whole})


def set_baseline(
    state: State, suite: Suite, system: System, folder: str | None, *, failed: bool
) -> tuple[Expected, State]:
    """Return what `rankgate baseline set` must end with, and what it leaves behind."""
    kept = state.latest.get((suite.path, system.name)) if folder is None else state.runs.get(folder)
    try:
        read = readable(state, suite, kept, 1)
    except RefusedError as refused:
        return Expected(WRONG, None, str(refused)), state
    if read.failed:
        return Expected(WRONG, None, "a query without an answer"), state
    if kept is None or (kept.green is False and not failed):
        return Expected(WRONG, None, "the latest verdict is not green"), state
    names = {case.name: _kept_name(kept, case) for case in suite.cases}
    if suite.corpus:
        kept = replace(
            kept,
            answers={name: state.corpus.located(one) for name, one in kept.answers.items()},
            repeats=tuple(
                {name: state.corpus.located(one) for name, one in again.items()} for again in kept.repeats
            ),
        )
    baseline = Baseline(
        suite=suite.name,
        system=system.name,
        corpus=kept.corpus,
        k=kept.k,
        answers={case.name: (case.question, kept.answers[names[case.name]]) for case in suite.cases},
        repeats=tuple({name: one[old] for name, old in names.items()} for one in kept.repeats),
        relevant={case.name: _relevant(state, case, kept, names[case.name]) for case in suite.cases},
    )
    baselines = {**state.baselines, (suite.path, system.name): baseline}
    return Expected(0), replace(state, baselines=baselines, require_baseline=True)


def _relevant(state: State, case: Case, kept: Kept, name: str) -> frozenset[str]:
    """Return the hits of a case that reach something relevant, of those that the documents have."""
    given = [one[name] for one in (kept.answers, *kept.repeats)]
    hits = {hit for one in given if not isinstance(one, str) for hit in one}
    wanted = [one.place for one in case.targets if one.grade > 0]
    return frozenset(
        hit
        for hit in hits
        if (kept.corpus is None or state.corpus.has(hit)) and any(reaches(hit, place) for place in wanted)
    )


__all__ = ["Asking", "ask", "function", "merge", "questions", "readable", "run", "set_baseline", "test"]
