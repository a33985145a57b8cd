"""Threads that ask hand over every answer, and wait where nobody takes them."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from rankgate.model import Hit, Query, Ranking
from rankgate.runs.asking import workers
from rankgate.runs.asking.ask import CaseQuery
from rankgate.runs.asking.pace import Pace
from rankgate.runs.asking.workers import Workers

if TYPE_CHECKING:
    import pytest

QUESTIONS = [CaseQuery(f"q{number}", Query(f"text {number}")) for number in range(300)]


class Counted:
    """A system that counts how often it was asked."""

    thread_safe = True

    def __init__(self) -> None:
        self.asked = 0
        self._lock = threading.Lock()

    def search(self, query: Query) -> Ranking:
        with self._lock:
            self.asked += 1
        return Ranking((Hit(query.text),))


def test_every_answer_of_several_threads_comes_once() -> None:
    found = [one for one in Workers((Counted(),) * 4, Pace(4)).answers(iter(QUESTIONS)) if one is not None]
    assert sorted(one.id for one in found) == sorted(one.id for one in QUESTIONS)
    assert {one.ranking.hits[0].id for one in found} == {one.query.text for one in QUESTIONS}


def test_threads_wait_where_their_answers_are_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_WAITING_A_THREAD", 5)
    system = Counted()
    answers = Workers((system,) * 4, Pace(4)).answers(iter(QUESTIONS))
    first = next(one for one in answers if one is not None)
    time.sleep(0.1)
    # Twenty are held, each thread has one more in hand, and one look may have taken as many as were held.
    assert system.asked <= 50
    rest = [one for one in answers if one is not None]
    assert len({first.id, *(one.id for one in rest)}) == len(QUESTIONS)


def test_what_was_answered_and_not_taken_is_given_at_the_end() -> None:
    asked = Workers((Counted(),) * 4, Pace(4))
    answers = asked.answers(iter(QUESTIONS[:12]))
    first = next(one for one in answers if one is not None)
    time.sleep(0.1)
    assert len({first.id, *(one.id for one in asked.left())}) == 12


def test_a_system_that_exits_in_a_thread_fails_its_question_alone() -> None:
    class Ending(Counted):
        def search(self, query: Query) -> Ranking:
            if query.text == "text 7":
                raise SystemExit(0)
            return super().search(query)

    found = [one for one in Workers((Ending(),) * 4, Pace(4)).answers(iter(QUESTIONS)) if one is not None]
    wrong = [one for one in found if one.error is not None]
    assert [one.id for one in wrong] == ["q7"]
    assert "SystemExit" in str(wrong[0].error)
    assert len(found) == len(QUESTIONS)
