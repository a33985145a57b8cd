"""Answers that a system gave a moment ago, so that of a suite that is edited only new questions are asked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankgate.model.identity import question_digest
from rankgate.model.verdict import Answer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rankgate.model.identity import RunIdentity
    from rankgate.runs.asking.ask import AnswerRecord, CaseQuery


class AnswerMemory:
    """Holds what one system answered, by what was asked: whatever a case is called, its answer stays.

    What failed is not held. Hits are held as the system returned them, and are located by whoever takes them.
    """

    def __init__(self) -> None:
        self._answers: dict[str, AnswerRecord] = {}
        self._identity: RunIdentity | None = None
        self.asked = 0
        """How many questions the system was asked since `count_anew`."""
        self.known = 0
        """How many answers were held already."""

    def count_anew(self) -> None:
        """Set both counts to 0."""
        self.asked = self.known = 0

    def hold_for(self, identity: RunIdentity) -> None:
        """Forget every answer where they are those of another system, or over another corpus.

        Which questions are asked, and how deep, each answer says itself. Rules that make locations of ids are
        applied to the answers that are held.
        """
        now = replace(identity, questions=None, k=None, rules=None)
        if self._identity is not None and self._identity.differences(now):
            self._answers.clear()
        self._identity = now

    def split(self, questions: Sequence[CaseQuery]) -> tuple[list[CaseQuery], list[AnswerRecord]]:
        """Return the questions that must be asked, and the answers to the others, under the ids of today."""
        known = [(one.id, self._answers.get(_digest(one))) for one in questions]
        held = [record._replace(id=name) for name, record in known if record is not None]
        self.known += len(held)
        return [one for one, (_, record) in zip(questions, known, strict=True) if record is None], held

    def add(self, questions: Iterable[CaseQuery], answers: Sequence[AnswerRecord]) -> None:
        """Hold answers to some of the questions, and count them."""
        digests = {one.id: _digest(one) for one in questions}
        self.asked += len(answers)
        self._answers |= {digests[one.id]: one for one in answers if one.status is Answer.OK}


def _digest(question: CaseQuery) -> str:
    query = question.query
    return question_digest(query.text, query.filters, query.k)
