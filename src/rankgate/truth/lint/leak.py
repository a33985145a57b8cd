"""Queries that stand word for word in the text they should find.

Such a query asks for its own words, which any search finds. That is meant where a case is marked `exact` (its
category, a tag, or the value of a tag), where the query is a single word or identifier, and where the target
is a symbol (``path::name``) and the query is its name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.truth.lint.asked import marked
from rankgate.truth.lint.finding import Severity
from rankgate.truth.lint.rule import Remark, Rule
from rankgate.truth.lint.subject import quoted
from rankgate.truth.lint.words import fold, name_words, plain
from rankgate.truth.passages import Text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.model.suite import Case
    from rankgate.truth.lint.subject import Subject, Wanted
    from rankgate.truth.lookup import Spot

WORDS, SHORT_WORDS, LETTERS = 3, 2, 12
"""A query is looked for if it has three words, or two words and twelve characters."""


def check(subject: Subject) -> Iterator[Remark]:
    """Look for each query in the texts of its relevant targets; each case is told once."""
    folded = {
        case.id: text
        for case, text in zip(subject.cases, subject.folded, strict=True)
        if _says_enough(case.query) and not marked(case, "exact")
    }
    told: set[str] = set()
    document, text = None, Text.of("")
    for name, wanted, spot in subject.relevant():
        case = wanted.case
        if case.id not in folded or case.id in told:
            continue
        if name != document:
            document, text = name, Text.of(plain(subject.passages.text_of(name).whole))
        if _holds(text, spot, folded[case.id]) and not _is_name(case, wanted):
            told.add(case.id)
            yield _remark(case, wanted)


def _says_enough(query: str) -> bool:
    words = len(query.split())
    return words >= WORDS or (words >= SHORT_WORDS and len(query.strip()) >= LETTERS)


def _holds(text: Text, spot: Spot, query: str) -> bool:
    start, end = text.span(spot.start, spot.end)
    # Nearly every text lacks a word of the query, and is not split into words.
    if any(text.whole.find(word, start, end) < 0 for word in query.split()):
        return False
    return f" {query} " in f" {fold(text.whole[start:end])} "


def _is_name(case: Case, wanted: Wanted) -> bool:
    symbol = wanted.location.symbol
    if symbol is None:
        return False
    return name_words(case.query) in (name_words(symbol), name_words(symbol.rpartition(".")[2]))


def _remark(case: Case, wanted: Wanted) -> Remark:
    found = f"the query {quoted(case.query)} word for word in '{wanted.location}'"
    fix = "ask as someone would who has not read the text, or mark the case exact"
    return Remark(found, "a query in other words than its answer", fix, case)


RULE = Rule(
    "leak",
    Severity.WARNING,
    "the text of a target holds the query word for word",
    check,
    needs_corpus=True,
)
