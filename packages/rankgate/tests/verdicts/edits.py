"""Edits of a suite and of the corpus, as people make them between two commands."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from verdicts.drawing import METRICS, TYPES, draw_targets
from verdicts.pending import ready
from verdicts.project import FILES
from verdicts.state import Case, Gate, Target
from verdicts.steps import Step, a_suite

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from verdicts.state import State, Suite
    from verdicts.steps import Draw

    Change = Callable[[Case, Suite, Random], Case | None]


def _case_edit(words: str, change: Change) -> Draw:
    """Return the edit that changes one case."""

    def draw(state: State, rng: Random) -> Step | None:
        suite = a_suite(state, rng)
        if not suite.cases:
            return None
        case = rng.choice(suite.cases)
        new = change(case, suite, rng)
        if new is None or new == case:
            return None
        cases = tuple(new if one is case else one for one in suite.cases)
        return Step(f"{suite.path}: {words} of {case.name}", state.with_suite(replace(suite, cases=cases)))

    return draw


def _suite_edit(words: str, change: Callable[[Suite, Random], Suite | None]) -> Draw:
    """Return the edit that changes a suite."""

    def draw(state: State, rng: Random) -> Step | None:
        suite = a_suite(state, rng)
        new = change(suite, rng)
        if new is None or new == suite or not any(case.targets for case in new.cases):
            return None
        return Step(f"{suite.path}: {words}", state.with_suite(new))

    return draw


def _target_edit(words: str, change: Callable[[Target, Random], Target]) -> Draw:
    def edit(case: Case, _: Suite, rng: Random) -> Case | None:
        if not case.targets:
            return None
        chosen = rng.choice(case.targets)
        return replace(
            case, targets=tuple(change(one, rng) if one is chosen else one for one in case.targets)
        )

    return _case_edit(words, edit)


def _fewer_targets(case: Case, _: Suite, rng: Random) -> Case | None:
    top = case.top[0] if case.top else ""
    left = [one for one in case.targets if one.place == top or rng.random() < 0.5]
    return replace(case, targets=tuple(left)) if left else None


def _more_targets(case: Case, suite: Suite, rng: Random) -> Case | None:
    if case.empty:
        return None
    known = {one.place.partition(":")[0] for one in case.targets}
    drawn = draw_targets(rng, 0.8 if ready("unreviewed") else 1.0, corpus=suite.corpus)
    new = [one for one in drawn if one.place.partition(":")[0] not in known]
    return replace(case, targets=(*case.targets, *new))


def _edited_query(case: Case, suite: Suite, rng: Random) -> Case | None:
    query = rng.choice(("spare 0", "spare 1", "spare 2", "nobody knows this"))
    return None if query in {one.query for one in suite.cases} else replace(case, query=query)


def _other_filters(case: Case, suite: Suite, rng: Random) -> Case | None:
    if not any(one.filters for one in suite.cases):
        return None
    return replace(case, filters=rng.choice(((), *((("type", one),) for one in TYPES))))


def _renamed(case: Case, suite: Suite, rng: Random) -> Case | None:
    name = f"renamed-{rng.randrange(100)}"
    return None if name in {one.name for one in suite.cases} else replace(case, name=name)


def _checked(case: Case, _: Suite, rng: Random) -> Case | None:
    places = [one.place for one in case.targets]
    return replace(case, top=(rng.choice(places), rng.choice((1, 3)))) if places else None


def _emptied(case: Case, _: Suite, __: Random) -> Case:
    return replace(case, targets=(), top=None, xfail=None, empty=True)


def _all_renamed(suite: Suite, rng: Random) -> Suite:
    mark = rng.randrange(100)
    return replace(
        suite, cases=tuple(replace(one, name=f"all-{mark}-{at}") for at, one in enumerate(suite.cases))
    )


def _fewer_cases(suite: Suite, rng: Random) -> Suite:
    share = rng.choice((0.9, 0.9, 0.5))
    return replace(suite, cases=tuple(one for one in suite.cases if rng.random() < share))


def _one_more_case(suite: Suite, rng: Random) -> Suite | None:
    query = rng.choice(("spare 0", "spare 1", "spare 2", "nobody knows this"))
    if query in {one.query for one in suite.cases}:
        return None
    targets = draw_targets(rng, 0.9 if ready("unreviewed") else 1.0, corpus=suite.corpus)
    return replace(suite, cases=(*suite.cases, Case(f"new-{rng.randrange(1000)}", query, targets)))


def _another_order(suite: Suite, rng: Random) -> Suite:
    return replace(suite, cases=tuple(rng.sample(suite.cases, len(suite.cases))))


def _all_unreviewed(suite: Suite, _: Random) -> Suite:
    cases = [
        replace(one, targets=tuple(replace(target, reviewed=False) for target in one.targets))
        for one in suite.cases
    ]
    return replace(suite, cases=tuple(cases))


def _another_bar(suite: Suite, rng: Random) -> Suite | None:
    # Not latency: how long an answer takes is not drawn, only whether it is too late.
    held = [one for one in suite.gates if one.kind in ("metric", "worst", "drop") and one.unit != "ms"]
    if not held:
        return None
    chosen = rng.choice(held)
    new = replace(chosen, bar=rng.choice((0.05, 0.4, 0.7, 0.95)))
    if any(one.text == new.text for one in suite.gates):
        return None
    return replace(suite, gates=tuple(new if one is chosen else one for one in suite.gates))


def _with_gate(gate: Callable[[Suite, Random], Gate | None]) -> Callable[[Suite, Random], Suite | None]:
    def change(suite: Suite, rng: Random) -> Suite | None:
        new = gate(suite, rng)
        if new is None or any(one.text == new.text for one in suite.gates):
            return None
        return replace(suite, gates=(*suite.gates, new))

    return change


def _misspelt_slice(_: Suite, rng: Random) -> Gate:
    return Gate("metric", rng.choice(METRICS), 0.1, where=("lang", "goo"))


def _deeper(_: Suite, rng: Random) -> Gate:
    return Gate(rng.choice(("metric", "drop")), "r@12", 0.3)


def _guard_on_lost(_: Suite, rng: Random) -> Gate:
    ranks = rng.choice(((1, 1), (1, 2), (2, 2), (1, 3), (3, 3), (10, 10), (3, 12)))
    return Gate("lost", bar=rng.choice((0, 0, 1)), ranks=ranks)


def _guards_on_drop(suite: Suite, rng: Random) -> Suite:
    """Draw a drop with several bars, so that one is close to it."""
    metric, known = rng.choice((*METRICS, "r@12")), {one.text for one in suite.gates}
    drawn = [Gate("drop", metric, bar) for bar in (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4)]
    return replace(suite, gates=(*suite.gates, *(one for one in drawn if one.text not in known)))


def _no_gates(suite: Suite, _: Random) -> Suite:
    return replace(suite, gates=())


def _without_lang(suite: Suite, rng: Random) -> Suite | None:
    if any(one.where or one.key for one in suite.gates) and rng.random() < 0.5:
        return None
    cases = tuple(replace(one, lang=None) if rng.random() < 0.5 else one for one in suite.cases)
    return replace(suite, cases=cases)


def _corpus(state: State, _: Random) -> Step:
    edited = replace(state.corpus, edits=state.corpus.edits + 1)
    return Step("the corpus is edited", replace(state, corpus=edited))


def _removed(state: State, rng: Random) -> Step | None:
    """Remove a document, but not the last one."""
    left = sorted({f"{name}.md" for name in FILES} - state.corpus.removed)
    if len(left) < 2:
        return None
    path = rng.choice(left)
    removed = replace(state.corpus, removed=state.corpus.removed | {path})
    return Step(f"{path} is removed", replace(state, corpus=removed))


def _cut(state: State, rng: Random) -> Step | None:
    """Cut the end of some documents, so that targets lie past it."""
    left = sorted({f"{name}.md" for name in FILES} - state.corpus.removed - state.corpus.cut)
    if not left:
        return None
    paths = frozenset(rng.sample(left, min(len(left), rng.choice((1, 2, 3)))))
    cut = replace(state.corpus, cut=state.corpus.cut | paths)
    return Step(f"the end of {', '.join(sorted(paths))} is cut", replace(state, corpus=cut))


def _swapped(suite: Suite, rng: Random) -> Suite | None:
    if len(suite.cases) < 2:
        return None
    one, other = rng.sample(suite.cases, 2)
    swap = {id(one): other, id(other): one}
    cases = [replace(case, query=swap[id(case)].query) if id(case) in swap else case for case in suite.cases]
    return replace(suite, cases=tuple(cases))


def _another_grade(target: Target, rng: Random) -> Target:
    return replace(target, grade=rng.randint(0, 3))


def _unreviewed(target: Target, _: Random) -> Target:
    return replace(target, reviewed=False)


def _reviewed(target: Target, _: Random) -> Target:
    return replace(target, reviewed=True)


def _known_miss(case: Case, _: Suite, rng: Random) -> Case | None:
    return replace(case, xfail=rng.choice(("past", "future", None))) if case.targets else None


def _weighted(case: Case, suite: Suite, rng: Random) -> Case | None:
    """Draw another weight; slices are counted in cases, so that a suite has one of the two."""
    sliced = any(one.lang for one in suite.cases)
    return None if sliced else replace(case, weight=rng.randint(1, 5))


def _all_weighted(suite: Suite, rng: Random) -> Suite | None:
    if any(one.lang for one in suite.cases):
        return None
    cases = [replace(one, weight=rng.choice((1, 1, 2, 9))) for one in suite.cases]
    return replace(suite, cases=tuple(cases))


def _colliding(suite: Suite, _: Random) -> Suite:
    return replace(suite, collides=True)


def _another_k(suite: Suite, rng: Random) -> Suite:
    return replace(suite, k=rng.choice((None, 12, 20)))


def _comment(suite: Suite, _: Random) -> Suite:
    return replace(suite, note=suite.note + 1)


EDITS: dict[str, tuple[float, Draw]] = {
    "another grade": (2, _target_edit("another grade of a target", _another_grade)),
    "a target unreviewed": (1, _target_edit("a target unreviewed", _unreviewed)),
    "a target reviewed": (1, _target_edit("a target reviewed", _reviewed)),
    "targets removed": (1, _case_edit("targets removed", _fewer_targets)),
    "targets added": (2, _case_edit("targets added", _more_targets)),
    "a query edited": (3, _case_edit("the query", _edited_query)),
    "other filters": (1, _case_edit("the filters", _other_filters)),
    "a case renamed": (2, _case_edit("the name", _renamed)),
    "a known miss": (1, _case_edit("xfail", _known_miss)),
    "a hard check": (1, _case_edit("top", _checked)),
    "nothing expected": (0.5, _case_edit("the targets, for expect: empty", _emptied)),
    "another weight": (0.5, _case_edit("the weight", _weighted)),
    "all cases renamed": (1.5, _suite_edit("every case renamed", _all_renamed)),
    "cases removed": (1.5, _suite_edit("cases removed", _fewer_cases)),
    "a case added": (1.5, _suite_edit("a case added", _one_more_case)),
    "cases in another order": (0.5, _suite_edit("cases in another order", _another_order)),
    "queries swapped": (1, _suite_edit("the queries of two cases swapped", _swapped)),
    "all unreviewed": (0.7, _suite_edit("nothing is reviewed", _all_unreviewed)),
    "another bar": (1.5, _suite_edit("another bar", _another_bar)),
    "a misspelt slice": (0.5, _suite_edit("a gate over a misspelt slice", _with_gate(_misspelt_slice))),
    "a deeper metric": (1.5, _suite_edit("a gate on a deeper metric", _with_gate(_deeper))),
    "a guard on lost": (0.5, _suite_edit("a gate on what is lost", _with_gate(_guard_on_lost))),
    "a guard on a drop": (0.5, _suite_edit("gates on a drop", _guards_on_drop)),
    "all weights": (0.3, _suite_edit("the weights", _all_weighted)),
    "names that collide": (0.2, _suite_edit("two queries that come to one name", _colliding)),
    "no gates": (0.5, _suite_edit("no gates", _no_gates)),
    "cases without lang": (1, _suite_edit("cases without lang", _without_lang)),
    "another k": (0.7, _suite_edit("another k", _another_k)),
    "a comment": (0.7, _suite_edit("a comment", _comment)),
    "the corpus edited": (1.5, _corpus),
    "a document removed": (1.5, _removed),
    "documents cut": (1, _cut),
}
"""Each edit with its weight."""
