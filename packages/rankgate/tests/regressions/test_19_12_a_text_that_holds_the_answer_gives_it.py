"""A text that holds the expected answer word for word gives it, however long the text is."""

from __future__ import annotations

import pytest

from rankgate.model import Case, Hit, Ranking, Suite
from rankgate.runs.store.hits import kept_texts
from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.evaluate import score
from rankgate.truth.estimate import answered_cases, estimate
from rankgate.truth.judgments.table import Judgments

FILLER = " ".join(f"w{number}" for number in range(200))


def reciprocal_rank(answer: str, *texts: str) -> float | None:
    suite = Suite("s", (Case("q", "how often", answer=answer),))
    hits = tuple(Hit(id=f"d{number}", text=text) for number, text in enumerate(texts))
    run = MemoryRun("run", [Shard.of_rankings({"q": Ranking(hits)}, texts="full")])
    cases, _ = answered_cases(suite.cases)
    labels = estimate(Judgments.from_suite(suite), cases, kept_texts(run, ["q"]))
    return score(labels, run, ["rr"]).per_query("rr")["q"]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("Keys rotate every 90 days.", "we say: keys rotate\nevery 90 days, and"),
        ("the Denver Broncos", "won by Denver Broncos (AFC)"),
        ("1969", "in 1969, on"),
        ("九十天", "密钥每九十天轮换一次"),
    ],
)
def test_a_long_text_that_holds_the_answer_counts(answer: str, said: str) -> None:
    assert reciprocal_rank(answer, FILLER, f"{FILLER} {said} {FILLER}") == 0.5


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("Keys rotate every 90 days.", "keys rotate now and then, every 90 days"),
        ("Denver", "Denverites were glad"),
        ("no", "there is no such thing"),
        ("42", "42 of them"),
        ("true", "it is true that"),
    ],
)
def test_words_in_another_order_and_words_that_stand_anywhere_do_not(answer: str, said: str) -> None:
    assert reciprocal_rank(answer, f"{FILLER} {said} {FILLER}") == 0


def test_a_short_answer_that_is_the_whole_text_still_counts() -> None:
    assert reciprocal_rank("no", "No.") == 1
