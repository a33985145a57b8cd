"""Words that should stand nowhere in the corpus, and do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.model.invariants import Relation
from rankgate.truth.lint.finding import Severity
from rankgate.truth.lint.rule import Remark, Rule
from rankgate.truth.lint.subject import quoted
from rankgate.truth.lint.words import plain
from rankgate.truth.probe_places import invariant_owner

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.model.invariants import Invariant
    from rankgate.truth.lint.subject import Subject


def check(subject: Subject) -> Iterator[Remark]:
    """Look for the word of `beside` in every document and its name, inside other words too."""
    sought: dict[str, list[Invariant]] = {}
    for invariant in subject.suite.invariants:
        if word := _beside(invariant):
            sought.setdefault(plain(word), []).append(invariant)
    if not sought or subject.corpus is None:
        return
    for number, document in enumerate(subject.corpus.documents()):
        subject.tell(f"looking for words in {number} of {len(subject.corpus)} documents")
        text, name = plain(document.text), plain(document.id)
        for word in [each for each in sought if each in text or each in name]:
            line = f":{text.count(chr(10), 0, text.find(word)) + 1}" if word in text else ""
            for invariant in sought.pop(word):
                yield _remark(subject, invariant, f"{document.id}{line}")
        if not sought:
            return


def _beside(invariant: Invariant) -> str:
    if invariant.relation is not Relation.SINGLE_TERM_NO_BONUS or len(invariant.queries) < 2:
        return ""
    return invariant.queries[1].text.removeprefix(invariant.queries[0].text).strip()


def _remark(subject: Subject, invariant: Invariant, place: str) -> Remark:
    found = f"the word {quoted(_beside(invariant))}, which stands in '{place}'"
    expected = "a word that stands nowhere in the corpus, nor inside another word"
    fix = "choose letters that no text has, such as xqzvk"
    where = subject.place(invariant.where, invariant_owner(invariant))
    return Remark(found, expected, fix, where=where)


RULE = Rule(
    "beside-in-corpus",
    Severity.ERROR,
    "the `beside` of an invariant stands in the corpus",
    check,
    needs_corpus=True,
)
