"""Budgets of tokens: read in order, repeats charged, and the first hit that does not fit ends the list."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.errors import InputError
from rankgate.model import Hit
from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.evaluate import score
from rankgate.truth.judgments.table import Judgments
from support.builders import id_targets, run_of, scored

TWO = id_targets(("q", "a", 1), ("q", "b", 1))


def hits(*costs: tuple[str, int]) -> list[Hit | str]:
    return [Hit(id=name, tokens=tokens) for name, tokens in costs]


DECISION = hits(("a", 1500), ("x", 1800), ("b", 900), ("y", 400))


def test_the_example_of_the_decision() -> None:
    assert scored(TWO, DECISION, "recall@4000tokens", "tokens_to(recall=1)") == [0.5, 4200]


def test_a_smaller_hit_below_one_that_does_not_fit_is_not_read() -> None:
    found = hits(("x", 90), ("y", 20), ("a", 10))
    assert scored(TWO, found, "r@100tokens", "hit@100tokens", "rr@100tokens") == [0, 0, 0]
    assert scored(TWO, found, "r@120tokens", "hit@120tokens", "rr@120tokens") == [0.5, 1, 1 / 3]


def test_the_budget_itself_is_enough() -> None:
    assert scored(TWO, hits(("a", 60), ("b", 40)), "r@100tokens", "r@99tokens", "r@59tokens") == [1, 0.5, 0]


def test_a_hit_that_costs_nothing_is_read() -> None:
    assert scored(TWO, hits(("x", 100), ("a", 0)), "r@100tokens") == [0.5]


def test_repeats_are_charged() -> None:
    found = hits(("a", 60), ("a", 60), ("b", 10))
    assert scored(TWO, found, "r@100tokens", "r@130tokens", "tokens_to") == [0.5, 1, 130]


def test_tokens_to_a_part_of_recall_end_with_the_hit_that_brings_it() -> None:
    found = hits(("x", 5), ("a", 10), ("y", 20), ("b", 40), ("z", 80))
    names = ("tokens_to(recall=0.5)", "tokens_to(recall=0.51)", "tokens_to(recall=0.1)", "tokens_to")
    assert scored(TWO, found, *names) == [15, 75, 15, 75]


def test_tokens_to_what_is_never_reached_are_the_whole_budget() -> None:
    scores = score(Judgments.of(TWO), run_of({"q": hits(("a", 10))}), ["tokens_to", "tokens_to(recall=0.5)"])
    assert scores["tokens_to"] == 8000
    assert scores.counts("tokens_to").undefined == 0
    assert scores["tokens_to(recall=0.5)"] == 10


def test_tokens_are_counted_within_a_query() -> None:
    targets = id_targets(("q", "a", 1), ("r", "a", 1), ("s", "a", 1))
    run = run_of({"s": hits(("a", 30)), "q": hits(("a", 10)), "r": hits(("x", 20), ("a", 5))})
    scores = score(Judgments.of(targets), run, ["tokens_to", "r@20tokens"])
    assert scores.per_query("tokens_to") == {"q": 10, "r": 25, "s": 30}
    assert scores.per_query("r@20tokens") == {"q": 1, "r": 0, "s": 0}


@given(st.lists(st.tuples(st.sampled_from("abxy"), st.integers(0, 9)), max_size=8), st.integers(1, 40))
def test_a_budget_reads_the_longest_beginning_that_fits(costs: list[tuple[str, int]], budget: int) -> None:
    fitting, spent = 0, 0
    for _, tokens in costs:
        if spent + tokens > budget:
            break
        fitting, spent = fitting + 1, spent + tokens
    names = [name for name, _ in costs]
    read = {name for name in names[:fitting] if name in "ab"}
    reach = max((names.index(name) for name in "ab"), default=None) if {"a", "b"} <= set(names) else None
    expected = 8000 if reach is None else sum(tokens for _, tokens in costs[: reach + 1])
    metrics = (f"r@{budget}tokens", "tokens_to", f"tokens_to@{budget}tokens")
    assert scored(TWO, hits(*costs), *metrics) == [len(read) / 2, expected, min(expected, budget)]


@pytest.mark.parametrize("metric", ["r@100tokens", "hit@100tokens", "rr@100tokens", "tokens_to"])
def test_hits_without_a_count_are_an_error_that_counts_them(metric: str) -> None:
    found: list[Hit | str] = [Hit(id="a", tokens=5), Hit(id="b"), Hit(id="c")]
    with pytest.raises(InputError) as caught:
        scored(TWO, found, metric)
    (problem,) = caught.value.problems
    assert problem.found == "2 of 3 hits without a token count"
    assert problem.expected == "tokens on every hit"
    assert problem.fix


def test_nothing_returned_needs_no_count() -> None:
    assert scored(TWO, [], "r@100tokens", "tokens_to") == [0, 8000]


def test_a_query_that_the_run_lacks_scores_zero() -> None:
    targets = id_targets(("q", "a", 1), ("gone", "a", 1))
    scores = score(Judgments.of(targets), run_of({"q": hits(("a", 10))}), ["r@10tokens", "tokens_to"])
    assert scores.per_query("r@10tokens") == {"q": 1, "gone": 0}
    assert scores.per_query("tokens_to") == {"q": 10, "gone": 8000}


@pytest.mark.parametrize("tokens", [5, None])
def test_the_hits_of_a_query_that_failed_are_neither_read_nor_charged(tokens: int | None) -> None:
    table = pl.DataFrame(
        {
            "query": ["q", "q"],
            "rank": [1, 2],
            "id": ["a", "b"],
            "tokens": pl.Series([tokens] * 2, dtype=pl.Int64),
        }
    )
    shard = Shard.of(pl.DataFrame({"query": ["q"], "status": ["error"]}), table)
    scores = score(Judgments.of(TWO), MemoryRun("s", [shard]), ["r@100tokens", "tokens_to"])
    assert (scores["r@100tokens"], scores["tokens_to"]) == (0, 8000)
