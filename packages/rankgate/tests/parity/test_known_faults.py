"""What hand-rolled harnesses get wrong, one test each. Every expectation is worked out by hand."""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING

import polars as pl
import pytest

from rankgate.locations import Lines
from rankgate.model import Hit, MatchBy, Matching
from rankgate.runs.formats.load import load_run
from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.evaluate import score
from rankgate.truth.judgments.table import Judgments

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def ids(*grades: tuple[str, str, float]) -> pl.DataFrame:
    return pl.DataFrame(
        list(grades), schema={"query": pl.String, "id": pl.String, "grade": pl.Float64}, orient="row"
    )


def places(*rows: tuple[str, str, int | None, int | None, float]) -> pl.DataFrame:
    schema = {"query": pl.String, "path": pl.String, "start": pl.Int64, "end": pl.Int64, "grade": pl.Float64}
    return pl.DataFrame(list(rows), schema=schema, orient="row")


def at(path: str, start: int | None = None, end: int | None = None) -> Hit:
    return Hit(path=path, lines=None if start is None or end is None else Lines(start, end))


def run(rankings: Mapping[str, Sequence[Hit | str]]) -> MemoryRun:
    return MemoryRun("system", (Shard.of_rankings(rankings),))


def values(targets: pl.DataFrame, hits: Sequence[Hit | str], *names: str) -> list[float | None]:
    """Score the hits of query `q`."""
    scores = score(Judgments.of(targets), run({"q": hits}), list(names))
    return [scores.per_query(name)["q"] for name in names]


def test_the_worked_example_of_a_line_range_benchmark() -> None:
    """Two targets, the better one at rank 2 and the other at rank 3: nDCG 0.67, MRR 0.5, recall 1."""
    targets = places(("q", "fileA", 10, 50, 2), ("q", "fileB", 20, 30, 1))
    hits = [at("fileC", 1, 10), at("fileA", 30, 60), at("fileB", 25, 35)]
    ndcg, dcg, rr, recall, hit = values(targets, hits, "ndcg@10", "dcg@10", "rr", "r@10", "hit@5")
    assert dcg == pytest.approx(2 / log2(3) + 1 / 2, rel=0, abs=1e-12)
    assert ndcg == pytest.approx((2 / log2(3) + 1 / 2) / (2 + 1 / log2(3)), rel=0, abs=1e-12)
    assert f"{ndcg:.2f} {dcg:.2f}" == "0.67 1.76"
    assert (rr, recall, hit) == (0.5, 1, 1)


def test_three_chunks_of_one_function_earn_its_credit_once() -> None:
    naive = 1 + 1 / log2(3) + 1 / log2(4)
    assert f"{naive:.2f}" == "2.13"
    chunks = [at("app.py", 10, 29), at("app.py", 30, 49), at("app.py", 50, 60)]
    names = ("ndcg@10", "dcg@10", "ap", "p@3", "p(any=true)@3", "r@10", "rprec")
    assert values(places(("q", "app.py", 10, 60, 1)), chunks, *names) == [1, 1, 1, 1 / 3, 1, 1, 1]


def test_one_hit_over_two_targets_is_credited_with_one_and_reaches_both() -> None:
    targets = places(("q", "app.py", 1, 10, 1), ("q", "app.py", 20, 30, 3))
    ndcg, recall, precision, ap = values(targets, [at("app.py", 1, 40)], "ndcg@10", "r@10", "p@1", "ap")
    assert ndcg == pytest.approx(3 / (3 + 1 / log2(3)), rel=0, abs=1e-12)
    assert (recall, precision, ap) == (1, 1, 0.5)


def test_a_hit_that_could_take_either_target_leaves_the_other_to_the_hit_that_cannot() -> None:
    """Rank 1 reaches both targets and rank 2 only the better one: 2 + 3/log2(3) beats 3 alone."""
    targets = places(("q", "app.py", 1, 10, 2), ("q", "app.py", 20, 30, 3))
    dcg, ap = values(targets, [at("app.py", 1, 40), at("app.py", 25, 26)], "dcg@10", "ap")
    assert dcg == pytest.approx(2 + 3 / log2(3), rel=0, abs=1e-12)
    assert ap == 1


def test_recall_is_not_hit_rate() -> None:
    targets = ids(("q", "a", 1), ("q", "b", 1), ("q", "c", 1))
    assert values(targets, ["x", "b"], "r@10", "hit@10") == [1 / 3, 1]


def test_the_ideal_is_built_from_all_judgments_and_not_from_what_was_found() -> None:
    [ndcg] = values(ids(("q", "never found", 3), ("q", "b", 1)), ["b"], "ndcg@10")
    assert ndcg == pytest.approx(1 / (3 + 1 / log2(3)), rel=0, abs=1e-12)


def test_the_ideal_is_cut_where_the_ranking_is() -> None:
    targets = ids(("q", "a", 1), ("q", "b", 1), ("q", "c", 1))
    assert values(targets, ["a"], "ndcg@1") == [1]


@pytest.mark.parametrize("status", ["error", "timeout"])
def test_an_errored_query_counts_as_zero_and_is_counted(status: str) -> None:
    shard = Shard.of(
        pl.DataFrame(
            {"query": ["good", "bad"], "status": ["ok", status], "error": [None, "connection refused"]}
        ),
        pl.DataFrame({"query": ["good"], "rank": [1], "id": ["a"]}),
    )
    judgments = Judgments.of(ids(("good", "a", 1), ("bad", "a", 1)))
    scores = score(judgments, MemoryRun("system", (shard,)), ["ndcg@10"])
    assert scores.per_query("ndcg@10") == {"good": 1, "bad": 0}
    assert scores["ndcg@10"] == 0.5
    assert (scores.counts("ndcg@10").errored, scores.counts("ndcg@10").missing) == (1, 0)


def test_an_outage_scores_zero_and_not_nothing() -> None:
    shard = Shard.of(
        pl.DataFrame({"query": ["q1", "q2"], "status": ["error", "error"], "error": ["down", "down"]}),
        pl.DataFrame(schema={"query": pl.String, "rank": pl.UInt32, "id": pl.String}),
    )
    scores = score(Judgments.of(ids(("q1", "a", 1), ("q2", "b", 1))), MemoryRun("system", (shard,)), ["rr"])
    assert scores["rr"] == 0
    assert scores.counts("rr").errored == 2


def test_a_query_that_the_run_lacks_counts_as_zero_and_is_counted() -> None:
    judgments = Judgments.of(ids(("q1", "a", 1), ("q2", "b", 1)))
    scores = score(judgments, run({"q1": ["a"]}), ["ap"])
    assert scores.per_query("ap") == {"q1": 1, "q2": 0}
    assert scores["ap"] == 0.5
    assert scores.counts("ap").missing == 1


def test_a_query_with_no_hits_scores_zero_and_is_neither_missing_nor_errored() -> None:
    scores = score(Judgments.of(ids(("q1", "a", 1), ("q2", "b", 1))), run({"q1": ["a"], "q2": []}), ["p"])
    assert scores.per_query("p") == {"q1": 1, "q2": 0}
    counts = scores.counts("p")
    assert (counts.scored, counts.undefined, counts.missing, counts.errored) == (2, 0, 0, 0)


def test_a_case_whose_targets_are_gone_does_not_drop_out_in_silence() -> None:
    cases = pl.DataFrame({"query": ["kept", "unresolved"]})
    judgments = Judgments.of(ids(("kept", "a", 1)), cases=cases)
    scores = score(judgments, run({"kept": ["a"], "unresolved": ["a"]}), ["ndcg@10"])
    assert scores.per_query("ndcg@10") == {"kept": 1, "unresolved": None}
    assert (scores.counts("ndcg@10").scored, scores.counts("ndcg@10").undefined) == (1, 1)


def test_a_query_with_nothing_relevant_is_left_out_of_the_mean_and_counted() -> None:
    judgments = Judgments.of(ids(("q1", "a", 1), ("q2", "a", 0)))
    answers = run({"q1": ["x", "a"], "q2": ["a"]})
    names = [
        "ndcg@5",
        "ap",
        "rr",
        "p@5",
        "r@5",
        "hit@5",
        "f1@5",
        "rprec",
        "err(max=1)@5",
        "rbp(p=0.8)",
    ]
    scores = score(judgments, answers, names)
    for name in names:
        assert scores.per_query(name)["q2"] is None, name
        assert scores[name] == scores.per_query(name)["q1"], name
        assert (scores.counts(name).scored, scores.counts(name).undefined) == (1, 1), name
    assert scores["rr"] == 0.5


def test_a_mean_of_nothing_is_undefined_and_not_zero() -> None:
    scores = score(Judgments.of(ids(("q", "a", 0))), run({"q": ["a"]}), ["ndcg@5"])
    assert scores["ndcg@5"] is None
    assert scores.counts("ndcg@5").undefined == 1


def test_the_trec_rules_turn_undefined_into_zero() -> None:
    judgments = Judgments.of(ids(("q1", "a", 1), ("q2", "a", 0)))
    scores = score(judgments, run({"q1": ["a"], "q2": ["a"]}), ["ap"], trec=True)
    assert (scores.per_query("ap"), scores["ap"]) == ({"q1": 1, "q2": 0}, 0.5)


def test_a_run_query_that_nobody_judged_is_not_scored() -> None:
    scores = score(Judgments.of(ids(("q", "a", 1))), run({"q": ["a"], "other": ["b"]}), ["ap"])
    assert (scores.per_query("ap"), scores["ap"]) == ({"q": 1}, 1)


@pytest.mark.parametrize("returned", ["oauth.py", "auth.pyi", "lib/auth.py", "Auth.py"])
def test_auth_is_matched_by_auth_alone(returned: str) -> None:
    targets = places(("q", "auth.py", 1, 10, 1))
    assert values(targets, [at(returned, 1, 10)], "r@1", "ndcg@1", "rr") == [0, 0, 0]


def test_two_spellings_of_one_path_are_one_path() -> None:
    targets = places(("q", "src/auth.py", 1, 10, 1))
    assert values(targets, [at(".\\src//auth.py", 1, 10)], "r@1") == [1]


def test_an_id_that_looks_like_a_place_is_never_parsed() -> None:
    assert values(ids(("q", "auth.py:1-10", 1)), ["auth.py:5-6", "auth.py"], "r@2") == [0]


def test_line_ranges_include_both_ends() -> None:
    targets = places(("q", "a.py", 10, 20, 1))
    for start, end, reached in ((1, 10, 1), (20, 30, 1), (1, 9, 0), (21, 30, 0), (15, 15, 1)):
        assert values(targets, [at("a.py", start, end)], "r@1") == [reached], (start, end)


def test_a_hit_without_lines_reaches_line_targets_only_when_paths_are_compared() -> None:
    targets, answers = places(("q", "a.py", 10, 20, 1)), run({"q": [at("a.py")]})
    assert score(Judgments.of(targets), answers, ["r@1"])["r@1"] == 0
    by_path = Judgments.of(targets, matching=Matching(by=MatchBy.PATH))
    assert score(by_path, answers, ["r@1"])["r@1"] == 1


def test_a_repeated_id_keeps_its_rank_and_gains_nothing() -> None:
    targets = ids(("q", "a", 1), ("q", "b", 1))
    ap, precision, any_precision, ndcg, recall = values(
        targets, ["a", "a", "b"], "ap", "p@3", "p(any=true)@3", "ndcg@10", "r@10"
    )
    assert ap == pytest.approx((1 + 2 / 3) / 2, rel=0, abs=1e-12)
    assert precision == any_precision == pytest.approx(2 / 3, rel=0, abs=1e-12)
    assert ndcg == pytest.approx((1 + 1 / 2) / (1 + 1 / log2(3)), rel=0, abs=1e-12)
    assert recall == 1


def test_a_repeated_place_gains_nothing_even_where_another_target_is_free() -> None:
    targets = places(("q", "a.py", 1, 5, 1), ("q", "a.py", 6, 10, 1))
    precision, ap = values(targets, [at("a.py", 1, 10), at("a.py", 1, 10)], "p@2", "ap")
    assert (precision, ap) == (0.5, 0.5)


def test_float_grades_are_not_cut_to_integers() -> None:
    ndcg, rr = values(ids(("q", "a", 0.5), ("q", "b", 2.5)), ["a", "b"], "ndcg@10", "rr")
    assert ndcg == pytest.approx((0.5 + 2.5 / log2(3)) / (2.5 + 0.5 / log2(3)), rel=0, abs=1e-12)
    assert rr == 1


def test_negative_grades_are_judged_and_gain_nothing() -> None:
    targets = ids(("q", "bad", -2), ("q", "good", 1))
    names = ("ndcg@2", "ap", "p@2", "rr", "r@1", "judged@2")
    ndcg, *rest = values(targets, ["bad", "good"], *names)
    assert ndcg == pytest.approx(1 / log2(3), rel=0, abs=1e-12)
    assert rest == [0.5, 0.5, 0.5, 0, 1]


def test_only_negative_grades_are_nothing_relevant() -> None:
    assert values(ids(("q", "a", -1)), ["a"], "ndcg@5", "ap") == [None, None]


def test_constant_scores_in_a_trec_run_are_ordered_by_id_descending(tmp_path: Path) -> None:
    file = tmp_path / "constant.run"
    file.write_text("".join(f"q Q0 {doc} {rank} 1.0 t\n" for rank, doc in enumerate(("b", "d9", "d10"), 1)))
    judgments = Judgments.of(ids(("q", "b", 1)))
    by_score = score(judgments, load_run(file, order="trec"), ["rr"], trec=True)
    as_returned = score(judgments, load_run(file, order="returned"), ["rr"])
    assert (by_score["rr"], as_returned["rr"]) == (1 / 3, 1)
    nine = score(Judgments.of(ids(("q", "d9", 1))), load_run(file, order="trec"), ["rr"], trec=True)
    assert nine["rr"] == 1


def test_trec_scores_that_differ_only_beyond_float32_are_tied(tmp_path: Path) -> None:
    file = tmp_path / "close.run"
    file.write_text("q Q0 a 1 16777217 t\nq Q0 b 2 16777216 t\n")
    scores = score(Judgments.of(ids(("q", "b", 1))), load_run(file, order="trec"), ["rr"], trec=True)
    assert scores["rr"] == 1


def test_the_order_that_a_system_returned_stands_whatever_its_scores_say() -> None:
    hits = [Hit(id="a", score=0.1), Hit(id="b", score=0.9)]
    assert values(ids(("q", "b", 1)), hits, "rr") == [0.5]


def test_precision_divides_by_k_and_not_by_what_came_back() -> None:
    assert values(ids(("q", "a", 1)), ["a"], "p@5", "p") == [0.2, 1]


def test_alternatives_earn_credit_once_and_count_once() -> None:
    targets = ids(("q", "a", 1), ("q", "b", 3), ("q", "c", 1)).with_columns(group=pl.Series(["g", "g", None]))
    ndcg, recall, ap, precision = values(targets, ["a", "b"], "ndcg@10", "r@10", "ap", "p@2")
    assert ndcg == pytest.approx((3 / log2(3)) / (3 + 1 / log2(3)), rel=0, abs=1e-12)
    assert (recall, ap, precision) == (0.5, 0.5, 0.5)


def test_false_positives_cost_pndcg_and_leave_ndcg_alone() -> None:
    """Ten wrong hits below the one right one: the penalty goes below zero, and stays out of nDCG."""
    cases = pl.DataFrame({"query": ["q", "open"], "exhaustive": [True, False]})
    judgments = Judgments.of(ids(("q", "a", 1), ("open", "a", 1)), cases=cases)
    hits = ["a", *(f"wrong {number}" for number in range(10))]
    scores = score(judgments, run({"q": hits, "open": hits}), ["ndcg@20", "pndcg@20"])
    cost = sum(1 / log2(rank + 1) for rank in range(2, 12))
    assert scores.per_query("ndcg@20") == {"q": 1, "open": 1}
    assert scores.per_query("pndcg@20")["q"] == pytest.approx(1 - cost, rel=0, abs=1e-12)
    assert scores.per_query("pndcg@20")["open"] is None


def test_judged_is_undefined_where_nothing_is_judged_irrelevant() -> None:
    assert (
        values(ids(("q", "a", 1)), ["a", "x"], "judged@2", "bpref", "ndcg(judged_only=true)@2") == [None] * 3
    )
    assert values(ids(("q", "a", 1), ("q", "b", 0)), ["a", "x"], "judged@2", "judged@1") == [0.5, 1]


def test_err_takes_its_maximum_from_the_declared_scale_and_not_from_the_query() -> None:
    judgments = Judgments.of(ids(("q", "a", 1)), max_grade=3)
    assert score(judgments, run({"q": ["a"]}), ["err@5"])["err@5"] == (2**1 - 1) / 2**3


def test_a_weight_is_a_share_of_the_mean() -> None:
    cases = pl.DataFrame({"query": ["q1", "q2"], "weight": [3.0, 1.0]})
    judgments = Judgments.of(ids(("q1", "a", 1), ("q2", "a", 1)), cases=cases)
    assert score(judgments, run({"q1": ["a"], "q2": []}), ["rr"])["rr"] == 0.75
