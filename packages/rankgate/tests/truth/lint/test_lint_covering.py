"""Targets that cover more than was judged are told, and those that do not are left alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.corpora.folder import FolderCorpus
from rankgate.locations import Location
from rankgate.model import Case, Suite, Target, Top
from rankgate.truth.lint import Finding, Severity, lint

if TYPE_CHECKING:
    from pathlib import Path

PAGE = """\
# Keys

All of them.

## Rotation

Every 90 days.

### Steps

One, two.

### Emergencies

At once.
"""
CODE = "class Store:\n    size = 1\n\n    # Adds one.\n    def put(self):\n        pass\n"
ROTATION, STEPS = "keys.md#Rotation", "keys.md#Steps"


@pytest.fixture
def corpus(tmp_path: Path) -> FolderCorpus:
    (tmp_path / "keys.md").write_text(PAGE, encoding="utf-8")
    (tmp_path / "store.py").write_text(CODE, encoding="utf-8")
    return FolderCorpus.open(tmp_path, root=tmp_path)


def case(query: str, at: dict[str, float], *top: str, group: str | None = None) -> Case:
    targets = tuple(Target(Location.at(place), grade) for place, grade in at.items())
    tops = tuple(Top(Location.at(place), 1) for place in top)
    return Case(query.replace(" ", "-"), query, targets, top=tops, group=group)


def found(corpus: FolderCorpus, *cases: Case) -> list[Finding]:
    rules = ["inherited-grade", "passed-from-below", "answers-another"]
    return list(lint(Suite("s", cases), corpus, rules=rules))


def test_what_is_judged_lower_below_a_target_inherits_its_grade(corpus: FolderCorpus) -> None:
    (finding,) = found(corpus, case("renew", {ROTATION: 3, STEPS: 1}))
    assert (finding.rule, finding.severity) == ("inherited-grade", Severity.WARNING)
    assert finding.problem.found == (
        "'keys.md#Steps' with the grade 1 below 'keys.md#Rotation' of grade 3, which covers it"
    )
    assert "'keys.md#Rotation/.'" in finding.problem.fix


def test_methods_inherit_the_grade_of_their_class(corpus: FolderCorpus) -> None:
    assert [
        one.rule for one in found(corpus, case("store", {"store.py::Store": 3, "store.py::Store.put": 2}))
    ] == ["inherited-grade"]


@pytest.mark.parametrize(
    "at",
    [
        {f"{ROTATION}/.": 3, STEPS: 1},
        {ROTATION: 3, STEPS: 3},
        {ROTATION: 1, STEPS: 3},
        {STEPS: 3, "keys.md#Emergencies": 1},
        {ROTATION: 3, "keys.md:5-7": 1},
        {"store.py::Store/.": 3, "store.py::Store.put": 2},
    ],
)
def test_what_is_judged_apart_is_left_alone(corpus: FolderCorpus, at: dict[str, float]) -> None:
    assert found(corpus, case("renew", at, next(iter(at)))) == []


def test_a_check_that_something_lower_satisfies_is_told(corpus: FolderCorpus) -> None:
    (finding,) = found(corpus, case("renew", {f"{ROTATION}/.": 3, STEPS: 1}, ROTATION))
    assert (finding.rule, finding.severity) == ("passed-from-below", Severity.WARNING)
    assert (
        finding.problem.found
        == "top: 'keys.md#Rotation', which a hit on 'keys.md#Steps' of grade 1 satisfies"
    )


def test_what_another_query_asks_for_is_a_hint(corpus: FolderCorpus) -> None:
    other = case("in what order", {STEPS: 3})
    (finding,) = found(corpus, case("renew", {ROTATION: 3}), other)
    assert (finding.rule, finding.severity) == ("answers-another", Severity.HINT)
    assert "'keys.md#Steps' is what case in-what-order asks for" in finding.problem.found
    assert found(corpus, case("renew", {ROTATION: 3, STEPS: 3}), other) == []
    assert found(corpus, case("renew", {f"{ROTATION}/.": 3}), other) == []
    assert found(corpus, case("renew", {ROTATION: 1, "store.py": 3}), other) == []


def test_queries_of_one_group_may_share_what_they_ask_for(corpus: FolderCorpus) -> None:
    assert found(corpus, case("renew", {ROTATION: 3}, group="a"), case("order", {STEPS: 3}, group="a")) == []
