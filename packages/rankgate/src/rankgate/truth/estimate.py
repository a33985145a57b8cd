"""Labels estimated from expected answers, for cases in which nobody has judged locations.

A hit counts as relevant where the text it returned holds the answer word for word, or shares enough words
with it: token F1, as SQuAD has it. Words are what stands between white space, in lower case, without
punctuation, and without a, an and the. The answer is one thing to find, so the texts that count are
alternatives of one group.

Overlap of words is not agreement, and neither is a word of the answer in a text on something else: what has
fewer than four letters and digits, or is one of `_TOO_COMMON`, counts by F1 alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import replace
from string import punctuation
from typing import TYPE_CHECKING

import polars as pl

from rankgate.errors import Code, InputError
from rankgate.truth.judgments.checks import ESTIMATED
from rankgate.truth.judgments.table import TARGETS, Judgments
from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rankgate.model import Case, KeptText

ESTIMATE_F1 = 0.5
"""The token F1 from which on a text counts as giving the answer."""
SOURCE = "estimated, token F1"
"""The source of a judgment by token F1."""
EXACT = "estimated, exact answer"
"""The source of a judgment on a text that contains the answer."""
_GROUP = "answer"
_ARTICLES = frozenset({"a", "an", "the"})
_TOO_COMMON = frozenset({"true", "false", "none"})
_LEAST = 4
_UNSPACED = re.compile("[\u2e80-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff\u0e00-\u0eff]")
"""Scripts that write no spaces between words."""


def answered_cases(cases: Sequence[Case]) -> tuple[tuple[Case, ...], tuple[str, ...]]:
    """Return the cases whose labels an answer stands in for, and note the answers that are not used.

    Where a case has targets, or must find nothing, that is what counts.

    Raises:
        InputError: for answers without a word.
    """
    every = [case for case in cases if case.answer is not None]
    used = tuple(case for case in every if not case.targets and not case.expect_empty)
    if empty := [case for case in used if not words(case.answer or "")]:
        raise InputError(
            [
                Code.WRONG_VALUE(
                    case.where or f"case {case.id}", f"answer {case.answer!r}", "an answer with words"
                )
                for case in empty
            ]
        )
    unused = len(every) - len(used)
    said = f"{many(unused, 'answer')} not used: targets, and expect: empty, come first"
    return used, (said,) if unused else ()


def estimate(
    judgments: Judgments, cases: Sequence[Case], returned: Iterable[KeptText], threshold: float = ESTIMATE_F1
) -> Judgments:
    """Add estimated labels to judgments, mark their cases, and note what they rest on.

    Where not one hit has a text to compare, nothing is estimated and the notes say so. A hit without a text
    counts as no match.
    """
    expected = {case.id: _Answer(case.answer or "") for case in cases}
    tally = _Tally(threshold)
    for one in returned:
        tally.add(one, expected[one.query])
    if tally.nothing_to_compare:
        said = f"labels of {many(len(cases), 'case')} cannot be estimated: {tally.why_not()}"
        return replace(judgments, notes=(*judgments.notes, said))
    # The answer is a target also if no text gives it.
    rows = [_row(query, "", SOURCE) for query in expected]
    rows += [_row(query, name, source) for (query, name), source in tally.matching.items()]
    marked = pl.col("query").is_in(list(expected)).alias("estimated")
    targets = pl.concat([judgments.targets, TARGETS.conform(TARGETS.of_rows(rows), ESTIMATED)])
    return Judgments.of(
        targets,
        judgments.cases.with_columns(marked),
        where=ESTIMATED,
        notes=(*judgments.notes, *tally.notes(len(cases))),
        matching=judgments.matching,
        max_grade=judgments.max_grade,
        no_relevant=judgments.no_relevant,
        suite=judgments.suite,
        corpus=judgments.corpus,
    )


def token_f1(one: Counter[str], other: Counter[str]) -> float:
    """Return the harmonic mean of the shares of words that two texts have in common.

    >>> token_f1(words("Keys rotate every 90 days."), words("rotate the keys every 30 days"))
    0.8
    """
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 0.0


def words(text: str) -> Counter[str]:
    """Count the words of a text, without regard to case, punctuation and articles.

    >>> sorted(words("The user's API-key").items())
    [('apikey', 1), ('users', 1)]
    """
    return Counter(_in_order(text))


def _in_order(text: str) -> list[str]:
    return [word for word in text.lower().translate(_PUNCTUATION).split() if word not in _ARTICLES]


class _Answer:
    """What is expected of a text."""

    def __init__(self, text: str) -> None:
        in_order = _in_order(text)
        self.words = Counter(in_order)
        # Where words are not set apart by spaces, they are looked for without regard to any.
        self._between = "" if _UNSPACED.search(text) else " "
        self._phrase = self._framed(in_order)
        letters = sum(map(len, in_order))
        least = _LEAST if self._between else _LEAST // 2
        self._tells = letters >= least and not _TOO_COMMON.issuperset(in_order)

    def label(self, text: str, threshold: float) -> str | None:
        """Return by what a text gives the answer; None where it does not."""
        in_order = _in_order(text)
        if self._tells and self._phrase in self._framed(in_order):
            return EXACT
        return SOURCE if token_f1(Counter(in_order), self.words) >= threshold else None

    def _framed(self, in_order: Sequence[str]) -> str:
        return f"{self._between}{self._between.join(in_order)}{self._between}"


class _Punctuation(dict[int, int | None]):
    """Takes punctuation out of a text; what a character is, is looked up once."""

    def __missing__(self, code: int) -> int | None:
        char = chr(code)
        drop = char in punctuation or unicodedata.category(char).startswith("P")
        self[code] = None if drop else code
        return self[code]


_PUNCTUATION = _Punctuation()


class _Tally:
    """What the texts that were compared came to."""

    def __init__(self, threshold: float) -> None:
        self.matching: dict[tuple[str, str], str] = {}
        """The query and the hash of every text that counts, in the order of the hits, and by what it does."""
        self._threshold = threshold
        self._seen: set[tuple[str, str]] = set()
        self._hits = self._bare = self._lost = self._cut = 0

    def add(self, one: KeptText, expected: _Answer) -> None:
        """Compare one text, unless the query had it before."""
        self._hits += 1
        self._bare += one.hash is None
        self._lost += one.hash is not None and one.text is None
        if one.hash is None or one.text is None or (one.query, one.hash) in self._seen:
            return
        self._seen.add((one.query, one.hash))
        self._cut += not one.whole
        if (source := expected.label(one.text, self._threshold)) is not None:
            self.matching[one.query, one.hash] = source

    @property
    def nothing_to_compare(self) -> bool:
        """True where there are hits, and not one text."""
        return self._hits > 0 and not self._seen

    def why_not(self) -> str:
        """Return why there was nothing to compare."""
        return "the run keeps no texts" if self._lost else "no hit has a text"

    def notes(self, cases: int) -> tuple[str, ...]:
        """Return what the labels rest on, in words."""
        f1 = f"a token F1 of {self._threshold:g} with it"
        rule = f"a hit counts that holds the expected answer word for word or has {f1}"
        said = {
            "without a text, counted as no match": self._bare,
            "whose text was not kept, counted as no match": self._lost,
            "compared by what was kept of the text": self._cut,
        }
        return (
            f"labels of {many(cases, 'case')} estimated: {rule}",
            *(f"{many(count, 'hit')} {text}" for text, count in said.items() if count),
        )


def _row(query: str, name: str, source: str) -> dict[str, object]:
    return {
        "query": query,
        "target": 0,
        "group": _GROUP,
        "grade": 1.0,
        "strategy": ESTIMATED,
        "source": source,
        "reviewed": True,
        "text_hash": name,
    }
