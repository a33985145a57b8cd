"""Labels made from an expected answer: by its words, marked in every row, and never without a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.errors import FormatError, InputError
from rankgate.locations import Location
from rankgate.model import Case, Hit, Ranking, Suite, Target
from rankgate.runs.store.hits import kept_texts
from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.evaluate import score
from rankgate.truth.estimate import answered_cases, estimate, token_f1, words
from rankgate.truth.judgments.table import Judgments, read_judgments

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rankgate.runs.store.columns import TextLevel

ANSWER = "Keys rotate every 90 days."
CLOSE = "rotate the keys every 30 days"
FAR = "webhooks are retried three times"


def suite_of(*cases: Case) -> Suite:
    return Suite("s", cases)


def run_of(texts: TextLevel = "full", **answers: Sequence[Hit]) -> MemoryRun:
    rankings = {query: Ranking(tuple(hits)) for query, hits in answers.items()}
    return MemoryRun("run", [Shard.of_rankings(rankings, texts=texts)])


def hits(*texts: str | None) -> list[Hit]:
    return [Hit(id=f"d{number}", text=text) for number, text in enumerate(texts)]


def estimated(suite: Suite, run: MemoryRun) -> Judgments:
    cases, _ = answered_cases(suite.cases)
    return estimate(Judgments.from_suite(suite), cases, kept_texts(run, [case.id for case in cases]))


def values(suite: Suite, run: MemoryRun, *metrics: str) -> list[float | None]:
    scores = score(estimated(suite, run), run, metrics)
    return [scores.per_query(metric)["q"] for metric in metrics]


ONE = suite_of(Case("q", "how often", answer=ANSWER))


def test_the_example_of_the_decision_on_estimated_labels() -> None:
    answer = "keys rotate every 90 days"
    assert token_f1(words("rotate keys every 30 days"), words(answer)) == 0.8
    passage = " ".join([*map("w{}".format, range(100)), answer])
    assert token_f1(words(passage), words(answer)) == pytest.approx(0.0909, abs=5e-5)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("The cat, a DOG; an Emu!", ["cat", "dog", "emu"]),
        ("user's API-key", ["apikey", "users"]),
        ("«größer» — 10%", ["10", "größer"]),
        ("a the an ...", []),
        ("theatre", ["theatre"]),
    ],
)
def test_words_are_lower_case_without_punctuation_and_articles(text: str, kept: list[str]) -> None:
    assert sorted(words(text).elements()) == kept


@given(st.text(), st.text())
def test_f1_is_from_0_to_1_and_the_same_either_way(one: str, other: str) -> None:
    found = token_f1(words(one), words(other))
    assert 0 <= found <= 1
    assert found == token_f1(words(other), words(one))
    assert (found == 1) == (words(one) == words(other) and bool(words(one)))


def test_answer_counts_in_every_metric_as_one_target_of_grade_1() -> None:
    run = run_of(q=hits(FAR, CLOSE, CLOSE + "."))
    assert values(ONE, run, "hit@1", "hit@2", "rr", "p@2", "p(any)@3") == [0, 1, 0.5, 0.5, 2 / 3]
    assert values(ONE, run, "r@1", "r@5", "ap", "rprec") == [0, 1, 0.5, 0]
    assert values(ONE, run, "ndcg@10") == pytest.approx([0.6309], abs=5e-5)
    assert values(ONE, run, "0.5*rr + 0.5*hit@2", "0.5*rr + 0.5*r@2", "hit(rel=2)@2") == [0.75, 0.75, None]


def test_an_answer_that_no_text_gives_is_a_miss_and_not_undefined() -> None:
    for run in (run_of(q=hits(FAR)), run_of(q=[]), run_of(other=hits(CLOSE))):
        assert values(ONE, run, "hit@5", "rr", "p@5", "ndcg@10") == [0, 0, 0, 0]
        assert score(estimated(ONE, run), run, ["rr"]).counts("rr").estimated == 1


def test_a_text_counts_and_not_the_document_that_it_is_in() -> None:
    """Both chunks have the id of their document, and the first is about something else."""
    run = run_of(q=[Hit(id="d", text=FAR), Hit(id="d", text=CLOSE)])
    assert values(ONE, run, "rr") == [0.5]
    assert values(ONE, run_of(q=[Hit(text=FAR), Hit(text=CLOSE)]), "rr") == [0.5]


def test_the_threshold_counts_as_reached() -> None:
    half = "keys rotate weekly often indeed"  # 2 of 5 and 5 words: F1 = 0.4
    judgments = Judgments.from_suite(ONE)
    for threshold, found in ((0.4, 1), (0.41, 0)):
        run = run_of(q=hits(half))
        labels = estimate(judgments, ONE.cases, kept_texts(run, ["q"]), threshold)
        assert score(labels, run, ["hit@1"])["hit@1"] == found


def test_every_row_says_that_it_is_an_estimate() -> None:
    run = run_of(q=hits(CLOSE, FAR))
    labels = estimated(ONE, run)
    rows = labels.targets.select("query", "strategy", "source", "id", "path", "group").rows()
    assert set(rows) == {("q", "estimated", "estimated, token F1", None, None, "answer")}
    assert labels.targets["text_hash"].to_list() == ["", next(run.shards()).hits["text"][0]]
    assert labels.cases["estimated"].to_list() == [True]
    rule = "a hit counts that holds the expected answer word for word or has a token F1 of 0.5 with it"
    assert labels.notes == (f"labels of 1 case estimated: {rule}",)


def test_estimates_are_read_as_they_were_written(tmp_path: Path) -> None:
    run = run_of(q=hits(FAR, CLOSE))
    labels = estimated(ONE, run)
    labels.write(tmp_path / "judgments")
    again = read_judgments(tmp_path / "judgments")
    assert again.targets.equals(labels.targets)
    scores = score(again, run, ["rr", "latency"])
    assert (scores["rr"], scores.counts("rr").estimated) == (0.5, 1)


def test_targets_come_first_and_unused_answers_are_counted() -> None:
    with_target = Case("t", "x", (Target(Location.of_id("d0")),), answer=ANSWER)
    suite = suite_of(with_target, Case("e", "y", expect_empty=True, answer=ANSWER), *ONE.cases)
    cases, notes = answered_cases(suite.cases)
    assert [case.id for case in cases] == ["q"]
    assert notes == ("2 answers not used: targets, and expect: empty, come first",)
    run = run_of(q=hits(CLOSE), t=hits(FAR), e=[])
    scores = score(estimated(suite, run), run, ["rr", "ndcg"])
    assert scores.per_query("rr") == {"t": 1, "e": None, "q": 1}
    assert scores.per_query("ndcg") == {"t": 1, "e": None, "q": 1}
    assert scores.counts("ndcg").estimated == 1


def test_hits_without_a_text_are_no_match_and_counted() -> None:
    labels = estimated(ONE, run_of(q=hits(None, CLOSE, None)))
    assert labels.notes[1:] == ("2 hits without a text, counted as no match",)


@pytest.mark.parametrize(
    ("run", "why"),
    [
        (run_of(q=hits(None, None)), "no hit has a text"),
        (run_of(texts="none", q=hits(CLOSE)), "the run keeps no texts"),
    ],
)
def test_without_a_text_to_compare_nothing_is_estimated(run: MemoryRun, why: str) -> None:
    labels = estimated(ONE, run)
    assert labels.notes == (f"labels of 1 case cannot be estimated: {why}",)
    scores = score(labels, run, ["hit@5"])
    assert (scores["hit@5"], scores.counts("hit@5").undefined, scores.counts("hit@5").estimated) == (
        None,
        1,
        0,
    )


def test_a_text_of_which_a_part_was_kept_is_compared_by_that_and_counted() -> None:
    long = CLOSE + " " * 5000 + "and more"
    labels = estimated(ONE, run_of(texts="snippet", q=hits(long)))
    assert labels.notes[1:] == ("1 hit compared by what was kept of the text",)


def test_an_answer_without_a_word_is_refused_before_anything_is_asked() -> None:
    suite = suite_of(Case("q", "x", answer="The ...", where="s.yaml:3:5"))
    with pytest.raises(
        InputError, match=r"s.yaml:3:5: found answer 'The ...', expected an answer with words"
    ):
        answered_cases(suite.cases)


def test_a_label_of_an_estimate_and_a_target_are_never_mixed() -> None:
    label = {"query": "q", "text_hash": "0" * 32, "strategy": "estimated"}
    with pytest.raises(FormatError, match="an estimated label in a case of targets"):
        Judgments.of(pl.DataFrame([label]))
    target = pl.DataFrame({"query": ["q"], "id": ["a"]})
    with pytest.raises(FormatError, match="a target in an estimated case"):
        Judgments.of(target, pl.DataFrame({"query": ["q"], "estimated": [True]}))


def test_under_the_trec_rules_estimates_stay_what_they_are() -> None:
    run = run_of(q=hits(CLOSE))
    scores = score(estimated(ONE, run), run, ["ndcg", "rr"], trec=True)
    assert (scores["ndcg"], scores["rr"]) == (1, 1)


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
def test_long_text_with_the_answer_is_a_match(answer: str, said: str) -> None:
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
def test_long_text_with_scattered_words_is_no_match(answer: str, said: str) -> None:
    assert reciprocal_rank(answer, f"{FILLER} {said} {FILLER}") == 0
