"""Answers of a moment ago: taken by what was asked, and only while the system and the corpus are the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rankgate.model.identity import RunIdentity
from rankgate.model.search import Query, Ranking
from rankgate.runs.asking.answer_memory import AnswerMemory
from rankgate.runs.asking.ask import CaseQuery
from rankgate.runs.asking.execute import KeepOptions, execute
from rankgate.runs.store.manifest import Manifest

BEFORE = RunIdentity("app", contents={"app.py": "0" * 16}, corpus="c", questions="q", k=10, rules="m")


class Counted:
    """A system that knows what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def search(self, query: Query) -> Ranking:
        self.asked.append(query.text)
        if query.text == "down":
            raise ValueError("down")
        return Ranking()


def _asked(memory: AnswerMemory, *questions: CaseQuery) -> list[str]:
    system = Counted()
    run = execute(questions, system, manifest=Manifest("app"), keep=KeepOptions(memory=memory))
    names = [name for shard in run.shards() for name in shard.queries["query"]]
    assert sorted(names) == sorted(one.id for one in questions)
    return system.asked


def _question(text: str, k: int = 10, name: str = "", **filters: str) -> CaseQuery:
    return CaseQuery(name or text, Query(text, k, filters))


def test_a_question_is_asked_once_whatever_its_case_is_called() -> None:
    memory = AnswerMemory()
    assert _asked(memory, _question("a"), _question("b")) == ["a", "b"]
    assert _asked(memory, _question("b", name="other"), _question("c")) == ["c"]
    assert (memory.asked, memory.known) == (3, 1)


def test_other_filters_or_another_depth_are_another_question_and_errors_are_not_held() -> None:
    memory = AnswerMemory()
    assert _asked(memory, _question("a"), _question("down")) == ["a", "down"]
    assert _asked(memory, _question("a", k=20), _question("down")) == ["a", "down"]
    assert _asked(memory, _question("a", lang="py")) == ["a"]
    assert _asked(memory, _question("a")) == []


@pytest.mark.parametrize(
    ("now", "again"),
    [
        (replace(BEFORE, contents={"app.py": "1" * 16}), ["a"]),
        (replace(BEFORE, corpus="d"), ["a"]),
        (replace(BEFORE, options={"chunks": "section"}), ["a"]),
        (replace(BEFORE, questions="r", k=20, rules="n"), []),
    ],
)
def test_answers_are_those_of_one_system_over_one_corpus(now: RunIdentity, again: list[str]) -> None:
    memory = AnswerMemory()
    memory.hold_for(BEFORE)
    assert _asked(memory, _question("a")) == ["a"]
    memory.hold_for(now)
    assert _asked(memory, _question("a")) == again
