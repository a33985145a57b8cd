"""Whether a system returns a target at all: asked for the target's own text, with 100 hits.

That says something only of a system that returns what it has for its own text. So it is tried on controls
first: locations that the system has returned. Where it does not return those either, nothing is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankgate.evaluation.advice.examined import page, place
from rankgate.evaluation.advice.follow_ups import FollowUp, FollowUpAnswer
from rankgate.model.search import Query
from rankgate.model.wording import quoted
from rankgate.truth.facts.checked import DEEP, FactKind
from rankgate.truth.facts.texts import foreign_line, same_text, target_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rankgate.evaluation.advice.follow_ups import FollowUps
    from rankgate.truth.locations.corpus_reader import CorpusReader

LONGEST = 300
"""How many letters of a text are asked for."""
CONTROLS = 3


def own_text(reader: CorpusReader, row: Mapping[str, Any]) -> str:
    """Return the first words of the text of a target; nothing where it has none."""
    words = (target_text(reader, row) or "").split()
    text = " ".join(words)
    return text if len(text) <= LONGEST else text[:LONGEST].rpartition(" ")[0] or text[:LONGEST]


@dataclass(frozen=True, slots=True)
class TargetFact:
    """What is certain about a target and a system."""

    kind: FactKind
    """Not indexed, not returned, returned under another location, a copy in its place, or stale."""
    evidence: str
    """What was seen."""
    subject: str
    """The page."""


class ReturnedTargets:
    """Finds out which targets a system returns."""

    def __init__(self, reader: CorpusReader, follow_ups: FollowUps) -> None:
        self._reader, self._follow_ups = reader, follow_ups
        self._seen: dict[str, FollowUpAnswer] = {}
        self.control: Mapping[str, Any] | None = None
        """Something that the system has returned for its own text."""

    def trust(self, controls: Iterable[Mapping[str, Any]]) -> bool:
        """Return whether the system returns what it has for its own text, tried on some of that."""
        rows = {page(row): row for row in controls if own_text(self._reader, row)}
        chosen = list(rows.values())[:CONTROLS]
        answers = self.ask(chosen)
        self.control = chosen[0] if chosen else None
        return bool(answers) and all(one.rank is not None for one in answers.values())

    def ask(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, FollowUpAnswer]:
        """Ask for the texts of targets; those that were asked for before are known."""
        keys = {place(row): row for row in rows}
        new = [
            FollowUp(f"own {key}", Query(text, DEEP), (row,))
            for key, row in keys.items()
            if key not in self._seen and (text := own_text(self._reader, row))
        ]
        answers = self._follow_ups.ask(new)
        self._seen |= {key.removeprefix("own "): one for key, one in answers.items()}
        return {key: self._seen[key] for key in keys if key in self._seen}

    def asked(self, key: str) -> bool:
        """Return whether there is an answer for a location, in words."""
        return key in self._seen

    def answer(self, key: str) -> FollowUpAnswer:
        """Return what came back for the text of a location, in words."""
        return self._seen[key]

    def returned(self, row: Mapping[str, Any]) -> bool:
        """Return whether a target came back for its own text."""
        answer = self._seen.get(place(row))
        return answer is not None and answer.rank is not None

    def fact(self, row: Mapping[str, Any], name: str) -> TargetFact | None:
        """Return what is certain about a target that was asked for; None where it is returned, or unknown.

        Args:
            row: The target.
            name: What people call it.
        """
        answer = self._seen.get(place(row))
        if answer is None:
            return None
        stale = self.stale(row, answer)
        if stale is not None:
            return stale
        if answer.rank is not None:
            return None
        asked = f"asked for the text of {name}, the system"
        for hit in answer.hits:
            if same_text(self._reader, row, hit._asdict()):
                evidence = (
                    f"{asked} returns {hit} at rank {hit.rank}, which has the same text, and not {name}"
                )
                return TargetFact(FactKind.DUPLICATE, evidence, str(hit.path or hit.id))
        near = next((hit for hit in answer.hits if hit.path and hit.path == row["path"]), None)
        if near is not None and near.start is not None:
            evidence = f"{asked} returns {near} at rank {near.rank}, and not {place(row)}"
            return TargetFact(FactKind.OTHER_LOCATION, evidence, str(row["path"]))
        if near is not None:
            return None
        absent = f"{asked} does not return it in the top {DEEP}"
        if self._lacks(page(row)):
            return TargetFact(FactKind.NOT_INDEXED, f"its index has no {page(row)}; {absent}", page(row))
        return TargetFact(FactKind.NOT_RETURNED, absent, page(row))

    def _lacks(self, name: str) -> bool:
        """Return whether the system says that it has no such document, and has one that it returns."""
        holds = self._follow_ups.holds
        return self.control is not None and holds(name) is False and holds(page(self.control)) is True

    def stale(self, row: Mapping[str, Any], answer: FollowUpAnswer) -> TargetFact | None:
        """Return that the text which the system has of a file is not there, where those of others are."""
        document = page(row)
        if not self._reader.has(document):
            return None
        foreign: dict[str, str] = {}
        sound = set()
        for hit in answer.hits:
            name = hit.path or hit.id
            text = answer.texts.get(hit.rank)
            if name is None or text is None or not self._reader.has(name):
                continue
            line = foreign_line(text, self._reader.text_of(name).whole)
            if line is None:
                sound.add(name)
            else:
                foreign.setdefault(name, line)
        # A system that changes every text it returns proves nothing by a line that is not there.
        if document not in foreign or len(sound - set(foreign)) <= len(foreign):
            return None
        evidence = (
            f"the system returns {quoted(foreign[document], 60)} for {document}, which has no such line"
        )
        return TargetFact(FactKind.STALE, evidence, document)
